#include "nadi/converters/profile/path_times.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "nadi/converters/profile/named_path.h"

namespace nadi {

namespace {

using ShareKey = std::tuple<PathKind, std::int64_t, std::string>;
using Shares = std::map<ShareKey, PathShare>;

PathShare share_of(const ShareKey& key, PathShare share) {
  std::tie(share.kind, share.rank, share.name) = key;
  return share;
}

StepPath sum_of_step(std::optional<std::int32_t> step, const Shares& shares) {
  StepPath sum;
  sum.step = step;
  for (const auto& [key, share] : shares) {
    sum.ns[static_cast<std::size_t>(std::get<PathKind>(key))] += share.ns;
    if (share.ns > sum.longest.ns) sum.longest = share_of(key, share);
  }
  return sum;
}

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
  const NamedPath path = named_path(job, measured, steps);
  std::map<std::optional<std::int32_t>, Shares> by_step;
  for (const NamedPathPiece& piece : path.pieces) {
    PathShare& share =
        by_step[piece.step][{piece.kind, piece.rank, std::string(path.names[piece.name])}];
    ++share.pieces;
    share.ns += piece.length_ns;
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

}  // namespace nadi
