// Fits a network's latency and bandwidth to the communication that a job measured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nadi/base/time.h"
#include "nadi/sim_bridge/astra_sim/issue_simulation.h"
#include "nadi/sim_bridge/astra_sim/network_run.h"

namespace nadi::astra_sim {

/// GB/s that stand for an endless bandwidth: a GB in a microsecond.
inline constexpr double kWidestBandwidth = 1e6;

/// NetworkFit::factor, or its inverse, of jobs whose communication is what holds them up: 1.00 to
/// 1.48 in 22 training programs of known truth (network.md).
inline constexpr double kMostUsualFactor = 1.5;

/// Where times do not separate latency from bandwidth, slower links are not taken for the cause,
/// but latency: 10 Gb/s Ethernet has 1.16 GB/s.
inline constexpr double kSlowestLikelyBandwidth = 1;  // GB/s

struct LinkSpeed {
  double latency_ns = 0;
  double bandwidth_gb_per_s = 0;  ///< of 2^30 bytes, each way
};

struct FittedLink : LinkSpeed {
  std::uint64_t transfers = 0;  ///< collectives and messages that pass through such links
  /// Ends of what the times allow: the more latency, the more bandwidth.
  LinkSpeed least = {}, most = {};
  bool is_determined = true;  ///< else the times fix only latency and bandwidth together
};

/// Latencies and bandwidths that a job's times give: first the network takes as long for all of the
/// job's communication as was measured; then a factor makes the job as a whole take as long.
struct NetworkFit {
  std::string unfitted;           ///< why the network stays as it was; empty = it is fitted
  std::vector<FittedLink> links;  ///< by dimension, where each has its own; else one for all
  double given_latency_ns = 0;    ///< of the network before it was fitted
  double factor = 1;              ///< that the last step stretched communication by
  std::uint64_t transfers = 0;    ///< collectives and messages it was fitted to
  Ns transfer_ns = 0;             ///< of all, the shortest time of the members of each
  Ns no_communication_ns = 0;     ///< makespan if communication took no time
  Ns unstretched_ns = 0;          ///< makespan before the last step
  Ns makespan_ns = 0;             ///< with the network fitted
};

/// Changes `network`, unless the fit says why not. Its two dimensions get links of their own where
/// each collective and message passes through one of them (dimension_between), and some through
/// each; else all dimensions get the same link.
/// 1. For each link least squares over its collectives and messages which keep the sum of their
///    measured times; broadcasts, which keep their measured time, are left out.
/// 2. One factor on all these times makes the run under the issue rules take as long as recorded,
///    within a thousandth. Where no factor from 1/1,024 to 1,024 does, the nearest one tried stays,
///    and `unfitted` is empty: makespan_ns says how far it is off.
///
/// Of all pairs of latency and bandwidth that keep the sum, `least` and `most` are the ends of the
/// 95 % confidence of least squares (Student's t, two degrees of freedom less than transfers). They
/// hold all pairs where there are fewer than three transfers, sizes are equal, or times fall with
/// bytes. Where they hold no latency or endless bandwidth the link is not determined. It then has
/// the latency of them that is nearest to that of `network`, and the bandwidth that keeps the sum;
/// where `network` is too slow as it is, both keep their ratio; and where there is a choice, no
/// bandwidth is below kSlowestLikelyBandwidth.
///
/// `unfitted`: nothing communicates, the network does not hold the job up ("hidden"), or its time
/// is not known (network_run.h). Runs the job about ten times.
NetworkFit fit_network(const std::vector<IssueRank>& ranks, const GroupMembers& groups,
                       Ns recorded_span_ns, JobNetwork& network);

}  // namespace nadi::astra_sim
