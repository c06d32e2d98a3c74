#include "nadi/converters/diff/diff.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <future>

#include "nadi/base/error.h"
#include "nadi/converters/events/event_traces.h"

namespace nadi {
namespace {

struct Side {
  std::vector<EventTrace> traces;
  SideSummary summary;
  Diagnostics diagnostics;
};

/// How far both sides have come, as one.
class BothSides {
 public:
  explicit BothSides(const Progress& progress) : progress_(progress) {}

  Progress side(std::size_t place) {
    if (!progress_) return {};
    return [this, place](std::uint64_t read, std::uint64_t total) {
      read_[place] = read;
      total_[place] = total;
      progress_(read_[0] + read_[1], total_[0] + total_[1]);
    };
  }

 private:
  const Progress& progress_;
  std::array<std::atomic<std::uint64_t>, 2> read_{}, total_{};
};

std::vector<EventTrace> chosen_traces(const DiffTraces& asked, Diagnostics& diagnostics) {
  auto traces = find_event_traces(asked.paths, diagnostics);
  if (asked.ranks == "first") return {traces.front()};
  return choose_ranks(std::move(traces), asked.ranks);
}

Side read_side(const DiffTraces& asked, DiffChoice choice, const Progress& progress) {
  choice.iterations = asked.iterations;
  const EventTableOptions options = table_options(choice);
  Side side;
  side.traces = chosen_traces(asked, side.diagnostics);
  for (const EventTrace& trace : side.traces) {
    ByteSource source = ByteSource::open(trace.path);
    add_table(read_event_table(source, options, side.diagnostics, progress), trace.rank, trace.path,
              choice, side.summary, side.diagnostics);
  }
  return side;
}

std::vector<std::string> paths_of(const std::vector<EventTrace>& traces) {
  std::vector<std::string> paths;
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
  BothSides both(progress);
  auto later =
      std::async(std::launch::async, [&] { return read_side(test, choice, both.side(1)); });
  const Side from = read_side(control, choice, both.side(0));
  const Side to = later.get();
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
