// The files of a rewritten job: graphs, groups, and what the analytical backend needs to run them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nadi/base/byte_sink.h"
#include "nadi/sim_bridge/astra_sim/devices.h"
#include "nadi/sim_bridge/astra_sim/network_run.h"
#include "nadi/sim_bridge/astra_sim/proxy_ranks.h"
#include "nadi/sim_bridge/astra_sim/stream_overflow.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi::astra_sim {

/// Returns by node the whole microseconds that the graph of a rank gives it: what each lane's nodes
/// leave over, in their order, goes to the next. 0 of nodes that are not written.
std::vector<std::uint64_t> whole_micros(const JobRank& rank);

/// Writes the graph of a rank as visit_ranks gives it: metadata, then the nodes of its order with
/// ids from 1. Group i of the job is the decimal number i + 1. Inputs and outputs are left out:
/// ASTRA-sim reads neither.
void write_rank(const Job& job, std::size_t rank, const Graph& graph, const JobRank& whole,
                const ByteSink& sink);

/// Writes the graph of an NPU that has nothing to do: one node of 1 ns.
void write_idle_npu(std::int64_t npu, const ByteSink& sink);

/// Writes the graph of a proxy that is the job's given rank. `memory_gb_per_s`: for the bytes that
/// memory moves in each of its times, so that the roofline mode gives these times.
void write_proxy_rank(const Job& job, std::size_t rank, const ProxyRank& proxy,
                      double memory_gb_per_s, const ByteSink& sink);

/// The number of group i of a job (write_rank).
inline std::int64_t group_number(std::uint32_t i) { return std::int64_t{i} + 1; }

/// Members of the job's groups of two or more. Throws Error(kInput) where there are more than
/// kMostGroups.
GroupMembers comm_groups(const Job& job);
/// The group file of them.
std::string comm_groups_text(const Job& job);

/// One switch of 400 GB/s each way and 936 ns per rank: ASTRA-sim's validated HGX-H100 example.
/// Rings, `direct1` all-to-all, 2 splits; choose_network fits the implementations to a job.
JobNetwork switch_network(std::int64_t ranks);

/// The same with links on which a message of a proxy takes kProxyMessageNs: each pair has its own,
/// which carries a byte in less than 1 ns, so that the congestion-aware program has none wait.
JobNetwork replay_network(std::int64_t ranks, NetworkBackend backend = NetworkBackend::kUnaware);

/// The system file. `peak_tflops`: for the roofline mode, which is off.
std::string system_text(const CollectiveSystem& system,
                        double peak_tflops = kH100.tflops_of_16_bits);
std::string network_text(const Network& network);
/// The memory file. Remote memory, where nodes use it: one per NPU, of a PCIe 5.0 x16 link's 63
/// GB/s, and 1 us, which is a guess.
std::string memory_text(bool has_remote_memory);

/// The command that runs the files of a prefix, with the program that they are for.
std::string command_line(const std::string& prefix, NetworkBackend backend, bool has_groups = true);

}  // namespace nadi::astra_sim
