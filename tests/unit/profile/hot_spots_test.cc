// Sums by kernel, family, op and call path of small traces, counted by hand.
#include "nadi/converters/profile/hot_spots.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "nadi/emit/take_graph.h"
#include "tests/unit/graph/trace_graph.h"

namespace nadi {
namespace {

using test::annotation;
using test::call;
using test::launch;
using test::Lines;
using test::op;
using test::row;

constexpr Ns kUs = 1000;

Graph graph_of(const Lines& events, Delays delays = Delays::kNone) {
  GraphOptions options;
  options.delays = delays;
  test::TraceGraph trace(events, options);
  return take_graph(trace.linked, std::move(trace.graph), "graph",
                    {.shapes = true, .parents = true}, trace.diagnostics);
}

HotSpots spots_of(const Lines& events, std::optional<StepRange> steps = {}) {
  HotSpotSums sums(steps);
  sums.add(graph_of(events));
  return sums.take();
}

HotOp op_named(const HotSpots& spots, std::string_view name) {
  for (const HotOp& found : spots.ops)
    if (found.name == name) return found;
  return {};
}

HotKernel kernel_named(const HotSpots& spots, std::string_view name) {
  for (const HotKernel& found : spots.kernels)
    if (found.name == name) return found;
  return {};
}

/// "path: count own host launched device" of each path, times in us.
Lines path_lines(const HotSpots& spots) {
  Lines lines;
  for (std::size_t i = 0; i < spots.paths.size(); ++i) {
    const HotPath& path = spots.paths[i];
    lines.push_back(fmt::format("{}{}: {} {} {} {} {}", path_text(spots, i),
                                path.is_device ? " (device)" : "", path.count, path.own_ns / kUs,
                                path.host_ns / kUs, path.launched, path.device_ns / kUs));
  }
  return lines;
}

std::string shapes(const std::string& dims, const std::string& types) {
  return fmt::format(R"("Input Dims": {}, "Input type": {})", dims, types);
}

/// Of floats: 524,288 operations, 49,152 bytes.
const std::string kProduct = shapes("[[64, 64], [64, 64]]", R"(["float", "float"])");

/// A step of 1000 us from `at` on, which makes a product by two kernels.
Lines step_events(int number, int at) {
  const int id = 10 * number;
  return {annotation(fmt::format("ProfilerStep#{}", number), at, 1000),
          annotation("nn.Module: Linear_0", at + 10, 500),
          op("aten::linear", at + 20, 180, id + 1),
          op("aten::mm", at + 30, 120, id + 2, 100, kProduct),
          launch(at + 40, 10, id + 1),
          launch(at + 60, 10, id + 2),
          row("gemm", at + 300, 100, id + 1),
          row("splitKreduce", at + 410, 20, id + 2)};
}

Lines two_steps() {
  Lines events = step_events(1, 0);
  for (const std::string& line : step_events(2, 1000)) events.push_back(line);
  return events;
}

TEST(HotSpots, GiveAnOpItsOwnHostTimeAndTheDeviceTimeLaunchedBelowIt) {
  const HotSpots spots = spots_of(step_events(1, 0));
  const HotOp linear = op_named(spots, "aten::linear");
  EXPECT_EQ(linear.count, 1U);
  EXPECT_EQ(linear.own_ns, 60 * kUs);  // 20 to 30, and the part from 150 to 200
  EXPECT_EQ(linear.host_ns, 180 * kUs);
  EXPECT_EQ(linear.launched, 2U);
  EXPECT_EQ(linear.device_ns, 120 * kUs);
  EXPECT_EQ(op_named(spots, "aten::mm").own_ns, 120 * kUs);
  EXPECT_EQ(op_named(spots, "nn.Module: Linear_0").own_ns, 0);  // nothing is known to run in it
  EXPECT_EQ(op_named(spots, "nn.Module: Linear_0").device_ns, 120 * kUs);
  EXPECT_EQ(spots.host_ns, 180 * kUs);
}

TEST(HotSpots, CountARecursionOfOneNameOnce) {
  const HotSpots spots =
      spots_of({op("aten::to", 0, 100, 1), op("aten::copy_", 10, 80, 2), op("aten::to", 20, 50, 3),
                launch(30, 10, 1), row("copy", 200, 25, 1)});
  const HotOp to = op_named(spots, "aten::to");
  EXPECT_EQ(to.count, 2U);
  EXPECT_EQ(to.own_ns, 70 * kUs);
  EXPECT_EQ(to.host_ns, 100 * kUs);
  EXPECT_EQ(to.launched, 1U);
  EXPECT_EQ(to.device_ns, 25 * kUs);
}

TEST(HotSpots, AddUpEqualPathsOfStepsAndRanks) {
  HotSpotSums sums;
  for (int rank = 0; rank < 2; ++rank) sums.add(graph_of(two_steps()));
  const std::string step = "ProfilerStep", module = step + " > nn.Module: Linear_0",
                    linear = module + " > aten::linear", mm = linear + " > aten::mm";
  EXPECT_EQ(path_lines(sums.take()), (Lines{step + ": 4 0 720 8 480", module + ": 4 0 720 8 480",
                                            linear + ": 4 240 720 8 480", mm + ": 4 480 480 8 480",
                                            mm + " > gemm (device): 4 0 0 4 400",
                                            mm + " > splitKreduce (device): 4 0 0 4 80"}));
  EXPECT_TRUE(sums.take().paths.empty());  // it starts anew
}

TEST(HotSpots, SortKernelsBySumAndNameTheOpThatLaunchedMost) {
  Lines events = two_steps();
  for (const std::string& line :
       {op("aten::add", 2100, 50, 90), launch(2110, 10, 91), row("splitKreduce", 2200, 30, 91),
        row("Memcpy HtoD (Pageable -> Device)", 2300, 500, 92)})
    events.push_back(line);
  const HotSpots spots = spots_of(events);
  Lines lines, families;
  for (const HotKernel& kernel : spots.kernels)
    lines.push_back(fmt::format("{} {} {} {} {} by {}", kernel.name, kernel.count,
                                kernel.sum_ns / kUs, kernel.mean_ns() / kUs,
                                kernel.longest_ns / kUs, kernel.op));
  EXPECT_EQ(lines,
            (Lines{"Memcpy HtoD (Pageable -> Device) 1 500 500 500 by ",
                   "gemm 2 200 100 100 by aten::mm", "splitKreduce 3 70 23 30 by aten::mm"}));
  for (const HotFamily& family : spots.families)
    families.push_back(fmt::format("{} {} {}", family.name, family.count, family.sum_ns / kUs));
  EXPECT_EQ(families, (Lines{"memcpy 1 500", "gemm 5 270"}));
  EXPECT_EQ(spots.device_ns, 770 * kUs);
}

TEST(HotSpots, GiveCallsOutsideOpsAllThatTheyLaunched) {
  const HotSpots spots = spots_of({annotation("ProfilerStep#1", 0, 1000), launch(10, 10, 1),
                                   row("gemm", 100, 30, 1), call("cudaGraphLaunch", 200, 40, 2),
                                   row("softmax", 300, 50, 2), row("add", 360, 20, 2)});
  EXPECT_EQ(path_lines(spots),
            (Lines{"ProfilerStep: 1 0 50 3 100", "ProfilerStep > cudaGraphLaunch: 1 40 40 2 70",
                   "ProfilerStep > cudaGraphLaunch > softmax (device): 1 0 0 1 50",
                   "ProfilerStep > cudaGraphLaunch > add (device): 1 0 0 1 20",
                   "ProfilerStep > cudaLaunchKernel: 1 10 10 1 30",
                   "ProfilerStep > cudaLaunchKernel > gemm (device): 1 0 0 1 30"}));
  EXPECT_EQ(kernel_named(spots, "add").op, "cudaGraphLaunch");
}

TEST(HotSpots, AreOfTheStepsChosenAlone) {
  const HotSpots spots = spots_of(two_steps(), StepRange{2, 2});
  EXPECT_EQ(kernel_named(spots, "gemm").count, 1U);
  EXPECT_EQ(op_named(spots, "aten::linear").own_ns, 60 * kUs);
  EXPECT_EQ(spots.paths.front().count, 1U);
  EXPECT_TRUE(spots_of(two_steps(), StepRange{3, 9}).paths.empty());
}

TEST(HotSpots, GiveNobodyTheTimeOfDelays) {
  const Graph graph = graph_of(two_steps(), Delays::kAll);
  ASSERT_GT(std::count(graph.kind.begin(), graph.kind.end(), NodeKind::kDelay), 0);
  HotSpotSums sums;
  sums.add(graph);
  const HotSpots spots = sums.take();
  EXPECT_EQ(op_named(spots, "delay").count, 0U);
  EXPECT_EQ(kernel_named(spots, "delay").count, 0U);
  EXPECT_EQ(spots.host_ns, 360 * kUs);
  EXPECT_EQ(spots.device_ns, 240 * kUs);
}

TEST(HotWork, OfAnOpIsThatOfItsMainKernel) {
  const HotSpots spots = spots_of(two_steps());
  const HotWork gemm = kernel_named(spots, "gemm").work;
  EXPECT_EQ(gemm.time_ns, 200 * kUs);
  EXPECT_EQ(gemm.operations, 2 * 524'288);
  EXPECT_EQ(gemm.bytes, 2 * 49'152);
  EXPECT_DOUBLE_EQ(gemm.tflops_per_s().value(), 524'288 / 100e-6 / 1e12);
  EXPECT_DOUBLE_EQ(gemm.gb_per_s().value(), 49'152 / 100e-6 / 1e9);
  EXPECT_FALSE(kernel_named(spots, "splitKreduce").work.tflops_per_s());
}

TEST(HotWork, OfAProductIsThatOfTheKernelThatMakesIt) {
  const HotSpots spots =
      spots_of({op("aten::mm", 0, 100, 1, 100, kProduct), launch(10, 10, 1), launch(30, 10, 2),
                row("nchwToNhwcKernel", 200, 90, 1), row("gemm", 300, 40, 2)});
  EXPECT_EQ(kernel_named(spots, "gemm").work.operations, 524'288);
  EXPECT_EQ(kernel_named(spots, "gemm").work.time_ns, 40 * kUs);
  EXPECT_FALSE(kernel_named(spots, "nchwToNhwcKernel").work.tflops_per_s());
}

TEST(HotWork, OfTwoProductsIsThatOfTwoKernels) {
  // Gradients of input and weight: 13,824 operations each.
  const std::string gradients =
      shapes("[[1, 16, 4, 4], [1, 3, 6, 6], [16, 3, 3, 3]]", R"(["float", "float", "float"])");
  const HotSpots spots =
      spots_of({op("aten::convolution_backward", 0, 100, 1, 100, gradients), launch(10, 10, 1),
                launch(30, 10, 2), launch(50, 10, 3), row("nchwToNhwcKernel", 200, 90, 1),
                row("xmma_dgrad", 300, 40, 2), row("xmma_wgrad", 400, 60, 3)});
  EXPECT_EQ(kernel_named(spots, "xmma_dgrad").work.operations, 13'824);
  EXPECT_EQ(kernel_named(spots, "xmma_wgrad").work.operations, 13'824);
  EXPECT_EQ(kernel_named(spots, "nchwToNhwcKernel").work.operations, 0);
}

TEST(HotWork, IsNotToldOfOpsThatNobodyKnows) {
  const HotSpots spots = spots_of({op("CompiledFunctionBackward", 0, 100, 1, 100, kProduct),
                                   launch(10, 10, 1), row("gemm", 200, 40, 1)});
  EXPECT_FALSE(kernel_named(spots, "gemm").work.tflops_per_s());
  EXPECT_FALSE(kernel_named(spots, "gemm").work.gb_per_s());
}

TEST(HotWork, OfAnOpThatLaunchesSeveralKernelsAlikeTakesTheTimeOfAll) {
  const HotSpots spots =
      spots_of({op("aten::_foreach_mul_", 0, 100, 1, 100, shapes("[[1000, 1000]]", R"(["float"])")),
                launch(10, 10, 1), launch(30, 10, 2), row("multi_tensor_apply", 200, 40, 1),
                row("multi_tensor_apply", 240, 60, 2)});
  const HotKernel kernel = kernel_named(spots, "multi_tensor_apply");
  EXPECT_EQ(kernel.work.time_ns, 100 * kUs);
  EXPECT_EQ(kernel.work.operations, 1'000'000);
}

TEST(HotWork, IsNotToldOfCopiesNorWithoutShapes) {
  const HotSpots spots = spots_of(
      {op("aten::copy_", 0, 100, 1, 100, shapes("[[1000], [1000]]", R"(["float", "float"])")),
       launch(10, 10, 1), row("Memcpy HtoD (Pageable -> Device)", 200, 40, 1),
       op("aten::mm", 300, 100, 2), launch(310, 10, 2), row("gemm", 500, 40, 2)});
  for (const HotKernel& kernel : spots.kernels) {
    EXPECT_FALSE(kernel.work.tflops_per_s()) << kernel.name;
    EXPECT_FALSE(kernel.work.gb_per_s()) << kernel.name;
  }
}

TEST(Rooflines, AreReachedByWhicheverOfOperationsAndBytesTakesLonger) {
  const HotWork work{.time_ns = 1000, .operations = 5'000'000, .bytes = 100'000};
  EXPECT_DOUBLE_EQ(roofline_share(work, {.tflops_per_s = 10, .gb_per_s = 1000}).value(), 0.5);
  EXPECT_DOUBLE_EQ(roofline_share(work, {.tflops_per_s = 10, .gb_per_s = 125}).value(), 0.8);
  EXPECT_DOUBLE_EQ(roofline_share(work, {.gb_per_s = 1000}).value(), 0.1);
  EXPECT_FALSE(roofline_share(work, {}));
  EXPECT_FALSE(roofline_share({}, {.tflops_per_s = 10, .gb_per_s = 125}));
}

}  // namespace
}  // namespace nadi
