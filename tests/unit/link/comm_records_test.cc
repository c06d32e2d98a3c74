// Communication records: bytes of tensors, merging, which kernel carries what.
#include "nadi/link/comm_records.h"
#include "nadi/link/tensor_bytes.h"

#include <gtest/gtest.h>

#include "tests/unit/link/trace_text.h"

namespace nadi {
namespace {

using namespace test;

TEST(TensorBytes, AreTheSumOverTheTensors) {
  EXPECT_EQ(tensor_bytes("[[8, 4]]", R"(["float"])"), 128);
  EXPECT_EQ(tensor_bytes("[[8, 4], [], [3]]", R"(["c10::BFloat16", "Scalar", "long int"])"), 88);
  EXPECT_EQ(tensor_bytes("[[[2, 2], [3]]]", R"(["c10::Half"])"), 14);  // a list of tensors
  EXPECT_EQ(tensor_bytes("[[0, 4]]", R"(["float"])"), 0);
}

TEST(TensorBytes, AreMinusOneWhereNoTensorIsDescribed) {
  EXPECT_EQ(tensor_bytes("", ""), -1);
  EXPECT_EQ(tensor_bytes("[[]]", R"(["Scalar"])"), -1);
  EXPECT_EQ(tensor_bytes("[[4]]", R"(["SomeNewType"])"), -1);
  EXPECT_EQ(tensor_bytes("[[4]]", ""), -1);
  EXPECT_EQ(tensor_bytes("]]][[[", R"(["float")"), -1);
}

TEST(TensorBytes, OfAbsurdShapesStayBounded) {
  EXPECT_GT(tensor_bytes("[[99999999999999999999, 99999999999999999999, 4]]", R"(["float"])"), 0);
}

TEST(MergeRecords, TakesFromTheSecondOnlyWhatTheFirstDoesNotKnow) {
  CommRecord first, second;
  first.in_nelems = 10;
  first.collective = StringId(3);
  second.in_nelems = 20;
  second.out_nelems = 30;
  second.collective = StringId(4);
  second.pg_name = StringId(5);
  second.is_p2p = true;
  const CommRecord merged = merge_records(first, second, StringTable());
  EXPECT_EQ(merged.in_nelems, 10);
  EXPECT_EQ(merged.out_nelems, 30);
  EXPECT_EQ(merged.collective, StringId(3));
  EXPECT_EQ(merged.pg_name, StringId(5));
  EXPECT_TRUE(merged.is_p2p);
}

TEST(MergeRecords, TakesSplitsThatOneOfThemHasWhole) {
  StringTable strings;
  CommRecord cut, whole;
  cut.in_split = cut.out_split = strings.intern("[1, 2, ..., ...]");
  whole.in_split = strings.intern("[1, 2, 3]");
  for (const auto& [first, second] : {std::pair(cut, whole), std::pair(whole, cut)}) {
    const CommRecord merged = merge_records(first, second, strings);
    EXPECT_EQ(strings[merged.in_split], "[1, 2, 3]");
    EXPECT_EQ(strings[merged.out_split], "[1, 2, ..., ...]");
  }
}

std::string record(double ts, const char* name, int tid = 100) {
  return op("record_param_comms", ts, 3, 0, tid,
            fmt::format(R"("Collective name": "{}", "dtype": "Float", "In msg nelems": 8)", name));
}

std::vector<std::string> carried_by(const LinkedTrace& linked, std::size_t row) {
  std::vector<std::string> names;
  for (const CommIndex comm : linked.carried_by(DeviceRowIndex(row)))
    names.emplace_back(linked.strings[linked.comms[comm].collective]);
  return names;
}
using GroupNames = std::vector<std::string>;

TEST(CarriedRecords, AKernelLaunchedInsideARecordCarriesThat) {
  const LinkedTrace linked =
      link({record(0, "allreduce"), launch(1, 1, 11), record(10, "broadcast"), launch(11, 1, 12),
            row("ncclDevKernel_Generic", 20, 1, 11), row("ncclDevKernel_Generic", 22, 1, 12)});
  EXPECT_EQ(carried_by(linked, 0), GroupNames{"allreduce"});
  EXPECT_EQ(carried_by(linked, 1), GroupNames{"broadcast"});
}

TEST(CarriedRecords, ACoalescedKernelCarriesTheRecordsSinceTheLastOne) {
  const LinkedTrace linked =
      link({record(0, "send"), record(5, "recv"), launch(10, 1, 11), record(20, "send"),
            launch(30, 1, 12), row("ncclDevKernel_SendRecv", 40, 1, 11),
            row("ncclDevKernel_SendRecv", 42, 1, 12)});
  EXPECT_EQ(carried_by(linked, 0), (GroupNames{"send", "recv"}));
  EXPECT_EQ(carried_by(linked, 1), GroupNames{"send"});
}

TEST(CarriedRecords, OfAnotherThreadOrThatMoveNothingAreNotCarried) {
  const LinkedTrace linked =
      link({record(0, "wait"), record(4, "allreduce", 200), record(5, "recv"), launch(10, 1, 11),
            row("ncclDevKernel_SendRecv", 40, 1, 11)});
  EXPECT_EQ(carried_by(linked, 0), GroupNames{"recv"});
}

TEST(CarriedRecords, AComputeKernelCarriesNothing) {
  const LinkedTrace linked = link({record(0, "send"), launch(1, 1, 11), row("gemm", 40, 1, 11)});
  EXPECT_EQ(carried_by(linked, 0), GroupNames{});
}

TEST(Groups, OfBothTracesAreMergedByName) {
  const LinkedTrace linked = link(
      {op("## process_group:init ##", 0, 1, 1)},
      {node(
          2, "## process_group:init ##", 1, 1, 1,
          R"("inputs": ["[{\"pg_name\": \"0\", \"pg_desc\": \"world\", \"ranks\": [0, 1, 2], \"group_size\": 3}, {\"pg_name\": \"7\", \"ranks\": [1, 2], \"group_size\": 2}]"], "input_shapes": [[]], "input_types": ["String"])")},
      R"("distributedInfo": {"rank": 1, "world_size": 3, "pg_config": [{"pg_name": "0", "pg_size": 3, "ranks": []}]}, )");
  EXPECT_EQ(linked.rank, 1);
  ASSERT_EQ(linked.groups.size(), 2U);
  EXPECT_EQ(linked.groups[0].desc, "world");
  EXPECT_EQ(linked.groups[0].ranks, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(linked.groups[1].name, "7");
}

}  // namespace
}  // namespace nadi
