// Ops in both traces: nesting, values, texts of any bytes, forward and backward.
#include <array>
#include <limits>
#include <set>
#include <vector>

#include "tests/unit/record/recorded.h"

namespace nadi::record {
namespace {

using namespace test;
using nlohmann::json;

struct Matrix {
  std::array<std::int64_t, 2> shape{2, 3};
};
Tensor describe(const Matrix& matrix) {
  Tensor tensor;
  tensor.id = 41;
  tensor.storage = 42;
  tensor.shape = matrix.shape;
  tensor.device = "cuda:0";
  return tensor;
}

TEST(Ops, AnOpInsideAnotherIsItsChildAndInTimeWithinIt) {
  const Recorded recorded = record_program([] {
    const Op outer("outer");
    const Op inner("inner");
  });
  EXPECT_EQ(recorded.node("inner")["ctrl_deps"], recorded.node("outer")["id"]);
  const json root = recorded.node("[pytorch|profiler|execution_trace|thread]");
  EXPECT_EQ(recorded.node("outer")["ctrl_deps"], root["id"]);
  EXPECT_EQ(root["ctrl_deps"], 1);
  const json outer = recorded.event("cpu_op", "outer"), inner = recorded.event("cpu_op", "inner");
  // Begin and end of both, each a step of the clock.
  EXPECT_DOUBLE_EQ(outer["dur"], 3.0);
  EXPECT_DOUBLE_EQ(inner["dur"], 1.0);
  EXPECT_DOUBLE_EQ(inner["ts"].get<double>() - outer["ts"].get<double>(), 1.0);
}

TEST(Ops, IdsAreUniqueAboveOneAndTheSameInBothTraces) {
  const Recorded recorded = record_program([] {
    for (int i = 0; i < 3; ++i) const Op op("op " + std::to_string(i));
  });
  std::set<std::uint64_t> ids;
  for (const auto& node : recorded.host["nodes"]) ids.insert(node["id"].get<std::uint64_t>());
  EXPECT_EQ(ids.size(), 5U);  // process, thread, three ops
  EXPECT_EQ(*ids.begin(), 1U);
  for (const char* name : {"op 0", "op 1", "op 2"}) {
    const json rf_id = recorded.attribute(name, "rf_id");
    EXPECT_GT(rf_id, 1);
    EXPECT_EQ(recorded.event("cpu_op", name)["args"]["Record function id"], rf_id);
  }
}

TEST(Ops, EveryKindOfValueHasItsFormInTheHostTrace) {
  const std::vector<std::int64_t> integers{1, 2};
  const std::vector<double> reals{0.5, std::numeric_limits<double>::infinity()};
  const Matrix listed;
  const std::vector<Tensor> tensors{describe(listed), Tensor{}};
  const Recorded recorded = record_program([&] {
    const Matrix matrix;
    const Op op("op", matrix, 7, 2.5, true, "text", std::string("more"), integers, reals, tensors,
                Value());
  });
  const json inputs = recorded.node("op")["inputs"];
  const json tensor = {41, 42, 0, 6, 4, "cuda:0"}, empty = {0, 0, 0, 1, 4, "cpu"};
  EXPECT_EQ(
      inputs["values"],
      json(
          {tensor, 7, 2.5, true, "text", "more", {1, 2}, {0.5, "inf"}, {tensor, empty}, "<None>"}));
  EXPECT_EQ(inputs["types"], json({"Tensor(float)", "Int", "Double", "Bool", "String", "String",
                                   "GenericList[Int,Int]", "GenericList[Double,Double]",
                                   "GenericList[Tensor(float),Tensor(float)]", "None"}));
  const json none = json::array();
  EXPECT_EQ(inputs["shapes"][0], json({2, 3}));
  EXPECT_EQ(inputs["shapes"][1], none);
  EXPECT_EQ(inputs["shapes"][6], json({none, none}));
  EXPECT_EQ(inputs["shapes"][8], json({{2, 3}, none}));
  EXPECT_EQ(inputs["strides"][0], json({3, 1}));  // contiguous, not told
  EXPECT_EQ(inputs["strides"].size(), inputs["values"].size());
}

TEST(Ops, StridesThatAreToldAreWritten) {
  const std::array<std::int64_t, 2> shape{2, 3}, strides{1, 2};
  const Recorded recorded = record_program([&] {
    Tensor tensor;
    tensor.shape = shape;
    tensor.strides = strides;
    const Op op("op", tensor);
  });
  EXPECT_EQ(recorded.node("op")["inputs"]["strides"], json::array({{1, 2}}));
  EXPECT_EQ(recorded.event("cpu_op", "op")["args"]["Input Strides"], json::array({{1, 2}}));
}

TEST(Ops, KinetoTellsShapesTypesAndScalars) {
  const Recorded recorded = record_program([] { const Op op("op", Matrix{}, 7, "text"); });
  const json args = recorded.event("cpu_op", "op")["args"];
  EXPECT_EQ(args["Input Dims"], json({{2, 3}, json::array(), json::array()}));
  EXPECT_EQ(args["Input type"], json({"float", "Scalar", ""}));
  EXPECT_EQ(args["Concrete Inputs"], json({"", "7", "text"}));
}

TEST(Ops, OutputsAreAddedOneBehindTheOther) {
  const Recorded recorded = record_program([] {
    Op op("op");
    op.outputs(Matrix{}, 1);
    op.outputs(2);
  });
  const json outputs = recorded.node("op")["outputs"];
  EXPECT_EQ(outputs["values"], json({{41, 42, 0, 6, 4, "cuda:0"}, 1, 2}));
  EXPECT_EQ(outputs["types"], json({"Tensor(float)", "Int", "Int"}));
}

TEST(Ops, LongListsAreCutWithAPlaceholder) {
  const std::vector<std::int64_t> list(5000, 3);
  const Recorded recorded = record_program([&] { const Op op("op", list); });
  const json values = recorded.node("op")["inputs"]["values"][0];
  ASSERT_EQ(values.size(), 4097U);  // H5: 4096 and what stands for the rest
  EXPECT_EQ(values[4095], 3);
  EXPECT_EQ(values[4096], "<...>");
}

TEST(Ops, NamesMayHaveAnyBytes) {
  const std::string name = std::string("a\"b\\c\n\x01\xff\xc3\xa9") + '\0' + "d";
  const Recorded recorded = record_program([&] { const Op op(name); });
  const std::string written = std::string("a\"b\\c\n\x01\xef\xbf\xbd\xc3\xa9") + '\0' + "d";
  EXPECT_EQ(recorded.node(written)["name"], written);
  EXPECT_EQ(recorded.event("cpu_op", written)["name"], written);
}

TEST(Ops, AnEventLargerThanAChunkIsWhole) {
  const std::string name(300'000, 'x');
  const Recorded recorded = record_program([&] {
    const Op before("before");
    const Op op(name);
    const Op after("after");
  });
  EXPECT_EQ(recorded.node(name)["ctrl_deps"], recorded.node("before")["id"]);
  EXPECT_EQ(recorded.node("after")["ctrl_deps"], recorded.node(name)["id"]);
}

TEST(Ops, AttributesAreWrittenAndThoseOfTheTraceItselfAreNot) {
  const Recorded recorded = record_program([] {
    Op op("op");
    op.schema("op(Tensor a) -> Tensor");
    op.attribute("kernel_backend", "triton");
    op.attribute("flops", 123);
    op.attribute("tid", 77);
  });
  EXPECT_EQ(recorded.attribute("op", "op_schema"), "op(Tensor a) -> Tensor");
  EXPECT_EQ(recorded.attribute("op", "kernel_backend"), "triton");
  EXPECT_EQ(recorded.event("cpu_op", "op")["args"]["kernel_backend"], "triton");
  EXPECT_EQ(recorded.attribute("op", "flops"), 123);
  EXPECT_EQ(recorded.attribute("op", "tid"), 1);
  EXPECT_EQ(recorded.summary.left_out, 1U);
}

TEST(Ops, ABackwardOpNamesItsForwardOpThreadAndSequence) {
  const Recorded recorded = record_program([] {
    ForwardLink link;
    {
      Op forward("forward");
      link = forward.forward(12);
    }
    Op backward("backward");
    backward.backward_of(link);
  });
  EXPECT_EQ(recorded.attribute("forward", "seq_id"), 12);
  EXPECT_EQ(recorded.attribute("forward", "scope"), 0);
  EXPECT_EQ(recorded.attribute("backward", "seq_id"), 12);
  EXPECT_EQ(recorded.attribute("backward", "scope"), 1);
  EXPECT_EQ(recorded.attribute("backward", "fw_parent"), recorded.node("forward")["id"]);
  EXPECT_EQ(recorded.attribute("backward", "fw_tid"), 1);
  const json args = recorded.event("cpu_op", "backward")["args"];
  EXPECT_EQ(args["Sequence number"], 12);
  EXPECT_EQ(args["Fwd thread id"], 1);
  EXPECT_EQ(recorded.count("fwdbwd"), 2U);
}

TEST(Ops, SequenceNumbersAscendWhereTheProgramHasNone) {
  ForwardLink first, second;
  record_program([&] {
    Op a("a"), b("b");
    first = a.forward();
    second = b.forward();
  });
  EXPECT_GT(first.sequence, 0);
  EXPECT_GT(second.sequence, first.sequence);
}

TEST(Ops, StepsAndAnnotationsAreUserAnnotations) {
  const Recorded recorded = record_program([] {
    const Step step(3);
    const Annotation annotation("Optimizer.step");
  });
  EXPECT_EQ(recorded.attribute("ProfilerStep#3", "scope"), 7);
  EXPECT_FALSE(recorded.event("user_annotation", "ProfilerStep#3").is_null());
  EXPECT_FALSE(recorded.event("user_annotation", "Optimizer.step").is_null());
}

TEST(Ops, AnOpThatEndsTooEarlyEndsThoseInsideIt) {
  const Recorded recorded = record_program([] {
    const std::uint64_t outer = begin_op(OpKind::kOp, "outer", {});
    const std::uint64_t inner = begin_op(OpKind::kOp, "inner", {});
    end_op(outer);
    end_op(inner);
  });
  EXPECT_EQ(recorded.node("inner")["ctrl_deps"], recorded.node("outer")["id"]);
  EXPECT_EQ(recorded.summary.ops, 2U);
  EXPECT_EQ(recorded.summary.lost_ends, 1U);
}

int described = 0;
struct Counted {};
Tensor describe(const Counted&) {
  ++described;
  return {};
}

TEST(Ops, NothingIsConvertedWhereNothingIsRecorded) {
  described = 0;
  const auto run = [] {
    Op op("op", Counted{});
    op.outputs(Counted{});
    return op.id();
  };
  EXPECT_EQ(run(), 0U);
  EXPECT_EQ(begin_op(OpKind::kOp, "op", {}), 0U);
  EXPECT_EQ(described, 0);
  record_program(run);
  EXPECT_EQ(described, 2);
}

TEST(Ops, TheSameProgramGivesTheSameNodes) {
  const auto program = [] {
    const Step step(0);
    Op op("op", Matrix{}, 1);
    op.outputs(2.5);
  };
  const auto without_ids = [](json nodes) {
    for (auto& node : nodes) {
      node.erase("id");
      node.erase("ctrl_deps");
      for (auto& attribute : node["attrs"])
        if (attribute["name"] == "rf_id") attribute.erase("value");
    }
    return nodes;
  };
  EXPECT_EQ(without_ids(record_program(program).host["nodes"]),
            without_ids(record_program(program).host["nodes"]));
}

}  // namespace
}  // namespace nadi::record
