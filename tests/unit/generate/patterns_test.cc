// The graphs of training steps: every rank passes every check, and holds what its pattern says.
#include <gtest/gtest.h>

#include <map>

#include "nadi/base/error.h"
#include "nadi/converters/generate/generate.h"
#include "tests/error_of.h"
#include "tests/unit/text/written_graphs.h"

namespace nadi {
namespace {

using Nodes = std::vector<ChakraProtoMsg::Node>;

GenerateOptions small(const std::string& kind, std::int64_t npus) {
  GenerateOptions options;
  options.kind = kind;
  options.npus = npus;
  options.shape.layers = 4;
  options.shape.hidden = 64;
  options.shape.sequence = 32;
  options.shape.vocabulary = 128;
  return options;
}

struct Generated {
  std::string prefix;
  GenerateReport report;
  Nodes rank(std::int64_t rank) const {
    return nodes_of(prefix + "." + std::to_string(rank) + ".et");
  }
};

Generated make(const TemporaryFolder& folder, GenerateOptions options) {
  options.output = folder / "out";
  return {options.output, generate(options)};
}

/// Sum of `attribute` of the nodes whose name begins with `begin`, and their number.
std::pair<std::int64_t, int> sum_of(const Nodes& nodes, const std::string& begin,
                                    const std::string& attribute) {
  std::pair<std::int64_t, int> sum;
  for (const auto& node : nodes)
    if (node.name().starts_with(begin)) {
      sum.first += attribute_of(node, attribute).int64_val();
      ++sum.second;
    }
  return sum;
}

TEST(Patterns, EveryMixOfDegreesPassesEveryCheck) {
  struct Case {
    const char* kind;
    std::int64_t npus, tensor, pipeline, expert, micro_batches, steps;
  };
  for (const Case& c :
       {Case{"data-parallel", 2, 0, 0, 0, 0, 2}, Case{"data-parallel", 5, 0, 0, 0, 3, 1},
        Case{"tensor-parallel", 8, 0, 0, 0, 2, 2}, Case{"tensor-parallel", 8, 2, 2, 2, 3, 2},
        Case{"pipeline", 4, 0, 0, 0, 0, 2}, Case{"pipeline", 3, 0, 3, 0, 1, 1},
        Case{"pipeline", 16, 2, 4, 2, 5, 2}, Case{"pipeline", 8, 0, 2, 0, 7, 1},
        Case{"expert-parallel", 8, 0, 0, 0, 1, 2}, Case{"expert-parallel", 16, 2, 2, 2, 3, 2},
        Case{"expert-parallel", 12, 0, 0, 4, 1, 1}}) {
    const TemporaryFolder folder;
    GenerateOptions options = small(c.kind, c.npus);
    options.tensor = c.tensor;
    options.pipeline = c.pipeline;
    options.expert = c.expert;
    options.micro_batches = c.micro_batches;
    options.steps = c.steps;
    const Generated generated = make(folder, options);
    SCOPED_TRACE(std::string(c.kind) + " " + std::to_string(c.npus));
    const astra_sim::JobNetwork& network = generated.report.jobs.back().network;
    const auto check = expect_passes_all_checks(generated.prefix, network);
    const std::int64_t idle = astra_sim::npus_of(network.network) - c.npus;
    EXPECT_EQ(check.nodes, generated.report.nodes + static_cast<std::uint64_t>(idle));
    EXPECT_TRUE(check.findings.empty()) << to_string(check.findings.front().rule);
    EXPECT_LE(check.most_ready, 16U);
  }
}

TEST(Patterns, WithIdleNpusAJobTakesAsLongAsOnOneDimension) {
  struct Case {
    const char* kind;
    std::int64_t npus, tensor;
  };
  for (const Case& c : {Case{"tensor-parallel", 8, 2}, Case{"tensor-parallel", 12, 3},
                        Case{"expert-parallel", 16, 2}, Case{"pipeline", 16, 2}}) {
    SCOPED_TRACE(c.kind);
    const TemporaryFolder folder;
    GenerateOptions options = small(c.kind, c.npus);
    options.tensor = c.tensor;
    options.pipeline = std::string(c.kind) == "pipeline" ? 2 : 1;
    const Generated generated = make(folder, options);
    astra_sim::CheckOptions flat;
    flat.network = generated.report.jobs.back().network;
    EXPECT_EQ(generated.report.diagnostics.count(Finding::kIdleNpusAdded), 1U);
    const auto with_idle = expect_passes_all_checks(generated.prefix, *flat.network);
    auto& dimensions = flat.network->network.dimensions;
    ASSERT_EQ(dimensions.size(), 2U);
    dimensions.pop_back();
    dimensions.front().npus = c.npus;
    flat.network->system.all_reduce.resize(1);
    flat.files = files_of(generated.prefix, c.npus);
    flat.comm_groups = generated.prefix + ".comm_groups.json";
    const auto on_one = astra_sim::check_job(flat);
    EXPECT_NE(on_one.find(CheckRule::kCollectiveFreedTwice), nullptr);
    ASSERT_TRUE(on_one.network_makespan_ns) << on_one.network_unknown;
    EXPECT_EQ(with_idle.network_makespan_ns, on_one.network_makespan_ns);
  }
}

TEST(Patterns, OneRankComputesAlone) {
  const TemporaryFolder folder;
  for (const char* kind : {"data-parallel", "tensor-parallel", "pipeline", "expert-parallel"}) {
    const Generated generated = make(folder, small(kind, 1));
    EXPECT_EQ(generated.report.jobs.back().command, "");
    EXPECT_TRUE(check_chakra(generated.prefix + ".0.et").findings.empty());
    for (const auto& node : generated.rank(0)) EXPECT_EQ(node.type(), ChakraProtoMsg::COMP_NODE);
  }
}

TEST(Patterns, DataParallelReducesEveryParameterOncePerStep) {
  const TemporaryFolder folder;
  GenerateOptions options = small("data-parallel", 4);
  options.micro_batches = 3;
  options.steps = 2;
  const Nodes nodes = make(folder, options).rank(3);
  const std::int64_t parameters = 4 * 12 * 64 * 64 + 2 * 128 * 64;
  const auto [bytes, count] = sum_of(nodes, "gradients.", "comm_size");
  EXPECT_EQ(bytes, 2 * parameters * 2);  // steps, bytes of an element
  EXPECT_EQ(count, 2 * (4 + 2));         // layers, embedding and head
  EXPECT_EQ(sum_of(nodes, "forward.mlp", "num_ops").second, 2 * 3 * 4);
}

TEST(Patterns, GradientsAreReducedWhileTheBackwardPassGoesOn) {
  const TemporaryFolder folder;
  const Nodes nodes = make(folder, small("data-parallel", 2)).rank(0);
  std::map<std::string, const ChakraProtoMsg::Node*> by_name;
  for (const auto& node : nodes) by_name[node.name()] = &node;
  const auto& reduce = *by_name.at("gradients.layer.all_reduce.layer3.mb0.step0");
  const auto& backward = *by_name.at("backward.attention.layer3.mb0.step0");
  const auto& next = *by_name.at("backward.mlp.layer2.mb0.step0");
  const auto& adam = *by_name.at("optimizer.adam.step0");
  EXPECT_EQ(reduce.data_deps(reduce.data_deps_size() - 1), backward.id());
  ASSERT_EQ(next.data_deps_size(), 1);
  EXPECT_EQ(next.data_deps(0), backward.id());
  EXPECT_EQ(adam.data_deps(adam.data_deps_size() - 1), adam.id() - 1);  // the last reduction
}

TEST(Patterns, TensorParallelReducesActivationsBehindAttentionAndMlp) {
  const TemporaryFolder folder;
  GenerateOptions options = small("tensor-parallel", 4);
  const Generated generated = make(folder, options);
  EXPECT_EQ(generated.report.degrees.tensor, 4);
  const Nodes nodes = generated.rank(1);
  const std::int64_t activations = 32 * 64 * 2;
  for (const std::string part : {"forward.attention.all_reduce", "forward.mlp.all_reduce",
                                 "backward.attention.all_reduce", "backward.mlp.all_reduce"}) {
    const auto [bytes, count] = sum_of(nodes, part, "comm_size");
    EXPECT_EQ(count, 4) << part;
    EXPECT_EQ(bytes, 4 * activations) << part;
  }
  EXPECT_EQ(sum_of(nodes, "gradients.", "comm_size").second, 0);  // one replica
}

TEST(Patterns, APipelineSendsEachMicroBatchToTheNextStageAndItsGradientBack) {
  const TemporaryFolder folder;
  GenerateOptions options = small("pipeline", 4);
  options.micro_batches = 3;
  const Generated generated = make(folder, options);
  for (std::int64_t rank = 0; rank < 4; ++rank) {
    const Nodes nodes = generated.rank(rank);
    EXPECT_EQ(sum_of(nodes, "forward.send", "").second, rank < 3 ? 3 : 0);
    EXPECT_EQ(sum_of(nodes, "forward.receive", "").second, rank > 0 ? 3 : 0);
    EXPECT_EQ(sum_of(nodes, "backward.send", "").second, rank > 0 ? 3 : 0);
    EXPECT_EQ(sum_of(nodes, "backward.receive", "").second, rank < 3 ? 3 : 0);
    for (const auto& node : nodes)
      if (node.name().starts_with("forward.send")) {
        EXPECT_EQ(attribute_of(node, "comm_dst").int32_val(), rank + 1);
        EXPECT_EQ(attribute_of(node, "comm_size").int64_val(), 32 * 64 * 2);
      }
  }
}

TEST(Patterns, LayersThatDoNotDivideGoToTheFirstStages) {
  const TemporaryFolder folder;
  GenerateOptions options = small("pipeline", 3);
  options.shape.layers = 5;
  options.micro_batches = 1;
  const Generated generated = make(folder, options);
  EXPECT_EQ(sum_of(generated.rank(0), "forward.mlp", "").second, 2);
  EXPECT_EQ(sum_of(generated.rank(1), "forward.mlp.layer2", "").second, 1);
  EXPECT_EQ(sum_of(generated.rank(2), "forward.mlp", "").second, 1);
}

TEST(Patterns, ExpertParallelExchangesTokensBeforeAndBehindTheExperts) {
  const TemporaryFolder folder;
  const Generated generated = make(folder, small("expert-parallel", 16));
  EXPECT_EQ(generated.report.degrees.expert, 8);
  const Nodes nodes = generated.rank(9);
  const std::int64_t tokens = 2 * 32 * 64 * 2;  // top-k, tokens, hidden, bytes
  for (const std::string part : {"forward.dispatch.all_to_all", "forward.combine.all_to_all",
                                 "backward.dispatch.all_to_all", "backward.combine.all_to_all"}) {
    const auto [bytes, count] = sum_of(nodes, part, "comm_size");
    EXPECT_EQ(count, 4) << part;
    EXPECT_EQ(bytes, 4 * tokens) << part;
  }
  // One expert of 8 is here; the other 8 ranks hold a copy of each.
  EXPECT_EQ(sum_of(nodes, "gradients.experts", "comm_size").first, 4 * 2 * 64 * 256 * 2);
}

TEST(Patterns, ComputeNodesCarryTheRooflineThatGivesTheirTime) {
  const TemporaryFolder folder;
  GenerateOptions options = small("data-parallel", 2);
  options.device.peak_tflops = 10;
  options.device.memory_gb_per_s = 100;
  for (const auto& node : make(folder, options).rank(0)) {
    if (node.type() != ChakraProtoMsg::COMP_NODE) continue;
    const double ops = static_cast<double>(attribute_of(node, "num_ops").int64_val());
    const double bytes = static_cast<double>(attribute_of(node, "tensor_size").uint64_val());
    EXPECT_NEAR(static_cast<double>(attribute_of(node, "duration_ns").int64_val()),
                std::max(ops / 10'000, bytes / 100), 1)
        << node.name();
  }
}

TEST(Patterns, TheSameOptionsGiveTheSameBytes) {
  const TemporaryFolder folder;
  make(folder, small("pipeline", 4));
  const std::string graph = read_file(folder / "out.2.et");
  const std::string groups = read_file(folder / "out.comm_groups.json");
  make(folder, small("pipeline", 4));
  EXPECT_EQ(read_file(folder / "out.2.et"), graph);
  EXPECT_EQ(read_file(folder / "out.comm_groups.json"), groups);
}

TEST(Patterns, MoreGroupsThanTheSimulatorKeepsApartAreAWarningAndGetNoCommand) {
  const TemporaryFolder folder;
  GenerateOptions options = small("pipeline", 1600);
  options.tensor = options.expert = 2;
  options.pipeline = options.shape.layers = 400;
  options.micro_batches = 1;
  const Generated generated = make(folder, options);
  EXPECT_EQ(generated.report.groups, 3 * 800);
  EXPECT_EQ(generated.report.diagnostics.count(Finding::kManyGroups), 1U);
  EXPECT_EQ(generated.report.jobs.back().command, "");
}

/// The message of the usage error that the options give; nothing is left in the folder.
std::string refusal(const GenerateOptions& options) {
  const TemporaryFolder folder;
  const Error error = error_of([&] { make(folder, options); });
  EXPECT_EQ(error.code(), ErrorCode::kUsage);
  EXPECT_EQ(folder.listing(), "");
  return error.what();
}

TEST(Patterns, OptionsThatCannotBeAreUsageErrors) {
  GenerateOptions options = small("data-parallel", 6);
  options.tensor = 4;
  EXPECT_EQ(refusal(options), "`tensor` 4: does not divide 6 ranks. Choose a divisor");
  options = small("tensor-parallel", 11);
  EXPECT_EQ(refusal(options),
            "`npus`: 11 ranks have no divisor from 2 to 8. Choose another number, or give "
            "`tensor`");
  options = small("pipeline", 8);
  options.pipeline = 8;
  EXPECT_EQ(refusal(options),
            "`pipeline` 8: is more stages than the 4 layers. Give more `layers` or fewer stages");
  options = small("expert-parallel", 8);
  options.shape.experts = 12;
  EXPECT_EQ(refusal(options).substr(0, 12), "`experts` 12");
  options = small("expert-parallel", 8);
  options.shape.top_k = 9;
  EXPECT_EQ(refusal(options).substr(0, 9), "`top_k` 9");
  EXPECT_EQ(refusal(small("data-parallel", 0)).substr(0, 8), "`npus` 0");
  EXPECT_EQ(refusal(small("data-parallel", 1'000'001)).substr(0, 14), "`npus` 1000001");
  EXPECT_EQ(refusal(small("ring", 2)).substr(0, 63),
            "KIND: nothing is named ring. There are data-parallel, tensor-pa");
}

TEST(Patterns, AbsurdNumbersAreUsageErrors) {
  GenerateOptions options = small("data-parallel", 2);
  options.shape.hidden = INT64_MAX;
  EXPECT_EQ(refusal(options).substr(0, 8), "`hidden`");
  options = small("data-parallel", 2);
  options.shape.sequence = 1'000'000'000;
  options.shape.micro_batch = 1'000'000;
  EXPECT_NE(refusal(options).find("more than 1e18 operations"), std::string::npos);
  options = small("data-parallel", 2);
  options.steps = 400'000'000;
  EXPECT_NE(refusal(options).find("4,000,000,000 nodes"), std::string::npos);
  options = small("data-parallel", 2);
  options.micro_batches = INT64_MAX;
  EXPECT_EQ(refusal(options).substr(0, 15), "`micro_batches`");
  options = small("data-parallel", 2);
  options.device.peak_tflops = 0;
  EXPECT_EQ(refusal(options).substr(0, 13), "`peak_tflops`");
  options.device.peak_tflops = 1e-300;
  EXPECT_EQ(refusal(options).substr(0, 13), "`peak_tflops`");
  options.device.peak_tflops = 1;
  options.network.link.latency_ns = -1;
  EXPECT_EQ(refusal(options).substr(0, 12), "`latency_ns`");
}

}  // namespace
}  // namespace nadi
