// Process groups, collectives, sends and receives, as PyTorch would have recorded them.
#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <vector>

#include "tests/unit/record/recorded.h"

namespace nadi::record {
namespace {

using namespace test;
using nlohmann::json;

constexpr std::array<std::int64_t, 1> kShape{1024};

Tensor gradient() {
  Tensor tensor;
  tensor.id = 1;
  tensor.shape = kShape;
  tensor.device = "cuda:0";
  return tensor;
}

Communication communication(std::string_view collective, std::string_view group) {
  Communication result;
  result.collective = collective;
  result.group = group;
  result.dtype = "Float";
  result.in_elements = result.out_elements = 1024;
  return result;
}

class Communications : public ::testing::Test {
 protected:
  Communications() {
    add_process_group({"0", "default_pg", {}});
    add_process_group({"tp", "TENSOR_PARALLEL", {2, 6}});
  }
  ~Communications() override {
    for (const char* name : {"0", "tp", "other", "late", "far"}) remove_process_group(name);
  }
};

Recorded record_rank(const Files& files, const std::function<void()>& program) {
  Settings settings = files.settings(step_clock);
  settings.rank = 2;
  settings.world_size = 8;
  start(settings);
  program();
  const Summary summary = stop();
  return read_recorded(files, summary);
}

TEST_F(Communications, ACollectiveHasThePositionsAndAttributesOfRecordParamComms) {
  const Files files;
  const Recorded recorded = record_rank(files, [] {
    Communication reduce = communication("allreduce", "tp");
    reduce.sequence = 9;
    CommunicationOp op(reduce, gradient());
    op.outputs(gradient());
  });
  const json values = recorded.node("record_param_comms")["inputs"]["values"];
  EXPECT_EQ(values, json({{1, 0, 0, 1024, 4, "cuda:0"},
                          {9, false},
                          {"tp", "TENSOR_PARALLEL"},
                          -1,
                          "allreduce",
                          json::array(),
                          json::array(),
                          2,
                          4,
                          2}));
  EXPECT_EQ(recorded.node("record_param_comms")["inputs"]["types"].size(), values.size());
  EXPECT_EQ(recorded.attribute("record_param_comms", "collective_name"), "allreduce");
  EXPECT_EQ(recorded.attribute("record_param_comms", "pg_name"), "tp");
  EXPECT_EQ(recorded.attribute("record_param_comms", "pg_size"), 2);
  EXPECT_EQ(recorded.attribute("record_param_comms", "global_rank_stride"), 4);
  const json args = recorded.event("cpu_op", "record_param_comms")["args"];
  EXPECT_EQ(args["Collective name"], "allreduce");
  EXPECT_EQ(args["In msg nelems"], 1024);
  EXPECT_EQ(args["Process Group Ranks"], "[2, 6]");
}

TEST_F(Communications, ASendNamesItsPeerWithinTheGroupAndInTheJob) {
  const Files files;
  const Recorded recorded = record_rank(files, [] {
    Communication send = communication("send", "tp");
    send.peer = 1;
    const CommunicationOp op(send, gradient());
  });
  const json args = recorded.event("cpu_op", "record_param_comms")["args"];
  EXPECT_EQ(args["Rank"], 1);
  EXPECT_EQ(args["Dst Rank"], 6);
  EXPECT_FALSE(args.contains("Src Rank"));
  EXPECT_EQ(recorded.node("record_param_comms")["inputs"]["values"][1][1], true);
}

TEST_F(Communications, RanksAtBothEndsAreNoStrideApart) {
  add_process_group(
      {"far",
       "",
       {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}});
  const Files files;
  const Recorded recorded =
      record_rank(files, [] { const CommunicationOp op(communication("allreduce", "far")); });
  EXPECT_TRUE(recorded.attribute("record_param_comms", "global_rank_stride").is_null());
}

TEST_F(Communications, AGroupWithoutRanksIsTheWholeJob) {
  const Files files;
  const Recorded recorded =
      record_rank(files, [] { const CommunicationOp op(communication("allreduce", "0")); });
  EXPECT_EQ(recorded.attribute("record_param_comms", "pg_size"), 8);
}

TEST_F(Communications, SequenceNumbersAreCountedByGroup) {
  add_process_group({"other", "", {0, 2}});
  const Files files;
  const Recorded recorded = record_rank(files, [] {
    for (const char* group : {"counted", "other", "counted"})
      const CommunicationOp op(communication("allreduce", group));
  });
  std::vector<std::pair<std::string, int>> told;
  for (const auto& node : recorded.host["nodes"])
    if (node["name"] == "record_param_comms")
      told.emplace_back(node["inputs"]["values"][1][0], node["inputs"]["values"][0][0]);
  EXPECT_EQ(told, (std::vector<std::pair<std::string, int>>{
                      {"counted", 1}, {"other", 1}, {"counted", 2}}));
}

TEST_F(Communications, GroupsKnownBeforeAndDuringTheRecordingAreInTheModel) {
  const Files files;
  record_rank(files, [] { add_process_group({"late", "LATE", {2, 3}}); });
  const LinkedTrace linked = link_whole(files);
  EXPECT_EQ(linked.rank, 2);
  EXPECT_EQ(linked.device.world_size, 8);
  for (const auto& expected : {std::pair{"tp", std::vector<std::int64_t>{2, 6}},
                               std::pair{"late", std::vector<std::int64_t>{2, 3}}}) {
    const auto group =
        std::find_if(linked.groups.begin(), linked.groups.end(),
                     [&](const nadi::ProcessGroup& known) { return known.name == expected.first; });
    ASSERT_NE(group, linked.groups.end()) << expected.first;
    EXPECT_EQ(group->ranks, expected.second) << expected.first;
  }
  EXPECT_EQ(linked.matched_host_op_count, linked.host_op_count);
}

TEST_F(Communications, TheKernelLaunchedInsideIsThatCommunication) {
  const Files files;
  record_rank(files, [] {
    const CommunicationOp op(communication("allreduce", "tp"), gradient());
    const Launch call;
    DeviceRow row;
    row.name = "ncclDevKernel_AllReduce";
    row.correlation = call.correlation();
    row.start_ns = now() + 10;
    row.duration_ns = 1000;
    add_device_row(row);
  });
  const LinkedTrace linked = link_whole(files);
  ASSERT_EQ(linked.carried.size(), 1U);
  const CommRecord& record = linked.comms[linked.carried[0]];
  EXPECT_EQ(linked.strings[record.collective], "allreduce");
  EXPECT_EQ(linked.strings[record.pg_name], "tp");
  EXPECT_EQ(record.in_nelems, 1024);
}

TEST_F(Communications, ARowMayTellItsCommunicationItself) {
  const Files files;
  const Recorded recorded = record_rank(files, [] {
    Communication receive = communication("recv", "tp");
    receive.peer = 1;
    DeviceRow row;
    row.name = "ncclDevKernel_SendRecv";
    row.start_ns = now();
    row.communication = &receive;
    add_device_row(row);
  });
  const json args = recorded.event("kernel")["args"];
  EXPECT_EQ(args["Collective name"], "recv");
  EXPECT_EQ(args["Src Rank"], 6);
}

TEST_F(Communications, SplitsAreToldInBothTraces) {
  const Files files;
  const std::vector<std::int64_t> in{1000, 24}, out{512, 512};
  const Recorded recorded = record_rank(files, [&] {
    Communication all_to_all = communication("all_to_allv", "tp");
    all_to_all.in_split = in;
    all_to_all.out_split = out;
    const CommunicationOp op(all_to_all, gradient());
  });
  EXPECT_EQ(recorded.attribute("record_param_comms", "in_split_size"), "[1000, 24]");
  EXPECT_EQ(recorded.event("cpu_op", "record_param_comms")["args"]["Out split size"], "[512, 512]");
}

}  // namespace
}  // namespace nadi::record
