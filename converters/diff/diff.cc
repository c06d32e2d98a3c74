#include "nadi/converters/diff/diff.h"

#include <algorithm>
#include <filesystem>

#include "nadi/base/beside.h"
#include "nadi/base/error.h"
#include "nadi/converters/archive/look_at_files.h"
#include "nadi/converters/diff/chakra_side.h"
#include "nadi/converters/events/event_traces.h"
#include "nadi/converters/joint_progress.h"

namespace nadi {
namespace {

struct Side {
  std::vector<EventTrace> traces;
  SideSummary summary;
  bool has_graphs = false;
  Diagnostics diagnostics;
};

/// The kinds of a path's files: of a folder, device traces go before graphs made from them.
bool is_graph_path(const std::string& path) {
  std::error_code is_missing;
  if (!std::filesystem::is_directory(path, is_missing)) return is_chakra_file(path);
  Diagnostics ignored;  // find_event_traces reports them
  const std::vector<FoundTrace> files = look_at_files(path, ignored);
  const auto holds = [&](TraceType type) {
    return std::any_of(files.begin(), files.end(),
                       [&](const FoundTrace& file) { return file.peek.type == type; });
  };
  return holds(TraceType::kChakra) && !holds(TraceType::kDeviceTrace);
}

/// True for graphs, false for traces. Throws Error(kInput) for both together.
bool are_graphs(const std::vector<std::string>& paths) {
  const auto graphs = std::count_if(paths.begin(), paths.end(), is_graph_path);
  if (graphs > 0 && static_cast<std::size_t>(graphs) < paths.size())
    throw Error(ErrorCode::kInput, paths.front(), "traces and Chakra graphs on one side",
                "Compare graphs with graphs, traces with traces");
  return graphs > 0;
}

Side read_side(const DiffTraces& asked, DiffChoice choice, const Progress& progress) {
  choice.iterations = asked.iterations;
  const EventTableOptions options = table_options(choice);
  Side side;
  side.has_graphs = are_graphs(asked.paths);
  side.traces = find_event_traces(asked.paths, side.diagnostics,
                                  side.has_graphs ? TraceType::kChakra : TraceType::kDeviceTrace);
  if (asked.ranks == "first")
    side.traces.resize(1);
  else
    side.traces = choose_ranks(std::move(side.traces), asked.ranks);
  for (const EventTrace& trace : side.traces) {
    if (side.has_graphs) {
      add_chakra_file(trace.path, trace.rank, choice, side.summary, progress);
      continue;
    }
    ByteSource source = ByteSource::open(trace.path);
    Diagnostics found;
    EventTable table = read_event_table(source, options, found, progress);
    side.diagnostics.merge_of(trace.path, found);
    const std::int64_t rank = with_rank_read(trace, table.rank).rank;
    add_table(std::move(table), rank, trace.path, choice, side.summary, side.diagnostics);
  }
  return side;
}

std::vector<std::string> paths_of(const std::vector<EventTrace>& traces) {
  std::vector<std::string> paths;
  paths.reserve(traces.size());
  for (const EventTrace& trace : traces) paths.push_back(trace.path);
  return paths;
}

bool reads_standard_input(const DiffTraces& side) {
  return std::find(side.paths.begin(), side.paths.end(), "-") != side.paths.end();
}

}  // namespace

DiffReport diff_traces(const DiffTraces& control, const DiffTraces& test, const DiffChoice& choice,
                       const Progress& progress) {
  if (reads_standard_input(control) && reads_standard_input(test))
    throw Error(ErrorCode::kUsage, "standard input", "cannot be both control and test",
                "Pass a file for one of them");
  JointProgress both(progress);
  auto later = begin_beside([&] { return read_side(test, choice, both.part(1)); });
  const Side from = read_side(control, choice, both.part(0));
  const Side to = later.get();
  if (from.has_graphs != to.has_graphs)
    throw Error(ErrorCode::kInput, from.traces.front().path + " and " + to.traces.front().path,
                "one is a Chakra graph, the other a trace",
                "Compare graphs with graphs, traces with traces");
  DiffReport report = make_report(from.summary, to.summary, choice);
  report.control.paths = paths_of(from.traces);
  report.test.paths = paths_of(to.traces);
  Diagnostics found = from.diagnostics;
  found.merge(to.diagnostics);
  found.merge(report.diagnostics);
  report.diagnostics = std::move(found);
  return report;
}

}  // namespace nadi
