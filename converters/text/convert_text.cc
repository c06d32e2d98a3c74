#include "nadi/converters/text/convert_text.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "nadi/base/error.h"
#include "nadi/chakra/groups.h"
#include "nadi/converters/simulator_files.h"
#include "nadi/converters/synthetic_graphs.h"
#include "nadi/converters/text/layer_file.h"
#include "nadi/emit/node_stream.h"
#include "nadi/sim_bridge/astra_sim/choose_network.h"
#include "nadi/sim_bridge/astra_sim/devices.h"

namespace nadi {
namespace {

// The graph of a text workload: which node of a pass waits for which.

/// Latest nodes of a layer, 0 = none yet. A collective that is none has the id of what it follows.
struct LayerNodes {
  std::uint64_t forward = 0, forward_comm = 0;
  std::uint64_t input = 0, input_comm = 0;
  std::uint64_t weight = 0, weight_comm = 0;
};

using Ids = std::vector<std::uint64_t>;

class PassWriter {
 public:
  PassWriter(const TextWorkload& workload, bool communicates, double memory_gb_per_s,
             NodeStream& nodes)
      : workload_(workload),
        communicates_(communicates),
        memory_gb_per_s_(memory_gb_per_s),
        nodes_(nodes),
        done_(workload.layers.size()) {}

  void append_pass() {
    const std::size_t layers = done_.size();
    for (std::size_t i = 0; i < layers; ++i) forward(i);
    if (workload_.parallelism == Parallelism::kMicro) return;
    for (std::size_t i = layers; i-- > 0;) backward(i);
  }

 private:
  const TextLayer& layer(std::size_t i) const { return workload_.layers[i]; }
  bool is_last(std::size_t i) const { return i + 1 == done_.size(); }

  /// Names as MLCommons' converter has them, so that scripts find the nodes.
  std::uint64_t compute(std::size_t i, const char* phase, const LayerWork& work, Ids after) {
    name_ = "COMP_NODE_" + layer(i).name + phase;
    SyntheticNode node;
    node.name = name_;
    node.after = std::move(after);
    node.duration_ns = work.compute_us * kNsPerMicro;
    // A layer file has no more than the time: as of kernels without shapes, memory moves as much
    // in that time on the device of the system file.
    node.num_ops = 1;
    node.tensor_size = astra_sim::bytes_moved_in(node.duration_ns, memory_gb_per_s_);
    return nodes_.append(node);
  }

  std::uint64_t collective(std::size_t i, const LayerWork& work, std::uint64_t after) {
    if (!communicates_ || !work.communicates()) return after;
    name_ = "COMM_COLL_NODE_" + layer(i).name + "_";
    name_ += layer_collective_name(work.comm_type);
    SyntheticNode node;
    node.name = name_;
    node.type = NodeType::kCollective;
    node.after = {after};
    node.comm_type = work.comm_type;
    node.comm_size = work.comm_bytes;
    return nodes_.append(node);
  }

  void forward(std::size_t i) {
    switch (workload_.parallelism) {
      case Parallelism::kMicro:
        collective(i, layer(i).weight_gradient, 0);
        return;
      case Parallelism::kData:
        return forward_data(i);
      case Parallelism::kHybridDlrm:
        return forward_dlrm(i);
      case Parallelism::kModel:
      case Parallelism::kHybridDataModel:
      case Parallelism::kHybridModelData:
        return forward_model(i);
    }
  }

  void backward(std::size_t i) {
    switch (workload_.parallelism) {
      case Parallelism::kMicro:
        return;
      case Parallelism::kData:
        return backward_data(i);
      case Parallelism::kHybridDlrm:
        return backward_dlrm(i);
      case Parallelism::kModel:
      case Parallelism::kHybridDataModel:
      case Parallelism::kHybridModelData:
        return backward_model(i);
    }
  }

  void forward_data(std::size_t i) {
    LayerNodes& own = done_[i];
    own.forward =
        compute(i, "_FWD", layer(i).forward, {i > 0 ? done_[i - 1].forward : 0, own.weight_comm});
  }

  void backward_data(std::size_t i) {
    LayerNodes& own = done_[i];
    own.weight = compute(i, "_BWD_WG", layer(i).weight_gradient,
                         {is_last(i) ? own.forward : done_[i + 1].input});
    own.weight_comm = collective(i, layer(i).weight_gradient, own.weight);
    if (i > 0) own.input = compute(i, "_BWD_IG", layer(i).input_gradient, {own.weight});
  }

  void forward_model(std::size_t i) {
    LayerNodes& own = done_[i];
    own.forward = compute(i, "_FWD", layer(i).forward,
                          {i > 0 ? done_[i - 1].forward_comm : 0, own.weight_comm});
    own.forward_comm = collective(i, layer(i).forward, own.forward);
  }

  void backward_model(std::size_t i) {
    LayerNodes& own = done_[i];
    const Ids after =
        is_last(i) ? Ids{own.forward_comm} : Ids{done_[i + 1].weight, done_[i + 1].input_comm};
    own.input = compute(i, "_BWD_IG", layer(i).input_gradient, after);
    if (i > 0) own.input_comm = collective(i, layer(i).input_gradient, own.input);
    own.weight = compute(i, "_BWD_WG", layer(i).weight_gradient, {own.input});
    own.weight_comm = workload_.parallelism == Parallelism::kModel
                          ? own.weight
                          : collective(i, layer(i).weight_gradient, own.weight);
  }

  void forward_dlrm(std::size_t i) {
    LayerNodes& own = done_[i];
    const bool is_bottom = i == workload_.last_bottom_layer;
    own.forward = compute(
        i, "_FWD", layer(i).forward,
        {own.weight_comm, i > 0 ? done_[i - 1].forward : 0, is_bottom ? done_[0].forward_comm : 0});
    const bool exchanges = layer(i).forward.comm_type == ChakraProtoMsg::ALL_TO_ALL;
    own.forward_comm = exchanges ? collective(i, layer(i).forward, own.forward) : own.forward;
  }

  void backward_dlrm(std::size_t i) {
    LayerNodes& own = done_[i];
    own.weight = compute(
        i, "_BWD_WG", layer(i).weight_gradient,
        {is_last(i) ? own.forward : done_[i + 1].input,
         i == 0 && communicates_ && layer(0).input_gradient.communicates() ? own.input_comm : 0});
    own.weight_comm = collective(i, layer(i).weight_gradient, own.weight);
    if (i > 0) own.input = compute(i, "_BWD_IG", layer(i).input_gradient, {own.weight});
    if (i == workload_.last_bottom_layer + 1)
      done_[0].input_comm = collective(0, layer(0).input_gradient, own.input);
  }

  const TextWorkload& workload_;
  const bool communicates_;
  const double memory_gb_per_s_;
  NodeStream& nodes_;
  std::vector<LayerNodes> done_;  // by layer
  std::string name_;
};

/// Appends `passes` passes over all layers, the same on every rank. Nodes per layer and pass:
/// F forward compute, Fc its collective, W and Wc of the weight gradient, I and Ic of the input
/// gradient; b = the layer before in the backward pass, which runs from the last layer to the
/// first.
///
/// | parallelism | forward of layer i | backward of layer i |
/// |---|---|---|
/// | MICRO | Wc alone, waits for nothing | - |
/// | DATA | F <- F(i-1), Wc(i) of the pass before | W <- I(b), first: last F; Wc <- W; I <- W |
/// | MODEL | F <- Fc(i-1), W(i) of the pass before; Fc <- F |
///   I <- W(b), Ic(b), first: last Fc; Ic <- I; W <- I |
/// | HYBRID_DATA_MODEL, HYBRID_MODEL_DATA | as MODEL, but Wc(i) of the pass before |
///   as MODEL; Wc <- W |
/// | HYBRID_DLRM | as DATA; F of the last bottom layer <- Fc(0); Fc <- F where it is ALLTOALL |
///   as DATA; Ic(0) <- I of the layer above the last bottom one, where there is one; W(0) <- Ic(0)
///   |
///
/// Layer 0 has no I (DATA, DLRM) or no Ic (others). What waits for a collective that is none waits
/// for what that would have waited for. One rank exchanges nothing: all collectives are none.
void append_passes(const TextWorkload& workload, std::int64_t passes, bool communicates,
                   double memory_gb_per_s, NodeStream& nodes) {
  PassWriter writer(workload, communicates, memory_gb_per_s, nodes);
  for (std::int64_t pass = 0; pass < passes; ++pass) writer.append_pass();
}

void require_possible(const TextOptions& options, const TextWorkload& workload) {
  constexpr std::int64_t kNodesPerLayer = 6;
  const std::int64_t most =
      kMostSyntheticNodes / (kNodesPerLayer * static_cast<std::int64_t>(workload.layers.size()));
  if (options.passes > most)
    throw Error(
        ErrorCode::kUsage, "`passes` " + std::to_string(options.passes),
        "are too many: a graph of " + options.input + " holds at most " + std::to_string(most),
        "Simulate fewer passes");
}

SyntheticRank write_rank(const TextOptions& options, const TextWorkload& workload,
                         std::int64_t rank, double memory_gb_per_s, FileSet& files) {
  SyntheticRank written =
      write_synthetic_graph({"text", rank, options.npus, {}}, files, [&](NodeStream& nodes) {
        append_passes(workload, options.passes, options.npus > 1, memory_gb_per_s, nodes);
      });
  if (written.nodes > 0) return written;
  throw Error(ErrorCode::kInput, options.input,
              options.npus > 1 ? "no layer has a weight-gradient collective: there is no node"
                               : "a MICRO workload of one rank has no node",
              options.npus > 1 ? "A graph needs one: give a layer a collective"
                               : "A graph needs one: pass `npus=2` or more");
}

/// Adds what ASTRA-sim needs beside the graphs of two ranks or more, which all communicate alike.
void add_simulator_files(const TextOptions& options, const SyntheticRank& rank,
                         astra_sim::JobNetwork plain, FileSet& files, TextReport& report) {
  std::set<astra_sim::GroupUse> uses;
  for (const auto& [collective, bytes] : rank.collectives)
    uses.insert({collective.first, 0, options.npus, bytes});
  astra_sim::CollectiveUse use(options.npus);
  use.add_rank(0, uses);
  report.network = astra_sim::choose_network(use, std::move(plain), report.diagnostics);
  add_configuration({.network = report.network, .comm_groups = comm_groups_json({})}, files);
  report.command = astra_sim::command_line(options.output, options.backend);
}

}  // namespace

TextReport convert_text(const TextOptions& options) {
  require_range("`npus`", options.npus, kMostSyntheticRanks);
  require_range("`passes`", options.passes, kMostSyntheticNodes);
  astra_sim::JobNetwork plain = chosen_network(options.network, options.backend, options.npus);
  TextReport report;
  const TextWorkload workload =
      read_layer_file(ByteSource::open(options.input), report.diagnostics);
  require_possible(options, workload);
  if (options.npus == 1)
    report.diagnostics.report(Finding::kOneRank,
                              "one rank exchanges nothing: collectives are left out");
  FileSet files(options.output);
  SyntheticRank written;
  for (std::int64_t rank = 0; rank < options.npus; ++rank) {
    written = write_rank(options, workload, rank, plain.system.memory_gb_per_s, files);
    if (options.on_rank) options.on_rank(rank + 1);
  }
  report.nodes = written.nodes;
  if (options.npus > 1) add_simulator_files(options, written, std::move(plain), files, report);
  files.commit();
  return report;
}

}  // namespace nadi
