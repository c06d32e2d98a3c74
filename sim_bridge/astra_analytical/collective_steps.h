// The collective algorithms of ASTRA-sim (518bd51): what each member sends in each step.
#pragma once

#include <cstdint>
#include <vector>

#include "et_def.pb.h"
#include "nadi/sim_bridge/astra_analytical/network_model.h"

namespace nadi::astra_sim {

enum class Pattern : std::uint8_t {
  kNextMember,   ///< each member sends to the next one, n-1 steps a pass
  kNextOfPairs,  ///< the same, a step for each pair of members: n(n-1)/2
  kEachInTurn,   ///< to the next one, the one after it, ...: n-1 steps a pass
  kAllAtOnce,    ///< to all, one step a pass
  kPowersOfTwo,  ///< to the member whose number differs in one bit, log2(n) steps a pass
  kTwoTrees,     ///< up a tree and down again
};

struct Algorithm {
  ChakraProtoMsg::CollectiveCommType type;
  Implementation implementation;
  Pattern pattern;
  int passes;           ///< the second one brings the reduced pieces to all
  bool is_whole;        ///< a piece is the whole chunk, else a member's share of it
  int reduce_interval;  ///< among all ranks every so many-th piece received is reduced; 0 = none
};

/// nullptr = no run of it was measured.
const Algorithm* find_algorithm(std::int64_t type, Implementation implementation);

struct Step {
  std::int64_t distance;    ///< of the receiver from the sender, in members
  std::int64_t bytes;       ///< of each message
  std::int64_t reductions;  ///< of the piece received
  std::int64_t repeats = 1;
};

/// `size` members, all ranks unless `is_part`.
struct Membership {
  std::int64_t size;
  bool is_part;
};

/// Of a chunk of so many bytes: those of one member, each of which follows the one before it. Of
/// messages to all at once, the one that goes farthest; of a tree, as many as there are on the way
/// from a leaf to the root and back.
std::vector<Step> steps_of(const Algorithm& algorithm, Membership members, std::int64_t chunk);

}  // namespace nadi::astra_sim
