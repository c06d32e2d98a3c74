// The linked JSON's reader: MLCommons' files and nadi's own.
#include <gtest/gtest.h>

#include "nadi/base/error.h"
#include "nadi/linked_json/reader.h"
#include "tests/error_of.h"
#include "tests/unit/read/read_text.h"

namespace nadi {
namespace {

using test::source_of;

LinkedJson read_linked(std::string text, Diagnostics& diagnostics, std::size_t chunk = 1 << 16) {
  ByteSource source = source_of(std::move(text), chunk);
  return read_linked_json(source, diagnostics);
}

std::string document(const std::string& nodes, const std::string& head = "") {
  return R"({"schema": "1.0.3-chakra.0.0.4", "pid": 7, "time": "now", "start_ts": 1, )" + head +
         R"("nodes": [)" + nodes + R"(], "finish_ts": 9})";
}

// As MLCommons' linker writes it: keys in its order, times of roots absent, the id of the process
// root in ctrl_deps.
const std::string kMlCommons = R"(
{"id": 1, "name": "[pytorch|profiler|execution_trace|process]", "ctrl_deps": 1,
 "inputs": {"values": [], "shapes": [], "types": []},
 "outputs": {"values": [], "shapes": [], "types": []},
 "attrs": [{"name": "rf_id", "type": "uint64", "value": 0}]},
{"id": 3, "name": "aten::mm", "ctrl_deps": 1,
 "inputs": {"values": [1], "shapes": [[]], "types": ["Int"]},
 "outputs": {"values": [], "shapes": [], "types": []},
 "attrs": [{"name": "rf_id", "type": "uint64", "value": 5},
           {"name": "seq_id", "type": "int64", "value": 11},
           {"name": "scope", "type": "uint64", "value": 0},
           {"name": "tid", "type": "uint64", "value": 1}],
 "inclusive_dur": 20, "exclusive_dur": 20, "ts": 1713342597123456, "inter_thread_dep": null},
{"id": 4, "name": "gemm", "ctrl_deps": 3,
 "inputs": {"values": [1], "shapes": [[]], "types": ["Int"]},
 "outputs": {"values": [], "shapes": [], "types": []},
 "attrs": [{"name": "rf_id", "type": "uint64", "value": 5},
           {"name": "tid", "type": "uint64", "value": 1}],
 "inclusive_dur": 12.5, "exclusive_dur": 12.5, "ts": 1713342597123466.25,
 "inter_thread_dep": null, "cat": "kernel", "ph": "X", "stream": 7},
{"id": 6, "name": "ProfilerStep#3", "ctrl_deps": 1,
 "inputs": {"values": [], "shapes": [], "types": []},
 "outputs": {"values": [], "shapes": [], "types": []},
 "attrs": [{"name": "rf_id", "type": "uint64", "value": 6},
           {"name": "scope", "type": "uint64", "value": 7},
           {"name": "tid", "type": "uint64", "value": 2}],
 "inclusive_dur": 1, "exclusive_dur": 1, "ts": 1713342597123500, "inter_thread_dep": 3,
 "sync_dep": [4, 99]},
{"id": 8, "name": "untimed", "ctrl_deps": 1,
 "inputs": {"values": [], "shapes": [], "types": []},
 "outputs": {"values": [], "shapes": [], "types": []},
 "attrs": [{"name": "rf_id", "type": "uint64", "value": 9},
           {"name": "tid", "type": "uint64", "value": 1}]})";

TEST(LinkedJsonReader, ReadsOpsWithTimesAndDeviceRowsOfMlCommons) {
  Diagnostics diagnostics;
  const LinkedJson json = read_linked(document(kMlCommons), diagnostics);
  EXPECT_TRUE(diagnostics.table().empty());
  EXPECT_FALSE(json.is_by_nadi);
  EXPECT_EQ(json.host.pid, 7U);
  EXPECT_EQ(json.host.ops.id, (std::vector<std::uint64_t>{1, 3, 6, 8}));
  EXPECT_EQ(json.match.profiler_of_host, (std::vector{ProfilerOpIndex(), ProfilerOpIndex(0),
                                                      ProfilerOpIndex(1), ProfilerOpIndex()}));
  const ProfilerOps& ops = json.device.ops;
  ASSERT_EQ(ops.size(), 2U);
  EXPECT_EQ(json.device.strings[ops.name[0]], "aten::mm");
  EXPECT_EQ(ops.start_ns[0], 1713342597123456'000);
  EXPECT_EQ(ops.duration_ns[0], 20'000);
  EXPECT_EQ(ops.external_id[0], 3U);
  EXPECT_EQ(ops.seq_id[0], 11);
  EXPECT_EQ(ops.kind[0], ProfilerOpKind::kOp);
  EXPECT_EQ(ops.kind[1], ProfilerOpKind::kAnnotation);
  EXPECT_NE(ops.thread[0], ops.thread[1]);
  const DeviceRows& rows = json.device.rows;
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(json.device.strings[rows.name[0]], "gemm");
  EXPECT_EQ(rows.kind[0], DeviceRowKind::kKernel);
  EXPECT_EQ(rows.start_ns[0], 1713342597123466'250);
  EXPECT_EQ(rows.duration_ns[0], 12'500);
  EXPECT_EQ(rows.stream[0], 7);
  EXPECT_EQ(json.row_id, std::vector<std::uint64_t>{4});
  EXPECT_EQ(json.row_caller, std::vector<std::uint64_t>{3});
}

TEST(LinkedJsonReader, AnySizeOfPiecesGivesTheSame) {
  Diagnostics diagnostics;
  for (const std::size_t chunk : {1U, 7U, 64U}) {
    const LinkedJson json = read_linked(document(kMlCommons), diagnostics, chunk);
    EXPECT_EQ(json.device.ops.size(), 2U);
    EXPECT_EQ(json.device.rows.size(), 1U);
    EXPECT_EQ(json.waits.size(), 3U);
  }
  EXPECT_TRUE(diagnostics.table().empty());
}

const std::string kNadiHead = R"("nadi": {"rank": 3, "base_time_ns": 1000},)";
const std::string kOp =
    R"({"id": 3, "name": "op", "ctrl_deps": 1, "attrs": [{"name": "tid", "value": 1}],
        "inclusive_dur": 9.000, "ts": 10.000})";

std::string row(int id, const std::string& name, const std::string& more) {
  return ",\n{\"id\": " + std::to_string(id) + ", \"name\": \"" + name +
         R"(", "ctrl_deps": 3, "attrs": [{"name": "tid", "value": 1}], "cat": "kernel", )" + more +
         "}";
}

TEST(LinkedJsonReader, TheNamesOfDevicesAreThoseOfTheDeviceTrace) {
  Diagnostics diagnostics;
  const std::string head =
      R"("nadi": {"rank": 3, "deviceProperties": [{"name": "A100"}, {"name": "V100"}]},)";
  EXPECT_EQ(read_linked(document(kOp, head), diagnostics).device.device_names,
            (std::vector<std::string>{"A100", "V100"}));
}

TEST(LinkedJsonReader, ACoalescedKernelIsOneRowAgainAndWaitsForItStay) {
  const std::string launch =
      R"("stream": 7, "correlation": 21, "launch_ts": 12.5, "launch_dur": 1.5, "ts": 15.0, )";
  Diagnostics diagnostics;
  const LinkedJson json =
      read_linked(document(kOp + row(4, "nccl", launch + R"("inclusive_dur": 2.0)") +
                               row(5, "nccl", launch + R"("inclusive_dur": 0.0)") +
                               row(6, "next", R"("stream": 8, "ts": 19.0, "sync_dep": [5])"),
                           kNadiHead),
                  diagnostics);
  EXPECT_EQ(json.row_id, (std::vector<std::uint64_t>{4, 6}));
  ASSERT_EQ(json.waits.size(), 1U);
  EXPECT_EQ(json.waits[0].source.id, 4U);
  EXPECT_EQ(diagnostics.count(Finding::kDeviceRowRecordedTwice), 1U);
}

// Defect C13: roots match like ops, so kernels occur under both.
TEST(LinkedJsonReader, ARowThatMlCommonsHangsOnARootTooIsOne) {
  Diagnostics diagnostics;
  const std::string times = R"("inclusive_dur": 2.0, "ts": 15.0, "stream": 7)";
  const std::string under_root =
      R"(,{"id": 9, "name": "gemm", "ctrl_deps": 1, "cat": "kernel", )" + times + "}";
  const LinkedJson json =
      read_linked(document(kOp + row(4, "gemm", times) + under_root), diagnostics);
  EXPECT_EQ(json.row_id, std::vector<std::uint64_t>{4});
  EXPECT_EQ(diagnostics.count(Finding::kDeviceRowRecordedTwice), 1U);
}

// MLCommons gives a row the time of its launch: three launches, one kernel of 20 us each.
const std::string kLaunchTimes =
    kOp + row(4, "a", R"("inclusive_dur": 20, "ts": 11, "stream": 7)") +
    row(5, "b", R"("inclusive_dur": 20, "ts": 12, "stream": 7)") +
    row(6, "other stream", R"("inclusive_dur": 20, "ts": 13, "stream": 9)") +
    row(7, "late", R"("inclusive_dur": 1, "ts": 90, "stream": 7)");

TEST(LinkedJsonReader, ARowOfMlCommonsStartsWhenTheRowBeforeItOnItsStreamHasEnded) {
  Diagnostics diagnostics;
  const LinkedJson json = read_linked(document(kLaunchTimes), diagnostics);
  EXPECT_EQ(json.device.rows.start_ns, (std::vector<Ns>{11'000, 31'000, 13'000, 90'000}));
  EXPECT_EQ(json.device.rows.duration_ns[1], 20'000);
  EXPECT_EQ(diagnostics.count(Finding::kRowStartEstimated), 1U);
}

TEST(LinkedJsonReader, TheTraceLastsUntilTheLastEstimatedEnd) {
  Diagnostics diagnostics;
  const std::string row_of_50 = R"("inclusive_dur": 50, "ts": 11, "stream": 7)";
  const LinkedJson json =
      read_linked(document(kOp + row(4, "a", row_of_50) + row(5, "b", row_of_50)), diagnostics);
  EXPECT_EQ(json.device.last_ns, 111'000);
}

// Op 3 [10, 19) launches a row of 50 us; op 20 waits for op 3.
std::string waiting_op(double duration) {
  return R"({"id": 20, "name": "waits", "ctrl_deps": 1, "attrs": [{"name": "tid", "value": 1}],
             "inclusive_dur": )" +
         std::to_string(duration) + R"(, "ts": 30, "sync_dep": [3]}, {"id": 21, "name": "row",
             "ctrl_deps": 20, "cat": "kernel", "inclusive_dur": 5, "ts": 31, "stream": 9,
             "sync_dep": [3]})";
}

TEST(LinkedJsonReader, ARowStartsAfterTheWorkItsOpDidNotStayFor) {
  const std::string launches = kOp + row(4, "a", R"("inclusive_dur": 50, "ts": 11, "stream": 7)");
  Diagnostics diagnostics;
  const LinkedJson passed = read_linked(document(launches + "," + waiting_op(4)), diagnostics);
  EXPECT_EQ(passed.device.rows.start_ns[1], 61'000) << "the stream waited";
  const LinkedJson stayed = read_linked(document(launches + "," + waiting_op(40)), diagnostics);
  EXPECT_EQ(stayed.device.rows.start_ns[1], 31'000) << "the op waited, before or after the launch";
}

TEST(LinkedJsonReader, WaitsThatMlCommonsCopiesOntoRowsAreTheirOpsOnly) {
  Diagnostics diagnostics;
  const LinkedJson json = read_linked(document(kOp + "," + waiting_op(4)), diagnostics);
  ASSERT_EQ(json.waits.size(), 1U);
  EXPECT_EQ(json.waits[0].target, 20U);
}

/// What the waits 1, 2 and 3, of which 1 and 3 are guesses, rest on.
std::vector<Inference> inferences(const std::string& names) {
  Diagnostics diagnostics;
  const std::string by = names.empty() ? "" : R"(, "inferred_by": )" + names;
  const LinkedJson json =
      read_linked(document(kOp + row(4, "next",
                                     R"("stream": 8, "ts": 19.0, "sync_dep": [1, 2, 3],
                                       "inferred_sync_dep": [3, 1])" +
                                         by),
                           kNadiHead),
                  diagnostics);
  std::vector<Inference> found;
  for (const auto& wait : json.waits) found.push_back(wait.source.inferred);
  return found;
}

TEST(LinkedJsonReader, GuessesThatNobodyTellsMoreOfRestOnTiming) {
  using enum Inference;
  EXPECT_EQ(inferences(""), (std::vector{kTiming, kNone, kTiming}));
  EXPECT_EQ(inferences(R"(["place"])"), (std::vector{kTiming, kNone, kPlace}));
  EXPECT_EQ(inferences(R"(["place", "of a later version"])"),
            (std::vector{kTiming, kNone, kPlace}));
}

TEST(LinkedJsonReader, AnOpThatOnlyTheHostTraceKnowsStaysUntimed) {
  Diagnostics diagnostics;
  const LinkedJson json = read_linked(
      document(kOp + R"(,{"id": 5, "name": "b", "ctrl_deps": 1, "ts": 11.0, "untimed": true})",
               kNadiHead),
      diagnostics);
  EXPECT_EQ(json.match.profiler_of_host, (std::vector{ProfilerOpIndex(0), ProfilerOpIndex()}));
  EXPECT_EQ(json.match.untimed_ns, (std::vector<Ns>{kNoTime, 11'000}));
}

TEST(LinkedJsonReader, GarbageTimesLeaveAnOpUntimedAndARowInTheTrace) {
  Diagnostics diagnostics;
  const LinkedJson json = read_linked(
      document(kOp +
               R"(,{"id": 5, "name": "bad", "ctrl_deps": 1, "ts": "soon", "inclusive_dur": 1})" +
               row(4, "gemm", R"("inclusive_dur": -2, "ts": 15.0, "stream": 7)")),
      diagnostics);
  EXPECT_EQ(diagnostics.count(Finding::kGarbageTime), 2U);
  EXPECT_EQ(json.device.ops.size(), 1U);
  ASSERT_EQ(json.device.rows.size(), 1U);
  EXPECT_EQ(json.device.rows.start_ns[0], kNoTime);
}

TEST(LinkedJsonReader, TimesThatDoNotFitAreGarbage) {
  Diagnostics diagnostics;
  const LinkedJson json = read_linked(
      document(kOp + R"(,{"id": 5, "name": "late", "ctrl_deps": 1, "ts": 9223372036854776})" +
               row(4, "gemm", R"("inclusive_dur": 2, "ts": 9999999999999999.999, "stream": 7)")),
      diagnostics);
  EXPECT_EQ(diagnostics.count(Finding::kGarbageTime), 2U);
  EXPECT_EQ(json.device.ops.size(), 1U);
  ASSERT_EQ(json.device.rows.size(), 1U);
  EXPECT_EQ(json.device.rows.start_ns[0], kNoTime);
}

TEST(LinkedJsonReader, ABlockingCallWithGarbageTimesIsLeftOutAndCounted) {
  Diagnostics diagnostics;
  ByteSource source = source_of(
      R"({"schema": "1.0.3-chakra.0.0.4", )" + kNadiHead + R"("nodes": [)" + kOp +
      R"(], "nadi_waits": [{"name": "cudaStreamSynchronize", "ts": 9223372036854776, "dur": 1},
          {"name": "cudaEventSynchronize", "ts": 16.0, "dur": -1},
          {"name": "cudaDeviceSynchronize", "tid": 1, "ts": 16.0, "dur": 1}]})");
  const LinkedJson json = read_linked_json(source, diagnostics);
  EXPECT_EQ(diagnostics.count(Finding::kGarbageTime), 2U);
  EXPECT_TRUE(diagnostics.has_loss());
  ASSERT_EQ(json.device.calls.size(), 1U);
  EXPECT_EQ(json.device.strings[json.device.calls.name[0]], "cudaDeviceSynchronize");
}

TEST(LinkedJsonReader, ACutFileGivesWhatStandsBeforeTheCut) {
  const std::string whole = document(kMlCommons);
  Diagnostics diagnostics;
  const LinkedJson json =
      read_linked(whole.substr(0, whole.find(R"("ProfilerStep#3")")), diagnostics);
  EXPECT_EQ(json.device.ops.size(), 1U);
  EXPECT_EQ(json.device.rows.size(), 1U);
  EXPECT_EQ(diagnostics.count(Finding::kTruncatedInput), 1U);
}

TEST(LinkedJsonReader, EveryCutIsSaidAndNoneIsACrash) {
  const std::string whole = document(kOp + row(4, "gemm", R"("ts": 15.0, "sync_dep": [3])"));
  for (std::size_t size = whole.find("]}") + 2; size < whole.find("], \"finish"); ++size) {
    Diagnostics diagnostics;
    try {
      read_linked(whole.substr(0, size), diagnostics);
      EXPECT_GT(diagnostics.table().size(), 0U) << size;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInput) << size;
    }
  }
}

TEST(LinkedJsonReader, ABrokenNodeTakesNoOtherWithIt) {
  Diagnostics diagnostics;
  const LinkedJson json = read_linked(
      document(kOp + R"(,{"id": 5, "name": "bro"ken", "ts": , "ctrl_deps": 1, "ts": 11.0})" +
               row(4, "gemm", R"("inclusive_dur": 2, "ts": 15.0, "stream": 7)")),
      diagnostics);
  EXPECT_EQ(json.device.rows.size(), 1U);
  EXPECT_EQ(diagnostics.count(Finding::kBrokenJsonSkipped) +
                diagnostics.count(Finding::kBrokenJsonRepaired),
            1U);
}

std::string refusal(const std::string& text) {
  Diagnostics diagnostics;
  const Error error = error_of([&] { read_linked(text, diagnostics); });
  EXPECT_EQ(error.code(), ErrorCode::kInput);
  return error.what();
}

TEST(LinkedJsonReader, AFileOfNadisWithoutDeviceRowsNeedsNoTimes) {
  const std::string op = R"({"id": 3, "name": "op", "ctrl_deps": 1, "untimed": true})";
  Diagnostics diagnostics;
  const LinkedJson json = read_linked(document(op, kNadiHead), diagnostics);
  EXPECT_EQ(json.host.ops.size(), 1U);
}

TEST(LinkedJsonReader, OtherTracesAreRefusedWithWhatToPassThemWith) {
  const std::string host = R"({"id": 3, "name": "op", "ctrl_deps": 1, "attrs": []})";
  EXPECT_EQ(refusal(document(host)),
            "trace.json: this is a host trace: no node has a time, not a linked trace. "
            "nadi convert, link and doctor take it with `host`");
  EXPECT_EQ(refusal(R"({"schemaVersion": 1, "traceEvents": []})"),
            "trace.json: this is a device trace, not a linked trace. nadi convert, link and "
            "doctor take it with `device`");
  EXPECT_EQ(
      refusal("[" + kOp + "]"),
      "trace.json: this is a JSON array, but no trace: a linked trace is an object that holds "
      "\"nodes\". Pass what nadi link or MLCommons' chakra_trace_link wrote (JSON, also "
      "packed)");
  EXPECT_EQ(refusal(document(host + row(4, "gemm", R"("stream": 7)"))),
            "trace.json: this is a linked trace without times. Link the two traces again, with "
            "nadi link");
  EXPECT_EQ(refusal(document(R"({"id": 3, "name": "op", "ctrl_deps": 1, "ts": 1e60})")),
            "trace.json: this is a linked trace of whose times none can be read. Link the two "
            "traces again, with nadi link");
  EXPECT_EQ(refusal("just words"),
            "trace.json: this is text that is no JSON, not a linked trace. Pass what nadi link or "
            "MLCommons' chakra_trace_link wrote (JSON, also packed)");
}

TEST(LinkedJsonReader, AHostTraceReaderSaysHowToPassALinkedTrace) {
  Diagnostics diagnostics;
  const Error error = error_of([&] { test::read_host(document(kMlCommons), diagnostics); });
  EXPECT_EQ(error.problem(), "this is a linked trace (MLCommons ET+ JSON), not a host trace");
  EXPECT_EQ(error.remedy().find("nadi convert takes it with `linked`"), 0U) << error.remedy();
}

}  // namespace
}  // namespace nadi
