// A Chakra file becomes columns; broken files are errors that say which node.
#include <gtest/gtest.h>

#include "nadi/chakra/load_chakra_graph.h"
#include "nadi/chakra/message_stream.h"
#include "tests/error_of.h"
#include "tests/temporary_folder.h"
#include "tests/unit/chakra/graph_file.h"

namespace nadi {
namespace {

using test::graph_bytes;
using test::node;

Graph load(const std::string& bytes, const GraphColumns& options = {}) {
  const TemporaryFolder folder;
  return load_chakra_graph(folder.write("graph.et", bytes), options);
}

/// The message of the error that loading these bytes ends with.
std::string problem_of(const std::string& bytes) {
  const Error error = error_of([&] { load(bytes); });
  EXPECT_EQ(error.code(), ErrorCode::kInput);
  return error.problem();
}

std::vector<std::uint32_t> list(const Sources& sources) { return {sources.begin(), sources.end()}; }

TEST(LoadChakraGraph, NodesInAnyOrderAreSortedById) {
  const Graph graph = load(graph_bytes({node(30, {10, 20}), node(10), node(20, {10})}));
  EXPECT_EQ(graph.id, (std::vector<std::uint64_t>{10, 20, 30}));
  EXPECT_EQ(graph.name_of(0), "node 10");
  EXPECT_EQ(list(graph.dependencies(2)), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(list(graph.dependencies(1)), (std::vector<std::uint32_t>{0}));
}

TEST(LoadChakraGraph, CommunicationsAreInTheOrderOfTheirNodes) {
  auto late = node(9, {}, {{"comm_size", 900}}), early = node(3, {}, {{"comm_size", 300}});
  late.set_type(ChakraProtoMsg::COMM_COLL_NODE);
  early.set_type(ChakraProtoMsg::COMM_COLL_NODE);
  const Graph graph = load(graph_bytes({late, node(5), early}));
  EXPECT_EQ(graph.communication, (std::vector<std::uint32_t>{0, kNoIndex, 1}));
  ASSERT_EQ(graph.communications.size(), 2U);
  EXPECT_EQ(graph.communications[0].bytes, 300);
  EXPECT_EQ(graph.communications[1].bytes, 900);
}

TEST(LoadChakraGraph, AStepThatNoTraceCanHaveIsNone) {
  const Graph graph = load(
      graph_bytes({node(1, {}, {{"step", 7}}), node(2),
                   node(3, {}, {{"step", std::int64_t{1} << 32}}), node(4, {}, {{"step", -2}})}));
  EXPECT_EQ(graph.step, (std::vector<std::int32_t>{7, -1, -1, -1}));
}

TEST(LoadChakraGraph, AGraphTellsStartsWhereAnyNodeHasOne) {
  auto micros = node(2);
  micros.set_start_time_micros(5);
  EXPECT_FALSE(load(graph_bytes({node(1), node(2)})).tells_starts);
  EXPECT_TRUE(load(graph_bytes({node(1), micros})).tells_starts);
  EXPECT_TRUE(load(graph_bytes({node(1, {}, {{"start_ns", 0}})})).tells_starts);
}

TEST(LoadChakraGraph, MetadataThatIsNoUtf8IsAnErrorAndNothingIsPrinted) {
  std::string bytes = graph_bytes({node(1)});
  const std::size_t version = bytes.find("0.0.4");
  ASSERT_NE(version, std::string::npos);
  bytes[version] = '\xff';
  testing::internal::CaptureStderr();
  const std::string error = problem_of(bytes);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(error, "the first message is no GlobalMetadata");
}

TEST(LoadChakraGraph, ADependencyThatIsDataAndCtrlIsDataOnly) {
  auto both = node(3, {1});
  both.add_ctrl_deps(1);
  both.add_ctrl_deps(2);
  both.add_data_deps(1);
  const Graph graph = load(graph_bytes({node(1), node(2), both}));
  EXPECT_EQ(list(graph.data_dependencies(2)), (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(list(graph.ctrl_dependencies(2)), (std::vector<std::uint32_t>{1}));
}

TEST(LoadChakraGraph, AnEdgeTellsWhatTheFileRecordsOfItElseWhatItsEndsDo) {
  auto waits = node(4, {1, 2, 3}, {{"is_cpu_op", 0}, {"stream", 7}});
  auto* told = waits.add_attr();
  told->set_name("edge_evidence");
  told->set_string_val("2=event wait?place;9=launch;3=group order;2=launch");
  const auto row = [](std::uint64_t id) { return node(id, {}, {{"is_cpu_op", 0}, {"stream", 7}}); };
  const Graph graph = load(graph_bytes({row(1), row(2), row(3), waits}));
  std::vector<std::pair<Evidence, Inference>> edges;
  const Sources sources = graph.dependencies(3);
  for (auto source = sources.begin(); source != sources.end(); ++source)
    edges.emplace_back(source.edge().evidence, source.edge().inferred);
  EXPECT_EQ(edges, (std::vector<std::pair<Evidence, Inference>>{
                       {Evidence::kStreamOrder, Inference::kNone},
                       {Evidence::kEventWait, Inference::kPlace},
                       {Evidence::kGroupOrder, Inference::kNone}}));
}

TEST(LoadChakraGraph, VeryManyDependenciesAreEachThereOnce) {
  std::vector<ChakraProtoMsg::Node> nodes;
  std::vector<std::uint64_t> twice;
  for (std::uint64_t id = 1; id <= 100; ++id) {
    nodes.push_back(node(id));
    twice.push_back(101 - id);
    twice.push_back(id);
  }
  nodes.push_back(node(101, twice));
  for (std::uint64_t id = 1; id <= 100; ++id) nodes.back().add_ctrl_deps(id);
  const Graph graph = load(graph_bytes(nodes));
  EXPECT_EQ(graph.data_dependencies(100).size(), 100U);
  EXPECT_EQ(graph.ctrl_dependencies(100).size(), 0U);
}

TEST(LoadChakraGraph, KindsAndLanesComeFromTheAttributes) {
  const Graph graph = load(graph_bytes({
      node(1, {}, {{"is_cpu_op", 1}, {"tid", 4}, {"start_ns", 0}, {"exclusive_ns", 5}}),
      node(2, {}, {{"is_cpu_op", 1}, {"tid", 4}, {"start_ns", 5}, {"part_of", 1}}),
      node(3, {}, {{"is_cpu_op", 1}, {"tid", 4}, {"correlation", 9}, {"start_ns", 6}}),
      node(4, {}, {{"is_cpu_op", 0}, {"tid", 4}, {"stream", 7}, {"device", 1}, {"correlation", 9}}),
      node(5, {}, {{"is_cpu_op", 1}}),
  }));
  EXPECT_EQ(graph.kind, (std::vector<NodeKind>{NodeKind::kOp, NodeKind::kPart, NodeKind::kCall,
                                               NodeKind::kDeviceRow, NodeKind::kHostOther}));
  ASSERT_EQ(graph.lanes.size(), 3U);
  EXPECT_EQ(graph.lanes[graph.lane[0]], (GraphLane{false, 4, -1, -1}));
  EXPECT_EQ(graph.lanes[graph.lane[3]], (GraphLane{true, -1, 1, 7}));
  EXPECT_EQ(graph.lanes[graph.lane[4]], (GraphLane{false, 0, -1, -1}));
  EXPECT_EQ(graph.lane[0], graph.lane[2]);
}

TEST(LoadChakraGraph, ADelayIsToldByItsAttributeAndInOlderGraphsByItsName) {
  const auto kind_of = [](const char* name,
                          std::vector<std::pair<std::string, std::int64_t>> more) {
    more.emplace_back("start_ns", 0);
    auto made = node(1, {}, std::move(more));
    made.set_name(name);
    return load(graph_bytes({made})).kind[0];
  };
  EXPECT_EQ(kind_of("delay", {{"is_cpu_op", 1}, {"is_delay", 1}}), NodeKind::kDelay);
  EXPECT_EQ(kind_of("waiting", {{"is_cpu_op", 1}, {"is_delay", 1}}), NodeKind::kDelay);
  EXPECT_EQ(kind_of("delay", {{"is_delay", 1}, {"stream", 7}}), NodeKind::kDelay);
  EXPECT_EQ(kind_of("delay", {{"stream", 7}}), NodeKind::kDelay);
  EXPECT_EQ(kind_of("delay", {{"is_cpu_op", 1}, {"is_delay", 0}, {"exclusive_ns", 5}}),
            NodeKind::kOp);
  EXPECT_EQ(kind_of("delay", {{"is_cpu_op", 1}, {"is_delay", 0}}), NodeKind::kHostOther);
  EXPECT_EQ(kind_of("delay", {{"is_cpu_op", 1}}), NodeKind::kDelay);
  EXPECT_EQ(kind_of("delay", {{"is_cpu_op", 1}, {"is_delay", 0}, {"part_of", 5}}), NodeKind::kPart);
  EXPECT_EQ(kind_of("other", {{"is_cpu_op", 1}}), NodeKind::kHostOther);
  // Another writer's node lacks the start, so that its name alone tells nothing.
  auto foreign = node(1, {}, {{"is_cpu_op", 1}});
  foreign.set_name("delay");
  EXPECT_EQ(load(graph_bytes({foreign})).kind[0], NodeKind::kHostOther);
  auto* told = foreign.add_attr();
  told->set_name("is_delay");
  told->set_bool_val(true);
  EXPECT_EQ(load(graph_bytes({foreign})).kind[0], NodeKind::kDelay);
}

TEST(LoadChakraGraph, EveryIntegerMemberIsReadAndTextIsNot) {
  auto send = node(1);
  send.set_type(ChakraProtoMsg::COMM_SEND_NODE);
  const auto add = [&](const char* name) {
    auto* attribute = send.add_attr();
    attribute->set_name(name);
    return attribute;
  };
  add("comm_src")->set_sint32_val(-3);
  add("comm_dst")->set_uint64_val(5);
  add("comm_size")->set_fixed64_val(1ULL << 40);
  add("comm_tag")->set_sfixed32_val(-2);
  add("comm_seq")->set_string_val("12");
  add("pg_name")->set_string_val("3");
  const Graph graph = load(graph_bytes({send}));
  ASSERT_EQ(graph.communications.size(), 1U);
  const GraphCommunication& communication = graph.communications[graph.communication[0]];
  EXPECT_EQ(communication.src, -3);
  EXPECT_EQ(communication.dst, 5);
  EXPECT_EQ(communication.bytes, std::int64_t{1} << 40);
  EXPECT_EQ(communication.tag, -2);
  EXPECT_EQ(communication.seq, GraphCommunication::kUnknown);
  EXPECT_EQ(graph.strings[communication.group], "3");
}

TEST(LoadChakraGraph, AFieldOfAnotherWireTypeIsAnUnknownOneAsProtobufHasIt) {
  ChakraProtoMsg::Node odd;
  odd.set_id(4);
  odd.GetReflection()->MutableUnknownFields(&odd)->AddLengthDelimited(3, "type");
  odd.GetReflection()->MutableUnknownFields(&odd)->AddVarint(2, 7);  // name
  const Graph graph = load(graph_bytes({odd}));
  EXPECT_EQ(graph.type[0], NodeType::kInvalid);
  EXPECT_EQ(graph.name_of(0), "");
}

TEST(LoadChakraGraph, WithoutExactTimesWholeMicrosecondsCount) {
  auto other = node(1);
  other.set_start_time_micros(3);
  other.set_duration_micros(4);
  const Graph graph = load(graph_bytes({other}));
  EXPECT_EQ(graph.start_ns[0], 3000);
  EXPECT_EQ(graph.duration_ns[0], 4000);
}

TEST(LoadChakraGraph, ShapesAreKeptOnRequest) {
  auto mm = node(1);
  mm.mutable_inputs()->set_shapes("[[2, 3], [3, 4]]");
  mm.mutable_outputs()->set_types("['Tensor(float)']");
  EXPECT_TRUE(load(graph_bytes({mm})).input_shapes.empty());
  const Graph graph = load(graph_bytes({mm}), {true});
  EXPECT_EQ(graph.strings[graph.input_shapes[0]], "[[2, 3], [3, 4]]");
  EXPECT_EQ(graph.strings[graph.output_types[0]], "['Tensor(float)']");
}

TEST(LoadChakraGraph, AGzipFileGivesTheSameGraph) {
  const std::string bytes = graph_bytes({node(1), node(2, {1})});
  EXPECT_EQ(load(test::gzipped(bytes)).id, load(bytes).id);
}

TEST(LoadChakraGraph, BrokenFilesAreErrorsThatSayWhichNode) {
  const std::string whole = graph_bytes({node(1), node(2, {1})});
  EXPECT_EQ(problem_of(graph_bytes({node(1), node(2, {7})})),
            "node 2 depends on node 7, which the file does not hold");
  EXPECT_EQ(problem_of(graph_bytes({node(4), node(4)})), "has the node id 4 twice");
  EXPECT_EQ(problem_of(graph_bytes({node(1), node(2, {3}), node(3, {2}), node(4, {3})})),
            "3 nodes are on a cycle of dependencies or wait for one, the first is node 2");
  EXPECT_EQ(problem_of(graph_bytes({node(1, {1})})),
            "1 nodes are on a cycle of dependencies or wait for one, the first is node 1");
  EXPECT_EQ(problem_of(graph_bytes({})), "holds no node");
  EXPECT_EQ(problem_of(""), "is empty");
  EXPECT_EQ(problem_of(test::framed(node(1))), "the first message is no GlobalMetadata");
  EXPECT_EQ(problem_of(whole + "\x80"), "the file ends within the length of a message");
  EXPECT_EQ(problem_of(whole + "\x05"
                               "ab"),
            "the file ends within a message: 2 of 5 bytes are there");
  EXPECT_EQ(problem_of(whole + "\x03\x08\xff\xff"),
            "here is no Chakra node, or one whose text is not UTF-8");
}

TEST(LoadChakraGraph, ACutGzipFileIsAnErrorAlsoBetweenTwoMessages) {
  const std::string packed = test::gzipped(graph_bytes({node(1), node(2, {1}), node(3, {2})}));
  for (std::size_t size = 3; size < packed.size(); ++size)
    EXPECT_NE(problem_of(packed.substr(0, size)), "no error") << size;
}

TEST(LoadChakraGraph, GzipMembersBehindEachOtherAreOneFileAndACutOneIsAnError) {
  const std::string bytes = graph_bytes({node(1), node(2, {1}), node(3, {2})});
  for (const std::size_t at : {std::size_t{1}, bytes.size() / 2, bytes.size()}) {
    const std::string first = test::gzipped(bytes.substr(0, at)),
                      packed = first + test::gzipped(bytes.substr(at));
    EXPECT_EQ(load(packed).id, load(bytes).id) << at;
    for (std::size_t size = 3; size < packed.size(); ++size) {
      if (size == first.size() && at == bytes.size()) continue;  // whole already
      EXPECT_NE(problem_of(packed.substr(0, size)), "no error") << at << ", " << size;
    }
  }
}

TEST(LoadChakraGraph, NoCutOfAPlainFileIsRead) {
  const std::string first = graph_bytes({node(1)});
  const std::string bytes = graph_bytes({node(1), node(2, {1})});
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    if (size == first.size()) continue;  // a graph of one node
    EXPECT_NE(problem_of(bytes.substr(0, size)), "no error") << size;
  }
}

TEST(MessageStream, MessagesThatSpanBlocksComeWhole) {
  auto big = node(2);
  big.set_name(std::string(3 << 20, 'x'));
  const TemporaryFolder folder;
  MessageStream stream(folder.write("graph.et", graph_bytes({node(1), big, node(3)})));
  std::vector<std::size_t> sizes;
  std::uint64_t last_offset = 0;
  for (std::string_view message; stream.next(message); last_offset = stream.offset())
    sizes.push_back(message.size());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{7, node(1).ByteSizeLong(), big.ByteSizeLong(),
                                             node(3).ByteSizeLong()}));
  EXPECT_EQ(last_offset + 1 + node(3).ByteSizeLong(),
            std::filesystem::file_size(folder / "graph.et"));
}

}  // namespace
}  // namespace nadi
