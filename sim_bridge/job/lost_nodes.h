// Communication that one rank's records lack and those of its partners have.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "nadi/sim_bridge/job/job.h"

namespace nadi {

/// A node of the job: its rank and its place in JobRank::nodes.
struct JobNodeOf {
  std::size_t rank = 0;
  std::uint32_t node = kNoIndex;
};

/// Puts lost nodes where they ran.
class LostNodes {
 public:
  explicit LostNodes(Job& job) : job_(job) {}

  /// A node of the rank of `own` as `partner` has it, on the lane of `own`. It ended when the
  /// partner's did; `own` and `own_partner` are one communication, and tell how their clocks
  /// differ. It waits for the node of the lane that ended before it, and the one behind waits for
  /// it.
  std::uint32_t add(const JobNodeOf& partner, const JobNodeOf& own, const JobNodeOf& own_partner);

 private:
  const JobNode& node(const JobNodeOf& of) const { return job_.ranks[of.rank].nodes[of.node]; }
  std::vector<std::uint32_t>& lane_by_end(std::size_t rank, std::uint32_t lane);

  Job& job_;
  std::map<std::pair<std::size_t, std::uint32_t>, std::vector<std::uint32_t>> lanes_;
};

}  // namespace nadi
