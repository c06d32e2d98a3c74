// Proxy ranks are added behind the ranks of a job. They make its communication take the measured
// times, whatever the network is.
#pragma once

#include <cstdint>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/base/time.h"
#include "nadi/sim_bridge/job/job.h"
#include "nadi/sim_bridge/job/match_communications.h"

namespace nadi::astra_sim {

/// What a message of one byte takes on the network of a replayed job: one link of 1 ns, through
/// which a byte passes in less than one.
inline constexpr Ns kProxyMessageNs = 1;

/// A rank that belongs to one process group, or to one sender and its receiver. Each member sends
/// it a byte when its part of a communication can start, and waits for one. When all have come, the
/// proxy computes for the transfer time and sends a byte to each. Its communications take this time
/// one after the other, as those of one communicator of NCCL do.
struct ProxyRank {
  /// A member that waited for nobody: it had ended before the last one started.
  struct EarlyMember {
    std::uint32_t communication = 0, member = 0;  ///< into transfer_ns and members
    Ns duration_ns = 0;                           ///< its own
  };

  std::vector<std::int64_t> members;  ///< ranks, ascending
  std::vector<Ns> transfer_ns;        ///< by communication; the position is the tag of its messages
  std::vector<EarlyMember> early;     ///< ascending
  std::uint32_t lead = 0;             ///< into members: one that always waits
  std::vector<std::uint32_t> order;   ///< communications as the lead issues them
};

/// Makes a proxy for each group and each sender with its receiver; proxy i becomes rank
/// job.ranks.size() + i. The transfer time of a communication is the shortest measured duration of
/// the members that waited (K22). If one kernel carries several communications, the first of them
/// takes this time and the others none. Those that may have waited for nobody are the senders of
/// messages, and members of collectives with a root. `matches` then holds a collective of those
/// that waited, and from each member that did not a message to one that did; so it gives the order.
std::vector<ProxyRank> make_proxy_ranks(Job& job, JobMatches& matches, Diagnostics& diagnostics);

/// Throws Error(kInput) where the job and what stands behind it are more ranks than 65,536.
void require_simulated(const Job& job, std::size_t ranks);

/// Makes each communication of rank r, whole and in order, a send to the rank that it names as its
/// destination and a receive from it, and sets the `order` of the proxies that rank r leads.
void send_to_proxies(std::size_t r, JobRank& whole, std::size_t first_proxy,
                     std::vector<ProxyRank>& proxies);

}  // namespace nadi::astra_sim
