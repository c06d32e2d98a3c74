#include "nadi/converters/doctor.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "nadi/input/byte_source.h"
#include "nadi/read/device_trace_reader.h"
#include "nadi/read/host_trace_reader.h"

namespace nadi {
namespace {

std::string events(const std::string& list, const std::string& keys = "") {
  return R"({"schemaVersion": 1, )" + keys + R"("traceEvents": [)" + list + "]}";
}

/// The findings for a device trace (and a host trace) given as text.
std::vector<DoctorFinding> examine(const std::string& device,
                                   const std::optional<std::string>& host = std::nullopt) {
  Diagnostics diagnostics;
  std::optional<HostTrace> host_trace;
  if (host) {
    ByteSource source = source_of_bytes(*host, "test");
    host_trace = read_host_trace(source, diagnostics);
  }
  ByteSource source = source_of_bytes(device, "test");
  DeviceTrace device_trace = read_device_trace(source, diagnostics);
  return examine_traces(std::move(host_trace), std::move(device_trace), diagnostics);
}

std::optional<DoctorFinding> find(const std::vector<DoctorFinding>& findings, const char* topic) {
  for (const auto& finding : findings) {
    if (finding.topic == topic) return finding;
  }
  return std::nullopt;
}

/// Health of a topic as text; "none" where there is no finding on it.
std::string health(const std::vector<DoctorFinding>& findings, const char* topic) {
  const auto finding = find(findings, topic);
  return finding ? std::string(to_string(finding->health)) : "none";
}

const std::string kOp =
    R"({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 10.000, "dur": 20.000,
        "args": {"External id": 1, "Record function id": 7}})";
const std::string kLaunch =
    R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 12.000,
        "dur": 2.000, "args": {"correlation": 5}})";
const std::string kKernel =
    R"({"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 20.000, "dur": 5.000,
        "args": {"device": 0, "stream": 7, "correlation": 5}})";
const std::string kSyncCall =
    R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaStreamSynchronize", "pid": 1, "tid": 1,
        "ts": 31.000, "dur": 2.000, "args": {"correlation": 6}})";
const std::string kAllReduce =
    R"({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "pid": 0,
        "tid": 9, "ts": 26.000, "dur": 5.000,
        "args": {"device": 0, "stream": 9, "correlation": 5}})";

std::string host_with(const std::string& name, int rf_id, const std::string& end) {
  return R"({"schema": "1.1.1-chakra.0.0.4", "pid": 1, "time": "now", "start_ts": 1, "nodes": [
    {"id": 2, "name": ")" +
         name + R"(", "ctrl_deps": 1, "inputs": {"values": [], "shapes": [], "types": []},
     "outputs": {"values": [], "shapes": [], "types": []},
     "attrs": [{"name": "rf_id", "type": "uint64", "value": )" +
         std::to_string(rf_id) + R"(}]},
    {"id": 1, "name": "[pytorch|profiler|execution_trace|process]", "ctrl_deps": 1,
     "inputs": {"values": [], "shapes": [], "types": []},
     "outputs": {"values": [], "shapes": [], "types": []},
     "attrs": [{"name": "rf_id", "type": "uint64", "value": 0}]}])" +
         end;
}
const std::string kStopped = R"(, "finish_ts": 9})";

TEST(Doctor, AHealthyPairLacksNothingImportant) {
  const auto findings =
      examine(events(kOp + "," + kLaunch + "," + kKernel), host_with("aten::mm", 7, kStopped));
  for (const auto& finding : findings) {
    EXPECT_NE(finding.health, TraceHealth::kLacking) << finding.topic << ": " << finding.found;
  }
  EXPECT_EQ(health(findings, "same run"), "good");
  EXPECT_EQ(health(findings, "launches"), "good");
}

TEST(Doctor, OfEveryNeedThatIsNotGoodARemedyIsNamed) {
  std::map<TraceNeed, bool> has_remedy;
  for (const auto& finding : examine(events(kOp + "," + kKernel + "," + kAllReduce))) {
    if (finding.health == TraceHealth::kGood) {
      EXPECT_EQ(finding.remedy, "") << finding.topic;
      continue;
    }
    has_remedy[finding.need] |= !finding.remedy.empty();
  }
  EXPECT_EQ(has_remedy.size(), 4u);
  for (const auto& [need, is_named] : has_remedy) EXPECT_TRUE(is_named) << to_string(need);
}

TEST(Doctor, AMatchedPairOfTwoProcessesIsGoodInPart) {
  std::string host = host_with("aten::mm", 7, kStopped);
  host.replace(host.find(R"("pid": 1)"), 8, R"("pid": 2)");
  const auto finding = find(examine(events(kOp), host), "same run");
  EXPECT_EQ(finding->health, TraceHealth::kPartly);
  EXPECT_EQ(finding->found,
            "1 of 1 host ops are in the device trace; the traces name different processes");
}

TEST(Doctor, TracesOfDifferentRunsAreTold) {
  const auto findings = examine(events(kOp), host_with("aten::conv2d", 7, kStopped));
  EXPECT_EQ(health(findings, "same run"), "lacking");
  EXPECT_NE(find(findings, "same run")->found.find("1 id meets another name"), std::string::npos);
}

TEST(Doctor, AnObserverThatWasNotStoppedIsTold) {
  const auto findings = examine(events(kOp), host_with("aten::mm", 7, "}"));
  EXPECT_EQ(health(findings, "host trace"), "partly");
}

TEST(Doctor, OldTracesWithoutRecordFunctionIdsAreTold) {
  const std::string op =
      R"({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 2,
          "args": {"External id": 1}})";
  const auto findings = examine(events(op), host_with("aten::mm", 7, kStopped));
  EXPECT_EQ(health(findings, "record-function ids"), "partly");
  EXPECT_EQ(health(findings, "same run"), "lacking") << "one name is too little for nadi convert";
}

TEST(Doctor, AMissingDeviceActivityIsTold) {
  EXPECT_EQ(health(examine(events(kOp)), "device rows"), "lacking");
}

TEST(Doctor, AMissingHostActivityIsTold) {
  EXPECT_EQ(health(examine(events(kLaunch + "," + kKernel)), "profiler ops"), "lacking");
}

TEST(Doctor, RowsWithoutTheirRuntimeRowAreLostLaunches) {
  EXPECT_EQ(health(examine(events(kOp + "," + kKernel)), "launches"), "lacking");
}

TEST(Doctor, RowsOfAFlowAreLaunchedAlsoWithoutACorrelation) {
  const std::string row =
      R"({"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 20.000, "dur": 5.000,
          "args": {"device": 0, "stream": 7}})";
  const std::string flow =
      R"({"ph": "s", "id": 5, "pid": 1, "tid": 1, "ts": 12.000, "cat": "ac2g", "name": "ac2g"},
         {"ph": "f", "id": 5, "pid": 0, "tid": 7, "ts": 20.000, "cat": "ac2g", "name": "ac2g",
          "bp": "e"})";
  EXPECT_EQ(health(examine(events(kOp + "," + kLaunch + "," + row)), "launches"), "lacking");
  EXPECT_EQ(health(examine(events(kOp + "," + kLaunch + "," + row + "," + flow)), "launches"),
            "good");
}

TEST(Doctor, OfADeviceThatNamesNoLaunchesNoRecordingIsAskedFor) {
  const std::string row =
                        R"({"ph": "X", "cat": "mtia_ccp_events", "name": "add", "pid": 0, "tid": )",
                    rest = R"(, "ts": 20.000, "dur": 5.000, "args": {"device": 0}})";
  const std::string call =
      R"({"ph": "X", "cat": "mtia_runtime", "name": "runFunction", "pid": 1, "tid": 1, "ts": 11,
          "dur": 1, "args": {"correlation": 5}})";
  const auto findings =
      examine(events(kOp + "," + call + "," + row + "7" + rest + "," + row + "8" + rest));
  ASSERT_EQ(health(findings, "launches"), "lacking");
  EXPECT_NE(find(findings, "launches")->found.find("; 2 name no call"), std::string::npos);
  ASSERT_EQ(health(findings, "waiting calls"), "partly");
  for (const char* topic : {"launches", "waiting calls"})
    EXPECT_EQ(find(findings, topic)->remedy, "") << topic;
}

TEST(Doctor, OfATraceThatIsCutBeforeItsRowsTellsToRecordItToItsEnd) {
  const std::string whole = events(kOp + "," + kLaunch + "," + kKernel);
  const auto findings = examine(whole.substr(0, whole.find("gemm")));
  ASSERT_EQ(health(findings, "device rows"), "lacking");
  EXPECT_NE(find(findings, "device rows")->remedy.find("record it again, to its end"),
            std::string::npos);
}

TEST(Doctor, SyncRowsAreMissedOnlyWhereTheProgramWaits) {
  const std::string work = kOp + "," + kLaunch + "," + kKernel;
  EXPECT_EQ(health(examine(events(work)), "sync rows"), "none");
  const auto findings = examine(events(work + "," + kSyncCall));
  ASSERT_EQ(health(findings, "sync rows"), "lacking");
  EXPECT_NE(find(findings, "sync rows")->remedy.find("enable_cuda_sync_events=True"),
            std::string::npos);
}

TEST(Doctor, SyncRowsThatNameNoRecordHelpOnlyInPart) {
  const std::string wait =
      R"({"ph": "X", "cat": "cuda_sync", "name": "Stream Wait Event", "pid": 0, "tid": 7, "ts": 31,
          "dur": 1, "args": {"device": 0, "context": 1, "stream": 7, "correlation": 6,
          "wait_on_stream": -1, "wait_on_cuda_event_record_corr_id": -1,
          "wait_on_cuda_event_id": 4}})";
  const std::string record =
      R"({"ph": "X", "cat": "cuda_event", "name": "cudaEvent", "pid": 0, "tid": 7, "ts": 30, "dur": 0,
          "args": {"event_id": 4, "stream": 7, "correlation": 4, "context": 1, "device": 0}})";
  const std::string work = kOp + "," + kLaunch + "," + kKernel + "," + kSyncCall + "," + wait;
  EXPECT_EQ(health(examine(events(work)), "sync rows"), "lacking");
  EXPECT_EQ(health(examine(events(work + "," + record)), "sync rows"), "good");
}

/// A call of that name, a microsecond long.
std::string call(const std::string& name, int correlation) {
  return R"({"ph": "X", "cat": "cuda_runtime", "name": ")" + name +
         R"(", "pid": 1, "tid": 1, "ts": 40.000, "dur": 1.000, "args": {"correlation": )" +
         std::to_string(correlation) + "}}";
}

TEST(Doctor, SaysWhatWhatIfsRestOn) {
  const std::string one = kOp + "," + kLaunch + "," + kKernel,
                    two = one + "," + kAllReduce + "," + call("cudaStreamWaitEvent", 8),
                    records = two + "," + call("cudaEventRecord", 7);
  const std::string sync =
      R"({"ph": "X", "cat": "cuda_sync", "name": "Stream Wait Event", "pid": 0, "tid": 9, "ts": 40,
          "dur": 1, "args": {"device": 0, "context": 1, "stream": 9, "correlation": 8,
          "wait_on_stream": 7, "wait_on_cuda_event_record_corr_id": )";
  struct Case {
    std::string events;
    const char *health, *found;
  };
  for (const Case& c :
       {Case{one, "good", "none is recorded, and all rows are of one stream"},
        Case{one + "," + kSyncCall, "good", "of one stream"},
        Case{records + "," + sync + R"(7, "wait_on_cuda_event_id": 4}})", "good",
             "what they wait for is recorded of all 1"},
        Case{records + "," + sync + R"(-1, "wait_on_cuda_event_id": 4}})", "partly",
             "0 of 1 name what they wait for, which is inferred of the others"},
        Case{records, "partly", "0 of 1 name what they wait for, which is inferred of the others"},
        Case{two, "partly", "which is inferred of the others, without event records"}}) {
    const auto findings = examine(events(c.events));
    ASSERT_EQ(health(findings, "waiting calls"), c.health) << c.found;
    EXPECT_NE(find(findings, "waiting calls")->found.find(c.found), std::string::npos)
        << find(findings, "waiting calls")->found;
  }
  EXPECT_NE(
      find(examine(events(two)), "waiting calls")->remedy.find("enable_cuda_sync_events=True"),
      std::string::npos);
  EXPECT_EQ(health(examine(events(kOp)), "waiting calls"), "none");
}

TEST(Doctor, CollectivesNeedProcessGroupsSizesAndARank) {
  const auto without = examine(events(kOp + "," + kLaunch + "," + kAllReduce));
  EXPECT_EQ(health(without, "process groups"), "lacking");
  EXPECT_EQ(health(without, "message sizes"), "lacking");
  EXPECT_EQ(health(without, "rank"), "partly");
  const auto with = examine(
      events(kOp + "," + kLaunch + "," + kAllReduce,
             R"("distributedInfo": {"backend": "nccl", "rank": 1, "world_size": 2, "pg_config":
                [{"pg_name": "0", "pg_desc": "default_pg", "backend_config": "cuda:nccl",
                  "pg_size": 2, "ranks": [0, 1]}]}, )"));
  EXPECT_EQ(health(with, "process groups"), "good");
  EXPECT_EQ(health(with, "rank"), "good");
}

TEST(Doctor, SizesThatFollowFromTensorsLackNothingButTheirRecord) {
  const std::string op =
      R"({"ph": "X", "cat": "user_annotation", "name": "nccl:all_reduce", "pid": 1, "tid": 1,
          "ts": 10.000, "dur": 20.000, "args": {"External id": 1, "Record function id": 7,
          "Input Dims": [[64, 4]], "Input type": ["float"]}})";
  const auto findings = examine(events(op + "," + kLaunch + "," + kAllReduce));
  ASSERT_EQ(health(findings, "message sizes"), "partly");
  EXPECT_EQ(find(findings, "message sizes")->found,
            "none recorded; 1 follow from the tensors of their ops");
}

TEST(Doctor, ProgramsWithoutCollectivesNeedNoProcessGroups) {
  const auto findings = examine(events(kOp + "," + kLaunch + "," + kKernel));
  EXPECT_EQ(health(findings, "process groups"), "none");
  EXPECT_EQ(health(findings, "message sizes"), "none");
}

TEST(Doctor, ProfilerStepsAreFound) {
  const std::string step =
      R"({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#3", "pid": 1, "tid": 1, "ts": 1,
          "dur": 50, "args": {"External id": 2}})";
  EXPECT_EQ(health(examine(events(kOp)), "steps"), "partly");
  EXPECT_EQ(health(examine(events(kOp + "," + step)), "steps"), "good");
}

TEST(Doctor, ShapesComeFromTheHostTraceElseFromTheProfiler) {
  EXPECT_EQ(health(examine(events(kOp)), "shapes"), "partly");
  EXPECT_EQ(health(examine(events(kOp), host_with("aten::mm", 7, kStopped)), "shapes"), "good");
}

TEST(Doctor, GarbageTimesAreCounted) {
  const std::string garbage =
      R"({"ph": "X", "cat": "kernel", "name": "late", "pid": 0, "tid": 7, "ts": 0, "dur": 0,
          "args": {"device": 0, "stream": 7, "correlation": 5}})";
  EXPECT_EQ(health(examine(events(kOp + "," + kLaunch + "," + kKernel)), "garbage-time"), "none");
  EXPECT_EQ(
      health(examine(events(kOp + "," + kLaunch + "," + kKernel + "," + garbage)), "garbage-time"),
      "partly");
}

TEST(Doctor, ADeviceClockThatContradictsCallsIsTold) {
  const std::string early =
      R"({"ph": "X", "cat": "kernel", "name": "early", "pid": 0, "tid": 7, "ts": 3.5, "dur": 5,
          "args": {"device": 0, "stream": 7, "correlation": 5}})";
  EXPECT_EQ(health(examine(events(kOp + "," + kLaunch + "," + kKernel)), "clock-corrected"),
            "none");
  const auto findings = examine(events(kOp + "," + kLaunch + "," + early));
  EXPECT_EQ(health(findings, "clock-corrected"), "partly");
  EXPECT_NE(find(findings, "clock-corrected")->found.find("device 0: -8.500 us"),
            std::string::npos);
}

TEST(Doctor, ATruncatedFileIsTold) {
  const std::string whole = events(kOp + "," + kLaunch + "," + kKernel);
  EXPECT_EQ(health(examine(whole), "truncated-input"), "none");
  EXPECT_EQ(health(examine(whole.substr(0, whole.size() - 40)), "truncated-input"), "partly");
}

/// A kernel as Cuspy writes it.
std::string cuspy_kernel(double ts, const std::string& args) {
  return R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": )" +
         std::to_string(ts) + R"(, "dur": 5, "args": {"device": 0, "context": 1, "stream": 7,
          "channel_type": "COMPUTE", )" +
         args + "}}";
}
const std::string kGraphLaunch =
    R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaGraphLaunch", "pid": 1, "tid": 1, "ts": 12.000,
        "dur": 2.000, "args": {"cbid": 311, "correlation": 5}})";
const std::string kGraph =
    kOp + "," + kGraphLaunch + "," +
    cuspy_kernel(20, R"("correlation": 5, "graph id": 3, "graph node id": 1)") + "," +
    cuspy_kernel(30, R"("correlation": 5, "graph id": 3, "graph node id": 2)");
const std::string kDependency =
    R"(,{"ph": "s", "id": 1099511627776, "pid": 0, "tid": 7, "ts": 25, "cat": "ac2g", "name": "ac2g"},
        {"ph": "f", "id": 1099511627776, "pid": 0, "tid": 7, "ts": 30, "cat": "ac2g", "name": "ac2g",
         "bp": "e"})";

TEST(Doctor, CuspysTracesAreNamed) {
  EXPECT_EQ(find(examine(events(kGraph)), "profiler")->found.substr(0, 5), "Cuspy");
  EXPECT_EQ(health(examine(events(kOp + "," + kLaunch + "," + kKernel)), "profiler"), "none");
}

TEST(Doctor, OfGraphsWithoutRecordedDependenciesTellsTheOptionThatRecordsThem) {
  const auto finding = find(examine(events(kGraph)), "graph dependencies");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->health, TraceHealth::kPartly);
  EXPECT_EQ(finding->found, "0 of 1 CUDA graph has recorded ones");
  EXPECT_NE(finding->remedy.find("CuspyConfig(enable_graph_dependencies=True)"), std::string::npos);
  EXPECT_NE(finding->remedy.find("before the graphs are instantiated"), std::string::npos);
  EXPECT_EQ(health(examine(events(kGraph + kDependency)), "graph dependencies"), "good");
}

TEST(Doctor, OfKinetosGraphsTellsThatAnotherProfilerRecordsDependencies) {
  const auto finding =
      find(examine(events(kGraph + "," + cuspy_kernel(50, R"("blocks per SM": 1)"))),
           "graph dependencies");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->found, "none: the order inside CUDA graphs is inferred");
  EXPECT_EQ(health(examine(events(kOp + "," + kLaunch + "," + kKernel)), "graph dependencies"),
            "none");
}

std::string wait_for(int record) {
  return R"(,{"ph": "X", "cat": "cuda_sync", "name": "Stream Wait Event", "pid": 0, "tid": 9,
      "ts": 16, "dur": 0, "args": {"device": 0, "context": 1, "stream": 9, "correlation": 8,
      "wait_on_stream": -1, "wait_on_cuda_event_record_corr_id": )" +
         std::to_string(record) + "}}";
}

TEST(Doctor, OfWaitsForEventsOfGraphsTellsTheOptionThatPlacesThem) {
  const auto finding = find(examine(events(kGraph + wait_for(5))), "graph events");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->found, "0 of 1 waits for events of CUDA graphs tell where these are recorded");
  EXPECT_NE(finding->remedy.find("CuspyConfig(enable_event_node_ids=True)"), std::string::npos);
  const std::string event_node =
      R"(,{"ph": "X", "cat": "graph_event_node", "name": "EventRecord", "pid": 0, "tid": 7, "ts": 26,
          "dur": 0, "args": {"device": 0, "context": 1, "stream": 7, "correlation": 5,
          "graph id": 3, "graph node id": 9}})";
  EXPECT_EQ(health(examine(events(kGraph + wait_for(5) + event_node)), "graph events"), "good");
  EXPECT_EQ(health(examine(events(kGraph + wait_for(77))), "graph events"), "none");
}

TEST(Doctor, OfCuspysTracesWithoutSyncRowsTellsCuspysOption) {
  const auto finding = find(examine(events(kGraph + "," + kSyncCall)), "sync rows");
  ASSERT_TRUE(finding);
  EXPECT_NE(finding->remedy.find("CuspyConfig(enable_cuda_sync_events=True)"), std::string::npos);
}

}  // namespace
}  // namespace nadi
