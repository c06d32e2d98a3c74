#include "nadi/converters/events/event_traces.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "nadi/base/count_text.h"
#include "nadi/base/error.h"
#include "nadi/base/range_text.h"
#include "nadi/converters/archive/look_at_files.h"
#include "nadi/converters/archive/settle_traces.h"
#include "nadi/converters/rank_of_name.h"
#include "nadi/events/number_ranges.h"

namespace nadi {
namespace {

namespace fs = std::filesystem;

/// The files of the type; the folder's own name may tell the rank of all.
std::vector<FoundTrace> find_in_folder(const std::string& folder, TraceType type,
                                       Diagnostics& diagnostics) {
  std::vector<FoundTrace> found = look_at_files(folder, diagnostics);
  std::erase_if(found, [&](const FoundTrace& file) {
    if (file.peek.type == type) return false;
    report_ignored(file.path, file.peek, diagnostics);
    return true;
  });
  if (found.empty() && type == TraceType::kChakra)
    throw Error(ErrorCode::kInput, folder, "holds no Chakra graph", "Pass what nadi convert wrote");
  if (found.empty())
    throw Error(ErrorCode::kInput, folder, "holds no device trace",
                "Pass what torch.profiler's export_chrome_trace wrote");
  if (type == TraceType::kChakra) return found;
  for (FoundTrace& trace : found)
    if (trace.name.rank < 0) trace.name.rank = rank_in_path(trace.path);
  const auto open = [&](std::size_t trace) {
    return std::optional(ByteSource::open(found[trace].path));
  };
  settle_traces(found, {}, open, diagnostics);
  std::erase_if(found, [](const FoundTrace& trace) { return trace.is_passed_over; });
  return found;
}

/// "2 ranks are there: 0, 3". A rank may have several traces.
std::string ranks_text(const std::vector<EventTrace>& traces) {
  std::set<std::int64_t> ranks;
  for (const EventTrace& trace : traces) ranks.insert(trace.rank);
  const std::vector<std::int64_t> list(ranks.begin(), ranks.end());
  return fmt::format("{} {} there: {}", count_text(list.size(), "rank"),
                     list.size() == 1 ? "is" : "are", range_text(list));
}

[[noreturn]] void refuse_rank(std::string_view text, const std::string& missing,
                              const std::vector<EventTrace>& traces) {
  throw Error(ErrorCode::kUsage, "ranks '" + std::string(text) + "'", "there is no rank " + missing,
              ranks_text(traces));
}

}  // namespace

std::vector<EventTrace> find_event_traces(const std::vector<std::string>& paths,
                                          Diagnostics& diagnostics, TraceType type) {
  std::vector<FoundTrace> found, files;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
      auto of_folder = find_in_folder(path, type, diagnostics);
      std::move(of_folder.begin(), of_folder.end(), std::back_inserter(found));
    } else if (path == "-") {  // can be read only once
      files.push_back({{}, path, {}});
      if (paths.size() == 1) files.back().name.rank = 0;
    } else {
      files.push_back(found_at(path, path, peek_trace(path)));
    }
  }
  if (type != TraceType::kChakra) set_ranks_by_names(files);
  std::move(files.begin(), files.end(), std::back_inserter(found));
  sort_one_per_rank(found, "Put the rank into its name: rank3.json.gz", "Pass one trace per rank");
  std::vector<EventTrace> traces;
  traces.reserve(found.size());
  for (const FoundTrace& file : found) traces.push_back({file.rank(), file.path, {}});
  return traces;
}

std::vector<EventTrace> choose_ranks(std::vector<EventTrace> traces, std::string_view text) {
  if (text == "all") return traces;
  const auto ranges = parse_number_ranges(text);
  if (!ranges)
    throw Error(ErrorCode::kUsage, "ranks '" + std::string(text) + "'", "are none",
                "Write all, or numbers and ranges: 0,2-3");
  if (traces.size() == 1 && traces.front().path == "-") {
    traces.front().only_ranks = text;
    return traces;
  }
  for (const NumberRange& range : *ranges)
    if (std::none_of(traces.begin(), traces.end(),
                     [&](const EventTrace& trace) { return range.holds(trace.rank); }))
      refuse_rank(text, range.text(), traces);
  std::erase_if(traces, [&](const EventTrace& trace) { return !holds(*ranges, trace.rank); });
  return traces;
}

EventTrace with_rank_read(EventTrace trace, std::int64_t recorded) {
  if (trace.path == "-" && recorded >= 0) trace.rank = recorded;
  if (trace.only_ranks.empty()) return trace;
  if (const auto ranges = parse_number_ranges(trace.only_ranks); !holds(*ranges, trace.rank))
    refuse_rank(trace.only_ranks, ranges->front().text(), {trace});
  return trace;
}

}  // namespace nadi
