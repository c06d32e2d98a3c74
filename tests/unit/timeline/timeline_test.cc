// Simulator logs as timelines: what lines say, lanes, what is left open.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "nadi/base/error.h"
#include "nadi/converters/timeline/log_line.h"
#include "nadi/converters/timeline/timeline.h"
#include "tests/error_of.h"

namespace nadi {
namespace {

using Json = nlohmann::json;

struct Drawn {
  TimelineReport report;
  Json slices = Json::array();          // the events of phase X
  std::map<std::string, Json> threads;  // by name
};

Drawn timeline_of(std::string_view log, TimelineOptions options = {}) {
  Drawn drawn;
  std::string text;
  const ByteSink sink = [&text](std::string_view piece) { text += piece; };
  const auto writer = make_timeline_writer(TimelineFormat::kTraceEvents, sink);
  drawn.report = write_log_timeline(source_of_bytes(log, "x.log"), options, *writer);
  const Json document = Json::parse(text);
  for (const Json& event : document["traceEvents"]) {
    if (event["ph"] == "X") drawn.slices.push_back(event);
    if (event["name"] == "thread_name") drawn.threads[event["args"]["name"]] = event;
  }
  return drawn;
}

TEST(LogLine, ReadsTheSimulatorsOwnForm) {
  const auto line = parse_log_line(
      "[2024-05-01 10:00:00.123] [workload] [debug] issue,sys->id=3, tick=1200, node->id=17, "
      "node->name=all_reduce, of [1, 2]=x, node->type=7");
  ASSERT_TRUE(line);
  EXPECT_TRUE(line->is_issue);
  EXPECT_EQ(line->npu, 3U);
  EXPECT_EQ(line->tick, 1200U);
  EXPECT_EQ(line->node, 17U);
  EXPECT_EQ(line->name, "all_reduce, of [1, 2]=x");
  EXPECT_EQ(line->resource, Resource::kCommunication);
}

TEST(LogLine, ReadsTheFormOfTheOlderVisualizer) {
  const auto line = parse_log_line("callback,npu=0,cycle=5,id=9,name=COMM_COLL_NODE_conv1\r");
  ASSERT_TRUE(line);
  EXPECT_FALSE(line->is_issue);
  EXPECT_EQ(line->node, 9U);
  EXPECT_EQ(line->name, "COMM_COLL_NODE_conv1");
  EXPECT_EQ(line->resource, Resource::kCommunication);
  EXPECT_EQ(parse_log_line("issue,a=0,b=1,c=2,d=COMP_NODE_x")->resource, Resource::kCompute);
  EXPECT_EQ(parse_log_line("issue,a=0,b=1,c=2,d=MEM_LOAD_NODE_x")->resource,
            Resource::kRemoteMemory);
  EXPECT_EQ(parse_log_line("issue,a=0,b=1,c=2,d=LOCAL_MEM_STORE_NODE")->resource,
            Resource::kLocalMemory);
}

TEST(LogLine, NodesNamedAfterAnOperationOfCommunicationCommunicate) {
  for (const char* name : {"ALL_REDUCE", "ALL_TO_ALL.3", "all_gather_layer1", "ReduceScatter",
                           "BROADCAST", "ncclDevKernel_AllReduce"})
    EXPECT_EQ(parse_log_line(std::string("issue,a=0,b=1,c=2,d=") + name)->resource,
              Resource::kCommunication)
        << name;
  for (const char* name : {"COMP_NODE_broadcast_add_FWD", "aten::mm", "reduce_sum"})
    EXPECT_EQ(parse_log_line(std::string("issue,a=0,b=1,c=2,d=") + name)->resource,
              Resource::kCompute)
        << name;
}

TEST(LogLine, OfOtherThingsIsNone) {
  for (const char* text : {"", "sys[0] finished, 1200 cycles", "issue,", "issue,a=x,b=1,c=2,d=n",
                           "issue,a=1,b=-1,c=2,d=n", "issue,a=1,b=1,c=2", "callback,1,2,3,4",
                           "issue,a=99999999999999999999999,b=1,c=2,d=n", "[", "[x] "})
    EXPECT_FALSE(parse_log_line(text)) << text;
  EXPECT_TRUE(is_broken_log_line("issue,a=x,b=1,c=2,d=n"));
  EXPECT_FALSE(is_broken_log_line("sys[0] finished, 1200 cycles"));
}

TEST(LogTimeline, ASliceGoesFromIssueToCallbackInMicroseconds) {
  const Drawn drawn = timeline_of(
      "starting\n"
      "issue,npu=2,cycle=1500,id=4,name=COMP_NODE_a\n"
      "callback,npu=2,cycle=3001,id=4,name=COMP_NODE_a\n");
  ASSERT_EQ(drawn.slices.size(), 1U);
  EXPECT_EQ(drawn.slices[0]["name"], "COMP_NODE_a");
  EXPECT_EQ(drawn.slices[0]["ts"], 1.5);
  EXPECT_EQ(drawn.slices[0]["dur"], 1.501);
  EXPECT_EQ(drawn.slices[0]["pid"], 3);
  EXPECT_EQ(drawn.slices[0]["args"]["id"], 4);
  EXPECT_EQ(drawn.slices[0]["tid"], drawn.threads.at("compute")["tid"]);
  EXPECT_EQ(drawn.report.nodes, 1U);
  EXPECT_EQ(drawn.report.end_ns, 3001);
  EXPECT_TRUE(drawn.report.diagnostics.table().empty());
}

TEST(LogTimeline, TicksAreOfTheFrequencyGiven) {
  const Drawn drawn = timeline_of(
      "issue,npu=0,cycle=1000000000000000,id=1,name=a\n"
      "callback,npu=0,cycle=1000000000000003,id=1,name=a\n",
      {.npus = 1, .frequency = 2000});
  EXPECT_EQ(drawn.slices[0]["ts"], 500'000'000'000.0);
  EXPECT_EQ(drawn.slices[0]["dur"], 0.001);
}

TEST(LogTimeline, NodesSideBySideHaveThreadsOfTheirOwn) {
  const Drawn drawn = timeline_of(
      "issue,npu=0,cycle=0,id=1,name=COMM_a\n"
      "issue,npu=0,cycle=1,id=2,name=COMM_b\n"
      "callback,npu=0,cycle=5,id=1,name=COMM_a\n"
      "issue,npu=0,cycle=5,id=3,name=COMM_c\n"
      "callback,npu=0,cycle=8,id=2,name=COMM_b\n"
      "callback,npu=0,cycle=9,id=3,name=COMM_c\n");
  ASSERT_EQ(drawn.slices.size(), 3U);
  std::map<std::string, Json> tid;
  for (const Json& slice : drawn.slices) tid[slice["name"]] = slice["tid"];
  EXPECT_EQ(tid["COMM_a"], tid["COMM_c"]);
  EXPECT_NE(tid["COMM_a"], tid["COMM_b"]);
  EXPECT_EQ(drawn.threads.size(), 2U);
}

TEST(LogTimeline, WhatIsOpenAtTheEndAndWhatWasNeverIssuedIsListed) {
  const Drawn drawn = timeline_of(
      "issue,sys->id=1, tick=10, node->id=7, node->name=wait, node->type=4\n"
      "issue,sys->id=0, tick=10, node->id=7, node->name=wait, node->type=4\n"
      "callback,sys->id=0, tick=20, node->id=8, node->name=lost, node->type=4\n"
      "issue,sys->id=0, tick=30, node->id=7, node->name=wait, node->type=4\n");
  ASSERT_EQ(drawn.report.unfinished.size(), 2U);
  EXPECT_EQ(drawn.report.unfinished[0].npu, 0U);
  EXPECT_EQ(drawn.report.unfinished[1].npu, 1U);
  EXPECT_EQ(drawn.report.unfinished[1].tick, 10U);
  ASSERT_EQ(drawn.report.unmatched.size(), 1U);
  EXPECT_EQ(drawn.report.unmatched[0].name, "lost");
  EXPECT_EQ(drawn.report.diagnostics.count(Finding::kUnfinishedNode), 2U);
  EXPECT_EQ(drawn.report.diagnostics.count(Finding::kUnmatchedCallback), 1U);
  EXPECT_EQ(drawn.report.diagnostics.count(Finding::kIssuedTwice), 1U);
  ASSERT_EQ(drawn.slices.size(), 2U);
  EXPECT_EQ(drawn.slices[0]["name"], "wait (unfinished)");
  EXPECT_EQ(drawn.slices[0]["dur"], 0.02);  // to the log's end
}

TEST(LogTimeline, ACallbackBeforeItsIssueIsAFinding) {
  const Drawn drawn = timeline_of("issue,a=0,b=30,c=1,d=x\ncallback,a=0,b=20,c=1,d=x\n");
  EXPECT_EQ(drawn.report.diagnostics.count(Finding::kCallbackBeforeIssue), 1U);
  ASSERT_EQ(drawn.slices.size(), 1U);
  EXPECT_EQ(drawn.slices[0]["dur"], 0.0);
}

TEST(LogTimeline, NpusBeyondTheNumberGivenAndMissingOnesAreFindings) {
  const Drawn drawn = timeline_of("issue,a=2,b=0,c=1,d=x\ncallback,a=2,b=1,c=1,d=x\n", {.npus = 2});
  EXPECT_EQ(drawn.report.diagnostics.count(Finding::kNpuBeyond), 1U);
  EXPECT_EQ(drawn.report.diagnostics.count(Finding::kNpuMissing), 2U);
}

TEST(LogTimeline, BrokenAndEndlessLinesAreCountedAndTheRestIsKept) {
  const std::string log =
      "issue,a=0,b=0,c=1,d=x\nissue,a=zero,b=0,c=1,d=x\n" + std::string(3 << 20, 'y') +
      "\nissue,a=0,b=99999999999999999999,c=2,d=x\n" + "callback,a=0,b=4,c=1,d=x";
  const Drawn drawn = timeline_of(log);
  EXPECT_EQ(drawn.slices.size(), 1U);
  EXPECT_EQ(drawn.report.diagnostics.count(Finding::kBrokenLogLine), 2U);
  EXPECT_EQ(drawn.report.diagnostics.count(Finding::kOversizedLine), 1U);
}

TEST(LogTimeline, OfSomethingElseIsAnErrorThatSaysWhatToPass) {
  for (const std::string& log : {std::string(), std::string("\n"), std::string("hello\nworld\n")}) {
    const Error error = error_of([&] { timeline_of(log); });
    EXPECT_EQ(error.code(), ErrorCode::kInput);
    EXPECT_STREQ(error.what(),
                 "x.log: holds no line of a simulator's log. Pass what it logged of its workload: "
                 "lines that begin with issue, and callback,");
  }
}

}  // namespace
}  // namespace nadi
