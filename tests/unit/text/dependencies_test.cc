// The dependency table of text workloads, kind by kind.
#include <gtest/gtest.h>

#include <map>

#include "nadi/converters/text/convert_text.h"
#include "tests/unit/text/written_graphs.h"

namespace nadi {
namespace {

// Three layers; the size of a collective tells which it is: 100 + layer forward, 200 + layer input
// gradient, 300 + layer weight gradient.
constexpr const char* kLayers =
    "3\n"
    "a -1 10 ALLTOALL 100 20 ALLREDUCE 200 30 ALLREDUCE 300 1\n"
    "b -1 11 ALLGATHER 101 21 ALLTOALL 201 31 REDUCESCATTER 301 1\n"
    "c -1 12 ALLREDUCE 102 22 ALLGATHER 202 32 ALLREDUCE 302 1\n";

std::string short_name(const ChakraProtoMsg::Node& node) {
  if (node.type() == ChakraProtoMsg::COMM_COLL_NODE) {
    const std::int64_t size = attribute_of(node, "comm_size").int64_val();
    const char* const kinds[] = {"", "Fc", "Ic", "Wc"};
    return kinds[size / 100] + std::to_string(size % 100);
  }
  const std::map<std::string, std::string> phases = {
      {"FWD", "F"}, {"BWD_IG", "I"}, {"BWD_WG", "W"}};
  const std::string layer = node.name().substr(10, 1), phase = node.name().substr(12);
  return phases.at(phase) + std::to_string(layer[0] - 'a');
}

/// "F0 | Fc0<F0 | …": what each node waits for, in file order. A node of an earlier pass has a '.
std::string dependencies(const std::string& text, std::int64_t passes, std::int64_t npus = 2) {
  const TemporaryFolder folder;
  TextOptions options;
  options.input = folder.write("w.txt", text);
  options.output = folder / "out";
  options.npus = npus;
  options.passes = passes;
  const TextReport report = convert_text(options);
  const auto nodes = nodes_of(folder / "out.0.et");
  EXPECT_EQ(report.nodes, nodes.size());
  if (npus > 1) expect_passes_all_checks(folder / "out", report.network);
  std::map<std::string, std::uint64_t> latest;
  std::map<std::uint64_t, std::string> names;
  std::string shown;
  for (const auto& node : nodes) {
    const std::string name = short_name(node);
    shown += (shown.empty() ? "" : " | ") + name;
    for (int i = 0; i < node.data_deps_size(); ++i) {
      const std::uint64_t on = node.data_deps(i);
      const bool is_earlier =
          name[0] == 'F' && names[on][0] != 'F';  // only a forward node waits for the pass before
      shown += (i == 0 ? "<" : ",") + names[on] + (is_earlier ? "'" : "");
      EXPECT_EQ(latest[names[on]], on);
    }
    names[node.id()] = name;
    latest[name] = node.id();
  }
  return shown;
}

TEST(TextDependencies, MicroIsOneCollectivePerLayerThatWaitsForNothing) {
  EXPECT_EQ(dependencies(std::string("MICRO\n") + kLayers, 2),
            "Wc0 | Wc1 | Wc2 | "
            "Wc0 | Wc1 | Wc2");
}

TEST(TextDependencies, DataReducesGradientsWhileTheBackwardPassGoesOn) {
  EXPECT_EQ(dependencies(std::string("DATA\n") + kLayers, 2),
            "F0 | F1<F0 | F2<F1 | "
            "W2<F2 | Wc2<W2 | I2<W2 | W1<I2 | Wc1<W1 | I1<W1 | W0<I1 | Wc0<W0 | "
            "F0<Wc0' | F1<Wc1',F0 | F2<Wc2',F1 | "
            "W2<F2 | Wc2<W2 | I2<W2 | W1<I2 | Wc1<W1 | I1<W1 | W0<I1 | Wc0<W0");
}

TEST(TextDependencies, ModelExchangesActivationsAndTheirGradients) {
  EXPECT_EQ(dependencies(std::string("MODEL\n") + kLayers, 2),
            "F0 | Fc0<F0 | F1<Fc0 | Fc1<F1 | F2<Fc1 | Fc2<F2 | "
            "I2<Fc2 | Ic2<I2 | W2<I2 | I1<Ic2,W2 | Ic1<I1 | W1<I1 | I0<Ic1,W1 | W0<I0 | "
            "F0<W0' | Fc0<F0 | F1<W1',Fc0 | Fc1<F1 | F2<W2',Fc1 | Fc2<F2 | "
            "I2<Fc2 | Ic2<I2 | W2<I2 | I1<Ic2,W2 | Ic1<I1 | W1<I1 | I0<Ic1,W1 | W0<I0");
}

TEST(TextDependencies, BothHybridsReduceWeightGradientsToo) {
  for (const std::string kind : {"HYBRID_DATA_MODEL\n", "HYBRID_MODEL_DATA\n"})
    EXPECT_EQ(dependencies(kind + kLayers, 2),
              "F0 | Fc0<F0 | F1<Fc0 | Fc1<F1 | F2<Fc1 | Fc2<F2 | "
              "I2<Fc2 | Ic2<I2 | W2<I2 | Wc2<W2 | I1<Ic2,W2 | Ic1<I1 | W1<I1 | Wc1<W1 | "
              "I0<Ic1,W1 | W0<I0 | Wc0<W0 | "
              "F0<Wc0' | Fc0<F0 | F1<Wc1',Fc0 | Fc1<F1 | F2<Wc2',Fc1 | Fc2<F2 | "
              "I2<Fc2 | Ic2<I2 | W2<I2 | Wc2<W2 | I1<Ic2,W2 | Ic1<I1 | W1<I1 | Wc1<W1 | "
              "I0<Ic1,W1 | W0<I0 | Wc0<W0");
}

TEST(TextDependencies, DlrmExchangesEmbeddingsOnceEachWay) {
  for (const std::string kind :
       {"HYBRID_DLRM 1\n", "HYBRID_DLRM_ENHANCED 1\n", "HYBRID_DLRM DLRM_LAST_BOTTOM_LAYER: 1\n"})
    EXPECT_EQ(dependencies(kind + kLayers, 2),
              "F0 | Fc0<F0 | F1<F0,Fc0 | F2<F1 | "
              "W2<F2 | Wc2<W2 | I2<W2 | Ic0<I2 | W1<I2 | Wc1<W1 | I1<W1 | W0<Ic0,I1 | Wc0<W0 | "
              "F0<Wc0' | Fc0<F0 | F1<Wc1',F0,Fc0 | F2<Wc2',F1 | "
              "W2<F2 | Wc2<W2 | I2<W2 | Ic0<I2 | W1<I2 | Wc1<W1 | I1<W1 | W0<Ic0,I1 | Wc0<W0");
}

TEST(TextDependencies, DlrmWithoutExchangeWaitsForTheWeightGradientItself) {
  EXPECT_EQ(dependencies("HYBRID_DLRM 1\n2\n"
                         "a -1 10 ALLREDUCE 100 20 NONE 0 30 NONE 0 1\n"
                         "b -1 11 NONE 0 21 NONE 0 31 NONE 0 1\n",
                         2),
            "F0 | F1<F0 | W1<F1 | I1<W1 | W0<I1 | "
            "F0<W0' | F1<W1',F0 | W1<F1 | I1<W1 | W0<I1");
}

TEST(TextDependencies, WhatWaitsForNoCollectiveWaitsForWhatItWouldHaveFollowed) {
  constexpr const char* kQuiet =
      "2\n"
      "a -1 10 NONE 0 20 NONE 0 30 NONE 0 1\n"
      "b -1 11 NONE 0 21 NONE 0 31 NONE 0 1\n";
  EXPECT_EQ(dependencies(std::string("DATA\n") + kQuiet, 2),
            "F0 | F1<F0 | W1<F1 | I1<W1 | W0<I1 | "
            "F0<W0' | F1<W1',F0 | W1<F1 | I1<W1 | W0<I1");
  EXPECT_EQ(dependencies(std::string("HYBRID_DATA_MODEL\n") + kQuiet, 2),
            "F0 | F1<F0 | I1<F1 | W1<I1 | I0<I1,W1 | W0<I0 | "
            "F0<W0' | F1<W1',F0 | I1<F1 | W1<I1 | I0<I1,W1 | W0<I0");
}

TEST(TextDependencies, OneRankExchangesNothing) {
  EXPECT_EQ(dependencies(std::string("MODEL\n") + kLayers, 1, 1),
            "F0 | F1<F0 | F2<F1 | I2<F2 | W2<I2 | I1<I2,W2 | W1<I1 | I0<I1,W1 | W0<I0");
}

TEST(TextDependencies, OneLayerHasNoLayerBehindIt) {
  const std::string layer = "1\na -1 10 ALLREDUCE 100 20 ALLREDUCE 200 30 ALLREDUCE 300 1\n";
  EXPECT_EQ(dependencies("DATA\n" + layer, 1), "F0 | W0<F0 | Wc0<W0");
  EXPECT_EQ(dependencies("HYBRID_DATA_MODEL\n" + layer, 1),
            "F0 | Fc0<F0 | I0<Fc0 | W0<I0 | Wc0<W0");
}

}  // namespace
}  // namespace nadi
