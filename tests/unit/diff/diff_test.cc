// Summaries, their subtraction, names and conditions.
#include <gtest/gtest.h>

#include "nadi/base/error.h"
#include "nadi/diff/diff_report.h"
#include "nadi/diff/fail_if.h"
#include "nadi/diff/kernel_family.h"
#include "nadi/diff/short_name.h"
#include "tests/unit/events/events_text.h"

namespace nadi {
namespace {

using test::error_of;
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
  EXPECT_EQ(kernel_family_of("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL"), "communication");
  EXPECT_EQ(kernel_family_of("kernel", "void vectorized_elementwise_kernel<4>"), "elementwise");
  EXPECT_EQ(kernel_family_of("kernel", "mine"), "other");
}

TEST(Diff, TellsTheFiveGroupsAndSubtractsTimes) {
  EXPECT_EQ(rows_of(diff(op("same", 0, 5) + op("gone", 10, 2) + op("more", 20, 1) +
                             op("less", 30, 1) + op("less", 40, 1),
                         op("same", 0, 7) + op("new", 10, 3) + op("more", 20, 1) +
                             op("more", 30, 1) + op("less", 40, 1))),
            (Rows{"gone 1>0 deleted -2", "less 2>1 decreased -1", "more 1>2 increased 1",
                  "same 1>1 unchanged 2", "new 0>1 added 3"}));
}

TEST(Diff, TakesHostRowsDeviceRowsOrAll) {
  const std::string trace = op("op", 0, 5) + kernel("gemm", 6, 3, 7);
  EXPECT_EQ(rows_of(diff(trace, trace, {.device = DiffDevice::kHost})),
            (Rows{"op 1>1 unchanged 0"}));
  EXPECT_EQ(rows_of(diff(trace, trace, {.device = DiffDevice::kDevice})),
            (Rows{"gemm 1>1 unchanged 0"}));
  EXPECT_EQ(diff(trace, trace).rows.size(), 2u);
}

TEST(Diff, OfATraceWithoutStepsSaysThatItIsOneIteration) {
  Diagnostics diagnostics;
  const SideSummary side = summarise(op("a", 0, 1), {}, diagnostics);
  EXPECT_EQ(diagnostics.count("no-iterations"), 1u);
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
            (Rows{"ProfilerStep#5 1>1 unchanged 0", "a 1>1 unchanged 0"}));
  choice.iterations = parse_iterations("all");
  EXPECT_EQ(rows_of(diff(trace, trace, {.exclude = {"ProfilerStep"}})),
            (Rows{"a 2>2 unchanged 0"}));
  choice.iterations = parse_iterations("6");
  EXPECT_NE(error_of([&] { summarise(trace, choice, diagnostics); }).find("There are 4, 5"),
            std::string::npos);
}

TEST(Diff, ComparesStreamsFamiliesAndCollectives) {
  const std::string reduce = R"(, "Collective name": "allreduce", "dtype": "Float",
      "In msg nelems": 8, "Out msg nelems": 8, "Group size": 2)";
  const std::string trace = op("a", 0, 9) + kernel("sgemm", 1, 2, 7) +
                            kernel("ncclKernel", 2, 2, 20, reduce) +
                            kernel("ncclDevKernel_Broadcast_RING(x)", 5, 2, 20);
  const auto by = [&](DiffBy key) { return rows_of(diff(trace, trace, {.by = key})); };
  EXPECT_EQ(by(DiffBy::kStream), (Rows{"stream 20 2>2 unchanged 0", "stream 7 1>1 unchanged 0"}));
  EXPECT_EQ(by(DiffBy::kKernelFamily),
            (Rows{"communication 2>2 unchanged 0", "gemm 1>1 unchanged 0"}));
  EXPECT_EQ(by(DiffBy::kCollective),
            (Rows{"Broadcast_RING 1>1 unchanged 0",
                  "allreduce Float, 8 -> 8 elements, 2 ranks 1>1 unchanged 0"}));
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
  const auto failed = check_diff(
      report, parse_fail_if("duration>9%, duration>11%,added>0,row.duration>=2us,count<0,"
                            "row.duration<-50%,deleted=0"));
  ASSERT_EQ(failed.size(), 4u);
  EXPECT_EQ(failed[0].condition, "duration>9%");
  EXPECT_EQ(failed[0].found, "+10.00 %");
  EXPECT_EQ(failed[0].offenders, (std::vector<std::size_t>{0, 2}));  // those that grew
  EXPECT_EQ(failed[1].condition, "added>0");
  EXPECT_EQ(failed[1].offenders, (std::vector<std::size_t>{2}));
  EXPECT_EQ(failed[2].offenders, (std::vector<std::size_t>{0}));
  EXPECT_EQ(failed[3].condition, "deleted=0");
}

TEST(FailIf, RefusesWhatItDoesNotKnowAndListsWhatThereIs) {
  const auto refusal = [](const std::string& text) {
    return error_of([&] { parse_fail_if(text); });
  };
  EXPECT_NE(refusal("time>5%").find("There are duration, count, added"), std::string::npos);
  EXPECT_NE(refusal("duration>5").find("is no unit"), std::string::npos);
  EXPECT_NE(refusal("added>5%").find("is no unit"), std::string::npos);
  EXPECT_NE(refusal("duration").find("compares nothing"), std::string::npos);
  EXPECT_NE(refusal("duration>x%").find("no number"), std::string::npos);
  EXPECT_NE(refusal("").find("nothing is called ''"), std::string::npos);
  EXPECT_NE(refusal("added>0,").find("nothing is called ''"), std::string::npos);
}

TEST(FailIf, OnSlowerRowsNeedsASpread) {
  const DiffReport report = diff(op("a", 0, 1), op("a", 0, 2));
  EXPECT_NE(
      error_of([&] { check_diff(report, parse_fail_if("slower>0")); }).find("tells no spread"),
      std::string::npos);
}

}  // namespace
}  // namespace nadi
