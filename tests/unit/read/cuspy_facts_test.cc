// What Cuspy's JSON and Kineto's of 2026 write differently (numbers of facts: N).
#include <gtest/gtest.h>

#include "tests/unit/read/read_text.h"

namespace nadi {
namespace {

using namespace test;

std::string device_row(const std::string& category, const std::string& name,
                       const std::string& args, const std::string& more = "") {
  return R"({"ph":"X","cat":")" + category + R"(","name":")" + name +
         R"(","pid":0,"tid":7,"ts":20.5,"dur":5,"args":{)" + args + "}" + more + "}";
}
const std::string kPlace = R"("device":0,"context":1,"stream":7,"correlation":5)";
/// A kernel as Cuspy writes it, with further arguments.
std::string cuspy_kernel(const std::string& more = "") {
  return device_row("kernel", "gemm",
                    kPlace +
                        R"(,"grid":[1,1,1],"priority":0,"queued":0,"channel":2,)"
                        R"("channel_type":"COMPUTE")" +
                        more);
}
const std::string kCuspyCall =
    R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":12,"dur":2,)"
    R"("args":{"cbid":211,"correlation":5}})";

std::string name_of(const std::string& row) {
  const DeviceTrace trace = read_events(row);
  return std::string(trace.strings[trace.rows.name.at(0)]);
}
std::int64_t stream_of(const std::string& row) { return read_events(row).rows.stream.at(0); }

TEST(CuspyFacts, N8_ACuspyTraceIsToldByItsRows) {
  EXPECT_TRUE(read_events(kCuspyCall + "," + cuspy_kernel()).is_by_cuspy);
  const std::string kineto_call =
      R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":12,"dur":2,)"
      R"("args":{"External id":3,"cbid":211,"correlation":5}})";
  EXPECT_FALSE(read_events(kineto_call + "," + cuspy_kernel()).is_by_cuspy);
  EXPECT_FALSE(read_events(kCuspyCall + "," + cuspy_kernel(R"(,"blocks per SM":0.1)")).is_by_cuspy);
  EXPECT_FALSE(read_events(kCuspyCall + "," + device_row("kernel", "gemm", kPlace)).is_by_cuspy);
}

TEST(CuspyFacts, N12_TimesOfShortestDecimalsAreRounded) {
  const DeviceTrace trace = read_events(
      R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":4458676522690.6548,"dur":0.9996})");
  EXPECT_EQ(trace.rows.start_ns[0], 4'458'676'522'690'655);
  EXPECT_EQ(trace.rows.duration_ns[0], 1000);
}

TEST(CuspyFacts, N13_ASecondNameThatIsANumberOnlyDoesNotReplaceTheFirst) {
  const auto name = [](const std::string& first, const std::string& second) {
    const auto row = [](const std::string& text) {
      return R"({"ph":"M","name":"thread_name","pid":1,"tid":9,"args":{"name":")" + text + "\"}}";
    };
    const DeviceTrace trace = read_events(row(first) + "," + row(second));
    return std::string(trace.strings[trace.threads.at(0).name]);
  };
  EXPECT_EQ(name("thread 9 (python)", "thread 9"), "thread 9 (python)");
  EXPECT_EQ(name("thread 9", "thread 9 (python)"), "thread 9 (python)");
}

TEST(CuspyFacts, N15_CopiesAndSetsHaveTheNamesThatKinetoGivesThem) {
  const auto copy = [](const std::string& kinds) {
    return name_of(device_row("gpu_memcpy", "Memcpy", kPlace + "," + kinds));
  };
  EXPECT_EQ(copy(R"("copy kind":"DtoH","src kind":"device","dst kind":"pageable")"),
            "Memcpy DtoH (Device -> Pageable)");
  EXPECT_EQ(copy(R"("copy kind":"HtoD","src kind":"managed_static","dst kind":"device")"),
            "Memcpy HtoD (Managed Static -> Device)");
  EXPECT_EQ(copy(R"("copy kind":10,"src kind":3,"dst kind":99)"),
            "Memcpy PtoP (Device -> Unknown)");
  EXPECT_EQ(copy(R"("copy kind":"DtoD")"), "Memcpy DtoD (Unknown -> Unknown)");
  EXPECT_EQ(copy(R"("bytes":4)"), "Memcpy");
  EXPECT_EQ(name_of(device_row("gpu_memset", "Memset", kPlace + R"(,"value":0,"memory kind":3)")),
            "Memset (Device)");
}

TEST(CuspyFacts, N17_TheStreamOfARowThatWasMovedIsItsOriginalStream) {
  const auto moved = [](const std::string& stream) {
    return stream_of(device_row("kernel", "k", R"("device":0,"correlation":5,)" + stream));
  };
  EXPECT_EQ(moved(R"("stream":100003,"original_stream":20)"), 20);
  EXPECT_EQ(moved(R"("original_stream":20,"stream":100003)"), 20);
  EXPECT_EQ(moved(R"("stream":20,"annotated_stream":100003)"), 20);
}

TEST(CuspyFacts, N29_AnAnnotationCalledStreamIsNoStream) {
  EXPECT_EQ(stream_of(device_row("kernel", "k", R"("device":0,"stream":"side")")), 7);
}

TEST(CuspyFacts, N26_TheStreamOfASyncRowIsItsArgumentAlsoWhereItIsNone) {
  const DeviceTrace trace = read_events(
      R"({"ph":"X","cat":"cuda_sync","name":"Context Sync","pid":0,"tid":1,"ts":3,"dur":1,)"
      R"("args":{"cuda_sync_kind":"Context Sync","device":0,"context":1,"stream":-1}})");
  EXPECT_EQ(trace.syncs.stream[0], -1);
}

TEST(CuspyFacts, N28_N29_ArgumentsOfAnyKeyAndTypeBreakNoRow) {
  Diagnostics diagnostics;
  const DeviceTrace trace = read_events(
      cuspy_kernel(R"(,"":1,"layer":{"a":[1,{"b":null}]},"tags":["x",2.5,true],"name":["n"],)"
                   R"("dtype":{"x":1},"Group size":"four","Process Group Ranks":[0,1],)"
                   R"("Collective name":7,"graph id":"g","bytes":[1])"),
      diagnostics);
  ASSERT_EQ(trace.rows.size(), 1U);
  EXPECT_EQ(trace.strings[trace.rows.name[0]], "gemm");
  EXPECT_EQ(trace.rows.correlation[0], 5);
  EXPECT_EQ(trace.rows.duration_ns[0], 5000);
  const CommRecord& comm = trace.comms[trace.rows.comm[0]];
  EXPECT_EQ(comm.group_size, -1);
  EXPECT_EQ(trace.strings[comm.group_ranks], "[0,1]");
  EXPECT_TRUE(diagnostics.table().empty());
}

TEST(CuspyFacts, N30_N31_AnnotationsAndCountersArePassedOver) {
  Diagnostics diagnostics;
  const DeviceTrace trace =
      read_events(device_row("gpu_user_annotation", "step", kPlace + R"(,"External id":1)") + R"(,
        {"ph":"C","name":"Power","pid":"GPU 0 Counters","tid":0,"ts":4.5,"args":{"":301.5}},
        {"ph":"C","cat":"hardware_counters","name":"SM","pid":"GPU 0 Counters","ts":4,"args":{"":1}},
        {"ph":"X","cat":"hardware_counters","name":"SM","pid":"GPU 0 Counters","ts":4,"dur":1},
        {"ph":"X","cat":"xpu_scope_profiler","name":"s","pid":0,"tid":0,"ts":4,"dur":1},
        {"ph":"X","cat":"mtia_counters","name":"s","pid":0,"tid":0,"ts":4,"dur":1},
        {"ph":"i","name":"Record Window End","pid":"","tid":"","ts":9,"s":"g"})",
                  diagnostics);
  EXPECT_EQ(trace.rows.size(), 0U);
  EXPECT_TRUE(diagnostics.table().empty());
}

TEST(CuspyFacts, N43_ACorrelationOfZeroIsNone) {
  const DeviceTrace trace =
      read_events(device_row("kernel", "k", R"("device":0,"stream":7,"correlation":0)") +
                  R"(,{"ph":"X","cat":"cuda_runtime","name":"c","pid":1,"tid":1,"ts":1,"dur":1,)"
                  R"("args":{"correlation":0}})");
  EXPECT_EQ(trace.rows.correlation[0], -1);
  EXPECT_EQ(trace.calls.correlation[0], -1);
}

CommRecord comm_of(const DeviceTrace& trace) { return trace.comms.at(trace.rows.comm.at(0).value); }

TEST(CuspyFacts, N49_WhatNcclTellsOfACollectiveIsARecord) {
  const auto record = [](const std::string& function) {
    return read_events(cuspy_kernel(
        R"(,"func":")" + function +
        R"(","datatype":"ncclBfloat16","algo":"RING","proto":"LL","count":512,"root":0,)"
        R"("n_channels":2,"n_warps":8,"seq":3,"rank":1)"));
  };
  const DeviceTrace trace = record("AllReduce");
  const CommRecord comm = comm_of(trace);
  EXPECT_EQ(trace.strings[comm.collective], "AllReduce");
  EXPECT_EQ(trace.strings[comm.dtype], "ncclBfloat16");
  EXPECT_EQ(comm.in_nelems, 512);
  EXPECT_EQ(comm.out_nelems, 512);
  EXPECT_EQ(comm.seq, 3);
  EXPECT_EQ(comm.peer_rank, -1) << "the rank is the own one";
  EXPECT_EQ(comm_of(record("AllGather")).in_nelems, 512);
  EXPECT_EQ(comm_of(record("AllGather")).out_nelems, -1);
  EXPECT_EQ(comm_of(record("ReduceScatter")).in_nelems, -1);
  EXPECT_EQ(comm_of(record("ReduceScatter")).out_nelems, 512);
}

TEST(CuspyFacts, N49_PyTorchsOwnRecordComesFirst) {
  const DeviceTrace trace = read_events(cuspy_kernel(
      R"(,"Collective name":"allreduce","dtype":"Float","In msg nelems":8,"Process Group Name":"0",)"
      R"("func":"AllReduce","datatype":"ncclFloat32","count":9)"));
  EXPECT_EQ(trace.strings[comm_of(trace).collective], "allreduce");
  EXPECT_EQ(comm_of(trace).in_nelems, 8);
}

TEST(CuspyFacts, N50_AForeignCountIsNoCollective) {
  EXPECT_FALSE(read_events(cuspy_kernel(R"(,"func":"mine","count":3)")).rows.comm[0]);
}

TEST(CuspyFacts, N53_OfDuplicateKeysTheRowsOwnStandFirst) {
  const DeviceTrace trace = read_events(
      device_row("kernel", "ncclDevKernel_AllReduce",
                 kPlace + R"(,"External id":3,"Collective name":"allreduce","dtype":"Float",)"
                          R"("Record function id":9,"External id":8,"Ev Idx":4,"stream":77,)"
                          R"("dtype":"Float")"));
  ASSERT_EQ(trace.rows.size(), 1U);
  EXPECT_EQ(trace.rows.external_id[0], 3U);
  EXPECT_EQ(trace.rows.stream[0], 7);
}

TEST(CuspyFacts, N54_KinetosNewArgumentsOfARowAreRead) {
  Diagnostics diagnostics;
  const DeviceTrace trace = read_events(
      device_row("kernel", "ncclDevKernel_AllReduce",
                 kPlace + R"(,"priority":0,"channel":1,"channel_type":"COMPUTE","External id":2,)"
                          R"("occupancy":{"limits":{"blocks":4,"warps":[1,2]},"stream":99},)"
                          R"("blocks per SM":0.1,"Collective name":"allreduce","Seq":12,)"
                          R"("Comms Id":1234567890123456789)"),
      diagnostics);
  EXPECT_EQ(trace.rows.stream.at(0), 7);
  EXPECT_EQ(comm_of(trace).seq, 12);
  EXPECT_TRUE(diagnostics.table().empty());
}

TEST(CuspyFacts, N57_AStreamOfRocmIsItsIndexAndItsQueueAnArgument) {
  EXPECT_EQ(stream_of(device_row("kernel", "k",
                                 R"("device":8,"stream":3,"correlation":5,"hsa_queue":140123)")),
            3);
}

}  // namespace
}  // namespace nadi
