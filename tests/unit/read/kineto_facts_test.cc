// One test per fact of schema/kineto.md that concerns reading (K1-K19).
#include <gtest/gtest.h>

#include "nadi/read/category_table.h"
#include "tests/unit/read/read_text.h"

namespace nadi {
namespace {

using test::read_device;
using test::read_events;

constexpr const char* kKernel =
    R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 5, "dur": 2,
        "args": {"device": 0, "stream": 7, "correlation": 3}})";

TEST(KinetoFacts, K1_TopLevelKeysMayComeInAnyOrder) {
  const DeviceTrace trace =
      read_device(std::string(R"({"displayTimeUnit": "ms", "traceEvents": [)") + kKernel +
                  R"(], "with_stack": 1, "free": {"a": ["]", "}"]},
      "distributedInfo": {"rank": 3, "world_size": 8, "backend": "nccl"}, "traceName": "t"})");
  EXPECT_EQ(trace.rows.size(), 1U);
  EXPECT_EQ(trace.rank, 3);
  EXPECT_EQ(trace.world_size, 8);
  EXPECT_EQ(trace.strings[trace.backend], "nccl");
}

TEST(KinetoFacts, K1_ABareListOfEventsIsATrace) {
  EXPECT_EQ(read_device(std::string("[") + kKernel + "," + kKernel + "]").rows.size(), 2U);
}

TEST(KinetoFacts, K2_MicrosecondsBecomeExactNanoseconds) {
  const DeviceTrace trace = read_events(
      R"({"ph": "X", "cat": "kernel", "name": "a", "ts": 1712345678901234.567, "dur": 1.001},
         {"ph": "X", "cat": "kernel", "name": "b", "ts": "1712345678901234", "dur": 1e3},
         {"ph": "X", "cat": "kernel", "name": "c", "ts": 1.5E+3, "dur": 0.1})");
  EXPECT_EQ(trace.rows.start_ns,
            (std::vector<Ns>{1712345678901234567, 1712345678901234000, 1500000}));
  EXPECT_EQ(trace.rows.duration_ns, (std::vector<Ns>{1001, 1000000, 100}));
}

TEST(KinetoFacts, K3_TheBaseTimeIsKeptBesideRelativeStamps) {
  const DeviceTrace trace = read_device(std::string(R"({"traceEvents": [)") + kKernel +
                                        R"(], "baseTimeNanoseconds": 1711964646000000000})");
  EXPECT_EQ(trace.base_time_ns, 1711964646000000000);
  EXPECT_EQ(trace.rows.start_ns[0], 5000);
}

TEST(KinetoFacts, K4_RanksOfAGroupAreAListOrAString) {
  const DeviceTrace trace = read_device(std::string(
                                            R"({"distributedInfo": {"rank": 0, "pg_config": [
      {"pg_name": "0", "pg_desc": "default_pg", "backend_config": "cuda:nccl", "pg_size": 2, "ranks": [0, 1]},
      {"pg_name": "1", "pg_desc": "tp", "group_size": 3, "ranks": "[4, 5, 6]"},
      {"pg_name": "2", "pg_desc": "dp", "group_size": 64, "ranks": "[0, 1, ..., ...]"}]},
      "traceEvents": [)") + kKernel + "]}");
  ASSERT_EQ(trace.groups.size(), 3U);
  EXPECT_EQ(trace.groups[0].name, "0");
  EXPECT_EQ(trace.groups[0].desc, "default_pg");
  EXPECT_EQ(trace.groups[0].backend_config, "cuda:nccl");
  EXPECT_EQ(trace.groups[0].size, 2);
  EXPECT_EQ(trace.groups[0].ranks, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(trace.groups[1].ranks, (std::vector<std::int64_t>{4, 5, 6}));
  EXPECT_EQ(trace.groups[1].size, 3);
  EXPECT_TRUE(trace.groups[2].ranks.empty());  // cut: not told in full
}

TEST(KinetoFacts, K5_PidAndTidNeedNotBeNumbers) {
  const DeviceTrace trace = read_events(
      R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": "Spans", "tid": "", "ts": 1, "dur": 1},
         {"ph": "X", "cat": "cpu_op", "name": "b", "pid": -1, "tid": -7, "ts": 2, "dur": 1},
         {"ph": "X", "cat": "kernel", "name": "c", "pid": "0", "tid": "stream 7", "ts": 3, "dur": 1})");
  ASSERT_EQ(trace.threads.size(), 2U);
  EXPECT_EQ(trace.strings[trace.threads[0].pid], "Spans");
  EXPECT_EQ(trace.threads[0].number, -1);
  EXPECT_EQ(trace.strings[trace.threads[1].tid], "-7");
  EXPECT_EQ(trace.threads[1].number, -7);
  EXPECT_EQ(trace.rows.stream[0], 7);  // no args: the lane tells
  EXPECT_EQ(trace.rows.device[0], 0);
}

TEST(KinetoFacts, K6_MetadataNamesThreadsAndOtherPhasesAreNoRows) {
  const DeviceTrace trace = read_events(
      R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 2, "ts": 1, "dur": 1},
         {"name": "thread_name", "ph": "M", "ts": 0, "pid": 1, "tid": 2, "args": {"name": "main"}},
         {"name": "thread_sort_index", "ph": "M", "ts": 0, "pid": 1, "tid": 2, "args": {"sort_index": 1}},
         {"name": "mark", "ph": "i", "s": "g", "pid": 1, "tid": 2, "ts": 1},
         {"name": "GPU 0", "ph": "C", "pid": 0, "ts": 1, "args": {"Utilization": 3}})");
  EXPECT_EQ(trace.strings[trace.threads[0].name], "main");
  EXPECT_EQ(trace.ops.size(), 1U);
  EXPECT_EQ(trace.rows.size(), 0U);
  EXPECT_EQ(trace.event_count, 5U);
}

TEST(KinetoFacts, K8_DeviceRowsWithGarbageTimesStayAndHostRowsGo) {
  Diagnostics diagnostics;
  const DeviceTrace trace = read_events(
      R"({"ph": "X", "cat": "kernel", "name": "zero", "ts": 0, "dur": 0, "args": {"correlation": 1}},
         {"ph": "X", "cat": "kernel", "name": "days", "ts": 5, "dur": 18446744073709551},
         {"ph": "X", "cat": "kernel", "name": "negative", "ts": 5, "dur": -3},
         {"ph": "X", "cat": "kernel", "name": "empty", "ts": 5, "dur": 0},
         {"ph": "X", "cat": "cuda_runtime", "name": "call", "ts": 0, "dur": 0},
         {"ph": "X", "cat": "cpu_op", "name": "op", "ts": 5, "dur": 99999999999999})",
      diagnostics);
  EXPECT_EQ(trace.rows.start_ns, (std::vector<Ns>{kNoTime, kNoTime, kNoTime, 5000}));
  EXPECT_EQ(trace.rows.duration_ns, (std::vector<Ns>{0, 0, 0, 0}));
  EXPECT_EQ(trace.rows.correlation[0], 1);
  EXPECT_EQ(trace.calls.size() + trace.ops.size(), 0U);
  EXPECT_EQ(diagnostics.count(Finding::kGarbageTime), 5U);
  EXPECT_EQ(trace.first_ns, 5000);
  EXPECT_EQ(trace.last_ns, 5000);
}

TEST(KinetoFacts, K8_TimesThatDoNotFitAreGarbage) {
  Diagnostics diagnostics;
  const DeviceTrace trace = read_events(
      R"({"ph": "X", "cat": "kernel", "name": "last", "ts": 9223372036854775.807, "dur": 1},
         {"ph": "X", "cat": "kernel", "name": "wrapped", "ts": 9223372036854776, "dur": 1},
         {"ph": "X", "cat": "cpu_op", "name": "op", "ts": 9999999999999999, "dur": 1},
         {"ph": "X", "cat": "cuda_runtime", "name": "call", "ts": -9223372036854776, "dur": 1},
         {"ph": "X", "cat": "kernel", "name": "gemm", "ts": 1712345678901234.567, "dur": 1})",
      diagnostics);
  EXPECT_EQ(trace.rows.start_ns, (std::vector<Ns>{kNoTime, kNoTime, 1712345678901234567}));
  EXPECT_EQ(trace.ops.size() + trace.calls.size(), 0U);
  EXPECT_EQ(diagnostics.count(Finding::kGarbageTime), 4U);
  EXPECT_EQ(trace.first_ns, 1712345678901234567);
  EXPECT_EQ(trace.last_ns, 1712345678901235567);
}

TEST(KinetoFacts, K9_AnnotationsOnTheDeviceAreNoDeviceRows) {
  Diagnostics diagnostics;
  const DeviceTrace trace =
      read_events(R"({"ph": "X", "cat": "gpu_user_annotation", "name": "step", "ts": 1, "dur": 9})",
                  diagnostics);
  EXPECT_EQ(trace.rows.size(), 0U);
  EXPECT_TRUE(diagnostics.table().empty());
}

TEST(KinetoFacts, K10_IdentityOfOpsIsReadUnderItsOtherNamesToo) {
  const DeviceTrace trace = read_events(
      R"({"ph": "X", "cat": "cpu_op", "name": "a", "ts": 1, "dur": 1, "args": {"External id": 18446744073709551615,
            "Record function id": 12, "Sequence number": 5, "Fwd thread id": 1, "Ev Idx": 3}},
         {"ph": "X", "cat": "Operator", "name": "b", "ts": 2, "dur": 1, "args": {"external id": "9"}})");
  EXPECT_EQ(trace.ops.external_id, (std::vector<std::uint64_t>{18446744073709551615U, 9}));
  EXPECT_EQ(trace.ops.rf_id, (std::vector<std::uint64_t>{12, 0}));
  EXPECT_EQ(trace.ops.seq_id, (std::vector<std::int64_t>{5, -1}));
  EXPECT_EQ(trace.ops.fwd_thread, (std::vector<std::uint64_t>{1, 0}));
}

TEST(KinetoFacts, K11_OneCorrelationMayOwnManyDeviceRowsAndCalls) {
  const DeviceTrace trace = read_events(
      std::string(kKernel) + "," + kKernel +
      R"(,{"ph": "X", "cat": "cuda_runtime", "name": "cudaGraphLaunch", "ts": 1, "dur": 1, "args": {"correlation": 3}},
          {"ph": "X", "cat": "cuda_driver", "name": "cuLaunchKernel", "ts": 1, "dur": 1, "args": {"correlation": 3}})");
  EXPECT_EQ(trace.rows.correlation, (std::vector<std::int64_t>{3, 3}));
  EXPECT_EQ(trace.calls.correlation, (std::vector<std::int64_t>{3, 3}));
}

TEST(KinetoFacts, K12_AnAbsentExternalIdIsZeroAndAnAbsentCorrelationMinusOne) {
  const DeviceTrace trace = read_events(
      R"({"ph": "X", "cat": "kernel", "name": "a", "ts": 1, "dur": 1, "args": {"External id": 8}},
         {"ph": "X", "cat": "kernel", "name": "b", "ts": 1, "dur": 1, "args": {"correlation": 8}})");
  EXPECT_EQ(trace.rows.external_id, (std::vector<std::uint64_t>{8, 0}));
  EXPECT_EQ(trace.rows.correlation, (std::vector<std::int64_t>{-1, 8}));
}

TEST(KinetoFacts, K14_FlowEndsKeepTheirKindUnderOldNamesToo) {
  const DeviceTrace trace = read_events(
      R"({"ph": "s", "id": 4, "pid": 1, "tid": 2, "ts": 1, "cat": "ac2g", "name": "ac2g"},
         {"ph": "f", "id": 4, "pid": 0, "tid": 7, "ts": 2, "cat": "async_cpu_to_gpu", "name": "async_gpu", "bp": "e"},
         {"ph": "f", "id": 4, "pid": 1, "tid": 2, "ts": 3, "cat": "fwdbwd", "name": "fwdbwd", "bp": "e"})");
  EXPECT_EQ(trace.flows.kind, (std::vector<FlowKind>{FlowKind::kLaunch, FlowKind::kLaunch,
                                                     FlowKind::kForwardBackward}));
  EXPECT_EQ(trace.flows.is_finish, (std::vector<std::uint8_t>{0, 1, 1}));
  EXPECT_EQ(trace.flows.time_ns, (std::vector<Ns>{1000, 2000, 3000}));
  EXPECT_EQ(trace.flows.thread[0], trace.flows.thread[2]);
}

TEST(KinetoFacts, K15_HostThreadsKeepTheirOsThreadId) {
  const DeviceTrace trace = read_events(
      R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 2910249, "tid": 2919752, "ts": 1, "dur": 1})");
  EXPECT_EQ(trace.threads[trace.ops.thread[0]].number, 2919752);
}

TEST(KinetoFacts, K16_K17_SyncRowsSayWhatTheyWaitForAndHugeNumbersSayNothing) {
  const DeviceTrace trace = read_events(
      R"({"ph": "X", "cat": "cuda_sync", "name": "Event Sync", "ts": 1, "dur": 2, "args": {"wait_on_stream": 7,
            "wait_on_cuda_event_record_corr_id": 1533, "wait_on_cuda_event_id": 8, "stream": -1, "correlation": 9, "device": 0, "context": 1}},
         {"ph": "X", "cat": "cuda_sync", "name": "Stream Wait Event", "ts": 1, "dur": 2, "args": {"wait_on_stream": 4294967295,
            "wait_on_cuda_event_record_corr_id": 18446744073709551615, "wait_on_cuda_event_id": -1, "stream": 20}},
         {"ph": "X", "cat": "cuda_sync", "name": "Context Sync", "ts": 1, "dur": 2, "args": {"stream": -1}},
         {"ph": "X", "cat": "xpu_sync", "name": "Stream Sync", "ts": 1, "dur": 2, "args": {"stream": 3}})");
  EXPECT_EQ(trace.syncs.kind, (std::vector<SyncKind>{SyncKind::kEvent, SyncKind::kStreamWaitEvent,
                                                     SyncKind::kContext, SyncKind::kStream}));
  EXPECT_EQ(trace.syncs.wait_on_stream, (std::vector<std::int64_t>{7, -1, -1, -1}));
  EXPECT_EQ(trace.syncs.wait_on_record, (std::vector<std::int64_t>{1533, -1, -1, -1}));
  EXPECT_EQ(trace.syncs.wait_on_event, (std::vector<std::int64_t>{8, -1, -1, -1}));
  EXPECT_EQ(trace.syncs.stream, (std::vector<std::int64_t>{-1, 20, -1, 3}));
}

TEST(KinetoFacts, K18_EventRecordsCarryContextStreamAndEvent) {
  const DeviceTrace trace = read_events(
      R"({"ph": "X", "cat": "cuda_event", "name": "cudaEvent", "pid": 0, "tid": 7, "ts": 4, "dur": 0,
          "args": {"event_id": 8, "stream": 7, "correlation": 21, "device": 0, "context": 1}})");
  ASSERT_EQ(trace.event_records.size(), 1U);
  EXPECT_EQ(trace.event_records.event[0], 8);
  EXPECT_EQ(trace.event_records.stream[0], 7);
  EXPECT_EQ(trace.event_records.correlation[0], 21);
  EXPECT_EQ(trace.event_records.context[0], 1);
  EXPECT_EQ(trace.event_records.start_ns[0], 4000);
}

TEST(KinetoFacts, CollectivesKeepWhatTheirRowsRecord) {
  const DeviceTrace trace = read_events(
      R"({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_SendRecv", "ts": 1, "dur": 1, "args": {"Collective name": "send",
          "In msg nelems": 10, "Out msg nelems": 20, "Group size": 4, "dtype": "BFloat16", "In split size": "[1, 2]",
          "Out split size": "[]", "Process Group Name": "7", "Process Group Description": "pp", "Process Group Ranks": "[0, 4]",
          "Rank": 1, "Dst Rank": 4, "Seq": 11, "Global rank start": 0, "Global rank stride": 4}})");
  ASSERT_EQ(trace.comms.size(), 1U);
  const CommRecord& comm = trace.comms[trace.rows.comm[0]];
  EXPECT_EQ(trace.strings[comm.collective], "send");
  EXPECT_EQ(trace.strings[comm.dtype], "BFloat16");
  EXPECT_EQ(comm.in_nelems, 10);
  EXPECT_EQ(comm.out_nelems, 20);
  EXPECT_EQ(comm.group_size, 4);
  EXPECT_EQ(trace.strings[comm.in_split], "[1, 2]");
  EXPECT_EQ(trace.strings[comm.pg_name], "7");
  EXPECT_EQ(trace.strings[comm.pg_desc], "pp");
  EXPECT_EQ(trace.strings[comm.group_ranks], "[0, 4]");
  EXPECT_EQ(comm.peer_rank, 1);
  EXPECT_EQ(comm.dst_rank, 4);
  EXPECT_EQ(comm.src_rank, -1);
  EXPECT_EQ(comm.seq, 11);
  EXPECT_EQ(comm.rank_stride, 4);
  EXPECT_TRUE(comm.is_p2p);
}

TEST(Categories, NamesOfAllBackendsAndAgesHaveAKind) {
  for (const char* name : {"cuda_runtime", "cuda_driver", "mtia_runtime", "xpu_runtime",
                           "xpu_driver", "privateuse1_runtime", "privateuse1_driver", "Runtime"})
    EXPECT_EQ(event_category_of(name), EventCategory::kCall) << name;
  for (const char* name : {"kernel", "Kernel", "concurrent_kernel", "mtia_ccp_events", "hpu_op"})
    EXPECT_EQ(event_category_of(name), EventCategory::kKernel) << name;
  EXPECT_EQ(event_category_of("Memcpy"), EventCategory::kMemcpy);
  EXPECT_EQ(event_category_of("Memset"), EventCategory::kMemset);
  EXPECT_EQ(event_category_of("Operator"), EventCategory::kOp);
  EXPECT_EQ(event_category_of("python_function"), EventCategory::kPythonFunction);
  EXPECT_EQ(event_category_of("quantum_runtime"), EventCategory::kUnknown);
}

TEST(Categories, AnUnknownOneIsCountedAndItsRowIsNotKept) {
  Diagnostics diagnostics;
  const DeviceTrace trace = read_events(
      R"({"ph": "X", "cat": "quantum_op", "name": "q", "ts": 1, "dur": 1},
         {"ph": "X", "cat": "python_function", "name": "p", "ts": 1, "dur": 1})",
      diagnostics);
  EXPECT_EQ(trace.event_count, 2U);
  ASSERT_EQ(diagnostics.table().size(), 1U);
  EXPECT_EQ(diagnostics.table()[0].kind, Finding::kUnknownCategory);
  EXPECT_EQ(diagnostics.table()[0].first[0], "\"quantum_op\", event 0");
}

TEST(Categories, OfPythonsFunctionsTheCallsOfModulesAreAnnotations) {
  Diagnostics diagnostics;
  const DeviceTrace trace = read_events(
      R"({"ph": "X", "cat": "python_function", "name": "nn.Module: Linear_0", "ts": 1, "dur": 1},
         {"ph": "X", "cat": "python_function", "name": "torch/nn/modules/linear.py(1): forward",
          "ts": 1, "dur": 1})",
      diagnostics);
  ASSERT_EQ(trace.ops.size(), 1U);
  EXPECT_EQ(trace.strings[trace.ops.name[ProfilerOpIndex(0)]], "nn.Module: Linear_0");
  EXPECT_EQ(trace.ops.kind[ProfilerOpIndex(0)], ProfilerOpKind::kAnnotation);
  EXPECT_TRUE(diagnostics.table().empty());
}

}  // namespace
}  // namespace nadi
