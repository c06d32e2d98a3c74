#include "nadi/converters/events/event_traces.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "nadi/base/count_text.h"
#include "nadi/base/error.h"
#include "nadi/base/range_text.h"
#include "nadi/converters/archive/pair_ranks.h"
#include "nadi/converters/archive/peek_trace.h"
#include "nadi/events/number_ranges.h"

namespace nadi {
namespace {

namespace fs = std::filesystem;

struct TraceFile {
  std::string path;
  std::int64_t rank = -1;  ///< -1 = nothing tells
};

std::int64_t rank_of(const TracePeek& peek, const std::string& path) {
  return peek.rank >= 0 ? peek.rank : rank_in_name(fs::path(path).filename().string());
}

void look_at_folder(const std::string& folder, TraceType type, std::vector<TraceFile>& found,
                    Diagnostics& diagnostics) {
  std::error_code error;
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.is_regular_file(error)) files.push_back(entry.path().string());
  if (error)
    throw Error(ErrorCode::kInput, folder, "cannot be listed (" + error.message() + ")",
                "Pass the folder that holds the traces");
  std::sort(files.begin(), files.end());
  const std::size_t before = found.size();
  for (const std::string& file : files) {
    const TracePeek peek = peek_trace(file);
    if (peek.type == type)
      found.push_back({file, rank_of(peek, file)});
    else
      diagnostics.report("file-ignored", file + ": " + peek.what);
  }
  if (found.size() == before && type == TraceType::kChakra)
    throw Error(ErrorCode::kInput, folder, "holds no Chakra graph", "Pass what nadi convert wrote");
  if (found.size() == before)
    throw Error(ErrorCode::kInput, folder, "holds no device trace",
                "Pass what torch.profiler's export_chrome_trace wrote");
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
  std::vector<TraceFile> found;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored))
      look_at_folder(path, type, found, diagnostics);
    else if (path == "-")
      found.push_back({path, paths.size() == 1 ? 0 : -1});  // can be read only once
    else
      found.push_back({path, rank_of(peek_trace(path), path)});
  }
  if (found.size() == 1 && found.front().rank < 0) found.front().rank = 0;
  std::stable_sort(found.begin(), found.end(),
                   [](const TraceFile& a, const TraceFile& b) { return a.rank < b.rank; });
  std::vector<EventTrace> traces;
  for (const TraceFile& file : found) {
    if (file.rank < 0)
      throw Error(ErrorCode::kInput, file.path, "nothing tells its rank",
                  "Put the rank into its name: trace.3.json.gz");
    if (!traces.empty() && traces.back().rank == file.rank)
      throw Error(ErrorCode::kInput, file.path,
                  "is of rank " + std::to_string(file.rank) + ", as " + traces.back().path,
                  "Pass one trace per rank");
    traces.push_back({file.rank, file.path, {}});
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
