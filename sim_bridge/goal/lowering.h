// Collectives as messages from rank to rank, step by step.
#pragma once

#include <cstdint>
#include <vector>

namespace nadi::goal {

/// The algorithm by which collectives are lowered.
enum class Algorithm : std::uint8_t {
  kRing,      ///< neighbours; most steps, least bytes: for long messages
  kDoubling,  ///< distances 1, 2, 4, …; fewest steps: for short messages
  kAuto,      ///< kRing from a size on
};

/// One step of one member: it sends, and waits for what it receives, before the next. Members are
/// positions in the group, not ranks; kNobody: it does not send (receive) in this step.
struct Step {
  static constexpr std::int64_t kNobody = -1;
  std::int64_t to = kNobody, from = kNobody;
  std::int64_t sends = 0, receives = 0;  ///< bytes, at least 1 where there is a partner
};

/// The steps of one member of a collective of the type (CollectiveCommType) and size (as
/// schema/chakra.md defines `comm_size`). Rooted collectives have the first member as root, since
/// traces do not record it. Empty for an unknown type. Every member has the same number of steps,
/// and what one sends in a step its partner receives in the same step.
///
///   type                ring                                    doubling
///   all-reduce          reduce-scatter, then all-gather         fold to a power of two, exchange
///   all all-gather          p-1 steps of a part                     Bruck: 1, 2, 4, … parts
///   reduce-scatter      p-1 steps of a part                     the all-gather backwards
///   all-to-all          p-1 steps, partner at distance s        Bruck: half of the buffer per step
///   broadcast           pipeline of p parts along the ring      binomial tree
///   reduce              the broadcast backwards                 the broadcast backwards
///   gather, scatter     each with the root                      binomial tree, parts together
///   barrier             dissemination, one byte                 dissemination, one byte
///
/// Sources: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in
/// MPICH" (2005); Bruck et al., "Efficient Algorithms for All-to-All Communications" (1997).
std::vector<Step> lower_collective(std::int64_t type, std::int64_t bytes, std::int64_t members,
                                   std::int64_t member, Algorithm algorithm);

/// kAuto resolved: kRing where the collective moves at least ring_from bytes per member.
Algorithm choose_algorithm(Algorithm asked, std::int64_t bytes, std::int64_t ring_from);

}  // namespace nadi::goal
