// The files of a rewritten job: graphs, groups, and what the analytical backend needs to run them.
#pragma once

#include <string>
#include <string_view>

#include "nadi/base/byte_sink.h"
#include "nadi/sim_bridge/astra_sim/network_run.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi::astra_sim {

/// Largest group number, and one more than the largest tag, that ASTRA-sim keeps apart.
inline constexpr std::int64_t kMostGroups = 499;
inline constexpr std::int64_t kTagLimit = 500'000'000;

/// Writes the graph of a rank as visit_ranks gives it: metadata, then the nodes of its order with
/// ids from 1. Group i of the job is the decimal number i + 1. Inputs and outputs are left out:
/// ASTRA-sim reads neither.
void write_rank(const Job& job, std::size_t rank, const ChakraGraph& graph, const JobRank& whole,
                const ByteSink& sink);

/// Communicator groups of the job. Throws Error(kInput) where there are more than kMostGroups.
std::string comm_groups_text(const Job& job);

/// The peak of one H100 SXM, bfloat16 without sparsity.
inline constexpr double kPeakTflops = 989;

/// One switch of 400 GB/s each way and 936 ns per rank: ASTRA-sim's validated HGX-H100 example.
/// Ring collectives, `direct` all-to-all, 4 splits.
JobNetwork switch_network(std::int64_t ranks);

/// The system file. `peak_tflops`: for the roofline mode, which is off.
std::string system_text(const CollectiveSystem& system, double peak_tflops = kPeakTflops);
std::string network_text(const Network& network);
std::string memory_text();

/// The command that runs the files of a prefix.
std::string command_line(const std::string& prefix);

}  // namespace nadi::astra_sim
