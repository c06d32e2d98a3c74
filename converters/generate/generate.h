// Makes the graphs of all ranks of a job that nobody ran.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/converters/generate/single_nodes.h"
#include "nadi/converters/generate/step_graph.h"
#include "nadi/sim_bridge/astra_sim/network_choice.h"
#include "nadi/sim_bridge/astra_sim/network_run.h"

namespace nadi {

struct GenerateOptions {
  std::string kind;         ///< one of generator_kinds(), or an alias
  std::string output;       ///< OUTPUT.<rank>.et; empty = the kind's name; "folder/" = there
  std::int64_t npus = 64;   ///< ranks: 1 to kMostSyntheticRanks (synthetic_graphs.h)
  SingleNodeSizes sizes;    ///< of graphs of single nodes
  TransformerShape shape;   ///< of the patterns, as all below
  std::int64_t tensor = 0;  ///< ranks that share each tensor; 0 = as the kind has it
  std::int64_t pipeline = 0, expert = 0;  ///< stages; ranks that share the experts; 0 = likewise
  std::int64_t micro_batches = 0;         ///< of a step; 0 = 1, with a pipeline 4 per stage
  std::int64_t steps = 1;
  DeviceModel device;                ///< its link is that of `network`
  astra_sim::NetworkChoice network;  ///< is_fitted is of no account
  astra_sim::NetworkBackend backend = astra_sim::NetworkBackend::kUnaware;
  std::function<void(std::int64_t ranks_done)> on_rank;  ///< may be empty
};

/// The graphs of one prefix.
struct GeneratedJob {
  std::string prefix;
  std::string command;            ///< runs it in ASTRA-sim; empty = it cannot be run there
  astra_sim::JobNetwork network;  ///< that the command's files describe
};

struct GenerateReport {
  std::vector<GeneratedJob> jobs;  ///< one; of `mlcommons`, one for each kind of node
  std::uint64_t nodes = 0;         ///< of all ranks
  ParallelDegrees degrees;         ///< of a pattern
  std::int64_t groups = 0;         ///< process groups beside that of all ranks
  Diagnostics diagnostics;
};

/// Names for GenerateOptions::kind: `mlcommons` (all graphs of single nodes), each of them, and the
/// patterns `data-parallel`, `tensor-parallel`, `pipeline`, `expert-parallel`. A pattern's name
/// sets what the degrees default to: tensor, pipeline or expert the largest divisor up to 8; all
/// degrees can be given with each.
std::vector<std::string> generator_kinds();

/// Writes all files or none: the graphs; for two ranks or more also OUTPUT.comm_groups.json,
/// .system.json, .network.yml and .memory.json, and the graphs of idle NPUs, with which ASTRA-sim
/// runs them. Holds one rank's buffer and the file names. Throws Error: kUsage for options that
/// cannot be, or a network of other than `npus` ranks, kInput where nothing can be written.
GenerateReport generate(const GenerateOptions& options);

}  // namespace nadi
