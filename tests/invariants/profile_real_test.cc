// Sums by kernel and op of real traces, and what their devices did, equal a count over the events
// of their files.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "nadi/converters/convert.h"
#include "nadi/converters/profile/profile.h"
#include "tests/file_bytes.h"

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

/// Of microseconds; the product would lose digits of absolute times.
Ns ns_of(double micros) {
  const double whole = std::floor(micros);
  return static_cast<Ns>(whole) * kNsPerMicro + std::llround((micros - whole) * 1000);
}

/// By name what a loop over the events of the file finds.
Counts counted_rows(const std::string& path) {
  static const std::set<std::string> kRows = {"kernel", "gpu_memcpy", "gpu_memset"};
  Counts counts;
  const auto trace = nlohmann::json::parse(read_unpacked(path));
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
  const auto trace = nlohmann::json::parse(read_unpacked(path));
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

/// Of each step of a file with one device but the last: from its first row to that of the next
/// step, of the stream whose kernels compute most.
std::map<std::int32_t, Ns> counted_steps(const nlohmann::json& trace) {
  std::map<std::int64_t, Ns> calls;  // by correlation
  std::map<Ns, std::pair<Ns, std::int32_t>> spans;
  std::map<std::int64_t, Ns> computing;  // by stream
  for (const auto& event : trace["traceEvents"]) {
    if (!event.contains("dur")) continue;
    const std::string category = event.value("cat", ""), name = event["name"];
    const Ns start = ns_of(event["ts"]), duration = ns_of(event["dur"]);
    if (category.ends_with("_runtime") || category.ends_with("_driver"))
      calls.emplace(event["args"].value("correlation", -1), start);
    if (category == "user_annotation" && name.starts_with("ProfilerStep#"))
      spans[start] = {start + duration, std::stoi(name.substr(name.find('#') + 1))};
    if (category == "kernel" && name.find("nccl") == std::string::npos)
      computing[event["args"]["stream"]] += duration;
  }
  const auto main = std::max_element(computing.begin(), computing.end(), [](auto& a, auto& b) {
                      return a.second < b.second;
                    })->first;
  std::map<std::int32_t, Ns> first;
  for (const auto& event : trace["traceEvents"]) {
    const std::string category = event.value("cat", "");
    if (category != "kernel" && !category.starts_with("gpu_mem")) continue;
    const auto call = calls.find(event["args"].value("correlation", -1));
    if (call == calls.end() || event["args"]["stream"] != main) continue;
    auto span = spans.upper_bound(call->second);
    if (span == spans.begin() || call->second >= std::prev(span)->second.first) continue;
    Ns& start = first.emplace(std::prev(span)->second.second, ns_of(event["ts"])).first->second;
    start = std::min(start, ns_of(event["ts"]));
  }
  std::map<std::int32_t, Ns> lengths;
  for (auto step = first.begin(); step != first.end() && std::next(step) != first.end(); ++step)
    lengths[step->first] = std::next(step)->second - step->second;
  return lengths;
}

TEST_P(HotSpotsOfRealTraces, StepsLastAsTheFileTells) {
  Diagnostics diagnostics;
  std::vector<Graph> graphs;
  graphs.push_back(std::move(converted().graph));
  std::map<std::int32_t, Ns> lengths;
  for (const StepTimes& step : profile_graphs(std::move(graphs), diagnostics).steps)
    lengths[*step.step] = step.length_ns;
  if (!lengths.empty()) lengths.erase(std::prev(lengths.end()));  // lasts to the trace's end
  EXPECT_EQ(lengths,
            counted_steps(nlohmann::json::parse(read_unpacked(kTraces / GetParam().device))));
}

/// Begins of the n-th collective of each file, which all of them ran in one order.
std::vector<std::vector<Ns>> counted_collectives(const std::vector<std::string>& paths) {
  std::vector<std::vector<Ns>> begins;
  for (const std::string& path : paths) {
    const auto trace = nlohmann::json::parse(read_unpacked(path));
    std::vector<Ns> of_file;
    for (const auto& event : trace["traceEvents"])
      if (event.value("cat", "") == "kernel" &&
          event["name"].get<std::string>().find("nccl") != std::string::npos)
        of_file.push_back(trace.value("baseTimeNanoseconds", Ns{0}) + ns_of(event["ts"]));
    std::sort(of_file.begin(), of_file.end());
    begins.resize(of_file.size());
    for (std::size_t i = 0; i < of_file.size(); ++i) begins[i].push_back(of_file[i]);
  }
  return begins;
}

TEST(ProfileOfRealTraces, RanksWaitForTheLastOfEachCollectiveAsTheirFilesTell) {
  ProfileOptions options;
  std::vector<std::string> paths;
  for (int rank = 0; rank < 4; ++rank)
    paths.push_back(kTraces / ("dlrm-8gpu/device." + std::to_string(rank) + ".json.gz"));
  if (!std::filesystem::exists(paths.front()))
    GTEST_SKIP() << "no real traces beside this repository";
  options.inputs = paths;
  const std::vector<std::vector<Ns>> begins = counted_collectives(paths);
  const Profile profile = nadi::profile(options).profile;
  ASSERT_EQ(profile.collectives.size(), begins.size());
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const auto last = std::max_element(begins[i].begin(), begins[i].end());
    const CollectiveTimes& collective = profile.collectives[i];
    ASSERT_EQ(collective.members.size(), begins[i].size());
    EXPECT_EQ(collective.last_rank, last - begins[i].begin()) << i;
    for (std::size_t rank = 0; rank < begins[i].size(); ++rank)
      EXPECT_EQ(collective.members[rank].waiting_ns, *last - begins[i][rank]) << i << " " << rank;
  }
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
