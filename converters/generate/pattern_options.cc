#include "nadi/converters/generate/pattern_options.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "nadi/base/error.h"
#include "nadi/converters/synthetic_graphs.h"
#include "nadi/sim_bridge/astra_sim/stream_overflow.h"

namespace nadi {
namespace {

constexpr const char* kPatternKinds[] = {"data-parallel", "tensor-parallel", "pipeline",
                                         "expert-parallel"};
constexpr std::int64_t kUsualDegree = 8;  // of a machine with fast links
constexpr std::int64_t kUsualExperts = 8;
constexpr std::int64_t kMicroBatchesPerStage = 4;
constexpr double kMostAmount = 1e18;  // operations or bytes of a node

[[noreturn]] void fail(const std::string& option, const std::string& what,
                       const std::string& remedy) {
  throw Error(ErrorCode::kUsage, option, what, remedy);
}

std::int64_t largest_divisor(std::int64_t of, std::int64_t most) {
  std::int64_t divisor = std::clamp<std::int64_t>(most, 1, of);
  while (of % divisor != 0) --divisor;
  return divisor;
}

/// The degree given, else the largest that divides `ranks` where the kind is `of_kind`, else 1.
std::int64_t degree(const GenerateOptions& options, const char* option, std::int64_t given,
                    std::string_view of_kind, std::int64_t ranks, std::int64_t most) {
  if (given > 0) {
    if (ranks % given != 0)
      fail(std::string(option) + " " + std::to_string(given),
           "does not divide " + std::to_string(ranks) + " ranks", "Choose a divisor");
    return given;
  }
  if (options.kind != of_kind) return 1;
  const std::int64_t divisor = largest_divisor(ranks, most);
  if (divisor == 1 && ranks > 1 && most > 1)
    fail("`npus`",
         std::to_string(ranks) + " ranks have no divisor from 2 to " + std::to_string(most),
         std::string("Choose another number, or give ") + option);
  return divisor;
}

void require_shape(const TransformerShape& shape) {
  require_range("`layers`", shape.layers, 1'000'000);
  require_range("`hidden`", shape.hidden, 10'000'000);
  if (shape.ffn != 0) require_range("`ffn`", shape.ffn, 100'000'000);
  require_range("`sequence`", shape.sequence, 1'000'000'000);
  require_range("`micro_batch`", shape.micro_batch, 1'000'000);
  require_range("`vocabulary`", shape.vocabulary, 1'000'000'000);
  require_range("`element_bytes`", shape.element_bytes, 16);
  require_range("`top_k`", shape.top_k, 1'000'000);
}

void require_speed(const char* option, double value) {
  if (value >= 1e-6 && value <= 1e9) return;
  fail(option, "is no machine's: it must be from 0.000001 to a billion",
       "Give the number of a machine");
}

void resolve_experts(const GenerateOptions& options, ResolvedPattern& resolved) {
  ParallelDegrees& degrees = resolved.degrees;
  std::int64_t& experts = resolved.pattern.shape.experts;
  if (experts != 0) require_range("`experts`", experts, 1'000'000);
  degrees.expert = degree(options, "`expert`", options.expert, "expert-parallel", degrees.data,
                          experts > 0 ? std::min(kUsualDegree, experts) : kUsualDegree);
  const bool has_experts = options.kind == "expert-parallel" || degrees.expert > 1;
  if (experts == 0 && has_experts)
    experts = kUsualExperts % degrees.expert == 0 ? kUsualExperts : degrees.expert;
  if (experts % degrees.expert != 0)
    fail("`experts` " + std::to_string(experts),
         "cannot be shared evenly by " + std::to_string(degrees.expert) + " ranks",
         "Give a multiple, or another `expert`");
  if (experts == 0) return;
  if (options.shape.top_k > experts)
    fail("`top_k` " + std::to_string(options.shape.top_k),
         "is more than the " + std::to_string(experts) + " experts", "Give at most that many");
}

void require_possible(const ResolvedPattern& resolved) {
  const StepPattern& pattern = resolved.pattern;
  if (most_nodes(pattern, resolved.degrees) > static_cast<double>(kMostSyntheticNodes))
    fail("`steps`, `micro_batches`, `layers`", "give a graph of more than 4,000,000,000 nodes",
         "Give fewer");
  const double messages =
      2.0 * static_cast<double>(pattern.steps) * static_cast<double>(pattern.micro_batches);
  if (resolved.degrees.pipeline > 1 && messages > static_cast<double>(astra_sim::kTagLimit))
    fail("`micro_batches`", "give more messages than tags (500,000,000)", "Give fewer");
  const Transformer model(pattern.shape, resolved.degrees.tensor,
                          pattern.shape.experts / resolved.degrees.expert);
  const Work all[] = {
      backward_of(model.attention()),
      backward_of(model.mlp()),
      backward_of(model.head()),
      pattern.shape.experts > 0 ? backward_of(model.expert_mlps()) : Work{},
      pattern.shape.experts > 0 ? backward_of(model.router()) : Work{},
      model.optimizer(model.layer_parameters() * static_cast<double>(pattern.shape.layers) +
                      2 * model.vocabulary_parameters()),
      {0, model.dispatch_bytes()},
  };
  for (const Work& work : all)
    if (work.ops > kMostAmount || work.bytes > kMostAmount)
      fail("`hidden`, `ffn`, `sequence`, `micro_batch`, `vocabulary`",
           "give a node of more than 1e18 operations or bytes", "Give a smaller model");
}

}  // namespace

void require_device(const DeviceModel& device) {
  require_speed("`peak_tflops`", device.peak_tflops);
  require_speed("`memory_gb_per_s`", device.memory_gb_per_s);
  require_speed("`link_gb_per_s`", device.link_gb_per_s);
  if (!std::isfinite(device.link_latency_ns) || device.link_latency_ns < 0 ||
      device.link_latency_ns > 1e12)
    fail("`latency_ns`", "must be 0 or more and not absurd", "Give the number of a machine");
}

std::span<const char* const> pattern_kinds() { return kPatternKinds; }

ResolvedPattern resolve_pattern(const GenerateOptions& options) {
  require_shape(options.shape);
  require_device(options.device);
  ResolvedPattern resolved;
  StepPattern& pattern = resolved.pattern;
  pattern.shape = options.shape;
  pattern.device = options.device;
  pattern.steps = options.steps;
  ParallelDegrees& degrees = resolved.degrees;
  degrees.tensor =
      degree(options, "`tensor`", options.tensor, "tensor-parallel", options.npus, kUsualDegree);
  const std::int64_t rest = options.npus / degrees.tensor;
  degrees.pipeline = degree(options, "`pipeline`", options.pipeline, "pipeline", rest,
                            std::min(kUsualDegree, options.shape.layers));
  if (degrees.pipeline > options.shape.layers)
    fail("`pipeline` " + std::to_string(degrees.pipeline),
         "is more stages than the " + std::to_string(options.shape.layers) + " layers",
         "Give more `layers` or fewer stages");
  degrees.data = rest / degrees.pipeline;
  resolve_experts(options, resolved);
  const bool has_pipeline = degrees.pipeline > 1;
  pattern.micro_batches = options.micro_batches > 0 ? options.micro_batches
                          : has_pipeline            ? kMicroBatchesPerStage * degrees.pipeline
                                                    : 1;
  require_range("`micro_batches`", pattern.micro_batches, astra_sim::kTagLimit);
  require_range("`steps`", pattern.steps, astra_sim::kTagLimit);
  require_possible(resolved);
  return resolved;
}

}  // namespace nadi
