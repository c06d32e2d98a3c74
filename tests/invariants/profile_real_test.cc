// Sums by kernel and op of real traces, and what their devices did, equal a count over the events
// of their files.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "nadi/converters/convert.h"
#include "nadi/converters/profile/profile.h"
#include "nadi/input/byte_source.h"

namespace nadi {
namespace {

const std::filesystem::path kTraces = NADI_SHARED_TRACES;

struct Count {
  std::uint64_t rows = 0;
  Ns ns = 0, longest_ns = 0;
  friend bool operator==(const Count&, const Count&) = default;
  friend void PrintTo(const Count& count, std::ostream* out) {
    *out << count.rows << " rows, " << count.ns << " ns, longest " << count.longest_ns;
  }
};
using Counts = std::map<std::string, Count>;

std::string text_of(const std::string& path) {
  ByteSource source = ByteSource::open(path);
  std::string text;
  std::array<char, 1 << 16> block;
  while (const std::size_t bytes = source.read(block)) text.append(block.data(), bytes);
  return text;
}

/// Of microseconds; the product would lose digits of absolute times.
Ns ns_of(double micros) {
  const double whole = std::floor(micros);
  return static_cast<Ns>(whole) * kNsPerMicro + std::llround((micros - whole) * 1000);
}

/// By name what a loop over the events of the file finds.
Counts counted_rows(const std::string& path) {
  static const std::set<std::string> kRows = {"kernel", "gpu_memcpy", "gpu_memset"};
  Counts counts;
  const auto trace = nlohmann::json::parse(text_of(path));
  for (const auto& event : trace["traceEvents"]) {
    if (!event.contains("dur") || !kRows.contains(event.value("cat", ""))) continue;
    Count& count = counts[event["name"]];
    const Ns ns = ns_of(event["dur"]);
    ++count.rows;
    count.ns += ns;
    count.longest_ns = std::max(count.longest_ns, ns);
  }
  return counts;
}

struct ProfiledTrace {
  const char *name, *host, *device;
  friend void PrintTo(const ProfiledTrace& trace, std::ostream* out) { *out << trace.name; }
};

class HotSpotsOfRealTraces : public testing::TestWithParam<ProfiledTrace> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kTraces / GetParam().device))
      GTEST_SKIP() << "no real traces beside this repository";
  }
  static ConvertedGraph converted() {
    ConvertOptions options;
    options.traces.device = kTraces / GetParam().device;
    if (*GetParam().host != 0) options.traces.host = kTraces / GetParam().host;
    options.graph.delays = Delays::kAll;
    return std::move(convert_in_memory(options, {.shapes = true, .parents = true}).front());
  }
  static HotSpots spots_of(const Graph& graph) {
    HotSpotSums sums;
    sums.add(graph);
    return sums.take();
  }
};

TEST_P(HotSpotsOfRealTraces, HaveTheKernelsOfTheFile) {
  Counts counts;
  for (const HotKernel& kernel : spots_of(converted().graph).kernels)
    counts[kernel.name] = {kernel.count, kernel.sum_ns, kernel.longest_ns};
  EXPECT_EQ(counts, counted_rows(kTraces / GetParam().device));
}

TEST_P(HotSpotsOfRealTraces, AddUpToTheTimesOfTheGraph) {
  const ConvertedGraph made = converted();
  const HotSpots spots = spots_of(made.graph);
  Ns kernels = 0, families = 0, ops = 0, outermost = 0, launched = 0, host = 0;
  std::uint64_t rows = 0;
  for (const HotKernel& kernel : spots.kernels) kernels += kernel.sum_ns, rows += kernel.count;
  for (const HotFamily& family : spots.families) families += family.sum_ns;
  for (const HotOp& op : spots.ops) ops += op.own_ns;
  for (const HotPath& path : spots.paths) {
    if (path.parent != kNoIndex) continue;
    outermost += path.host_ns;
    launched += path.device_ns;
  }
  for (std::uint32_t node = 0; node < made.graph.size(); ++node)
    if (made.graph.kind[node] != NodeKind::kDelay && made.graph.kind[node] != NodeKind::kDeviceRow)
      host += made.graph.duration_ns[node];
  EXPECT_EQ(rows, made.report.device_rows);
  EXPECT_EQ(kernels, made.report.device_ns);
  EXPECT_EQ(families, made.report.device_ns);
  EXPECT_EQ(launched, made.report.device_ns);
  EXPECT_EQ(spots.device_ns, made.report.device_ns);
  EXPECT_EQ(ops, host);
  EXPECT_EQ(outermost, host);
  EXPECT_EQ(spots.host_ns, host);
  EXPECT_EQ(spots.paths_cut, 0U);
}

/// In ns, of all device rows of a trace.
struct Breakdown {
  Ns length = 0, computation = 0, exposed_communication = 0, exposed_copies = 0, idle = 0;
  friend bool operator==(const Breakdown&, const Breakdown&) = default;
  friend void PrintTo(const Breakdown& b, std::ostream* out) {
    *out << b.length << " = " << b.computation << " + " << b.exposed_communication << " + "
         << b.exposed_copies << " + " << b.idle;
  }
};

/// By a walk over all moments at which a row of the file begins or ends.
Breakdown counted_breakdown(const std::string& path) {
  std::map<Ns, std::array<int, 3>> changes;  // of how many compute, communicate, copy
  const auto trace = nlohmann::json::parse(text_of(path));
  for (const auto& event : trace["traceEvents"]) {
    const std::string category = event.value("cat", "");
    if (!event.contains("dur") || (category != "kernel" && !category.starts_with("gpu_mem")))
      continue;
    const std::string name = event["name"];
    const std::size_t work = category != "kernel"                     ? 2
                             : name.find("nccl") != std::string::npos ? 1
                                                                      : 0;
    const Ns start = ns_of(event["ts"]);
    ++changes[start][work];
    --changes[start + ns_of(event["dur"])][work];
  }
  Breakdown found;
  std::array<int, 3> running{};
  Ns since = changes.begin()->first;
  for (const auto& [now, change] : changes) {
    Ns& part = running[0] > 0   ? found.computation
               : running[1] > 0 ? found.exposed_communication
               : running[2] > 0 ? found.exposed_copies
                                : found.idle;
    part += now - since;
    found.length += now - since;
    since = now;
    for (std::size_t work = 0; work < 3; ++work) running[work] += change[work];
  }
  return found;
}

TEST_P(HotSpotsOfRealTraces, DevicesDidWhatTheFileTells) {
  Diagnostics diagnostics;
  std::vector<Graph> graphs;
  graphs.push_back(std::move(converted().graph));
  const Profile profile = profile_graphs(std::move(graphs), diagnostics);
  ASSERT_EQ(profile.devices.size(), 1U);
  const StepTimes& device = profile.devices.front();
  EXPECT_EQ((Breakdown{device.length_ns, device.computation_ns, device.exposed_communication_ns,
                       device.exposed_copies_ns, device.sum_of_idle_ns()}),
            counted_breakdown(kTraces / GetParam().device));
}

INSTANTIATE_TEST_SUITE_P(
    Traces, HotSpotsOfRealTraces,
    testing::Values(ProfiledTrace{"trace_diff", "", "trace-diff/control.json.gz"},
                    ProfiledTrace{"resnet", "resnet-2gpu/host.json.gz",
                                  "resnet-2gpu/device.json.gz"},
                    ProfiledTrace{"cuda_graph", "", "cuda-graph/device.json.gz"},
                    ProfiledTrace{"dlrm", "dlrm-8gpu/host.1.json.gz", "dlrm-8gpu/device.1.json.gz"},
                    ProfiledTrace{"rocm", "", "rocm/device.json.gz"}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace nadi
