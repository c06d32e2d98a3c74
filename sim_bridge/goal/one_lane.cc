#include "nadi/sim_bridge/goal/one_lane.h"

#include <algorithm>
#include <utility>

#include "nadi/base/error.h"
#include "nadi/chakra/sum_of_times.h"
#include "nadi/sim_bridge/goal/cpu_choice.h"

namespace nadi::goal {
namespace {

class LineBuilder {
 public:
  LineBuilder(const Graph& graph, const JobRank& rank, const Adjacency& dependencies)
      : graph_(graph),
        rank_(rank),
        dependencies_(dependencies),
        start_(rank.size(), std::max<Ns>(rank.begins_ns, 0)),
        latest_(rank.size(), LineStop::kNever),
        is_stop_(rank.size(), false),
        waits_for_stop_(rank.size(), false) {}

  OneLane build() {
    OneLane line;
    for (const std::uint32_t node : rank_.order) {
      place(node);
      line.end_ns = std::max(line.end_ns, start_[node] + length(node));
    }
    for (auto node = rank_.order.rbegin(); node != rank_.order.rend(); ++node) need(*node);
    take_stops(line);
    line.is_stop = std::move(is_stop_);
    return line;
  }

 private:
  bool communicates(std::uint32_t node) const { return rank_.communication[node] != kNoIndex; }
  Ns length(std::uint32_t node) const { return communicates(node) ? 0 : rank_.duration_ns[node]; }

  /// The time at which it starts, and whether it is a stop.
  void place(std::uint32_t node) {
    for (const std::uint32_t on : dependencies_.of(node)) {
      const Ns overlap = overlap_of_job_nodes(graph_, rank_, on, node);
      start_[node] = std::max(start_[node], start_[on] + length(on) - overlap);
      waits_for_stop_[node] = waits_for_stop_[node] || is_stop_[on];
    }
    is_stop_[node] = communicates(node) || (length(node) == 0 && waits_for_stop_[node]);
  }

  /// Tells what it waits for when that must have ended. Work starts when it can; what is no work
  /// may come as late as what waits for it allows.
  void need(std::uint32_t node) {
    const bool is_work = length(node) > 0 && !rank_.is_delay[node];
    const Ns start =
        is_work || latest_[node] == LineStop::kNever ? start_[node] : latest_[node] - length(node);
    for (const std::uint32_t on : dependencies_.of(node)) {
      if (is_stop_[on] && is_stop_[node]) continue;  // they wait for each other, not for the line
      const Ns allowed = is_stop_[node] ? start_[node] : start;
      const Ns overlap = overlap_of_job_nodes(graph_, rank_, on, node);
      latest_[on] = std::min(latest_[on], allowed + overlap);
    }
  }

  void take_stops(OneLane& line) const {
    for (const std::uint32_t node : rank_.order)
      if (is_stop_[node])
        line.stops.push_back({node, start_[node], latest_[node], waits_for_stop_[node]});
    std::stable_sort(line.stops.begin(), line.stops.end(),
                     [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
    for (std::uint32_t stop = 0; stop < line.stops.size(); ++stop)
      if (line.stops[stop].needed_ns != LineStop::kNever) line.by_need.push_back(stop);
    std::stable_sort(line.by_need.begin(), line.by_need.end(), [&](auto a, auto b) {
      return line.stops[a].needed_ns < line.stops[b].needed_ns;
    });
  }

  const Graph& graph_;
  const JobRank& rank_;
  const Adjacency& dependencies_;
  std::vector<Ns> start_, latest_;  // by node; of a stop when it is needed, else its latest end
  std::vector<bool> is_stop_, waits_for_stop_;
};

}  // namespace

OneLane put_on_one_lane(const Graph& graph, const JobRank& rank, const Adjacency& dependencies) {
  if (sum_of_times(graph.duration_ns) > kLongestSum)
    throw Error(ErrorCode::kInput, graph.name, "its nodes would take over 30 years in all",
                "Look for damaged times: nadi check");
  return LineBuilder(graph, rank, dependencies).build();
}

}  // namespace nadi::goal
