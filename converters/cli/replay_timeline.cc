#include "nadi/converters/cli/replay_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "nadi/converters/trace_events.h"
#include "nadi/sim_bridge/replay/report.h"

namespace nadi::cli {

namespace {

/// Of nodes that overlap on one lane; what is left shares the last.
constexpr std::size_t kMostTracks = 16;
constexpr std::uint32_t kFirstTrack = 1'000'000;  // above every `pid`

class TimelineWriter {
 public:
  TimelineWriter(const ReplayJob& job, const ByteSink& sink) : job_(job), events_(sink) {}

  void write(std::span<const TimelineRun> runs, std::optional<std::uint32_t> flows_of) {
    for (const TimelineRun& run : runs)
      runs_.push_back({run.name, &run.times, std::vector<std::uint32_t>(job_.size(), kNoIndex)});
    find_origin();
    for (std::size_t of = 0; of < job_.graphs.size(); ++of) add_rank(of);
    if (flows_of) add_flows(*flows_of);
    events_.finish();
  }

 private:
  struct Run {
    const char* name = "";
    const ReplayTimes* times = nullptr;
    std::vector<std::uint32_t> track;  // by node: `tid` in the timeline
  };

  bool is_shown(std::size_t of, std::uint32_t row) const {
    return job_.graphs[of].kind[row] != NodeKind::kDelay;
  }

  void find_origin() {
    bool is_first = true;
    for (const Run& run : runs_)
      for (const Ns start : run.times->start_ns) {
        origin_ = is_first ? start : std::min(origin_, start);
        is_first = false;
      }
  }

  void add_rank(std::size_t of) {
    const Graph& graph = job_.graphs[of];
    events_.name_process(of + 1, fmt::format("rank {} ({})", job_.rank[of], graph.name));
    std::vector<std::vector<std::uint32_t>> by_lane(graph.lanes.size());
    for (std::uint32_t row = 0; row < graph.size(); ++row)
      if (is_shown(of, row)) by_lane[graph.lane[row]].push_back(row);
    next_track_ = kFirstTrack;
    for (std::size_t lane = 0; lane < by_lane.size(); ++lane)
      for (Run& run : runs_) add_lane(of, lane_text(graph.lanes[lane]), by_lane[lane], run);
  }

  void add_lane(std::size_t of, const std::string& lane, std::vector<std::uint32_t>& rows,
                Run& run) {
    const std::uint32_t first = job_.first_node[of];
    const auto start = [&](std::uint32_t row) { return run.times->start_ns[first + row]; };
    std::stable_sort(rows.begin(), rows.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return start(a) < start(b); });
    std::vector<Ns> ends;  // of the lane's tracks
    for (const std::uint32_t row : rows) {
      const auto fits =
          std::find_if(ends.begin(), ends.end(), [&](Ns end) { return end <= start(row); });
      auto track = static_cast<std::size_t>(fits - ends.begin());
      if (fits == ends.end() && ends.size() < kMostTracks) {
        name_track(of, lane, run.name, ends.size());
        ends.push_back(kNoTime);
      }
      track = std::min(track, ends.size() - 1);
      ends[track] = std::max(ends[track], run.times->end_ns[first + row]);
      run.track[first + row] = next_track_ + static_cast<std::uint32_t>(track);
      add_node(of, row, run);
    }
    next_track_ += static_cast<std::uint32_t>(ends.size());
  }

  void name_track(std::size_t of, const std::string& lane, const char* run, std::size_t place) {
    const std::size_t track = next_track_ + place;
    events_.name_thread(of + 1, track,
                        fmt::format("{} {}{}", lane, run, place == 0 ? "" : " (beside)"));
  }

  void add_node(std::size_t of, std::uint32_t row, const Run& run) {
    const Graph& graph = job_.graphs[of];
    const std::uint32_t node = job_.first_node[of] + row;
    const Ns start = run.times->start_ns[node], end = run.times->end_ns[node];
    JsonWriter& json = events_.begin("X", of + 1, run.track[node], start - origin_);
    json.member("dur", JsonMicros{end - start});
    json.member("cat", run.name);
    json.member("name", graph.name_of(row));
    json.key("args").begin_object();
    json.member("id", graph.id[row]);
    json.member("step", graph.step[row]);
    json.end_object();
    events_.end();
  }

  // Arrows begin and end inside their slices: Perfetto hangs them on what encloses the time.
  void add_flows(std::uint32_t node) {
    const std::size_t of = job_.graph_index(node);
    std::set<std::uint32_t> sources;
    collect_sources(of, job_.row(node), sources);
    std::size_t arrow = 0;
    for (const Run& run : runs_)
      for (const std::uint32_t row : sources) {
        const std::uint32_t source = job_.first_node[of] + row;
        if (run.track[source] == kNoIndex || run.track[node] == kNoIndex) continue;
        const Ns leave = std::max(run.times->start_ns[source], run.times->end_ns[source] - 1);
        add_arrow_end("s", of, run.track[source], leave, ++arrow);
        add_arrow_end("f", of, run.track[node], run.times->start_ns[node], arrow);
      }
  }

  void add_arrow_end(std::string_view phase, std::size_t of, std::uint32_t track, Ns time,
                     std::size_t arrow) {
    JsonWriter& json = events_.begin(phase, of + 1, track, time - origin_);
    json.member("id", arrow);
    json.member("cat", "dependency");
    json.member("name", "dependency");
    events_.end();
  }

  void collect_sources(std::size_t of, std::uint32_t row, std::set<std::uint32_t>& sources) const {
    std::vector<std::uint32_t> open = {row};
    std::set<std::uint32_t> delays;
    while (!open.empty()) {
      const std::uint32_t target = open.back();
      open.pop_back();
      for (const std::uint32_t source : job_.graphs[of].dependencies(target)) {
        if (is_shown(of, source))
          sources.insert(source);
        else if (delays.insert(source).second)
          open.push_back(source);
      }
    }
  }

  const ReplayJob& job_;
  TraceEventWriter events_;
  std::vector<Run> runs_;
  Ns origin_ = 0;
  std::uint32_t next_track_ = 1;
};

}  // namespace

void write_timeline(const ReplayJob& job, std::span<const TimelineRun> runs,
                    std::optional<std::uint32_t> flows_of, const ByteSink& sink) {
  TimelineWriter(job, sink).write(runs, flows_of);
}

}  // namespace nadi::cli
