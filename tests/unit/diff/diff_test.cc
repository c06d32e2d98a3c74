// Summaries, their subtraction, names and conditions.
#include <gtest/gtest.h>

#include <limits>

#include "nadi/base/error.h"
#include "nadi/diff/align_siblings.h"
#include "nadi/diff/check_diff.h"
#include "nadi/diff/diff_report.h"
#include "nadi/diff/kernel_family.h"
#include "nadi/diff/short_name.h"
#include "tests/unit/events/events_text.h"

namespace nadi {
namespace {

using test::event;

/// A host op of the main thread, times in us.
std::string op(const std::string& name, int start, int duration) {
  return event("cpu_op", name, start, duration) + ",";
}
std::string kernel(const std::string& name, int start, int duration, int stream,
                   const std::string& more = "") {
  return event("kernel", name, start, duration,
               R"("device": 0, "stream": )" + std::to_string(stream) + more) +
         ",";
}
/// ProfilerStep#number from start on, 100 us.
std::string step(int number, int start) {
  return event("user_annotation", "ProfilerStep#" + std::to_string(number), start, 100) + ",";
}

SideSummary summarise(const std::string& events, const DiffChoice& choice,
                      Diagnostics& diagnostics) {
  SideSummary side;
  const std::string text = events.substr(0, events.size() - 1);  // without the last comma
  add_table(test::read_events(text, table_options(choice), diagnostics), 0, "trace.json", choice,
            side, diagnostics);
  return side;
}

/// All iterations of two traces, compared.
DiffReport diff(const std::string& control, const std::string& test, DiffChoice choice = {}) {
  choice.iterations = {};
  Diagnostics diagnostics;
  return make_report(summarise(control, choice, diagnostics), summarise(test, choice, diagnostics),
                     choice);
}

/// "name control>test change diff_us" of each row.
std::vector<std::string> rows_of(const DiffReport& report) {
  std::vector<std::string> rows;
  for (const DiffRow& row : report.rows)
    rows.push_back(row.key + " " + std::to_string(row.control.count) + ">" +
                   std::to_string(row.test.count) + " " + std::string(to_string(row.change)) + " " +
                   std::to_string(row.diff_ns() / 1000));
  return rows;
}

using Rows = std::vector<std::string>;

TEST(ShortNames, LoseArgumentsTemplateArgumentsAndReturnTypes) {
  EXPECT_EQ(short_name_of("void at::native::kernel<4, f<int>(x)>(int, a::(anonymous)::b)"),
            "at::native::kernel");
  EXPECT_EQ(short_name_of("f(int)->g"), "fg");
  EXPECT_EQ(short_name_of("void f<int"), "f<int");
}

TEST(ShortNames, OfCopiesAndPlainNamesAreTheWholeName) {
  EXPECT_EQ(short_name_of("Memcpy DtoD (Device -> Device)"), "Memcpy DtoD (Device -> Device)");
  EXPECT_EQ(short_name_of("dma copy (x)"), "dma copy (x)");
  EXPECT_EQ(short_name_of("nccl all reduce"), "nccl all reduce");
}

TEST(ShortNames, AfterAClosingBracketAloneBeginAnew) {
  EXPECT_EQ(short_name_of("a > b<c>"), "b");
  EXPECT_EQ(short_name_of("operator>(x)"), "");
}

TEST(KernelFamilies, AreToldByCategoryThenByTheFirstKnownWord) {
  EXPECT_EQ(kernel_family_of("gpu_memcpy", "gemm"), "memcpy");
  EXPECT_EQ(kernel_family_of("kernel", "ampere_sgemm_128x64_tn"), "gemm");
  EXPECT_EQ(kernel_family_of("kernel", "nvjet_sm90_tst_8x64_64x16_4x1_v_bz_TNN"), "gemm");
  EXPECT_EQ(kernel_family_of("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL"), "communication");
  EXPECT_EQ(kernel_family_of("kernel", "void vectorized_elementwise_kernel<4>"), "elementwise");
  EXPECT_EQ(kernel_family_of("kernel", "void fbgemm_gpu::permute_2D_data_kernel<long>"),
            "embedding");
  EXPECT_EQ(kernel_family_of("kernel", "rotary_embedding_kernel<float>"), "elementwise");
  EXPECT_EQ(kernel_family_of("kernel", "mine"), "other");
  EXPECT_EQ(kernel_family_of("Memcpy HtoD (Pageable -> Device)"), "memcpy");
  EXPECT_EQ(kernel_family_of("CopyDeviceToHost"), "memcpy");
  EXPECT_EQ(kernel_family_of("Memset (Device)"), "memset");
  EXPECT_EQ(kernel_family_of("ampere_sgemm_128x64_tn"), "gemm");
}

TEST(Diff, TellsTheFiveGroupsAndSubtractsTimes) {
  EXPECT_EQ(rows_of(diff(op("same", 0, 5) + op("gone", 10, 2) + op("more", 20, 1) +
                             op("less", 30, 1) + op("less", 40, 1),
                         op("same", 0, 7) + op("new", 10, 3) + op("more", 20, 1) +
                             op("more", 30, 1) + op("less", 40, 1))),
            (Rows{"gone 1>0 deleted -2", "less 2>1 decreased -1", "more 1>2 increased 1",
                  "same 1>1 same count 2", "new 0>1 added 3"}));
}

TEST(Diff, TakesHostRowsDeviceRowsOrAll) {
  const std::string trace = op("op", 0, 5) + kernel("gemm", 6, 3, 7);
  EXPECT_EQ(rows_of(diff(trace, trace, {.device = DiffDevice::kHost})),
            (Rows{"op 1>1 same count 0"}));
  EXPECT_EQ(rows_of(diff(trace, trace, {.device = DiffDevice::kDevice})),
            (Rows{"gemm 1>1 same count 0"}));
  EXPECT_EQ(diff(trace, trace).rows.size(), 2u);
}

TEST(Diff, OfATraceWithoutStepsSaysThatItIsOneIteration) {
  Diagnostics diagnostics;
  const SideSummary side = summarise(op("a", 0, 1), {}, diagnostics);
  EXPECT_EQ(diagnostics.count(Finding::kNoIterations), 1u);
  EXPECT_EQ(side.samples, (std::vector<DiffSample>{{0, -1}}));
}

TEST(Diff, OfChosenIterationsLeavesOutAllOtherRows) {
  const std::string trace = op("early", 0, 1) + step(4, 100) + op("a", 110, 1) + step(5, 200) +
                            op("a", 210, 2) + op("late", 350, 1);
  Diagnostics diagnostics;
  DiffChoice choice;
  EXPECT_EQ(summarise(trace, choice, diagnostics).samples, (std::vector<DiffSample>{{0, 4}}));
  choice.iterations = parse_iterations("5");
  const SideSummary fifth = summarise(trace, choice, diagnostics);
  EXPECT_EQ(rows_of(make_report(fifth, fifth, choice)),
            (Rows{"ProfilerStep#5 1>1 same count 0", "a 1>1 same count 0"}));
  choice.iterations = parse_iterations("all");
  EXPECT_EQ(rows_of(diff(trace, trace, {.exclude = {"ProfilerStep"}})),
            (Rows{"a 2>2 same count 0"}));
  choice.iterations = parse_iterations("6");
  EXPECT_NE(message_of([&] { summarise(trace, choice, diagnostics); }).find("There are 4, 5"),
            std::string::npos);
}

TEST(Diff, ComparesStreamsFamiliesAndCollectives) {
  const std::string reduce = R"(, "Collective name": "allreduce", "dtype": "Float",
      "In msg nelems": 8, "Out msg nelems": 8, "Group size": 2)";
  const std::string trace = op("a", 0, 9) + kernel("sgemm", 1, 2, 7) +
                            kernel("ncclKernel", 2, 2, 20, reduce) +
                            kernel("ncclDevKernel_Broadcast_RING(x)", 5, 2, 20);
  const auto by = [&](DiffBy key) { return rows_of(diff(trace, trace, {.by = key})); };
  EXPECT_EQ(by(DiffBy::kStream), (Rows{"stream 20 2>2 same count 0", "stream 7 1>1 same count 0"}));
  EXPECT_EQ(by(DiffBy::kKernelFamily),
            (Rows{"communication 2>2 same count 0", "gemm 1>1 same count 0"}));
  EXPECT_EQ(by(DiffBy::kCollective),
            (Rows{"Broadcast_RING 1>1 same count 0",
                  "allreduce Float, 8 -> 8 elements, 2 ranks 1>1 same count 0"}));
}

/// "lane count>count control>test us" of a measure.
std::vector<std::string> lanes_of(const DiffReport& report, LaneMeasure measure) {
  std::vector<std::string> lanes;
  for (const DiffRow& row : report.lanes[static_cast<std::size_t>(measure)])
    lanes.push_back(row.key + " " + std::to_string(row.control.count) + ">" +
                    std::to_string(row.test.count) + " " +
                    std::to_string(row.control.duration_ns / 1000) + ">" +
                    std::to_string(row.test.duration_ns / 1000));
  return lanes;
}

TEST(Lanes, HaveIdleLatencyAndGapsCompared) {
  const auto trace = [](int launch, int second) {
    return step(1, 0) + event("cuda_runtime", "launch", launch, 1, R"("correlation": 4)") + "," +
           kernel("a", 10, 5, 7, R"(, "correlation": 4)") + kernel("b", second, 5, 7) +
           op("x", 40, 10) + op("inside", 45, 2) + op("y", 60, 5);
  };
  // The kernel without a launch is in no iteration: only the one launched is compared.
  const DiffReport report = diff(trace(4, 30), trace(6, 20));
  EXPECT_EQ(lanes_of(report, LaneMeasure::kIteration), (Rows{"ProfilerStep 1>1 100>100"}));
  EXPECT_EQ(lanes_of(report, LaneMeasure::kLaunchLatency), (Rows{"stream 7 1>1 6>4"}));
  EXPECT_EQ(lanes_of(report, LaneMeasure::kStreamIdle), (Rows{"stream 7 0>0 0>0"}));
  EXPECT_EQ(lanes_of(report, LaneMeasure::kHostGaps), (Rows{"main thread 2>2 45>43"}));
  const std::string one = kernel("a", 10, 5, 7), two = kernel("b", 30, 5, 7);
  EXPECT_EQ(lanes_of(diff(one + two, one + kernel("b", 18, 5, 7)), LaneMeasure::kStreamIdle),
            (Rows{"stream 7 1>1 15>3"}));
}

TEST(Lanes, AreSlowToLaunchByTheMeanOfALaunchNotByTheirNumber) {
  const auto iteration = [](int number, int launches) {
    std::string events = step(number, number * 1000);
    for (int i = 0; i < launches; ++i) {
      const std::string correlation = std::to_string(100 * number + i);
      const int at = number * 1000 + 10 * i;
      events += event("cuda_runtime", "launch", at, 1, R"("correlation": )" + correlation) + "," +
                kernel("k", at + 4 + number % 2, 1, 7, R"(, "correlation": )" + correlation);
    }
    return events;
  };
  const DiffReport report =
      diff(iteration(1, 2) + iteration(2, 2), iteration(1, 8) + iteration(2, 8));
  const DiffRow& row = report.lanes[static_cast<std::size_t>(LaneMeasure::kLaunchLatency)].at(0);
  EXPECT_DOUBLE_EQ(row.control.mean_ns, 4500);
  EXPECT_DOUBLE_EQ(row.test.mean_ns, 4500);
  EXPECT_EQ(row.verdict, Verdict::kWithinNoise);
  EXPECT_EQ(row.change, CountChange::kIncreased);
}

TEST(Inputs, ThatOneSideAloneHasAreListedWithTheirOps) {
  const auto mm = [](const std::string& dims, const std::string& name = "mm") {
    return event("cpu_op", name, 0, 1,
                 R"("Input Dims": )" + dims + R"(, "Input type": ["float"])") +
           ",";
  };
  const DiffReport report = diff(mm("[[2, 3]]") + mm("[[4]]") + mm("[[4]]") + mm("[[1]]", "gone"),
                                 mm("[[4]]") + mm("[[8, 3]]") + mm("[[9]]", "new"));
  ASSERT_EQ(report.inputs.size(), 1u);
  EXPECT_EQ(report.inputs[0].op, "mm");
  ASSERT_EQ(report.inputs[0].control.size(), 1u);
  EXPECT_EQ(report.inputs[0].control[0].dims, "[[2, 3]]");
  EXPECT_EQ(report.inputs[0].control[0].types, R"(["float"])");
  ASSERT_EQ(report.inputs[0].test.size(), 1u);
  EXPECT_EQ(report.inputs[0].test[0].dims, "[[8, 3]]");
}

TEST(Lanes, OfDevicesAreBusyWhileAnyRowRunsAndIdleTheRestOfTheIteration) {
  // Busy in the first iteration: 10 to 40 on two streams, 90 to 100 of a row that runs into the
  // second, and there 20 more, and 50 to 60 by a row without a launch.
  const std::string trace =
      step(1, 0) + step(2, 100) + event("cuda_runtime", "launch", 1, 1, R"("correlation": 4)") +
      "," + event("cuda_runtime", "launch", 2, 1, R"("correlation": 5)") + "," +
      event("cuda_runtime", "launch", 3, 1, R"("correlation": 6)") + "," +
      kernel("a", 10, 20, 7, R"(, "correlation": 4)") +
      kernel("b", 20, 20, 8, R"(, "correlation": 5)") +
      kernel("c", 90, 30, 7, R"(, "correlation": 6)") + kernel("d", 150, 10, 7);
  const DiffReport report = diff(trace, trace);
  EXPECT_EQ(lanes_of(report, LaneMeasure::kDeviceBusy), (Rows{"device 2>2 70>70"}));
  EXPECT_EQ(lanes_of(report, LaneMeasure::kDeviceIdle), (Rows{"device 2>2 130>130"}));
  // Of one iteration chosen the row that the other launched is seen, too.
  Diagnostics diagnostics;
  const DiffChoice second{.iterations = parse_iterations("2")};
  const SideSummary side = summarise(trace, second, diagnostics);
  EXPECT_EQ(lanes_of(make_report(side, side, second), LaneMeasure::kDeviceBusy),
            (Rows{"device 1>1 30>30"}));
}

TEST(Lanes, OfDevicesInATraceWithoutStepsGoFromItsFirstRowToItsLast) {
  const DiffReport report =
      diff(op("x", 5, 10) + kernel("a", 20, 5, 7), op("x", 5, 10) + kernel("a", 20, 15, 7));
  EXPECT_EQ(lanes_of(report, LaneMeasure::kDeviceBusy), (Rows{"device 1>1 5>15"}));
  EXPECT_EQ(lanes_of(report, LaneMeasure::kDeviceIdle), (Rows{"device 1>1 15>15"}));
}

TEST(Lanes, OfSeveralDevicesAreToldApart) {
  const std::string other = event("kernel", "b", 2, 3, R"("device": 1, "stream": 7)") + ",";
  const DiffReport report = diff(kernel("a", 0, 10, 7) + other, kernel("a", 0, 10, 7) + other);
  EXPECT_EQ(lanes_of(report, LaneMeasure::kDeviceBusy),
            (Rows{"device 0 1>1 10>10", "device 1 1>1 3>3"}));
  EXPECT_EQ(lanes_of(report, LaneMeasure::kDeviceIdle),
            (Rows{"device 0 1>1 0>0", "device 1 1>1 7>7"}));
}

/// "name control>test" in us of own time.
std::vector<std::string> own_times_of(const DiffReport& report) {
  std::vector<std::string> rows;
  for (const DiffRow& row : report.own)
    rows.push_back(row.key + " " + std::to_string(row.control.duration_ns / 1000) + ">" +
                   std::to_string(row.test.duration_ns / 1000));
  return rows;
}

TEST(OwnTimes, LeaveOutWhatIsInsideAndAddUpToTheTimeThatOpsCoverAndDeviceRows) {
  const auto trace = [](int inside) {
    return step(1, 0) + op("outer", 10, 50) + op("inner", 20, inside) +
           event("cuda_runtime", "launch", 22, 3, R"("correlation": 4)") + "," +
           kernel("gemm", 30, 9, 7, R"(, "correlation": 4)") + op("last", 70, 5);
  };
  const DiffReport report = diff(trace(20), trace(30));
  EXPECT_EQ(own_times_of(report), (Rows{"ProfilerStep#1 45>45", "gemm 9>9", "inner 17>27",
                                        "last 5>5", "launch 3>3", "outer 30>20"}));
  // 10 to 60 and 70 to 75 on the thread, 9 on the device; the step's own time is no work.
  EXPECT_EQ(report.total.control.duration_ns, 64'000);
  EXPECT_EQ(report.total.test.duration_ns, 64'000);
  EXPECT_EQ(report.inclusive_total.control.duration_ns, 187'000);
  EXPECT_EQ(report.inclusive_total.test.duration_ns, 197'000);
}

TEST(OwnTimes, GiveTheTimeThatTwoRowsShareToTheLaterOneAlone) {
  const std::string trace = op("outer", 0, 20) + op("early", 2, 10) + op("late", 6, 10);
  EXPECT_EQ(own_times_of(diff(trace, trace)), (Rows{"early 4>4", "late 10>10", "outer 6>6"}));
}

TEST(OwnTimes, OfAnAnnotationAreWorkInsideAnOp) {
  const std::string note = event("user_annotation", "note", 5, 10) + ",";
  const DiffReport report = diff(op("outer", 0, 20) + note, note);
  EXPECT_EQ(own_times_of(report), (Rows{"note 10>10", "outer 10>0"}));
  EXPECT_EQ(report.total.control.duration_ns, 20'000);
  EXPECT_EQ(report.total.test.duration_ns, 0);
}

/// Rows "name@stream" as kernels, one after another.
std::string kernels(const std::vector<std::pair<std::string, int>>& rows) {
  std::string events;
  int start = 0;
  for (const auto& [name, stream] : rows) events += kernel(name, start += 10, 5, stream);
  return events;
}

TEST(Streams, ArePairedByTheNamesOfTheirRowsNotByTheirNumber) {
  const std::string control = kernels({{"gemm", 7}, {"gemm", 7}, {"copy", 7}, {"nccl", 20}});
  const std::string test = kernels({{"nccl", 7}, {"gemm", 9}, {"gemm", 9}, {"new", 9}});
  EXPECT_EQ(
      rows_of(diff(control, test, {.by = DiffBy::kStream})),
      (Rows{"stream 20 => stream 7 1>1 same count 0", "stream 7 => stream 9 3>3 same count 0"}));
  EXPECT_EQ(lanes_of(diff(control, test), LaneMeasure::kStreamIdle),
            (Rows{"stream 20 => stream 7 0>0 0>0", "stream 7 => stream 9 2>2 10>10"}));
}

TEST(Streams, OfEqualRowsArePairedInTheOrderOfTheirNumbers) {
  const auto trace = [](int first, int second) {
    return kernels({{"k", first}, {"k", second}, {"k", first}, {"k", second}});
  };
  EXPECT_EQ(rows_of(diff(trace(100, 9), trace(30, 101), {.by = DiffBy::kStream})),
            (Rows{"stream 100 => stream 101 2>2 same count 0",
                  "stream 9 => stream 30 2>2 same count 0"}));
}

TEST(Streams, WithNothingInCommonArePairedOnlyIfTheyHaveTheSameNumber) {
  EXPECT_EQ(rows_of(diff(kernels({{"a", 7}, {"b", 8}}), kernels({{"c", 7}, {"d", 9}}),
                         {.by = DiffBy::kStream})),
            (Rows{"stream 7 1>1 same count 0", "stream 8 1>0 deleted -5", "stream 9 0>1 added 5"}));
}

TEST(Ranks, ThatDifferAreAWarning) {
  const auto warnings = [](std::vector<std::int64_t> control, std::vector<std::int64_t> test) {
    SideSummary from, to;
    for (const std::int64_t rank : control) from.samples.push_back({rank, -1});
    for (const std::int64_t rank : test) to.samples.push_back({rank, -1});
    const DiffReport report = make_report(from, to, {});
    for (const Diagnostic& found : report.diagnostics.table())
      if (found.kind == Finding::kRanksDiffer) return found.first.at(0);
    return std::string();
  };
  EXPECT_EQ(warnings({3, 3}, {3, 3}), "");
  EXPECT_EQ(
      warnings({0, 1}, {0}),
      "control is of ranks 0, 1, test of rank 0, which may do different work: compare the same "
      "ranks (`ranks`)");
  EXPECT_NE(warnings({0, 1, 2, 3, 4, 5, 6, 7, 8}, {0}).find("6, 7, … (9 in all)"),
            std::string::npos);
}

/// "path control>test own_diff_us" of each call.
std::vector<std::string> calls_of(const DiffReport& report) {
  std::vector<std::string> calls;
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const CallDiff& call = report.calls[report.call_of_row[i]];
    calls.push_back(key_text(report, i) + " " + std::to_string(call.row.control.count) + ">" +
                    std::to_string(call.row.test.count) + " " +
                    std::to_string(static_cast<int>(call.own.diff_mean_ns()) / 1000));
  }
  return calls;
}

TEST(CallPaths, ShowWhereInTheTreeTimeMoved) {
  const auto trace = [](int inside, int kernel_time) {
    return step(3, 0) + op("linear", 10, 30) + op("mm", 12, inside) +
           event("cuda_runtime", "launch", 13, 1, R"("correlation": 4)") + "," +
           kernel("gemm", 20, kernel_time, 7, R"(, "correlation": 4)");
  };
  const DiffReport report = diff(trace(10, 5), trace(20, 9), {.by = DiffBy::kCallPath});
  EXPECT_EQ(calls_of(report),
            (Rows{"ProfilerStep 1>1 0", "ProfilerStep > linear 1>1 -10",
                  "ProfilerStep > linear > mm 1>1 10", "ProfilerStep > linear > mm > launch 1>1 0",
                  "ProfilerStep > linear > mm > launch > gemm 1>1 4"}));
  EXPECT_DOUBLE_EQ(report.calls[1].test_device.mean_ns, 9000);  // all that the step launched
  EXPECT_EQ(calls_of(diff(trace(10, 5), trace(10, 9),
                          {.device = DiffDevice::kDevice, .by = DiffBy::kCallPath})),
            (Rows{"ProfilerStep > linear > mm > launch > gemm 1>1 4"}));
}

TEST(CallPaths, OfTheChoiceAloneMakeTheTotal) {
  const auto trace = [](int mm) {
    return op("linear", 0, 50) + op("mm", 10, mm) + op("relu", 60, 7) + op("mm", 70, 3);
  };
  const auto total = [&](const DiffChoice& choice) {
    const DiffReport report = diff(trace(10), trace(20), choice);
    std::string text;
    for (const DiffRow* row : {&report.total, &report.inclusive_total})
      text += std::to_string(row->control.duration_ns / 1000) + ">" +
              std::to_string(row->test.duration_ns / 1000) + " ";
    return text;
  };
  // Own time: linear's 40 or 30 and its mm's 10 or 20 are 50; with all they call 60 or 70.
  EXPECT_EQ(total({.by = DiffBy::kCallPath}), "60>60 70>80 ");
  EXPECT_EQ(total({.by = DiffBy::kCallPath, .only = {"linear"}}), "50>50 60>70 ");
  EXPECT_EQ(total({.by = DiffBy::kCallPath, .only = {"mm"}, .exclude = {"linear"}}), "3>3 3>3 ");
  EXPECT_EQ(total({.device = DiffDevice::kDevice, .by = DiffBy::kCallPath}), "0>0 0>0 ");
}

TEST(CallPaths, PairSiblingsThatAreAlikeAndLeaveOthersAlone) {
  const std::string control =
      op("outer", 0, 90) + op("addmm_kernel_v1", 1, 5) + op("zeros", 10, 2) + op("relu", 20, 1);
  const std::string test = op("outer", 0, 90) + op("addmm_kernel_v2", 1, 6) + op("relu", 20, 1) +
                           op("quite different", 30, 1);
  EXPECT_EQ(calls_of(diff(control, test, {.by = DiffBy::kCallPath})),
            (Rows{"outer 1>1 0", "outer > addmm_kernel_v1 => addmm_kernel_v2 1>1 1",
                  "outer > zeros 1>0 -2", "outer > relu 1>1 0", "outer > quite different 0>1 1"}));
}

TEST(CallPaths, DeeperThanTheTreeAreCountedWithTheirCallers) {
  std::string deep;
  for (int i = 0; i < 400; ++i) deep += op("f", i, 1000 - 2 * i);
  Diagnostics diagnostics;
  const SideSummary side = summarise(deep, {.by = DiffBy::kCallPath}, diagnostics);
  EXPECT_EQ(side.calls.nodes.size(), DiffCallTree::kMostDepth + 1);
  EXPECT_EQ(diagnostics.count(Finding::kCallPathsCut), 400 - DiffCallTree::kMostDepth);
}

TEST(Siblings, AreNotAlikeForThePrefixTheyShare) {
  const std::string prefix = "autograd::engine::evaluate_function: ";
  const std::string a = prefix + "ClampBackward1", b = prefix + "CompiledFunctionBackward";
  EXPECT_LT(likeness({a, false, {}}, {b, false, {}}), 0.5);
  EXPECT_GE(likeness({a, false, {}}, {prefix + "ClampBackward2", false, {}}), 0.5);
}

TEST(Siblings, OfNoLikenessOrOtherSideGiveNoPair) {
  EXPECT_EQ(likeness({"gemm", true, {}}, {"gemm", false, {}}), 0);
  EXPECT_EQ(likeness({"abc", false, {"x", "y"}}, {"efg", false, {"y", "x"}}), 1);
  using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;
  EXPECT_EQ(align_siblings({{"conv_a", false, {}}, {"zz", false, {}}},
                           {{"qq", false, {}}, {"conv_b", false, {}}}),
            (Pairs{{0, 1}}));
}

TEST(Significance, IsUnknownOfOneSampleEach) {
  EXPECT_EQ(diff(op("a", 0, 1), op("a", 0, 50)).rows.at(0).verdict, Verdict::kUnknown);
}

TEST(Significance, NeedsADifferenceOfTheMeansBeyondTwiceTheSpread) {
  // Sums per iteration 10 and 14: mean 12, deviation sqrt(8); spread 2 * sqrt(8 + 8) = 8 us.
  const auto two = [](int first, int second) {
    return step(1, 0) + op("a", 1, first) + step(2, 100) + op("a", 101, second);
  };
  const DiffRow noise = diff(two(10, 14), two(18, 22)).rows.at(2);
  EXPECT_EQ(noise.key, "a");
  EXPECT_DOUBLE_EQ(noise.control.mean_ns, 12000);
  EXPECT_DOUBLE_EQ(noise.spread_ns, 8000);
  EXPECT_EQ(noise.verdict, Verdict::kWithinNoise);
  EXPECT_EQ(diff(two(10, 14), two(19, 23)).rows.at(2).verdict, Verdict::kSignificant);
}

TEST(Summaries, StayAtTheEndsOfInt64AndCanBeNegated) {
  constexpr Ns kMost = std::numeric_limits<Ns>::max();
  EXPECT_EQ(add_times(kMost, 1), kMost);
  EXPECT_EQ(add_times(-kMost, -5), -kMost);
  EXPECT_EQ(add_times(-kMost, -1), -kMost);
  EXPECT_EQ(add_times(3, -5), -2);
}

TEST(Significance, CountsSamplesWithoutTheRowAsZero) {
  KeyTotals totals;
  totals.add_sample(1, 6);
  const DiffSide side = side_of(totals, 2);  // 6 and 0
  EXPECT_DOUBLE_EQ(side.mean_ns, 3);
  EXPECT_DOUBLE_EQ(side.mean_count, 0.5);
  EXPECT_DOUBLE_EQ(side.deviation_ns * side.deviation_ns, 18);
}

TEST(FailIf, FindsTheConditionsThatHoldAndTheRowsAtFault) {
  const DiffReport report =
      diff(op("a", 0, 10) + op("b", 20, 10), op("a", 0, 12) + op("b", 20, 9) + op("c", 40, 1));
  const GateVerdict gate = check_diff(
      report, parse_fail_if("duration>9%, duration>11%,added>0,row.duration>=2us,count<0,"
                            "row.duration<-50%,deleted=0"));
  EXPECT_EQ(gate.conditions.size(), 7u);
  EXPECT_FALSE(gate.is_open());
  const auto& failed = gate.failed;
  ASSERT_EQ(failed.size(), 4u);
  EXPECT_EQ(failed[0].condition, "duration>9%");
  EXPECT_EQ(failed[0].found, "+10.00 %");
  EXPECT_EQ(failed[0].offenders, (std::vector<std::size_t>{0, 2}));  // those that grew
  EXPECT_EQ(failed[1].condition, "added>0");
  EXPECT_EQ(failed[1].offenders, (std::vector<std::size_t>{2}));
  EXPECT_EQ(failed[2].offenders, (std::vector<std::size_t>{0}));
  EXPECT_EQ(failed[3].condition, "deleted=0");
}

TEST(FailIf, OnDurationCountsNoTimeTwiceAndOnInclusiveDurationEachCallWithAllItCalls) {
  const auto trace = [](int inside) { return op("outer", 0, 100) + op("inner", 10, inside); };
  const DiffReport report = diff(trace(20), trace(80));  // 100 > 100, 120 > 180
  const GateVerdict gate = check_diff(
      report, parse_fail_if("duration>0%,duration<0%,inclusive-duration>49%,duration=0us"));
  ASSERT_EQ(gate.failed.size(), 2u);
  EXPECT_EQ(gate.failed[0].condition, "inclusive-duration>49%");
  EXPECT_EQ(gate.failed[0].found, "+50.00 %");
  EXPECT_EQ(gate.failed[0].offenders, (std::vector<std::size_t>{0}));  // inner
  EXPECT_EQ(gate.failed[1].condition, "duration=0us");
}

TEST(FailIf, AsksForBusyAndIdleTimeOfDevices) {
  const auto trace = [](int length) {
    return step(1, 0) + event("cuda_runtime", "launch", 1, 1, R"("correlation": 4)") + "," +
           kernel("a", 10, length, 7, R"(, "correlation": 4)");
  };
  const GateVerdict gate =
      check_diff(diff(trace(20), trace(50)),
                 parse_fail_if("device-busy>149%,device-idle=-30us,device-idle>0%"));
  ASSERT_EQ(gate.failed.size(), 2u);
  EXPECT_EQ(gate.failed[0].found, "+150.00 %");
  EXPECT_EQ(gate.failed[1].found, "-30.000 us");
}

TEST(FailIf, AsksForIterationsIdleLatencyAndGaps) {
  const auto trace = [](int launch, int second) {
    return step(1, 0) + event("cuda_runtime", "launch", launch, 1, R"("correlation": 4)") + "," +
           event("cuda_runtime", "launch", launch, 1, R"("correlation": 5)") + "," +
           kernel("a", 10, 5, 7, R"(, "correlation": 4)") +
           kernel("b", second, 5, 7, R"(, "correlation": 5)") + op("x", 40, 10);
  };
  // Control: latencies 6 and 26, idle 15; test: latencies 4 and 14, idle 5.
  const DiffReport report = diff(trace(4, 30), trace(6, 20));
  const GateVerdict gate = check_diff(
      report, parse_fail_if("iteration=0%,idle<=-10us,latency=-7us,gaps<0us,idle>0%,latency>0%"));
  ASSERT_EQ(gate.failed.size(), 4u);
  EXPECT_EQ(gate.failed[1].found, "-10.000 us");
  EXPECT_EQ(gate.failed[2].found, "-7.000 us");
  const std::string refusal = message_of(
      [] { check_diff(diff(op("a", 0, 1), op("a", 0, 1)), parse_fail_if("iteration>5%")); });
  EXPECT_NE(refusal.find("neither side has any iteration"), std::string::npos) << refusal;
}

TEST(FailIf, TakesNoStepForARowThatCameOrWent) {
  const DiffReport report = diff(step(1, 0) + op("a", 1, 2), step(2, 0) + op("a", 1, 2));
  EXPECT_EQ(report.rows.size(), 3u);  // both steps, and a
  EXPECT_TRUE(check_diff(report, parse_fail_if("added>0,deleted>0,row.count>0")).is_open());
}

TEST(FailIf, StaysShutWhereOneSideLacksWhatItMeasures) {
  const std::string steps = step(1, 0) + op("a", 1, 2), none = op("a", 1, 2);
  const auto reason = [](const DiffReport& report, const char* conditions) {
    const GateVerdict gate = check_diff(report, parse_fail_if(conditions));
    EXPECT_FALSE(gate.is_open());
    return gate.cannot_judge;
  };
  EXPECT_EQ(reason(diff(steps, none), "iteration>5%"), "test has no iteration");
  EXPECT_EQ(reason(diff(none, steps), "iteration<-5%"), "control has no iteration");
  DiffReport lost = diff(none, none);
  lost.test.samples.clear();
  EXPECT_EQ(reason(lost, "added>5"), "test holds no event");
}

TEST(Lanes, ThatOneSideDoesNotHaveAreNoChangeOfTime) {
  const auto two = [](const std::string& name, int stream) {
    std::string events;
    for (const int at : {0, 100}) {
      const std::string correlation = R"("correlation": )" + std::to_string(at + 1);
      events += step(at / 100, at) + event("cuda_runtime", "launch", at + 1, 1, correlation) + "," +
                kernel(name, at + 5, 1, stream, ", " + correlation);
    }
    return events;
  };
  const DiffReport report = diff(two("gemm", 7), two("nccl", 20));
  const auto& lanes = report.lanes[static_cast<std::size_t>(LaneMeasure::kStreamIdle)];
  EXPECT_EQ(lanes.size(), 2);
  for (const DiffRow& lane : lanes) EXPECT_EQ(lane.verdict, Verdict::kUnknown) << lane.key;
}

TEST(FailIf, StaysShutWhereNothingIsCompared) {
  const DiffReport report = diff(op("a", 0, 1), op("a", 0, 1), {.only = {"nothing"}});
  EXPECT_FALSE(check_diff(report, parse_fail_if("added>0")).is_open());
  EXPECT_TRUE(check_diff(report, {}).is_open());
}

TEST(FailIf, RefusesWhatItDoesNotKnowAndListsWhatThereIs) {
  const auto refusal = [](const std::string& text) {
    return message_of([&] { parse_fail_if(text); });
  };
  EXPECT_NE(refusal("time>5%").find("There are duration, inclusive-duration, count, added"),
            std::string::npos);
  EXPECT_NE(refusal("duration>5").find("has no unit"), std::string::npos);
  EXPECT_NE(refusal("added>5%").find("is no unit"), std::string::npos);
  EXPECT_NE(refusal("duration").find("compares nothing"), std::string::npos);
  EXPECT_NE(refusal("duration>x%").find("no number"), std::string::npos);
  EXPECT_NE(refusal("").find("nothing is called ''"), std::string::npos);
  EXPECT_NE(refusal("added>0,").find("nothing is called ''"), std::string::npos);
}

TEST(FailIf, OnSlowerRowsNeedsASpread) {
  const DiffReport report = diff(op("a", 0, 1), op("a", 0, 2));
  EXPECT_NE(
      message_of([&] { check_diff(report, parse_fail_if("slower>0")); }).find("tells no spread"),
      std::string::npos);
}

}  // namespace
}  // namespace nadi
