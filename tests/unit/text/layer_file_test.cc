// Layer files good and bad: what is read, where errors point, what is left behind.
#include <gtest/gtest.h>

#include "nadi/base/error.h"
#include "nadi/converters/text/convert_text.h"
#include "nadi/converters/text/layer_file.h"
#include "tests/error_of.h"
#include "tests/unit/text/written_graphs.h"

namespace nadi {
namespace {

TextWorkload read(std::string_view text, Diagnostics* diagnostics = nullptr) {
  Diagnostics own;
  return read_layer_file(source_of_bytes(text, "w.txt"), diagnostics ? *diagnostics : own);
}

/// The message of the error that reading gives.
std::string refusal(std::string_view text) {
  const Error error = error_of([&] { read(text); });
  EXPECT_EQ(error.code(), ErrorCode::kInput);
  return error.what();
}

constexpr std::string_view kLayer = "conv1 -1 5 NONE 0 6 ALLTOALL 70 8 ALLREDUCE 900 10\n";
std::string data(const std::string& layers) { return "DATA\n1\n" + layers; }

TEST(LayerFile, AllColumnsAreRead) {
  const TextWorkload workload = read(data(std::string(kLayer)));
  ASSERT_EQ(workload.layers.size(), 1U);
  EXPECT_EQ(workload.parallelism, Parallelism::kData);
  const TextLayer& layer = workload.layers[0];
  EXPECT_EQ(layer.name, "conv1");
  EXPECT_EQ(layer.forward.compute_us, 5);
  EXPECT_FALSE(layer.forward.communicates());
  EXPECT_EQ(layer.input_gradient.compute_us, 6);
  EXPECT_EQ(layer.input_gradient.comm_type, ChakraProtoMsg::ALL_TO_ALL);
  EXPECT_EQ(layer.input_gradient.comm_bytes, 70);
  EXPECT_EQ(layer.weight_gradient.comm_type, ChakraProtoMsg::ALL_REDUCE);
  EXPECT_EQ(layer.weight_gradient.comm_bytes, 900);
}

TEST(LayerFile, ByteOrderMarkCarriageReturnsTabsBlankLinesAndMoreColumnsAreNoMatter) {
  const TextWorkload workload = read(
      "\xef\xbb\xbf"
      "DATA\r\n\r\n 2 \r\n"
      "a\t-1\t5\tNONE\t0\t6\tNONE\t0\t8\tALLREDUCE\t900\t10\r\n\n"
      "  b x +5 NONE 0 6 NONE 0 8 REDUCESCATTER 901 - and more");
  ASSERT_EQ(workload.layers.size(), 2U);
  EXPECT_EQ(workload.layers[1].forward.compute_us, 5);
  EXPECT_EQ(workload.layers[1].weight_gradient.comm_bytes, 901);
}

TEST(LayerFile, WordsBehindThoseThatCountAreReported) {
  Diagnostics diagnostics;
  read("DATA 5\n1 7 8\na -1 5 NONE 0 6 NONE 0 8 NONE 0 10 more\n", &diagnostics);
  EXPECT_EQ(diagnostics.count(Finding::kSurplusWords), 4U);
  EXPECT_EQ(diagnostics.table()[0].first.front(), "w.txt, line 1, column 6: \"5\"");
  Diagnostics of_dlrm;
  read("HYBRID_DLRM DLRM_LAST_BOTTOM_LAYER: 1\n3\n" + std::string(kLayer) + std::string(kLayer) +
           std::string(kLayer),
       &of_dlrm);
  EXPECT_EQ(of_dlrm.count(Finding::kSurplusWords), 0U);
}

TEST(LayerFile, NamesThatAreNoUtf8AreRepaired) {
  EXPECT_EQ(read(data("a\xff -1 5 NONE 0 6 NONE 0 8 NONE 0 10")).layers[0].name, "a\xef\xbf\xbd");
}

TEST(LayerFile, ACollectiveWithoutBytesIsNoneAndIsCounted) {
  Diagnostics diagnostics;
  const auto workload = read(data("a -1 5 ALLREDUCE 0 6 NONE 7 8 ALLGATHER 3 10"), &diagnostics);
  EXPECT_FALSE(workload.layers[0].forward.communicates());
  EXPECT_EQ(workload.layers[0].input_gradient.comm_bytes, 0);
  EXPECT_EQ(workload.layers[0].weight_gradient.comm_bytes, 4);
  EXPECT_EQ(diagnostics.count(Finding::kCollectiveWithoutBytes), 1U);
  EXPECT_EQ(diagnostics.count(Finding::kAllGatherRaised), 1U);
  EXPECT_EQ(diagnostics.table()[0].first.front(), "w.txt, line 3: forward of layer \"a\"");
}

TEST(LayerFile, ErrorsNameLineColumnAndWhatIsAllowed) {
  EXPECT_EQ(refusal("PIPELINE\n1\n"),
            "w.txt, line 1, column 1: no parallelism is named \"PIPELINE\". There are MICRO, DATA, "
            "MODEL, HYBRID_DATA_MODEL, HYBRID_MODEL_DATA, HYBRID_DLRM, HYBRID_DLRM_ENHANCED");
  EXPECT_EQ(refusal(data("a -1 5 NONE 0 6 ALLSUM 70 8 NONE 0 10")),
            "w.txt, line 3, column 17: no input-gradient collective is named \"ALLSUM\". There are "
            "NONE, ALLREDUCE, ALLTOALL, ALLGATHER, REDUCESCATTER");
  EXPECT_EQ(
      refusal(data("a -1 5 NONE 0 6.5 NONE 0 8 NONE 0 10")),
      "w.txt, line 3, column 15: the input-gradient compute time is \"6.5\", no whole number. "
      "Write a number without unit or fraction");
  EXPECT_EQ(refusal(data("a -1 5 NONE 0 6 NONE 0 8 ALLREDUCE -900 10")),
            "w.txt, line 3, column 36: the weight-gradient size is \"-900\". It must be from 0 to "
            "1000000000000000");
  EXPECT_EQ(refusal(data("\na -1 5 NONE 0")).substr(0, 68),
            "w.txt, line 4, column 14: the line ends after 5 of 12 columns. A lay");
}

TEST(LayerFile, AParallelismThatOnlyTheOldSimulatorUnderstoodIsRefusedWithTheReason) {
  for (const std::string name : {"HYBRID_TRANSFORMER", "HYBRID_TRANSFORMER_FWD_IN_BCKWD",
                                 "HYBRID_CUSTOMIZED", "DISTRIBUTED_INFERENCE"})
    EXPECT_TRUE(refusal(name + "\n1\n")
                    .starts_with("w.txt, line 1, column 1: " + name +
                                 " has no graph: its meaning stood in ASTRA-sim 1.0 alone, not in "
                                 "the file. Write the layers as one of MICRO, DATA, "))
        << refusal(name + "\n1\n");
}

TEST(LayerFile, NumbersBeyondAllBoundsAreErrors) {
  EXPECT_NE(refusal(data("a -1 99999999999999999999999 NONE 0 6 NONE 0 8 NONE 0 10"))
                .find("line 3, column 6"),
            std::string::npos);
  EXPECT_NE(refusal("DATA\n99999999999\n").find("line 2, column 1"), std::string::npos);
  EXPECT_NE(refusal("DATA\n-1\n").find("line 2, column 1"), std::string::npos);
  EXPECT_NE(refusal("DATA\n0\n").find("0 layers"), std::string::npos);
}

TEST(LayerFile, TheNumberOfLayersMustBeTheNumberOfLines) {
  EXPECT_EQ(refusal("DATA\n2\n" + std::string(kLayer)),
            "w.txt, line 2, column 1: 2 layers are said, the file holds 1. Is the file cut? Else "
            "correct the number of layers");
  EXPECT_EQ(refusal("DATA\n1\n" + std::string(kLayer) + std::string(kLayer)).substr(0, 55),
            "w.txt, line 4, column 1: one layer more than the 1 that");
  EXPECT_EQ(refusal("DATA").substr(0, 29), "w.txt: ends after line 1. Lin");
  EXPECT_EQ(refusal("\n \n").substr(0, 15), "w.txt: is empty");
}

TEST(LayerFile, BinaryBytesAreAnErrorWithTheirPlace) {
  using namespace std::string_literals;
  EXPECT_EQ(refusal("DATA\n1\nab\0c -1"s).substr(0, 43),
            "w.txt, line 3, column 3: here is a NUL byte");
  EXPECT_EQ(refusal("\0"s).substr(0, 43), "w.txt, line 1, column 1: here is a NUL byte");
  EXPECT_EQ(refusal("DA\x1b[31mTA\n").find('\x1b'), std::string::npos);
}

TEST(LayerFile, ALongLineOrFileIsRefusedWithItsPlace) {
  std::string words = "DATA\n1\na";
  for (int i = 0; i < 100'000; ++i) words += " 1";
  EXPECT_NE(refusal(words).find("line 3, column 7"), std::string::npos);  // "1" is no collective
  EXPECT_EQ(refusal(std::string(kMostLayerText + 1, 'x')),
            "w.txt: is larger than 16 MiB. Pass a text workload: a line per layer");
}

TEST(LayerFile, TheLastBottomLayerMustHaveALayerBelow) {
  const std::string layers = "\n2\n" + std::string(kLayer) + std::string(kLayer);
  EXPECT_NE(refusal("HYBRID_DLRM" + layers).find("line 1, column 12: the last bottom layer is m"),
            std::string::npos);
  EXPECT_NE(refusal("HYBRID_DLRM 0" + layers).find("line 1, column 13: layer 0 cannot"),
            std::string::npos);
  EXPECT_NE(refusal("HYBRID_DLRM 2" + layers).find("line 1, column 13: layer 2 cannot"),
            std::string::npos);
  EXPECT_NE(refusal("HYBRID_DLRM x" + layers).find("no whole number"), std::string::npos);
  EXPECT_EQ(read("HYBRID_DLRM 1" + layers).last_bottom_layer, 1U);
}

TEST(LayerFile, AnExchangeWithoutALayerAboveTheBottomIsReported) {
  const std::string layers = std::string(kLayer) + std::string(kLayer);
  Diagnostics diagnostics;
  read("HYBRID_DLRM 1\n2\n" + layers, &diagnostics);
  EXPECT_EQ(diagnostics.count(Finding::kExchangeLeftOut), 1U);
  Diagnostics none;
  read("HYBRID_DLRM 1\n3\n" + layers + std::string(kLayer), &none);
  EXPECT_EQ(none.count(Finding::kExchangeLeftOut), 0U);
}

TextOptions options_in(const TemporaryFolder& folder, const std::string& text) {
  TextOptions options;
  options.input = folder.write("w.txt", text);
  options.output = folder / "out";
  options.npus = 3;
  return options;
}

TEST(ConvertText, EachRankHasAGraphOfItsOwnBesideTheSimulatorsFiles) {
  const TemporaryFolder folder;
  const TextOptions options = options_in(folder, data(std::string(kLayer)));
  std::int64_t done = 0;
  TextOptions watched = options;
  watched.on_rank = [&](std::int64_t ranks) { done = ranks; };
  EXPECT_EQ(convert_text(watched).nodes, 3U);  // F, W, Wc
  EXPECT_EQ(done, 3);
  EXPECT_EQ(folder.listing(),
            "out.0.et out.1.et out.2.et out.comm_groups.json out.memory.json out.network.yml "
            "out.system.json w.txt");
  const ChakraReader reader{MessageStream(folder / "out.2.et")};
  EXPECT_EQ(reader.metadata().attr(0).string_val(), "text");
  EXPECT_EQ(reader.metadata().attr(1).int64_val(), 2);  // rank
  EXPECT_EQ(reader.metadata().attr(2).int64_val(), 3);  // world size
}

TEST(ConvertText, NodesCarryTimesTypesAndSizes) {
  const TemporaryFolder folder;
  convert_text(options_in(folder, data(std::string(kLayer))));
  const auto nodes = nodes_of(folder / "out.0.et");
  EXPECT_EQ(nodes[0].name(), "COMP_NODE_conv1_FWD");
  EXPECT_EQ(nodes[0].duration_micros(), 5U);
  EXPECT_EQ(nodes[1].name(), "COMP_NODE_conv1_BWD_WG");
  EXPECT_EQ(nodes[1].duration_micros(), 8U);
  EXPECT_EQ(nodes[2].name(), "COMM_COLL_NODE_conv1_ALLREDUCE");
  EXPECT_EQ(attribute_of(nodes[2], "comm_type").int64_val(), ChakraProtoMsg::ALL_REDUCE);
  EXPECT_EQ(attribute_of(nodes[2], "comm_size").int64_val(), 900);
  EXPECT_EQ(attribute_of(nodes[2], "is_cpu_op").value_case(),
            ChakraProtoMsg::AttributeProto::kBoolVal);
}

TEST(ConvertText, ComputeCarriesTheRooflineThatGivesItsTimeOnTheDeviceOfTheSystemFile) {
  const TemporaryFolder folder;
  convert_text(options_in(folder, data(std::string(kLayer))));
  const auto nodes = nodes_of(folder / "out.0.et");
  EXPECT_EQ(attribute_of(nodes[0], "num_ops").int64_val(), 1);
  EXPECT_EQ(attribute_of(nodes[0], "tensor_size").uint64_val(), 5'000U * 3350);
  EXPECT_EQ(attribute_of(nodes[2], "num_ops").value_case(),
            ChakraProtoMsg::AttributeProto::VALUE_NOT_SET);
  EXPECT_NE(read_file(folder / "out.system.json").find("\"local-mem-bw\": 3350,"),
            std::string::npos);
  convert_text(options_in(folder, data("a -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 900 1\n")));
  EXPECT_EQ(attribute_of(nodes_of(folder / "out.0.et")[0], "tensor_size").uint64_val(), 1U)
      << "the simulator divides by it";
}

TEST(ConvertText, TheSameInputGivesTheSameBytes) {
  const TemporaryFolder folder;
  TextOptions options = options_in(folder, data(std::string(kLayer)));
  convert_text(options);
  const std::string first = read_file(folder / "out.1.et");
  convert_text(options);
  EXPECT_EQ(read_file(folder / "out.1.et"), first);
}

TEST(ConvertText, AfterAnErrorNothingIsLeft) {
  const TemporaryFolder folder;
  for (const std::string& text :
       {"DATA\n2\n" + std::string(kLayer),
        std::string("MICRO\n1\n") + "a -1 5 ALLREDUCE 9 6 NONE 0 8 NONE 0 10"}) {
    EXPECT_THROW(convert_text(options_in(folder, text)), Error);
    EXPECT_EQ(folder.listing(), "w.txt");
  }
}

TEST(ConvertText, NumbersThatCannotBeAreUsageErrors) {
  const TemporaryFolder folder;
  TextOptions options = options_in(folder, data(std::string(kLayer)));
  const auto code = [&](std::int64_t npus, std::int64_t passes) {
    options.npus = npus;
    options.passes = passes;
    return error_of([&] { convert_text(options); }).code();
  };
  EXPECT_EQ(code(0, 1), ErrorCode::kUsage);
  EXPECT_EQ(code(1'000'001, 1), ErrorCode::kUsage);
  EXPECT_EQ(code(2, 0), ErrorCode::kUsage);
  EXPECT_EQ(code(2, INT64_MAX), ErrorCode::kUsage);
  EXPECT_EQ(code(2, 3'999'999'999), ErrorCode::kUsage);  // times 6 nodes of a layer
  EXPECT_EQ(folder.listing(), "w.txt");
}

}  // namespace
}  // namespace nadi
