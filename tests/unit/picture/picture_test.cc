// Pictures of graphs: what is chosen, what edges are, what the files hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "nadi/base/error.h"
#include "nadi/converters/picture/write_picture.h"
#include "tests/error_of.h"
#include "tests/et_file.h"

namespace nadi {
namespace {

void set_name(ChakraProtoMsg::Node& node, const std::string& name) { node.set_name(name); }

/// Op 1 ("fc") holds op 2 ("mm"), which launches kernel 3; collective 4 waits for it, op 5 for
/// both; op 6 ("fc" again) follows.
EtFile example() {
  EtFile file;
  set_name(file.host(1, 0, 5), "fc");
  auto& inner = file.host(2, 5, 5, {1});
  set_name(inner, "mm");
  inner.add_ctrl_deps(1);
  auto& kernel = file.device(3, 10, 20, {2});
  set_name(kernel, "gemm<\"a\">\\n");
  kernel.add_ctrl_deps(2);
  file.collective(4, ChakraProtoMsg::ALL_REDUCE, 100, "0", 30, 10, {3});
  set_name(file.host(5, 40, 5, {2, 4}), "wait");
  set_name(file.host(6, 45, 5, {5}), "fc");
  return file;
}

std::string written(const Picture& picture, PictureFormat format) {
  std::string text;
  write_picture(picture, format, [&](std::string_view piece) { text += piece; });
  return text;
}

class PictureOf : public testing::Test {
 protected:
  Picture make(const PictureOptions& options = {}) {
    return make_picture(load(example()), options, diagnostics_);
  }
  Graph load(const EtFile& file) const {
    GraphColumns options;
    options.parents = true;
    return load_chakra_graph(folder_.write("x.et", file.bytes()), options);
  }
  static std::string ids(const Picture& picture) {
    std::string text;
    for (const PictureNode& node : picture.nodes) text += (text.empty() ? "" : " ") + node.id;
    return text;
  }

  TemporaryFolder folder_;
  Diagnostics diagnostics_;
};

TEST_F(PictureOf, AGraphShowsWhyEachEdgeIsThere) {
  const Picture picture = make();
  EXPECT_EQ(ids(picture), "1 2 3 4 5 6");
  std::string edges;
  for (const PictureEdge& edge : picture.edges)
    edges += picture.nodes[edge.source].id + ">" + picture.nodes[edge.target].id + " " +
             std::string(to_string(edge.evidence)) + (edge.inferred ? " inferred" : "") + "\n";
  EXPECT_EQ(edges,
            "1>2 thread order\n"
            "1>2 nesting\n"
            "2>3 launch\n"
            "2>5 thread order\n"
            "3>4 stream order\n"
            "4>5 synchronisation\n"
            "5>6 thread order\n");
  EXPECT_EQ(picture.nodes[2].kind, PictureKind::kKernel);
  EXPECT_EQ(picture.nodes[3].kind, PictureKind::kCommunication);
  EXPECT_EQ(picture.nodes[0].label, "fc\nnode 1\n5.0 us");
}

TEST_F(PictureOf, AGraphMarksWhatIsToldToBeAGuess) {
  EtFile file = example();
  auto& told = *file.nodes[3].add_attr();
  told.set_name("edge_evidence");
  told.set_string_val("3=group order?");
  const Picture picture = make_picture(load(file), {}, diagnostics_);
  const auto edge = std::find_if(picture.edges.begin(), picture.edges.end(),
                                 [](const PictureEdge& one) { return one.inferred; });
  ASSERT_NE(edge, picture.edges.end());
  EXPECT_EQ(edge->evidence, Evidence::kGroupOrder);
  EXPECT_EQ(picture.nodes[edge->source].id, "3");
}

TEST_F(PictureOf, ANodesNeighbourhoodHoldsWhatIsThatManyEdgesAway) {
  EXPECT_EQ(ids(make({.around = 4, .hops = 0})), "4");
  EXPECT_EQ(ids(make({.around = 4, .hops = 1})), "3 4 5");
  EXPECT_EQ(ids(make({.around = 4, .hops = 2})), "2 3 4 5 6");
  EXPECT_EQ(diagnostics_.count(Finding::kNodesLeftOut), 5U + 3U + 1U);
  EXPECT_EQ(ids(make({.around = 4, .hops = 99})), "1 2 3 4 5 6");
}

TEST_F(PictureOf, TheCriticalPathIsWhatTheEndWaitedFor) {
  const Picture path = make({.critical_path = true});
  EXPECT_EQ(ids(path), "1 2 3 4 5 6");
  EXPECT_EQ(path.edges.size(), 5U);  // one chain: neither nesting nor 2 > 5
  EXPECT_EQ(ids(make({.around = 3, .hops = 1, .critical_path = true})), "2 3 4");
}

TEST_F(PictureOf, TheCriticalPathIsOneChainAcrossDelaysThatAreLeftOut) {
  EtFile file = example();
  auto& delay = file.host(7, 50, 30, {6});
  set_name(delay, "delay");
  set_name(file.host(8, 80, 5, {7}), "late");
  const Graph graph = load(file);
  const Picture path =
      make_picture(graph, {.critical_path = true, .collapse = Collapse::kCall}, diagnostics_);
  const auto last = std::find_if(path.edges.begin(), path.edges.end(), [](const PictureEdge& edge) {
    return edge.evidence == Evidence::kDelay;
  });
  ASSERT_NE(last, path.edges.end());
  EXPECT_EQ(path.nodes[last->source].label, "fc\nnode 6\n5.0 us");
  EXPECT_EQ(path.nodes[last->target].label, "late\nnode 8\n5.0 us");
  EXPECT_EQ(last->delay_ns, 30'000);
  EXPECT_NE(written(path, PictureFormat::kDot).find("tooltip=\"delay\", label=\"delay 30.0 us\""),
            std::string::npos);
}

TEST_F(PictureOf, ACollapsedCriticalPathComesBackToNoNodeAndHasTheTimeOfTheReplay) {
  // Two kernels with a wait each: the path goes from "fc" to the stream and back, twice. Then a
  // delay between two ops "fc", and one before "late".
  EtFile file = example();
  auto& kernel = file.device(7, 50, 20, {6});
  set_name(kernel, "gemm<\"a\">\\n");
  kernel.add_ctrl_deps(6);
  set_name(file.host(8, 70, 5, {6, 7}), "wait");
  set_name(file.host(9, 75, 5, {8}), "fc");
  set_name(file.host(10, 80, 7, {9}), "delay");
  set_name(file.host(11, 87, 5, {10}), "fc");
  set_name(file.host(12, 92, 3, {11}), "delay");
  set_name(file.host(13, 95, 5, {12}), "late");
  const Graph graph = load(file);
  for (const Collapse collapse : {Collapse::kCall, Collapse::kStream}) {
    const Picture path =
        make_picture(graph, {.critical_path = true, .collapse = collapse}, diagnostics_);
    ASSERT_EQ(path.edges.size() + 1, path.nodes.size());
    for (std::uint32_t i = 0; i < path.edges.size(); ++i) {
      EXPECT_EQ(path.edges[i].source, i);
      EXPECT_EQ(path.edges[i].target, i + 1);
    }
    std::uint64_t nodes = 0;
    Ns time = 0;
    for (const PictureNode& node : path.nodes) {
      nodes += node.count;
      time += node.duration_ns + node.delay_ns;
    }
    for (const PictureEdge& edge : path.edges) time += edge.delay_ns;
    EXPECT_EQ(nodes, 11U);
    EXPECT_EQ(time, 100'000);
  }
  const Picture path =
      make_picture(graph, {.critical_path = true, .collapse = Collapse::kCall}, diagnostics_);
  ASSERT_GE(path.nodes.size(), 2U);
  EXPECT_EQ(path.edges.back().delay_ns, 3'000);
  EXPECT_EQ(path.nodes[path.nodes.size() - 2].label,
            "fc\n2 nodes, first 9\n10.0 us, delays 7.0 us");
}

TEST_F(PictureOf, ALongCriticalPathIsFoldedButForTheLongestNodesAndWaits) {
  constexpr std::uint64_t kOps = 400, kLong = 100, kLate = 300;
  EtFile file;
  Ns now = 0;
  std::uint64_t before = 0;
  const auto add = [&](std::uint64_t id, const std::string& name, Ns micros) {
    auto& node = file.host(id, now, micros);
    set_name(node, name);
    if (before != 0) node.add_data_deps(before);
    before = id;
    now += micros;
  };
  for (std::uint64_t id = 1; id <= kOps; ++id) {
    if (id == kLate) add(kOps + 1, "delay", 1000);
    add(id, "op", id == kLong ? 500 : 1 + static_cast<Ns>(id % 7));
  }
  const Picture path = make_picture(load(file), {.critical_path = true}, diagnostics_);
  EXPECT_LE(path.nodes.size(), kMostPathNodes);
  std::uint64_t count = 0;
  Ns time = 0;
  bool shows_long = false, shows_wait = false;
  for (const PictureNode& node : path.nodes) {
    count += node.count;
    time += node.duration_ns + node.delay_ns;
    shows_long |= !node.is_folded && node.duration_ns == 500 * kNsPerMicro;
  }
  for (const PictureEdge& edge : path.edges) {
    time += edge.delay_ns;
    shows_wait |= edge.delay_ns == 1000 * kNsPerMicro && !path.nodes[edge.target].is_folded;
  }
  EXPECT_EQ(count, kOps);
  EXPECT_EQ(time, now * kNsPerMicro);
  EXPECT_TRUE(shows_long);
  EXPECT_TRUE(shows_wait);
}

TEST_F(PictureOf, ACollapsedCriticalPathThatBeginsWithADelayHasItsTimeInTheFirstNode) {
  EtFile file;
  set_name(file.host(1, 0, 0), "begin");
  set_name(file.host(2, 0, 30, {1}), "delay");
  set_name(file.host(3, 30, 5, {2}), "fc");
  const Picture path =
      make_picture(load(file), {.critical_path = true, .collapse = Collapse::kCall}, diagnostics_);
  ASSERT_EQ(ids(path), "g1");
  EXPECT_EQ(path.nodes[0].label, "fc\nnode 3\n5.0 us, delays 30.0 us");
}

TEST_F(PictureOf, ADelayTellsHowLongItIs) {
  EtFile file = example();
  set_name(file.host(7, 50, 30, {6}), "delay");
  const Picture picture = make_picture(load(file), {}, diagnostics_);
  EXPECT_EQ(picture.nodes.back().kind, PictureKind::kDelay);
  EXPECT_EQ(picture.nodes.back().label, "delay\nnode 7\n30.0 us");
  EXPECT_EQ(picture.nodes.back().duration_ns, 30'000);
}

TEST_F(PictureOf, ANodesNeighbourhoodHoldsItsCallerButNotAllThatItCalls) {
  EtFile file;
  set_name(file.host(1, 0, 5), "step");
  for (std::uint64_t child = 2; child <= 9; ++child)
    file.host(child, static_cast<Ns>(5 * child), 5, {child - 1}).add_ctrl_deps(1);
  const Graph graph = load(file);
  const auto around = [&](std::uint64_t id, std::uint64_t hops) {
    return ids(make_picture(graph, {.around = id, .hops = hops}, diagnostics_));
  };
  EXPECT_EQ(around(1, 1), "1 2");
  EXPECT_EQ(around(1, 2), "1 2 3");
  EXPECT_EQ(around(6, 1), "1 5 6 7");
  EXPECT_EQ(around(6, 2), "1 2 4 5 6 7 8");  // 2 follows 1, the others only have it as caller
}

TEST_F(PictureOf, CollapsedStreamsAreANodePerLane) {
  const Picture picture = make({.collapse = Collapse::kStream});
  ASSERT_EQ(picture.nodes.size(), 2U);
  EXPECT_EQ(picture.nodes[0].label, "thread 1\n4 nodes, first 1\n20.0 us");
  EXPECT_EQ(picture.nodes[0].id, "g1");
  ASSERT_EQ(picture.edges.size(), 2U);
  EXPECT_EQ(picture.edges[0].evidence, Evidence::kLaunch);
  EXPECT_EQ(picture.edges[1].evidence, Evidence::kSynchronisation);
}

TEST_F(PictureOf, CollapsedCallsJoinOutermostOpsOfOneName) {
  const Picture picture = make({.collapse = Collapse::kCall});
  ASSERT_EQ(picture.nodes.size(), 4U);
  EXPECT_EQ(picture.nodes[0].label, "fc\n3 nodes, first 1\n15.0 us");  // 1, 2 and 6
}

TEST_F(PictureOf, CollapsedCallsNameDeviceRowsByWhatTheyAre) {
  EtFile file = example();
  auto& copy = file.device(7, 50, 3, {6});  // of the same op as the kernel
  set_name(copy, "Memcpy DtoH");
  copy.add_ctrl_deps(2);
  auto& again = file.device(8, 55, 4, {6});  // of another op
  set_name(again, "Memcpy DtoH");
  again.add_ctrl_deps(5);
  const Picture picture = make_picture(load(file), {.collapse = Collapse::kCall}, diagnostics_);
  std::vector<std::string> labels;
  for (const PictureNode& node : picture.nodes)
    if (node.lane == "device 0 stream 7") labels.push_back(node.label);
  EXPECT_EQ(labels,
            (std::vector<std::string>{"gemm<\"a\">\\n\nnode 3\n20.0 us", "coll\nnode 4\n10.0 us",
                                      "Memcpy DtoH\n2 nodes, first 7\n7.0 us"}));
}

TEST_F(PictureOf, WhatIsNotThereIsAnErrorThatSaysWhatIs) {
  const auto refusal = [this](const PictureOptions& options) -> std::string {
    const Error error = error_of([&] { make(options); });
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    return error.what();
  };
  EXPECT_NE(refusal({.around = 9}).find("has no such node. Its ids are 1 to 6"), std::string::npos);
  EXPECT_NE(refusal({.step = 3}).find("has no such step. It has none"), std::string::npos);
}

TEST_F(PictureOf, DotHasLabelsShapesAndEvidence) {
  const std::string text = written(make(), PictureFormat::kDot);
  EXPECT_NE(text.find(R"([label="gemm<\"a\">\\n\nnode 3\n20.0 us", shape=ellipse)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("2->3 [color=\"#1b9e77\", arrowhead=normal, tooltip=\"launch\"]"),
            std::string::npos)
      << text;
}

TEST_F(PictureOf, DotSaysWhatTheShapesAndColoursThatAreThereMean) {
  const std::string text = written(make(), PictureFormat::kDot);
  const std::size_t below_title = text.find("</TR>");
  const std::string legend = text.substr(below_title, text.find("rankdir") - below_title);
  for (const char* part : {"#8da0cb\">host (box)<", "#66c2a5\">kernel (ellipse)<",
                           "#fc8d62\">communication (hexagon)<", "nesting</FONT>&#160;(dashed)"})
    EXPECT_NE(legend.find(part), std::string::npos) << part << " in " << legend;
  for (const char* part : {"copy", "delay", "call", "dotted"})
    EXPECT_EQ(legend.find(part), std::string::npos) << part << " in " << legend;
}

TEST_F(PictureOf, DotOfCollapsedStreamsCallsThemThreadsAndStreams) {
  const std::string text = written(make({.collapse = Collapse::kStream}), PictureFormat::kDot);
  EXPECT_NE(text.find(">thread (box)<"), std::string::npos) << text;
  EXPECT_NE(text.find(">stream (ellipse)<"), std::string::npos) << text;
  EXPECT_EQ(text.find("kernel"), std::string::npos) << text;
}

TEST_F(PictureOf, CtrlEdgesEndInATee) {
  Picture picture;
  picture.nodes.resize(2);
  picture.nodes[0].id = "1";
  picture.nodes[1].id = "2";
  picture.edges.push_back({0, 1, Evidence::kNesting, false, 3});
  const std::string text = written(picture, PictureFormat::kDot);
  EXPECT_NE(text.find("1->2 [color=\"#8c8c8c\", arrowhead=tee, style=dashed, "
                      "tooltip=\"nesting\", label=\"3\"]"),
            std::string::npos)
      << text;
}

TEST_F(PictureOf, TooltipsNameNodesByTheirIdAndGroupsByTheirLane) {
  Picture picture;
  picture.nodes.resize(2);
  picture.nodes[0].id = "7";
  picture.nodes[1].id = "g2";
  for (PictureNode& node : picture.nodes) node.lane = "thread 1";
  const std::string text = written(picture, PictureFormat::kDot);
  EXPECT_NE(text.find("tooltip=\"node 7, thread 1\""), std::string::npos) << text;
  EXPECT_NE(text.find("tooltip=\"thread 1\""), std::string::npos) << text;
}

TEST_F(PictureOf, GraphmlHasNamesTimesAndEvidence) {
  const std::string text = written(make(), PictureFormat::kGraphml);
  EXPECT_NE(text.find("gemm&lt;&quot;a&quot;&gt;\\n"), std::string::npos) << text;
  EXPECT_NE(text.find(">synchronisation</data>"), std::string::npos) << text;
  EXPECT_NE(text.find(">20000</data>"), std::string::npos) << text;
}

TEST_F(PictureOf, SvgAndPdfAreDrawnByGraphviz) {
  if (std::system("dot -V >/dev/null 2>&1") != 0) GTEST_SKIP() << "no program dot here";
  const std::string svg = written(make(), PictureFormat::kSvg);
  EXPECT_NE(svg.find("<svg"), std::string::npos);
  EXPECT_NE(svg.find("gemm&lt;"), std::string::npos);
  EXPECT_EQ(written(make(), PictureFormat::kPdf).substr(0, 5), "%PDF-");
}

TEST(PictureFormats, MorePictureThanAnybodyReadsIsRefusedWithWhatHelps) {
  Picture picture;
  picture.nodes.resize(kMostDrawnNodes + 1);
  const std::string message = message_of([&] { written(picture, PictureFormat::kSvg); });
  EXPECT_NE(message.find("`collapse=stream`"), std::string::npos) << message;
}

TEST(PictureFormats, AreToldByTheNamesEnding) {
  EXPECT_EQ(picture_format_of("a/b.graphml"), PictureFormat::kGraphml);
  EXPECT_EQ(picture_format_of("x.gv"), PictureFormat::kDot);
  EXPECT_THROW(picture_format_of("x.png"), Error);
  EXPECT_THROW(picture_format_of("x"), Error);
}

}  // namespace
}  // namespace nadi
