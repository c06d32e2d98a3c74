// The graphs of the ranks of one job, brought onto one clock, with what of them meets whom.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/model/graph.h"
#include "nadi/sim_bridge/job/host_clocks.h"

namespace nadi {

/// A communication kernel with its counterparts on other ranks. One that carries several operations
/// has a node for each, all with its start; one of them has its duration (schema/chakra.md).
struct CommKernel {
  std::uint32_t rank = 0;                ///< into ReplayJob::graphs
  std::vector<std::uint32_t> nodes;      ///< of the whole job, ascending
  std::vector<std::uint32_t> instances;  ///< into ReplayJob::comm_instances; each once
  std::vector<std::uint32_t> waits_for;  ///< those of instances that held it up (find_waits)
  /// Node of another rank in its instance where the rank's row is lost (its own node is the delay
  /// that the row left); kNoIndex = it is not lost.
  std::uint32_t stands_for = kNoIndex;
  Ns after_last_ns = 0;  ///< from the last start of those to its end, measured

  /// The latest of time_of(node) over its nodes.
  template <class TimeOf>
  Ns latest(const TimeOf& time_of) const {
    Ns time = kNoTime;
    for (const std::uint32_t node : nodes) time = std::max(time, time_of(node));
    return time;
  }
};

/// One execution of a collective, or of a send with its receive: the kernels of all its ranks.
struct CommInstance {
  std::vector<std::uint32_t> kernels;  ///< into ReplayJob::kernels; of a message, the send first
  CommOrder order = CommOrder::kAllBeforeAny;
};

/// A node of the job is numbered through: those of graphs[0], then those of graphs[1], …
struct ReplayJob {
  std::span<const Graph> graphs;          ///< must outlive the job
  std::vector<std::int64_t> rank;         ///< by graph: global rank
  std::vector<std::uint32_t> first_node;  ///< by graph; the last entry is the number of all nodes
  std::vector<std::uint32_t> graph_of;    ///< by node, only where there are several graphs
  std::vector<CommKernel> kernels;
  std::vector<CommInstance> comm_instances;
  std::vector<std::uint32_t> kernel_of;  ///< by node; empty where nothing meets
  std::vector<RankClock> clocks;         ///< by graph
  ClockSource clock_source = ClockSource::kOneRank;
  /// True where all graphs record when their nodes started. Else start_ns() and end_ns() mean
  /// nothing.
  bool is_measured = false;
  /// What the graphs were changed to (what_if.h): then these times are of that, and were never
  /// measured; empty = they were.
  std::vector<std::string> what_if;

  std::size_t size() const { return first_node.back(); }
  std::size_t graph_index(std::uint32_t node) const {
    return graph_of.empty() ? 0 : graph_of[node];
  }
  const Graph& graph(std::uint32_t node) const { return graphs[graph_index(node)]; }
  /// Row of a node in its graph.
  std::uint32_t row(std::uint32_t node) const { return node - first_node[graph_index(node)]; }
  /// The kernel of a node, into `kernels`; kNoIndex = the node meets nothing.
  std::uint32_t kernel_index(std::uint32_t node) const {
    return kernel_of.empty() ? kNoIndex : kernel_of[node];
  }
  /// Measured times in the job's clock, ns; of a kernel the latest of its nodes.
  Ns start_ns(std::uint32_t node) const;
  Ns end_ns(std::uint32_t node) const;
  Ns start_ns(const CommKernel& kernel) const;
  Ns end_ns(const CommKernel& kernel) const;
  /// "resnet.0.et, node 17 (ncclKernel_AllReduce)".
  std::string text(std::uint32_t node) const;
};

/// Puts graphs into the order of their ranks and sets Graph::rank: the file has the rank, else its
/// name, else it is the graph's position.
void sort_by_rank(std::vector<Graph>& graphs);

/// Numbers ranks and nodes, matches communication, aligns clocks. What does not match is reported
/// and replayed on its own. Throws Error (kInput) where two files are of one rank, or the job has
/// more than 4,294,967,294 nodes.
ReplayJob make_replay_job(std::span<const Graph> graphs, Diagnostics& diagnostics);

}  // namespace nadi
