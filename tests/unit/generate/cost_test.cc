// Operations, bytes and times of generated nodes.
#include <gtest/gtest.h>

#include "et_def.pb.h"
#include "nadi/converters/generate/cost_model.h"
#include "nadi/converters/generate/transformer.h"

namespace nadi {
namespace {

constexpr DeviceModel kDevice = {
    .peak_tflops = 100, .memory_gb_per_s = 1000, .link_gb_per_s = 10, .link_latency_ns = 500};

TEST(CostModel, ComputeTakesTheLongerOfComputingAndMoving) {
  EXPECT_EQ(compute_ns(kDevice, {.ops = 1e12, .bytes = 1e6}), 10'000'000);  // 1e12 / 100e12 s
  EXPECT_EQ(compute_ns(kDevice, {.ops = 1e6, .bytes = 1e9}), 1'000'000);    // 1e9 / 1000e9 s
  EXPECT_EQ(compute_ns(kDevice, {}), 1);
}

TEST(CostModel, CollectivesMoveWhatARingMoves) {
  // 4 ranks, 1 MB: 3/4 of it at 10 bytes per ns, and two hops.
  EXPECT_EQ(collective_ns(kDevice, ChakraProtoMsg::REDUCE_SCATTER, 1e6, 4), 75'000 + 2 * 500);
  EXPECT_EQ(collective_ns(kDevice, ChakraProtoMsg::ALL_TO_ALL, 1e6, 4), 75'000 + 2 * 500);
  EXPECT_EQ(collective_ns(kDevice, ChakraProtoMsg::ALL_REDUCE, 1e6, 4), 150'000 + 4 * 500);
  EXPECT_EQ(collective_ns(kDevice, ChakraProtoMsg::ALL_GATHER, 1e6, 4), 300'000 + 2 * 500);
  EXPECT_EQ(message_ns(kDevice, 1e6), 100'000 + 500);
}

TEST(Transformer, TheDefaultHasSevenBillionParameters) {
  const TransformerShape shape;
  const Transformer model(shape, 1, 0);
  const double parameters = 32 * (model.attention_parameters() + model.mlp_parameters()) +
                            2 * model.vocabulary_parameters();
  EXPECT_NEAR(parameters, 6.85e9, 0.01e9);  // 32 * 12 * 4096^2 + 2 * 50304 * 4096
}

TEST(Transformer, AForwardPassTakesTwoOperationsPerParameterAndTokenPlusAttention) {
  const Transformer model({}, 1, 0);
  const double layer = model.attention_parameters() + model.mlp_parameters();
  const double heads = 4.0 * 2048 * 2048 * 4096;
  EXPECT_DOUBLE_EQ(model.attention().ops + model.mlp().ops, 2 * 2048 * layer + heads);
  EXPECT_DOUBLE_EQ(model.head().ops, 2 * 2048 * model.vocabulary_parameters());
  EXPECT_DOUBLE_EQ(backward_of(model.mlp()).ops, 2 * model.mlp().ops);
}

TEST(Transformer, RanksThatShareATensorShareItsWork) {
  const Transformer whole({}, 1, 0), part({}, 4, 0);
  EXPECT_DOUBLE_EQ(4 * part.mlp().ops, whole.mlp().ops);
  EXPECT_DOUBLE_EQ(4 * part.attention().ops, whole.attention().ops);
  EXPECT_DOUBLE_EQ(4 * part.mlp_parameters(), whole.mlp_parameters());
  EXPECT_DOUBLE_EQ(part.activation_bytes(), 2048.0 * 4096 * 2);
}

TEST(Transformer, ATokenRunsTopKExpertsWhereverTheyAre) {
  TransformerShape shape;
  shape.experts = 8;
  shape.top_k = 2;
  const Transformer all_here(shape, 1, 8), two_here(shape, 1, 2);
  EXPECT_DOUBLE_EQ(all_here.expert_mlps().ops, 2 * Transformer({}, 1, 0).mlp().ops);
  EXPECT_DOUBLE_EQ(two_here.expert_mlps().ops, all_here.expert_mlps().ops);
  EXPECT_DOUBLE_EQ(4 * two_here.expert_parameters(), all_here.expert_parameters());
  EXPECT_DOUBLE_EQ(two_here.dispatch_bytes(), 2 * two_here.activation_bytes());
}

}  // namespace
}  // namespace nadi
