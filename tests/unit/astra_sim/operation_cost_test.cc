// Operations and bytes from shapes, by hand.
#include "nadi/sim_bridge/astra_sim/operation_cost.h"

#include <gtest/gtest.h>

namespace nadi::astra_sim {
namespace {

struct Row {
  const char *op, *in_shapes, *in_types, *out_shapes, *out_types;
  std::int64_t operations, bytes;
};

TEST(OperationCost, IsWhatTheFormulasGive) {
  constexpr const char* kF = "['Tensor(float)', 'Tensor(float)', 'Tensor(float)']";
  constexpr const char* kOne = "['Tensor(float)']";
  constexpr const char* kHalf = "['Tensor(c10::Half)', 'Tensor(c10::Half)', 'Tensor(c10::Half)']";
  const Row rows[] = {
      // 2 x 4 x 8 x 16 = 1024; (32 + 128 + 64) x 4.
      {"aten::mm", "[[4, 8], [8, 16]]", kF, "[[4, 16]]", kOne, 1024, 896},
      {"aten::bmm", "[[3, 4, 8], [3, 8, 16]]", kF, "[[3, 4, 16]]", kOne, 3072, 2688},
      {"aten::addmm", "[[16], [4, 8], [8, 16]]", kF, "[[4, 16]]", kOne, 1024, 960},
      {"aten::linear", "[[2, 4, 8], [16, 8], [16]]", kF, "[[2, 4, 16]]", kOne, 2048, 1344},
      // Output 1x16x4x4, weight 16x3x3x3: 2 x 256 x 27.
      {"aten::cudnn_convolution", "[[1, 3, 6, 6], [16, 3, 3, 3]]", kF, "[[1, 16, 4, 4]]", kOne,
       13824, 3184},
      {"aten::convolution_backward", "[[1, 16, 4, 4], [1, 3, 6, 6], [16, 3, 3, 3]]", kF,
       "[[1, 3, 6, 6], [16, 3, 3, 3]]", "['Tensor(float)', 'Tensor(float)']", 27648, 5344},
      // 2 x B 2 x H 4 x S 8 x T 16 x (D 32 + 32), half precision.
      {"aten::_scaled_dot_product_flash_attention", "[[2,4,8,32], [2,4,16,32], [2,4,16,32]]", kHalf,
       "[[2,4,8,32]]", "['Tensor(c10::Half)']", 131072, 24576},
      {"aten::add", "[[10, 10], [10, 10], []]", "['Tensor(float)', 'Tensor(float)', 'Int']",
       "[[10, 10]]", kOne, 100, 1200},
      {"aten::_softmax", "[[10, 10], []]", "['Tensor(float)', 'Int']", "[[10, 10]]", kOne, 500,
       800},
      // Of the first layer the gradient of the input is not wanted.
      {"aten::convolution_backward", "[[1, 16, 4, 4], [1, 3, 6, 6], [16, 3, 3, 3]]", kF,
       "[[], [16, 3, 3, 3]]", "['Tensor(nullptr (uninitialized))', 'Tensor(float)']", 13824, 4916},
      // Profiler-only: no outputs, types without "Tensor()".
      {"aten::relu", "[[10, 10]]", "['float']", "[]", "[]", 100, 800},
      // As with outputs: a result of 4 x 16, not as large as its largest input.
      {"aten::mm", "[[4, 8], [8, 16]]", kF, "[]", "[]", 1024, 896},
      {"aten::linear", "[[2, 4, 8], [16, 8], [16]]", kF, "[]", "[]", 2048, 1344},
      {"aten::addmm", "[[16], [4, 8], [8, 16]]", kF, "[]", "[]", 1024, 960},
      {"aten::sum", "[[10, 10], []]", "['float', '']", "[]", "[]", 100, 400},
      {"aten::fill_", "[[10, 10], []]", "['float', 'Scalar']", "[]", "[]", 100, 400},
      {"aten::zero_", "[[10, 10]]", kOne, "[[10, 10]]", kOne, 100, 400},
      // 100 doubles read, 100 floats written.
      {"aten::copy_", "[[10, 10], [10, 10], []]", "['float', 'double', 'Scalar']", "[]", "[]", 100,
       1200},
      // Lists: each tensor counts.
      {"aten::_foreach_add_", "[[[10], [20]], []]",
       "['GenericList[Tensor(float),Tensor(double)]', 'Int']", "[]", "[]", 30, 400},
      // A table of 1000 rows is not read to pick 5.
      {"aten::embedding", "[[1000, 8], [5]]", "['Tensor(float)', 'Tensor(long int)']", "[[5, 8]]",
       kOne, 40, 360},
      {"aten::embedding", "[[1000, 8], [5]]", "['float', 'long']", "[]", "[]", 40, 360},
      {"aten::index_select", "[[1000, 8], [], [5]]", "['float', 'Scalar', 'long']", "[]", "[]", 40,
       360},
      {"aten::gather", "[[50], [], [200], []]", "['float', 'Scalar', 'long', 'Scalar']", "[]", "[]",
       200, 3200},
      // Nor to add 5 values to it: indices and values read, values written.
      {"aten::index_add_", "[[1000], [], [5], [5], []]",
       "['float', 'Scalar', 'long', 'float', 'Scalar']", "[]", "[]", 5, 100},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.op);
    const auto cost = cost_of_operation(row.op, parse_arguments(row.in_shapes, row.in_types),
                                        parse_arguments(row.out_shapes, row.out_types));
    ASSERT_TRUE(cost.has_value());
    EXPECT_EQ(cost->operations, row.operations);
    EXPECT_EQ(cost->bytes, row.bytes);
  }
}

TEST(OperationCost, OfConvolutionsWithoutOutputsFollowsFromTheirValues) {
  const auto operations = [](const char* op, const char* shapes, const char* values) {
    const auto inputs = parse_arguments(shapes, "['float', 'float', 'float']");
    const auto cost = cost_of_operation(op, inputs, {}, values);
    return cost ? cost->operations : 0;
  };
  constexpr const char* kShapes = "[[1, 3, 9, 7], [16, 3, 3, 3], []]";
  // Output 16 x (9 + 2 - 2 - 1) / 2 + 1 = 5 x (7 + 0 - 2 - 1) / 1 + 1 = 5, each 2 x 27.
  EXPECT_EQ(operations("aten::convolution", kShapes,
                       "['', '', '', '[2, 1]', '[1, 0]', '[1, 1]', 'False', '[0, 0]', '1']"),
            21600);
  // A list of one counts for both; of cudnn the padding comes first. Dilation 2: 5 x 3 elements.
  EXPECT_EQ(operations("aten::cudnn_convolution", kShapes, "[[1], [2], [0], [1], [2], 1, True]"),
            12960);
  EXPECT_EQ(operations("aten::miopen_convolution", kShapes, "['', '', '', '[1]', '[2]', '[1]']"),
            21600 / 25 * 5 * 4);
  for (const char* values :
       {"", "['', '', '', '[2, 1]', 'same', '[1, 1]', 'False']",
        "['', '', '', '[0]', '[1]', '[1]']", "['', '', '', '[1]', '[1]', '[9]', 'False']",
        "['', '', '', '[1]', '[1]', '[1]', 'True']", "['', '', '', '[-1]', '[1]', '[1]', 'False']"})
    EXPECT_EQ(operations("aten::convolution", kShapes, values), 0) << values;
  // The gradient of the input is not wanted.
  EXPECT_EQ(operations("aten::convolution_backward", "[[1, 16, 4, 4], [1, 3, 6, 6], [16, 3, 3, 3]]",
                       "['', '', '', '', '[1, 1]', '[0, 0]', '[1, 1]', 'False', '[0, 0]', '1', "
                       "'[False, True, False]']"),
            13824);
}

TEST(OperationCost, IsUnknownWhereShapesDoNotFitOrAreNotThere) {
  const char* kTwo = "['Tensor(float)', 'Tensor(float)']";
  EXPECT_FALSE(cost_of_operation("aten::mm", parse_arguments("[[4, 8], [9, 16]]", kTwo), {}));
  EXPECT_FALSE(cost_of_operation("aten::mm", parse_arguments("[]", "[]"), {}));
  EXPECT_FALSE(cost_of_operation("aten::add", parse_arguments("[[], []]", "['Int', 'None']"), {}));
}

TEST(OperationCost, TellsWhetherTheOpIsKnown) {
  const auto arguments = parse_arguments("[[8, 8], [8, 8]]", "['float', 'float']");
  const auto basis = [&](const char* op) { return cost_of_operation(op, arguments, {})->basis; };
  EXPECT_EQ(basis("aten::mm"), CostBasis::kProducts);
  EXPECT_EQ(basis("aten::softmax"), CostBasis::kElements);
  EXPECT_EQ(basis("aten::mul"), CostBasis::kElements);
  for (const char* op : {"CompiledFunctionBackward", "MmBackward0",
                         "fbgemm::permute_2D_sparse_data", "aten::_cudnn_rnn"}) {
    EXPECT_EQ(basis(op), CostBasis::kUnknown) << op;
    EXPECT_EQ(cost_of_operation(op, arguments, {})->operations, 64) << op;
  }
}

TEST(OperationCost, SurvivesTextOfStrangers) {
  for (const char* text :
       {"", "[", "[[", "[[-1, 3]]", "[[99999999999999999999]]", "'", "[']", "]]",
        "[[9223372036854775807, 9223372036854775807]]", "[,,]", "[[[[[[[]]]]]]]"})
    for (const char* types : {"['Tensor(float)']", "['GenericList[Tensor(float)]']", "", "[["}) {
      const auto arguments = parse_arguments(text, types);
      const auto cost = cost_of_operation("aten::add", arguments, {});
      EXPECT_TRUE(!cost || cost->operations > 0);
    }
}

}  // namespace
}  // namespace nadi::astra_sim
