#include "nadi/emit/chakra_writer.h"

#include <gtest/gtest.h>

#include <set>

#include "chakra_bytes.h"
#include "nadi/chakra/attribute_value.h"

namespace nadi {
namespace {

using ChakraProtoMsg::AttributeProto;

// Op `aten::mm` [1000, 9000) launches kernel `gemm` at 2000; a call outside every op follows.
//   vertices: 0 op, 1 part, 2 kernel, 3 delay, 4 call
TraceBuilder mm_trace() {
  TraceBuilder b;
  b.origin_ns = 500;
  const auto op = b.add_op("aten::mm", 10, 77, 1000, 8000);
  b.set_inputs(op, R"([[1,2,0,4,4,"cuda:0"],1e5])", "[[2,2],[]]",
               R"x(["Tensor(float)","Double"])x");
  const auto row = b.add_row("gemm", 5000, 2500, 42, op, 2000);
  const auto call = b.add_call("cudaDeviceSynchronize", 9500, 500, 43);
  b.add_op_node(op, 1000);
  b.add_part(op, 2000, 7000);
  b.add_row_node(row);
  b.add_delay(LaneIndex{0}, 9000, 500, 4);
  b.add_call_node(call);
  b.add_edge(0, 1, Evidence::kThreadOrder);
  b.add_edge(0, 1, Evidence::kNesting);
  b.add_edge(0, 2, Evidence::kNesting);
  b.add_edge(0, 2, Evidence::kLaunch);
  b.add_edge(1, 3, Evidence::kDelay);
  b.add_edge(3, 4, Evidence::kDelay);
  b.add_edge(2, 4, Evidence::kSynchronisation);
  b.add_edge(1, 4, Evidence::kThreadOrder);
  b.add_edge(2, 4, Evidence::kEventWait);
  return b;
}

TEST(ChakraWriter, MetadataHoldsTheHostTracesHeaderAndNadisOwnAttributes) {
  TraceBuilder b = mm_trace();
  b.trace.rank = 3;
  b.trace.device.base_time_ns = 1'000'000;
  const ChakraFile file = write_and_read(b);
  ASSERT_EQ(file.metadata.attr_size(), 8);
  EXPECT_EQ(file.metadata.attr(0).name(), "schema");
  EXPECT_EQ(file.metadata.attr(0).string_val(), "1.0.3-chakra.0.0.4");
  EXPECT_EQ(file.metadata.attr(1).name(), "pid");
  EXPECT_EQ(file.metadata.attr(1).uint64_val(), 4711U);
  EXPECT_EQ(file.metadata.attr(2).string_val(), "2024-04-17 16:29:57");
  EXPECT_EQ(file.metadata.attr(3).uint64_val(), 1000U);
  EXPECT_EQ(file.metadata.attr(4).uint64_val(), 2000U);
  EXPECT_EQ(file.metadata.attr(5).name(), "base_time_ns");
  EXPECT_EQ(file.metadata.attr(5).int64_val(), 1'000'500);
  EXPECT_EQ(file.metadata.attr(6).name(), "rank");
  EXPECT_EQ(file.metadata.attr(6).int64_val(), 3);
  EXPECT_EQ(file.metadata.attr(7).name(), "nadi_version");
  EXPECT_EQ(file.metadata.attr(7).value_case(), AttributeProto::kStringVal);
}

std::string device_name(const TraceBuilder& b) {
  const ChakraFile file = write_and_read(b);
  const auto* name = find_attribute(file.metadata, "device_name");
  return name == nullptr ? "none" : name->string_val();
}

TEST(ChakraWriter, MetadataNamesTheDeviceThatMostRowsAreOf) {
  TraceBuilder b = mm_trace();
  EXPECT_EQ(device_name(b), "none");
  b.trace.device.device_names = {"slow", "fast"};
  b.trace.device.rows.device[0] = 1;
  EXPECT_EQ(device_name(b), "fast");
  b.trace.device.rows.device[0] = 7;
  EXPECT_EQ(device_name(b), "none") << "any of two";
  b.trace.device.device_names = {"fast", "fast"};
  EXPECT_EQ(device_name(b), "fast");
}

TEST(ChakraWriter, WithoutHostTraceTheHeaderComesFromTheDeviceTrace) {
  TraceBuilder b;
  b.trace.has_host = false;
  DeviceTrace& device = b.trace.device;
  device.threads.push_back({b.text("31337"), b.text("9"), 9, {}});
  device.base_time_ns = 5'000'000;
  device.first_ns = 2'500'000;
  device.last_ns = 9'000'000;
  b.add_call("cudaMalloc", 0, 1, 1);
  device.calls.thread[0] = ThreadIndex{0};
  const ChakraFile file = write_and_read(b);
  EXPECT_EQ(file.metadata.attr(0).string_val(), "kineto");
  EXPECT_EQ(file.metadata.attr(1).uint64_val(), 31337U);
  EXPECT_EQ(file.metadata.attr(3).uint64_val(), 7U);
  EXPECT_EQ(file.metadata.attr(4).uint64_val(), 14U);
}

TEST(ChakraWriter, IdsAreVerticesPlusOneAndDependenciesAreSortedWithoutRepeats) {
  const ChakraFile file = write_and_read(mm_trace());
  ASSERT_EQ(file.nodes.size(), 5U);
  std::set<std::uint64_t> ids;
  for (const auto& node : file.nodes) ids.insert(node.id());
  EXPECT_EQ(ids, (std::set<std::uint64_t>{1, 2, 3, 4, 5}));
  const auto& call = file.nodes[4];
  EXPECT_EQ(std::vector<std::uint64_t>(call.data_deps().begin(), call.data_deps().end()),
            (std::vector<std::uint64_t>{2, 3, 4}));
  EXPECT_EQ(call.ctrl_deps_size(), 0);
  const auto& kernel = file.nodes[2];
  ASSERT_EQ(kernel.ctrl_deps_size(), 1);
  EXPECT_EQ(kernel.ctrl_deps(0), 1U);
  ASSERT_EQ(kernel.data_deps_size(), 1);
  EXPECT_EQ(kernel.data_deps(0), 1U);
}

TEST(ChakraWriter, EveryNodeHasMlCommonsAttributesInTheMembersReadersAccept) {
  for (const auto& node : write_and_read(mm_trace()).nodes) {
    for (const char* name :
         {"rf_id", "fw_parent", "seq_id", "scope", "tid", "fw_tid", "start_ns", "duration_ns"})
      EXPECT_EQ(attribute(node, name).value_case(), AttributeProto::kInt64Val)
          << node.name() << name;
    EXPECT_EQ(attribute(node, "op_schema").value_case(), AttributeProto::kStringVal);
    EXPECT_EQ(attribute(node, "is_cpu_op").value_case(), AttributeProto::kBoolVal);
  }
}

TEST(ChakraWriter, AnOpHasItsOwnAttributesTimesAndPythonTexts) {
  TraceBuilder b = mm_trace();
  b.trace.host.ops.seq_id[0] = 12;
  b.trace.host.ops.op_schema[0] = b.text("aten::mm(Tensor self) -> Tensor");
  b.nodes[0].step = 6;
  const auto op = write_and_read(b).nodes[0];
  EXPECT_EQ(op.name(), "aten::mm");
  EXPECT_EQ(op.type(), ChakraProtoMsg::COMP_NODE);
  EXPECT_EQ(op.start_time_micros(), 0U);  // 500 ns after the origin
  EXPECT_EQ(op.duration_micros(), 1U);
  EXPECT_EQ(int64_of(op, "start_ns"), 500);
  EXPECT_EQ(int64_of(op, "duration_ns"), 1000);
  EXPECT_EQ(int64_of(op, "inclusive_ns"), 8000);
  EXPECT_EQ(int64_of(op, "exclusive_ns"), 8000);
  EXPECT_EQ(int64_of(op, "rf_id"), 77);
  EXPECT_EQ(int64_of(op, "seq_id"), 12);
  EXPECT_EQ(int64_of(op, "tid"), 1);
  EXPECT_EQ(int64_of(op, "step"), 6);
  EXPECT_TRUE(attribute(op, "is_cpu_op").bool_val());
  EXPECT_EQ(attribute(op, "op_schema").string_val(), "aten::mm(Tensor self) -> Tensor");
  EXPECT_EQ(op.inputs().values(), "[[1, 2, 0, 4, 4, 'cuda:0'], 100000.0]");
  EXPECT_EQ(op.inputs().shapes(), "[[2, 2], []]");
  EXPECT_EQ(op.inputs().types(), "['Tensor(float)', 'Double']");
  EXPECT_EQ(op.outputs().values(), "[]");
  for (const char* name : {"untimed", "part_of", "correlation", "device", "stream"})
    EXPECT_FALSE(has_attribute(op, name)) << name;
}

TEST(ChakraWriter, ADeviceRowIsOfItsLaneAndCanBeTracedToItsLaunchingOp) {
  const auto kernel = write_and_read(mm_trace()).nodes[2];
  EXPECT_FALSE(attribute(kernel, "is_cpu_op").bool_val());
  EXPECT_EQ(int64_of(kernel, "stream"), 7);
  EXPECT_EQ(int64_of(kernel, "device"), 0);
  EXPECT_EQ(int64_of(kernel, "correlation"), 42);
  EXPECT_EQ(int64_of(kernel, "rf_id"), 77);
  EXPECT_EQ(int64_of(kernel, "tid"), 1);
  EXPECT_EQ(kernel.inputs().shapes(), "[[2, 2], []]");
  EXPECT_EQ(kernel.duration_micros(), 2U);
  EXPECT_FALSE(has_attribute(kernel, "inclusive_ns"));
}

TEST(ChakraWriter, AHostNodeOfAGraphIsOfTheLaneThatRunsIt) {
  TraceBuilder b;
  const auto op = b.add_op("decode", 10, 77, 1000, 8000);
  const auto row = b.add_row("HostNode: cb", 5000, 2500, 42, op, 2000);
  const LaneIndex stream = b.trace.rows.lane[row], host = b.add_host_lane(9);
  b.trace.device.rows.kind[row] = DeviceRowKind::kHostNode;
  b.trace.host_node_lanes[stream] = host;
  b.nodes[b.add_row_node(row)].lane = host;
  const auto node = write_and_read(b).nodes.at(0);
  EXPECT_TRUE(attribute(node, "is_cpu_op").bool_val());
  EXPECT_EQ(int64_of(node, "tid"), 9);
  EXPECT_FALSE(has_attribute(node, "stream"));
}

// C13: an rf id must not make two nodes of a lane the same op.
TEST(ChakraWriter, PartsCallsAndDelaysHaveNoRecordFunctionOfTheirOwn) {
  const ChakraFile file = write_and_read(mm_trace());
  for (const int i : {1, 3, 4})
    EXPECT_EQ(int64_of(file.nodes[static_cast<std::size_t>(i)], "rf_id"), 0);
  EXPECT_EQ(file.nodes[1].name(), "aten::mm");
  EXPECT_EQ(int64_of(file.nodes[1], "part_of"), 1);
  EXPECT_EQ(int64_of(file.nodes[4], "correlation"), 43);
  EXPECT_EQ(file.nodes[4].name(), "cudaDeviceSynchronize");
  EXPECT_TRUE(attribute(file.nodes[4], "is_cpu_op").bool_val());
  EXPECT_EQ(file.nodes[4].inputs().values(), "[]");
}

TEST(ChakraWriter, ADelayHasTheLaneAttributesOfWhatItPrecedes) {
  TraceBuilder b = mm_trace();
  b.add_delay(LaneIndex{1}, 8000, 100, 2);
  const ChakraFile file = write_and_read(b);
  const auto& host = file.nodes[3];
  EXPECT_EQ(host.name(), "delay");
  EXPECT_EQ(host.type(), ChakraProtoMsg::COMP_NODE);
  EXPECT_EQ(int64_of(host, "tid"), 1);
  EXPECT_TRUE(attribute(host, "is_cpu_op").bool_val());
  EXPECT_FALSE(has_attribute(host, "stream"));
  const auto& device = file.nodes[5];
  EXPECT_FALSE(attribute(device, "is_cpu_op").bool_val());
  EXPECT_EQ(int64_of(device, "stream"), 7);
  EXPECT_EQ(int64_of(device, "device"), 0);
}

TEST(ChakraWriter, ADelaySaysThatItIsOneAndOthersOfItsNameThatTheyAreNone) {
  TraceBuilder b = mm_trace();
  const auto op = b.add_op("delay", 11, 78, 20'000, 3000);
  b.add_op_node(op, 1000);
  b.add_part(op, 21'000, 2000);
  b.add_row_node(b.add_row("delay", 22'000, 100, 44, op, 21'000));
  const ChakraFile file = write_and_read(b);
  EXPECT_EQ(attribute(file.nodes[3], "is_delay").value_case(), AttributeProto::kBoolVal);
  EXPECT_TRUE(attribute(file.nodes[3], "is_delay").bool_val());
  for (const std::size_t i : {5U, 6U, 7U}) {
    EXPECT_EQ(file.nodes[i].name(), "delay");
    EXPECT_EQ(attribute(file.nodes[i], "is_delay").value_case(), AttributeProto::kBoolVal);
    EXPECT_FALSE(attribute(file.nodes[i], "is_delay").bool_val());
  }
  for (const std::size_t i : {0U, 1U, 2U, 4U})
    EXPECT_FALSE(has_attribute(file.nodes[i], "is_delay"));
}

TEST(ChakraWriter, AnUntimedOpSaysSo) {
  TraceBuilder b = mm_trace();
  b.trace.ops.profiler[0] = {};
  const auto op = write_and_read(b).nodes[0];
  EXPECT_EQ(attribute(op, "untimed").value_case(), AttributeProto::kBoolVal);
  EXPECT_TRUE(attribute(op, "untimed").bool_val());
}

TEST(ChakraWriter, ABackwardOpNamesTheNodeOfItsForwardOpAndNothingThatIsNotInTheFile) {
  TraceBuilder b;
  const auto forward = b.add_op("aten::mm", 501, 1, 0, 10);
  const auto backward = b.add_op("MmBackward0", 777, 2, 20, 10);
  const auto lost = b.add_op("OtherBackward0", 778, 3, 40, 10);
  b.trace.host.ops.fw_parent[1] = 501;
  b.trace.host.ops.fw_parent[2] = 999;
  b.trace.host.ops.fw_tid[1] = 1;
  b.add_delay(LaneIndex{0}, 0, 0, 1);
  b.add_op_node(forward, 10);
  b.add_op_node(backward, 10);
  b.add_op_node(lost, 10);
  const ChakraFile file = write_and_read(b);
  EXPECT_EQ(int64_of(file.nodes[1], "fw_parent"), 0);
  EXPECT_EQ(int64_of(file.nodes[2], "fw_parent"), 2);
  EXPECT_EQ(int64_of(file.nodes[2], "fw_tid"), 1);
  EXPECT_EQ(int64_of(file.nodes[3], "fw_parent"), 0);
}

TEST(ChakraWriter, AnOpOnlyTheProfilerKnowsShowsTheProfilersShapesAndTypes) {
  TraceBuilder b;
  const auto op = b.add_profiler_op("aten::relu", 5, 0, 10, "[[8, 16]]", R"(["float"])");
  b.add_op_node(op, 10);
  const auto node = write_and_read(b).nodes.at(0);
  EXPECT_EQ(int64_of(node, "rf_id"), 5);
  EXPECT_EQ(node.inputs().values(), "[]");
  EXPECT_EQ(node.inputs().shapes(), "[[8, 16]]");
  EXPECT_EQ(node.inputs().types(), "['float']");
}

TEST(ChakraWriter, ACollectiveHasTypeSizeGroupSequenceAndDtype) {
  TraceBuilder b = mm_trace();
  b.set_communication(2, CommKind::kAllGather,
                      {.bytes = 4096, .seq = 9, .group = b.text("0"), .dtype = b.text("Float")});
  const auto node = write_and_read(b).nodes[2];
  EXPECT_EQ(node.type(), ChakraProtoMsg::COMM_COLL_NODE);
  EXPECT_EQ(int64_of(node, "comm_type"), ChakraProtoMsg::ALL_GATHER);
  EXPECT_EQ(int64_of(node, "comm_size"), 4096);
  EXPECT_EQ(int64_of(node, "comm_seq"), 9);
  EXPECT_EQ(attribute(node, "pg_name").string_val(), "0");
  EXPECT_EQ(attribute(node, "comm_dtype").string_val(), "Float");
  EXPECT_FALSE(has_attribute(node, "comm_src"));
}

// Defect C5: send and receive without their ends.
TEST(ChakraWriter, SendAndReceiveNameTheirEndsAndTag) {
  TraceBuilder b = mm_trace();
  b.set_communication(2, CommKind::kSend, {.bytes = 64, .src = 0, .dst = 1, .tag = 5});
  b.set_communication(4, CommKind::kRecv, {.bytes = 64, .src = 1, .tag = 6});
  const ChakraFile file = write_and_read(b);
  const auto& send = file.nodes[2];
  EXPECT_EQ(send.type(), ChakraProtoMsg::COMM_SEND_NODE);
  for (const char* name : {"comm_src", "comm_dst", "comm_tag"})
    EXPECT_EQ(attribute(send, name).value_case(), AttributeProto::kInt32Val) << name;
  EXPECT_EQ(attribute(send, "comm_dst").int32_val(), 1);
  EXPECT_EQ(attribute(send, "comm_tag").int32_val(), 5);
  EXPECT_FALSE(has_attribute(send, "comm_type"));
  EXPECT_FALSE(has_attribute(send, "pg_name"));
  const auto& receive = file.nodes[4];
  EXPECT_EQ(receive.type(), ChakraProtoMsg::COMM_RECV_NODE);
  EXPECT_FALSE(has_attribute(receive, "comm_dst"));
  EXPECT_FALSE(attribute(receive, "is_cpu_op").bool_val())
      << "on the host lane, and yet no host op";
}

// 5,000 ops and kernels, three chunks and more.
TraceBuilder many_ops() {
  TraceBuilder b;
  for (int i = 0; i < 5000; ++i) {
    const auto op = b.add_op("op " + std::to_string(i % 50), static_cast<std::uint64_t>(i + 10),
                             static_cast<std::uint64_t>(i), i * 1000, 900);
    b.set_inputs(op, "[" + std::to_string(i) + "]", "[[" + std::to_string(i % 3) + "]]",
                 R"(["Int"])");
    const auto row = b.add_row("kernel", i * 1000 + 100, 500, i, op, i * 1000 + 50);
    const auto vertex = b.add_op_node(op, 900);
    b.add_edge(vertex, b.add_row_node(row), Evidence::kLaunch);
  }
  return b;
}

TEST(ChakraWriter, TheBytesDoNotDependOnTheNumberOfThreads) {
  const TraceBuilder b = many_ops();
  const std::string alone = write_bytes(b, 1);
  EXPECT_EQ(read_bytes(alone).nodes.size(), 10'000U);
  EXPECT_EQ(alone, write_bytes(b, 2));
  EXPECT_EQ(alone, write_bytes(b, 7));
}

TEST(ChakraWriter, TheBytesAreThoseProtobufItselfWouldWrite) {
  TraceBuilder b = mm_trace();
  b.set_communication(2, CommKind::kSend,
                      {.bytes = 1 << 20,
                       .src = 0,
                       .dst = 1,
                       .tag = 5,
                       .seq = 3,
                       .group = b.text("3"),
                       .dtype = b.text("Float")});
  b.trace.host.ops.op_schema[0] = b.text(std::string(300, 'x'));
  const std::string bytes = write_bytes(b);
  EXPECT_EQ(frame(read_bytes(bytes)), bytes);
}

TEST(ChakraWriter, NamesThatAreNoUtf8AreRepairedSinceReadersWouldRefuseThem) {
  TraceBuilder b;
  b.add_op_node(b.add_op("bad \xff name", 10, 1, 0, 10), 10);
  EXPECT_EQ(write_and_read(b).nodes[0].name(), "bad \ufffd name");
}

TEST(ChakraWriter, TextThatIsNoJsonIsKeptAndCounted) {
  TraceBuilder b;
  const auto op = b.add_op("op", 10, 1, 0, 10);
  b.set_inputs(op, "[1, <broken>", "[]", "[]");
  b.add_op_node(op, 10);
  std::string bytes;
  Diagnostics diagnostics;
  write_chakra(
      b.trace, b.graph(), {}, [&](std::string_view piece) { bytes += piece; }, diagnostics);
  EXPECT_EQ(diagnostics.count(Finding::kIoTextNotJson), 1U);
  EXPECT_EQ(read_bytes(bytes).nodes[0].inputs().values(), "[1, <broken>");
}

TEST(ChakraWriter, AGraphWithoutNodesIsMetadataAlone) {
  EXPECT_TRUE(write_and_read(TraceBuilder()).nodes.empty());
}

}  // namespace
}  // namespace nadi
