// The graphs of single nodes: names, contents, and what checks say of each.
#include <gtest/gtest.h>

#include <set>

#include "nadi/base/error.h"
#include "nadi/converters/generate/generate.h"
#include "tests/error_of.h"
#include "tests/unit/text/written_graphs.h"

namespace nadi {
namespace {

GenerateOptions options_of(const std::string& kind, const TemporaryFolder& folder,
                           std::int64_t npus = 2) {
  GenerateOptions options;
  options.kind = kind;
  options.npus = npus;
  options.output = folder / "";  // ends in '/'
  return options;
}

TEST(SingleNodes, TheWholeSetHasMlcommonsNames) {
  const TemporaryFolder folder;
  generate(options_of("mlcommons", folder, 1));
  EXPECT_EQ(folder.listing(),
            "ALL_GATHER.0.et ALL_REDUCE.0.et ALL_TO_ALL.0.et BARRIER.0.et BROADCAST.0.et "
            "REDUCE_SCATTER.0.et one_comm_recv_node.0.et one_comm_send_node.0.et "
            "one_comp_node.0.et one_metadata_node_all_types.0.et one_remote_mem_load_node.0.et "
            "one_remote_mem_store_node.0.et two_comp_nodes_dependent.0.et "
            "two_comp_nodes_independent.0.et");
}

TEST(SingleNodes, AllPassTheCheckAndOnlyThoseThatAstraSimLacksFailItsProfile) {
  const TemporaryFolder folder;
  generate(options_of("mlcommons", folder, 3));
  for (const SingleNodeKind& kind : single_node_kinds()) {
    const std::string prefix = folder / std::string(kind.name);
    astra_sim::CheckOptions check;
    check.files = files_of(prefix, 3);
    for (const std::string& file : check.files) EXPECT_FALSE(check_chakra(file).has_errors());
    std::set<CheckRule> broken;
    for (const auto& finding : astra_sim::check_job(check).findings)
      if (severity_of(finding.rule) == CheckSeverity::kError) broken.insert(finding.rule);
    std::set<CheckRule> expected;
    if (kind.name == "one_metadata_node_all_types") expected = {CheckRule::kTypeMetadataInJob};
    if (kind.name == "BARRIER")
      expected = {CheckRule::kCommTypeNotSimulatedInJob, CheckRule::kSizeZero};
    EXPECT_EQ(broken, expected) << kind.name;
  }
}

TEST(SingleNodes, SizesAreThoseOfTheOptions) {
  const TemporaryFolder folder;
  GenerateOptions options = options_of("mlcommons", folder);
  options.sizes = {7, 2048, 4096};
  generate(options);
  EXPECT_EQ(nodes_of(folder / "one_comp_node.1.et")[0].duration_micros(), 7U);
  const auto load = nodes_of(folder / "one_remote_mem_load_node.0.et")[0];
  EXPECT_EQ(load.type(), ChakraProtoMsg::MEM_LOAD_NODE);
  EXPECT_EQ(attribute_of(load, "tensor_size").uint64_val(), 2048U);
  const auto scatter = nodes_of(folder / "REDUCE_SCATTER.0.et")[0];
  EXPECT_EQ(attribute_of(scatter, "comm_type").int64_val(), ChakraProtoMsg::REDUCE_SCATTER);
  EXPECT_EQ(attribute_of(scatter, "comm_size").int64_val(), 4096);
}

TEST(SingleNodes, TheSecondComputeNodeDependsOnTheFirstOrNot) {
  const TemporaryFolder folder;
  generate(options_of("mlcommons", folder));
  const auto dependent = nodes_of(folder / "two_comp_nodes_dependent.0.et");
  ASSERT_EQ(dependent.size(), 2U);
  ASSERT_EQ(dependent[1].data_deps_size(), 1);
  EXPECT_EQ(dependent[1].data_deps(0), dependent[0].id());
  const auto independent = nodes_of(folder / "two_comp_nodes_independent.0.et");
  ASSERT_EQ(independent.size(), 2U);
  EXPECT_EQ(independent[1].data_deps_size(), 0);
}

TEST(SingleNodes, TheMetadataNodeHasAnAttributeOfEveryType) {
  const TemporaryFolder folder;
  generate(options_of("one_metadata_node_all_types", folder));
  const auto nodes = nodes_of(folder / "one_metadata_node_all_types.0.et");
  std::set<int> members;
  for (const auto& attribute : nodes[0].attr()) members.insert(attribute.value_case());
  const auto* value = ChakraProtoMsg::AttributeProto::descriptor()->oneof_decl(0);
  EXPECT_EQ(static_cast<int>(members.size()), value->field_count());
}

TEST(SingleNodes, RanksPairUpForAMessageAndTheOneLeftOverComputes) {
  const TemporaryFolder folder;
  generate(options_of("mlcommons", folder, 3));
  EXPECT_EQ(nodes_of(folder / "one_comm_send_node.0.et")[0].type(), ChakraProtoMsg::COMM_SEND_NODE);
  EXPECT_EQ(nodes_of(folder / "one_comm_send_node.1.et")[0].type(), ChakraProtoMsg::COMM_RECV_NODE);
  EXPECT_EQ(nodes_of(folder / "one_comm_send_node.2.et")[0].type(), ChakraProtoMsg::COMP_NODE);
  EXPECT_EQ(nodes_of(folder / "one_comm_recv_node.0.et")[0].type(), ChakraProtoMsg::COMM_RECV_NODE);
}

TEST(SingleNodes, OneKindAloneGoesByEitherName) {
  const TemporaryFolder folder;
  GenerateOptions options = options_of("one_comm_coll_node_allreduce", folder);
  generate(options);
  EXPECT_EQ(folder.listing(),
            "ALL_REDUCE.0.et ALL_REDUCE.1.et ALL_REDUCE.comm_groups.json ALL_REDUCE.memory.json "
            "ALL_REDUCE.network.yml ALL_REDUCE.system.json");
  options.kind = "ALL_REDUCE";
  options.output = folder / "x";
  generate(options);
  EXPECT_EQ(read_file(folder / "x.1.et"), read_file(folder / "ALL_REDUCE.1.et"));
}

TEST(SingleNodes, SizesOutOfRangeAreUsageErrorsAndLeaveNothing) {
  const TemporaryFolder folder;
  GenerateOptions options = options_of("mlcommons", folder);
  options.sizes.comm_bytes = 0;
  EXPECT_THROW(generate(options), Error);
  options.sizes.comm_bytes = INT64_MAX;
  EXPECT_THROW(generate(options), Error);
  EXPECT_EQ(folder.listing(), "");
}

TEST(SingleNodes, AFolderThatCannotBeMadeIsAnInputError) {
  const TemporaryFolder folder;
  GenerateOptions options = options_of("mlcommons", folder);
  options.output = "/dev/null/x";
  EXPECT_EQ(error_of([&] { generate(options); }).code(), ErrorCode::kInput);
  EXPECT_EQ(folder.listing(), "");
}

}  // namespace
}  // namespace nadi
