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
#include "nadi/chakra/rank_name.h"
#include "nadi/converters/archive/pair_ranks.h"
#include "nadi/converters/archive/peek_trace.h"
#include "nadi/converters/archive/settle_traces.h"
#include "nadi/converters/rank_of_name.h"
#include "nadi/emit/compressor.h"
#include "nadi/events/number_ranges.h"

namespace nadi {
namespace {

namespace fs = std::filesystem;

FoundTrace look_at(const std::string& path, TracePeek peek) {
  FoundTrace trace{{}, path, std::move(peek)};
  trace.name.file = fs::path(path).filename().string();
  if (trace.peek.type != TraceType::kChakra)
    trace.name.rank = rank_in_path(path);
  else if (const auto named = parse_rank_name(without_compression(trace.name.file)))
    trace.name.rank = named->rank;
  return trace;
}

std::vector<FoundTrace> look_at_folder(const std::string& folder, TraceType type,
                                       Diagnostics& diagnostics) {
  std::error_code error;
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.is_regular_file(error)) files.push_back(entry.path().string());
  if (error)
    throw Error(ErrorCode::kInput, folder, "cannot be listed (" + error.message() + ")",
                "Pass the folder that holds the traces");
  std::sort(files.begin(), files.end());
  std::vector<FoundTrace> found;
  for (const std::string& file : files) {
    TracePeek peek = peek_trace(file);
    if (peek.type == type)
      found.push_back(look_at(file, std::move(peek)));
    else
      report_ignored(file, peek, diagnostics);
  }
  if (found.empty() && type == TraceType::kChakra)
    throw Error(ErrorCode::kInput, folder, "holds no Chakra graph", "Pass what nadi convert wrote");
  if (found.empty())
    throw Error(ErrorCode::kInput, folder, "holds no device trace",
                "Pass what torch.profiler's export_chrome_trace wrote");
  if (type == TraceType::kChakra) return found;
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
      auto of_folder = look_at_folder(path, type, diagnostics);
      std::move(of_folder.begin(), of_folder.end(), std::back_inserter(found));
    } else if (path == "-") {  // can be read only once
      files.push_back({{}, path, {}});
      if (paths.size() == 1) files.back().name.rank = 0;
    } else {
      files.push_back(look_at(path, peek_trace(path)));
    }
  }
  if (type != TraceType::kChakra) set_ranks_by_names(files);
  std::move(files.begin(), files.end(), std::back_inserter(found));
  if (found.size() == 1 && found.front().rank() < 0) found.front().name.rank = 0;
  std::stable_sort(found.begin(), found.end(),
                   [](const FoundTrace& a, const FoundTrace& b) { return a.rank() < b.rank(); });
  std::vector<EventTrace> traces;
  for (const FoundTrace& file : found) {
    if (file.rank() < 0)
      throw Error(ErrorCode::kInput, file.path, "nothing tells its rank",
                  "Put the rank into its name: rank3.json.gz");
    if (!traces.empty() && traces.back().rank == file.rank())
      throw Error(ErrorCode::kInput, file.path,
                  "is of rank " + std::to_string(file.rank()) + ", as " + traces.back().path,
                  "Pass one trace per rank");
    traces.push_back({file.rank(), file.path, {}});
  }
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
