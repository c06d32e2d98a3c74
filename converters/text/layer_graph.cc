#include "nadi/converters/text/layer_graph.h"

#include <string>
#include <vector>

namespace nadi {
namespace {

/// Latest nodes of a layer, 0 = none yet. A collective that is none has the id of what it follows.
struct LayerNodes {
  std::uint64_t forward = 0, forward_comm = 0;
  std::uint64_t input = 0, input_comm = 0;
  std::uint64_t weight = 0, weight_comm = 0;
};

using Ids = std::vector<std::uint64_t>;

class PassWriter {
 public:
  PassWriter(const TextWorkload& workload, bool communicates, NodeStream& nodes)
      : workload_(workload),
        communicates_(communicates),
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
    return nodes_.append(node);
  }

  std::uint64_t collective(std::size_t i, const LayerWork& work, std::uint64_t after) {
    if (!communicates_ || !work.communicates()) return after;
    name_ = "COMM_COLL_NODE_" + layer(i).name + "_";
    name_ += collective_name(work.comm_type);
    SyntheticNode node;
    node.name = name_;
    node.type = ChakraProtoMsg::COMM_COLL_NODE;
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
  NodeStream& nodes_;
  std::vector<LayerNodes> done_;  // by layer
  std::string name_;
};

}  // namespace

void append_passes(const TextWorkload& workload, std::int64_t passes, bool communicates,
                   NodeStream& nodes) {
  PassWriter writer(workload, communicates, nodes);
  for (std::int64_t pass = 0; pass < passes; ++pass) writer.append_pass();
}

}  // namespace nadi
