#include "nadi/converters/profile/path_times.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "nadi/converters/profile/path_names.h"
#include "nadi/sim_bridge/replay/critical_path.h"

namespace nadi {

namespace {

using ShareKey = std::tuple<PathKind, std::int64_t, std::string>;
using Shares = std::map<ShareKey, PathShare>;

class PathSums {
 public:
  PathSums(const ReplayJob& job, std::optional<StepRange> steps) : job_(job), steps_(steps) {}

  void run(const ReplayTimes& measured, Profile& profile) {
    std::map<std::optional<std::int32_t>, Shares> by_step;
    PathNames names(job_, measured);
    for (const PathPiece& piece : critical_path(job_, measured)) {
      const std::optional<std::int32_t> step = step_of(piece);
      if (steps_ && !steps_->holds(step.value_or(-1))) continue;
      auto [kind, name] = names.of(piece);
      const std::int64_t rank = job_.rank[job_.graph_index(piece.node)];
      PathShare& share = by_step[step][{kind, rank, std::move(name)}];
      ++share.pieces;
      share.ns += piece.end_ns - piece.begin_ns;
    }
    Shares all;
    for (const auto& [step, shares] : by_step) {
      profile.path_steps.push_back(sum_of_step(step, shares));
      for (const auto& [key, share] : shares) {
        all[key].pieces += share.pieces;
        all[key].ns += share.ns;
      }
    }
    for (const auto& [key, share] : all) profile.path.push_back(share_of(key, share));
    std::stable_sort(profile.path.begin(), profile.path.end(),
                     [](const PathShare& a, const PathShare& b) { return a.ns > b.ns; });
  }

 private:
  static PathShare share_of(const ShareKey& key, PathShare share) {
    std::tie(share.kind, share.rank, share.name) = key;
    return share;
  }

  static StepPath sum_of_step(std::optional<std::int32_t> step, const Shares& shares) {
    StepPath sum;
    sum.step = step;
    for (const auto& [key, share] : shares) {
      sum.ns[static_cast<std::size_t>(std::get<PathKind>(key))] += share.ns;
      if (share.ns > sum.longest.ns) sum.longest = share_of(key, share);
    }
    return sum;
  }

  std::optional<std::int32_t> step_of(const PathPiece& piece) const {
    const Graph& graph = job_.graph(piece.node);
    const std::int32_t step = graph.step[behind_delays(graph, job_.row(piece.node))];
    return step < 0 ? std::nullopt : std::optional(step);
  }

  const ReplayJob& job_;
  const std::optional<StepRange> steps_;
};

}  // namespace

Ns Profile::path_ns() const {
  Ns sum = 0;
  for (const PathShare& share : path) sum += share.ns;
  return sum;
}

Ns StepPath::length_ns() const {
  Ns sum = 0;
  for (const Ns part : ns) sum += part;
  return sum;
}

void sum_critical_path(const ReplayJob& job, const ReplayTimes& measured,
                       std::optional<StepRange> steps, Profile& profile) {
  PathSums(job, steps).run(measured, profile);
}

}  // namespace nadi
