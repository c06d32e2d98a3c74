#include "nadi/converters/generate/step_graph.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "nadi/converters/generate/step_schedule.h"

namespace nadi {
namespace {

using namespace ChakraProtoMsg;

class StepWriter {
 public:
  StepWriter(const StepPattern& pattern, const JobLayout& layout, const RankPlace& place,
             NodeStream& nodes)
      : pattern_(pattern),
        layout_(layout),
        degrees_(layout.degrees()),
        place_(place),
        nodes_(nodes),
        model_(pattern.shape, degrees_.tensor, pattern.shape.experts / degrees_.expert),
        tensor_group_(layout.tensor_group(place)),
        expert_group_(layout.expert_group(place)),
        gradient_of_layer_(static_cast<std::size_t>(
            layers_of_stage(pattern.shape.layers, place.stage, degrees_.pipeline))) {
    for (std::int64_t stage = 0; stage < place.stage; ++stage)
      first_layer_ += layers_of_stage(pattern.shape.layers, stage, degrees_.pipeline);
  }

  void append_step(std::int64_t step) {
    step_ = step;
    for (std::int64_t i = 0; i < 2 * pattern_.micro_batches; ++i) {
      const auto [is_forward, micro_batch] =
          action_of(i, place_.stage, degrees_.pipeline, pattern_.micro_batches);
      micro_batch_ = micro_batch;
      is_forward ? forward() : backward();
    }
    optimize();
  }

 private:
  bool is_first() const { return place_.stage == 0; }
  bool is_last() const { return place_.stage == degrees_.pipeline - 1; }
  bool is_last_micro_batch() const { return micro_batch_ == pattern_.micro_batches - 1; }
  bool has_experts() const { return pattern_.shape.experts > 0; }

  void forward() {
    phase_ = "forward";
    std::uint64_t at = is_first()
                           ? tensor_reduce("embedding", compute("embedding", model_.embedding(), 0))
                           : receive(place_.stage - 1);
    for (std::size_t i = 0; i < gradient_of_layer_.size(); ++i) {
      layer_ = first_layer_ + static_cast<std::int64_t>(i);
      at = tensor_reduce("attention", compute("attention", model_.attention(), at));
      at = has_experts() ? experts(at) : tensor_reduce("mlp", compute("mlp", model_.mlp(), at));
    }
    layer_ = -1;
    if (is_last())
      compute("head", model_.head(), at);
    else
      send(place_.stage + 1, at);
  }

  void backward() {
    phase_ = "backward";
    std::uint64_t at = is_last()
                           ? tensor_reduce("head", compute("head", backward_of(model_.head()), 0))
                           : receive(place_.stage + 1);
    head_gradient_ = last_compute_;
    for (std::size_t i = gradient_of_layer_.size(); i-- > 0;) {
      layer_ = first_layer_ + static_cast<std::int64_t>(i);
      at = has_experts() ? experts(at)
                         : tensor_reduce("mlp", compute("mlp", backward_of(model_.mlp()), at));
      gradient_of_layer_[i] = compute("attention", backward_of(model_.attention()), at);
      at = tensor_reduce("attention", gradient_of_layer_[i]);
      if (is_last_micro_batch() && is_first()) reduce_layer(i);
    }
    layer_ = -1;
    if (is_first())
      compute("embedding", backward_of(model_.embedding()), at);
    else
      send(place_.stage - 1, at);
    if (is_last_micro_batch()) reduce_rest();
  }

  /// Forward or backward through the experts of a layer.
  std::uint64_t experts(std::uint64_t at) {
    const bool is_forward = phase_[0] == 'f';
    const Work router = model_.router(), mlps = model_.expert_mlps();
    if (is_forward) at = compute("router", router, at);
    at = collective("dispatch", ALL_TO_ALL, model_.dispatch_bytes(), expert_group_, at);
    at = compute("experts", is_forward ? mlps : backward_of(mlps), at);
    at = tensor_reduce("experts", at);
    at = collective("combine", ALL_TO_ALL, model_.dispatch_bytes(), expert_group_, at);
    return is_forward ? at : compute("router", backward_of(router), at);
  }

  void reduce_layer(std::size_t i) {
    phase_ = "gradients";
    const double dense = model_.attention_parameters() + model_.mlp_parameters();
    collective("layer", ALL_REDUCE, model_.bytes_of(dense), layout_.data_group(place_),
               gradient_of_layer_[i]);
    collective("experts", ALL_REDUCE, model_.bytes_of(model_.expert_parameters()),
               layout_.expert_data_group(place_), gradient_of_layer_[i]);
    phase_ = "backward";
  }

  /// Gradients of what is not reduced while the backward pass goes on.
  void reduce_rest() {
    for (std::size_t i = gradient_of_layer_.size(); i-- > 0 && !is_first();) {
      layer_ = first_layer_ + static_cast<std::int64_t>(i);
      reduce_layer(i);
    }
    layer_ = -1;
    phase_ = "gradients";
    const double bytes = model_.bytes_of(model_.vocabulary_parameters());
    if (is_last())
      collective("head", ALL_REDUCE, bytes, layout_.data_group(place_), head_gradient_);
    if (is_first())
      collective("embedding", ALL_REDUCE, bytes, layout_.data_group(place_), last_compute_);
  }

  void optimize() {
    phase_ = "optimizer";
    micro_batch_ = -1;
    const double ends = (is_first() ? 1 : 0) + (is_last() ? 1 : 0);
    compute("adam",
            model_.optimizer(model_.layer_parameters() *
                                 static_cast<double>(gradient_of_layer_.size()) +
                             ends * model_.vocabulary_parameters()),
            last_communication_);
  }

  std::uint64_t compute(const char* part, const Work& work, std::uint64_t after) {
    SyntheticNode node = named(part);
    node.after = {last_compute_, after};
    node.duration_ns = compute_ns(pattern_.device, work);
    node.num_ops = std::llround(std::max(work.ops, 1.0));
    node.tensor_size = std::llround(std::max(work.bytes, 1.0));
    return last_compute_ = nodes_.append(node);
  }

  /// The partial sums of the ranks that share a tensor.
  std::uint64_t tensor_reduce(const char* part, std::uint64_t after) {
    return collective(part, ALL_REDUCE, model_.activation_bytes(), tensor_group_, after);
  }

  /// `after` itself where there is nobody to exchange with, or nothing.
  std::uint64_t collective(const char* part, CollectiveCommType type, double bytes,
                           const RankGroup& group, std::uint64_t after) {
    if (group.size < 2 || bytes < 1) return after;
    SyntheticNode node = named(part, type == ALL_REDUCE ? ".all_reduce" : ".all_to_all");
    group_ = std::to_string(group.number);
    node.type = NodeType::kCollective;
    node.after = {last_communication_, after};
    node.duration_ns = collective_ns(pattern_.device, type, bytes, group.size);
    node.comm_type = type;
    node.comm_size = std::llround(bytes);
    node.group = group_;
    return last_communication_ = nodes_.append(node);
  }

  void send(std::int64_t stage, std::uint64_t after) {
    SyntheticNode node = message("send", stage);
    node.type = NodeType::kSend;
    node.after = {last_communication_, after};
    last_communication_ = nodes_.append(node);
  }

  std::uint64_t receive(std::int64_t stage) {
    SyntheticNode node = message("receive", stage);
    node.type = NodeType::kReceive;
    node.after = {last_receive_};
    return last_receive_ = nodes_.append(node);
  }

  SyntheticNode message(const char* part, std::int64_t stage) {
    SyntheticNode node = named(part);
    node.duration_ns = message_ns(pattern_.device, model_.activation_bytes());
    node.comm_size = std::llround(model_.activation_bytes());
    node.peer = static_cast<std::int32_t>(layout_.rank_at({stage, place_.data, place_.tensor}));
    const std::int64_t direction = phase_[0] == 'f' ? 0 : 1;
    node.tag =
        static_cast<std::int32_t>((step_ * pattern_.micro_batches + micro_batch_) * 2 + direction);
    return node;
  }

  /// "forward.attention.layer3.mb0.step0"
  SyntheticNode named(const char* part, const char* kind = "") {
    name_.assign(phase_).append(".").append(part).append(kind);
    if (layer_ >= 0) name_.append(".layer").append(std::to_string(layer_));
    if (micro_batch_ >= 0) name_.append(".mb").append(std::to_string(micro_batch_));
    name_.append(".step").append(std::to_string(step_));
    SyntheticNode node;
    node.name = name_;
    return node;
  }

  const StepPattern& pattern_;
  const JobLayout& layout_;
  const ParallelDegrees degrees_;
  const RankPlace place_;
  NodeStream& nodes_;
  const Transformer model_;
  const RankGroup tensor_group_, expert_group_;
  std::int64_t first_layer_ = 0;
  std::vector<std::uint64_t> gradient_of_layer_;  // nodes, of the latest micro-batch
  std::uint64_t head_gradient_ = 0;
  std::uint64_t last_compute_ = 0, last_communication_ = 0, last_receive_ = 0;  // 0 = none yet
  const char* phase_ = "";
  std::int64_t step_ = 0, micro_batch_ = -1, layer_ = -1;
  std::string name_, group_;
};

}  // namespace

std::int64_t layers_of_stage(std::int64_t layers, std::int64_t stage, std::int64_t stages) {
  return layers / stages + (stage < layers % stages ? 1 : 0);
}

double most_nodes(const StepPattern& pattern, const ParallelDegrees& degrees) {
  constexpr double kPerLayer = 16, kPerMicroBatch = 8;
  const auto layers =
      static_cast<double>(layers_of_stage(pattern.shape.layers, 0, degrees.pipeline));
  return static_cast<double>(pattern.steps) * (static_cast<double>(pattern.micro_batches) + 1) *
         (layers * kPerLayer + kPerMicroBatch);
}

void append_steps(const StepPattern& pattern, const JobLayout& layout, const RankPlace& place,
                  NodeStream& nodes) {
  StepWriter writer(pattern, layout, place, nodes);
  for (std::int64_t step = 0; step < pattern.steps; ++step) writer.append_step(step);
}

}  // namespace nadi
