// The graph of one rank that trains a transformer with some mix of data, tensor, pipeline and
// expert parallelism.
#pragma once

#include <cstdint>

#include "nadi/converters/generate/cost_model.h"
#include "nadi/converters/generate/job_layout.h"
#include "nadi/converters/generate/transformer.h"
#include "nadi/emit/node_stream.h"

namespace nadi {

struct StepPattern {
  TransformerShape shape;
  DeviceModel device;
  std::int64_t micro_batches = 1;  ///< of a step
  std::int64_t steps = 1;
};

/// Layers of a stage: as even as it goes, the first ones have one more.
std::int64_t layers_of_stage(std::int64_t layers, std::int64_t stage, std::int64_t stages);

/// An upper bound of the nodes append_steps makes for a rank.
double most_nodes(const StepPattern& pattern, const ParallelDegrees& degrees);

/// Appends the steps of a rank. Each step: micro-batches under 1F1B; a stage receives activations,
/// runs its layers and sends them on, backward the same for their gradients. Tensor: an all-reduce
/// behind attention and MLP, forward and backward. Expert: an all-to-all before and behind the
/// experts. Data: an all-reduce of each layer's gradients as soon as the last micro-batch gives
/// them; behind the message to the stage before where there is one. Then the optimizer.
/// Compute follows compute, and each collective and send follows the one before it: every rank of a
/// group issues the same in the same order, so no simulator can get stuck.
void append_steps(const StepPattern& pattern, const JobLayout& layout, const RankPlace& place,
                  NodeStream& nodes);

}  // namespace nadi
