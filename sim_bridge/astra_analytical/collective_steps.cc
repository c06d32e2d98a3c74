#include "nadi/sim_bridge/astra_analytical/collective_steps.h"

#include <algorithm>
#include <bit>

namespace nadi::astra_sim {
namespace {

using namespace ChakraProtoMsg;

constexpr Algorithm kAlgorithms[] = {
    {ALL_REDUCE, Implementation::kRing, Pattern::kNextMember, 2, false, 1},
    {ALL_REDUCE, Implementation::kDirect, Pattern::kAllAtOnce, 2, false, 1},
    {ALL_REDUCE, Implementation::kDirect1, Pattern::kEachInTurn, 2, false, 4},
    {ALL_REDUCE, Implementation::kHalvingDoubling, Pattern::kPowersOfTwo, 2, false, 1},
    {ALL_REDUCE, Implementation::kDoubleBinaryTree, Pattern::kTwoTrees, 2, true, 1},
    {REDUCE_SCATTER, Implementation::kRing, Pattern::kNextMember, 1, false, 1},
    {REDUCE_SCATTER, Implementation::kDirect, Pattern::kAllAtOnce, 1, false, 1},
    {REDUCE_SCATTER, Implementation::kDirect1, Pattern::kEachInTurn, 1, false, 2},
    {REDUCE_SCATTER, Implementation::kHalvingDoubling, Pattern::kPowersOfTwo, 1, false, 1},
    {ALL_GATHER, Implementation::kRing, Pattern::kNextMember, 1, true, 0},
    {ALL_GATHER, Implementation::kDirect, Pattern::kAllAtOnce, 1, true, 0},
    {ALL_GATHER, Implementation::kDirect1, Pattern::kEachInTurn, 1, true, 0},
    {ALL_GATHER, Implementation::kHalvingDoubling, Pattern::kPowersOfTwo, 1, true, 0},
    {ALL_TO_ALL, Implementation::kRing, Pattern::kNextOfPairs, 1, false, 0},
    {ALL_TO_ALL, Implementation::kDirect, Pattern::kAllAtOnce, 1, false, 0},
    {ALL_TO_ALL, Implementation::kDirect1, Pattern::kEachInTurn, 1, false, 0},
};

std::vector<Step> rotation_steps(const Algorithm& algorithm, Membership members,
                                 std::int64_t bytes) {
  const std::int64_t others = members.size - 1;
  if (algorithm.pattern == Pattern::kNextOfPairs) return {{1, bytes, 0, members.size * others / 2}};
  std::vector<Step> steps;
  const bool is_every_piece = algorithm.reduce_interval == 1 || members.is_part;
  if (algorithm.pattern == Pattern::kNextMember) {
    for (int pass = 0; pass < algorithm.passes; ++pass)
      steps.push_back({1, bytes, pass == 0 && algorithm.reduce_interval != 0, others});
    return steps;
  }
  for (std::int64_t step = 0; step < algorithm.passes * others; ++step) {
    const bool is_reduced =
        algorithm.reduce_interval != 0 &&
        (is_every_piece ? step < others : step % algorithm.reduce_interval == 0);
    steps.push_back({step % others + 1, bytes, is_reduced});
  }
  return steps;
}

/// Truncated.
std::int64_t log2_of(std::int64_t members) {
  return static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(members))) - 1;
}

/// Halves are sent to ever farther members and reduced, then doubled pieces on the way back. The
/// first piece received is not reduced.
std::vector<Step> power_steps(const Algorithm& algorithm, Membership members, std::int64_t chunk) {
  const std::int64_t bits = log2_of(members.size);
  std::vector<Step> steps;
  if (algorithm.reduce_interval != 0)
    for (std::int64_t bit = 1; bit <= bits; ++bit)
      steps.push_back({std::int64_t{1} << (bit - 1), chunk >> bit, bit > 1});
  if (algorithm.is_whole)
    for (std::int64_t bit = bits; bit >= 1; --bit)
      steps.push_back({std::int64_t{1} << (bit - 1), chunk << (bits - bit), 0});
  else if (algorithm.passes == 2)
    for (std::int64_t bit = bits; bit >= 1; --bit)
      steps.push_back({std::int64_t{1} << (bit - 1), chunk >> bit, 0});
  return steps;
}

/// To the members at the greatest distance.
std::vector<Step> at_once_steps(const Algorithm& algorithm, Membership members,
                                std::int64_t bytes) {
  const std::int64_t reductions = algorithm.reduce_interval == 0 ? 0
                                  : algorithm.passes == 2 && members.is_part && members.size > 2
                                      ? 2
                                      : 1;
  std::vector<Step> steps = {{members.size / 2, bytes, reductions}};
  if (algorithm.passes == 2) steps.push_back({members.size / 2, bytes, 0});
  return steps;
}

}  // namespace

std::string_view to_string(Implementation implementation) {
  constexpr std::string_view kNames[] = {
      "ring", "direct", "direct1", "halvingDoubling", "doubleBinaryTree", "unmeasured"};
  return kNames[static_cast<std::size_t>(implementation)];
}

Implementation implementation_named(std::string_view name) {
  for (const Algorithm& row : kAlgorithms)
    if (to_string(row.implementation) == name) return row.implementation;
  return Implementation::kUnmeasured;
}

/// "direct" and "oneDirect" may end in how many messages leave at a time.
bool is_implementation_name(std::string_view name) {
  if (name == "ring" || name == "halvingDoubling" || name == "doubleBinaryTree" ||
      name == "oneRing" || name == "oneHalvingDoubling")
    return true;
  for (const std::string_view direct : {"direct", "oneDirect"})
    if (name.starts_with(direct))
      return name.size() == direct.size() ||
             (name[direct.size()] >= '0' && name[direct.size()] <= '9');
  return false;
}

const Algorithm* find_algorithm(std::int64_t type, Implementation implementation) {
  const auto* const found =
      std::find_if(std::begin(kAlgorithms), std::end(kAlgorithms), [&](const Algorithm& row) {
        return row.type == type && row.implementation == implementation;
      });
  return found == std::end(kAlgorithms) ? nullptr : found;
}

std::vector<Step> steps_of(const Algorithm& algorithm, Membership members, std::int64_t chunk) {
  const std::int64_t piece = algorithm.is_whole ? chunk : chunk / members.size;
  switch (algorithm.pattern) {
    case Pattern::kPowersOfTwo:
      return power_steps(algorithm, members, chunk);
    case Pattern::kAllAtOnce:
      return at_once_steps(algorithm, members, piece);
    case Pattern::kTwoTrees:
      return {{1, chunk, 1, 2 * log2_of(members.size)}};
    default:
      return rotation_steps(algorithm, members, piece);
  }
}

}  // namespace nadi::astra_sim
