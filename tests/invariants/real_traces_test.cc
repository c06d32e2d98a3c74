// Real traces keep their known counts and the rules of every graph; skipped where there are none.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <map>

#include "nadi/base/error.h"
#include "nadi/converters/read_traces.h"
#include "nadi/emit/chakra_check.h"
#include "nadi/emit/chakra_writer.h"
#include "nadi/graph/build.h"
#include "nadi/input/byte_source.h"
#include "nadi/link/clock.h"
#include "nadi/read/detect.h"
#include "nadi/read/device_trace_reader.h"
#include "tests/invariants/graph_rules.h"

namespace nadi {
namespace {

const std::filesystem::path kTraces = NADI_SHARED_TRACES;

struct RealTrace {
  const char *name, *host, *device;  ///< host "" = the device trace alone
  std::size_t rows, unlaunched;      ///< device rows, those of them without a launch
  std::size_t matched;               ///< host ops matched
  std::map<CommKind, int> messages;  ///< nodes by kind
  const char* finding = "";          ///< the one thing `nadi check` finds
};

const std::vector<RealTrace>& real_traces() {
  using enum CommKind;
  static const std::map<CommKind, int> kDlrm = {{kAllToAll, 5}, {kAllReduce, 3}};
  static const std::vector<RealTrace> traces = {
      {"resnet",
       "resnet-2gpu/host.json.gz",
       "resnet-2gpu/device.json.gz",
       3774,
       0,
       14388,
       {{kAllReduce, 15}, {kBroadcast, 6}}},
      {"resnet_device_alone",
       "",
       "resnet-2gpu/device.json.gz",
       3774,
       0,
       14388,
       {{kAllReduce, 15}, {kBroadcast, 6}}},
      {"cuda_graph", "", "cuda-graph/device.json.gz", 434, 0, 101, {}},
      {"rocm", "", "rocm/device.json.gz", 3653, 968, 8028, {}},
      {"dlrm_0", "", "dlrm-8gpu/device.0.json.gz", 261, 0, 1673, kDlrm},
      {"dlrm_1", "", "dlrm-8gpu/device.1.json.gz", 326, 64, 1673, kDlrm},
      {"dlrm_2", "", "dlrm-8gpu/device.2.json.gz", 262, 0, 1673, kDlrm},
      {"dlrm_3", "", "dlrm-8gpu/device.3.json.gz", 337, 64, 1673, kDlrm},
      // Without record-function ids: linked by order.
      {"dlrm_0_linked", "dlrm-8gpu/host.0.json.gz", "dlrm-8gpu/device.0.json.gz", 261, 0, 1672,
       kDlrm},
      {"dlrm_1_linked", "dlrm-8gpu/host.1.json.gz", "dlrm-8gpu/device.1.json.gz", 326, 64, 1672,
       kDlrm},
      {"dlrm_2_linked", "dlrm-8gpu/host.2.json.gz", "dlrm-8gpu/device.2.json.gz", 262, 0, 1672,
       kDlrm},
      {"dlrm_3_linked", "dlrm-8gpu/host.3.json.gz", "dlrm-8gpu/device.3.json.gz", 337, 64, 1672,
       kDlrm},
      {"linear_one_iteration", "linear/host.json.gz", "linear/device.json.gz", 261, 0, 928, {}},
      {"linear", "", "linear/device.json.gz", 10356, 0, 37078, {}},
      {"event_sync", "", "event-sync/device.json.gz", 5, 0, 11, {}},
      {"events", "", "events/device.json.gz", 1204, 0, 2402, {}},
      {"trace_diff_control", "", "trace-diff/control.json.gz", 9450, 0, 40794, {}},
      {"trace_diff_test", "", "trace-diff/test.json.gz", 15632, 614, 31524, {}, "comm-size-zero"},
  };
  return traces;
}

LinkedTrace link_real(const std::string& host, const std::string& device,
                      Diagnostics& diagnostics) {
  TraceFiles files;
  files.device = kTraces / device;
  if (!host.empty()) files.host = kTraces / host;
  return read_and_link(files, {}, false, diagnostics);
}

Graph build(const LinkedTrace& linked, Delays delays, Ns min_part, bool joins_all = false) {
  GraphOptions options;
  options.delays = delays;
  options.min_part_ns = min_part;
  options.join_all_parts = joins_all;
  Diagnostics diagnostics;
  return build_graph(linked, options, diagnostics);
}

std::string bytes_of(const LinkedTrace& linked, const Graph& graph, unsigned threads) {
  ChakraOptions options;
  options.threads = threads;
  std::string bytes;
  Diagnostics diagnostics;
  write_chakra(
      linked, graph, options, [&](std::string_view piece) { bytes += piece; }, diagnostics);
  return bytes;
}

class RealTraces : public testing::TestWithParam<RealTrace> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kTraces / GetParam().device))
      GTEST_SKIP() << "no real traces beside this repository: " << GetParam().device;
    linked_ = link_real(GetParam().host, GetParam().device, diagnostics_);
  }
  Diagnostics diagnostics_;
  LinkedTrace linked_;
};

TEST_P(RealTraces, KeepTheirCounts) {
  EXPECT_EQ(linked_.matched_host_ops, GetParam().matched);
  EXPECT_EQ(linked_.rows.evidence.size(), GetParam().rows);
  const auto unlaunched = std::count(linked_.rows.evidence.begin(), linked_.rows.evidence.end(),
                                     LinkEvidence::kUnlaunched);
  EXPECT_EQ(static_cast<std::size_t>(unlaunched), GetParam().unlaunched);
  EXPECT_EQ(diagnostics_.count("unlaunched-rows"), GetParam().unlaunched);
  EXPECT_FALSE(diagnostics_.has_loss());
  std::map<CommKind, int> messages;
  for (const Communication& c : build(linked_, Delays::kHost, 0).communications) ++messages[c.kind];
  if (!GetParam().messages.empty()) {
    EXPECT_EQ(messages, GetParam().messages);
  }
}

TEST_P(RealTraces, GiveGraphsThatKeepTheRules) {
  for (Delays delays : {Delays::kNone, Delays::kHost, Delays::kAll})
    EXPECT_EQ(first_broken_rule(linked_, build(linked_, delays, 0)), "");
  EXPECT_EQ(first_broken_rule(linked_, build(linked_, Delays::kHost, 2000), false), "");
  EXPECT_EQ(first_broken_rule(linked_, build(linked_, Delays::kHost, 0, true), false), "");
}

TEST_P(RealTraces, ReplayWithAllDelaysAtTheirMeasuredTimes) {
  const ReplayError whole = replay_error(linked_, build(linked_, Delays::kAll, 0));
  EXPECT_EQ(whole.most_early_ns, 0);
  EXPECT_EQ(whole.most_late_ns, 0) << whole.worst;
  const ReplayError joined = replay_error(linked_, build(linked_, Delays::kAll, 2000));
  EXPECT_LE(joined.most_early_ns, 2000);
  EXPECT_LE(joined.most_late_ns, 2000) << joined.worst;
}

TEST_P(RealTraces, TellHowLateJoiningAllPartsMakesThem) {
  const Graph graph = build(linked_, Delays::kAll, 0, true);
  const ReplayError error = replay_error(linked_, graph);
  EXPECT_GT(graph.lateness_ns, 0);
  EXPECT_LE(error.most_late_ns, graph.lateness_ns) << error.worst;
}

TEST_P(RealTraces, BecomeTheSameBytesEveryTimeAndAtAnyNumberOfThreads) {
  const Graph graph = build(linked_, Delays::kHost, 0);
  const std::string bytes = bytes_of(linked_, graph, 1);
  EXPECT_TRUE(bytes == bytes_of(linked_, graph, 4));
  Diagnostics again;
  const LinkedTrace linked = link_real(GetParam().host, GetParam().device, again);
  EXPECT_TRUE(bytes == bytes_of(linked, build(linked, Delays::kHost, 0), 4));
}

TEST_P(RealTraces, BecomeFilesInWhichTheCheckFindsNothing) {
  for (Delays delays : {Delays::kNone, Delays::kHost, Delays::kAll}) {
    const Graph graph = build(linked_, delays, 0);
    const std::string bytes = bytes_of(linked_, graph, 2);
    for (const Finding& finding : check_chakra(source_of_bytes(bytes, "graph")).findings)
      if (finding.rule != GetParam().finding)
        ADD_FAILURE() << to_string(finding.severity) << " " << finding.rule << ": "
                      << finding.message;
    EXPECT_LT(worst_lane_sum(graph, bytes), 1000);
  }
}

INSTANTIATE_TEST_SUITE_P(Traces, RealTraces, testing::ValuesIn(real_traces()),
                         [](const auto& trace) { return std::string(trace.param.name); });

bool is_device_trace(const std::filesystem::path& file) {
  ByteSource source = ByteSource::open(file.string());
  std::string prefix(65536, ' ');
  prefix.resize(source.read(prefix));
  return detect(prefix) == TraceType::kDeviceTrace;
}

TEST(RealTrace, HasNoDeviceWhoseClockIsCorrected) {
  if (!std::filesystem::exists(kTraces)) GTEST_SKIP() << "no real traces beside this repository";
  std::size_t bounds = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kTraces)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".json.gz") || !is_device_trace(entry.path())) continue;
    Diagnostics diagnostics;
    ByteSource source = ByteSource::open(entry.path().string());
    for (const DeviceClock& clock : find_clocks(read_device_trace(source, diagnostics))) {
      EXPECT_FALSE(clock.fit.line) << entry.path() << ": " << clock_text(clock);
      EXPECT_FALSE(clock.fit.is_another_clock) << entry.path() << ": " << clock_text(clock);
      EXPECT_EQ(clock.fit.outliers, 0U) << entry.path() << ": " << clock_text(clock);
      bounds += clock.bounds;
    }
  }
  EXPECT_GT(bounds, 10'000U);
}

TEST(RealTrace, OfResnetHasBytesAndGroupOnEveryCollective) {
  if (!std::filesystem::exists(kTraces)) GTEST_SKIP() << "no real traces beside this repository";
  Diagnostics diagnostics;
  const LinkedTrace linked =
      link_real("resnet-2gpu/host.json.gz", "resnet-2gpu/device.json.gz", diagnostics);
  EXPECT_EQ(linked.host_ops, 14388U);
  const Graph graph = build(linked, Delays::kHost, 0);
  ASSERT_EQ(graph.communications.size(), 21U);
  for (const Communication& communication : graph.communications) {
    EXPECT_GT(communication.bytes, 0);
    EXPECT_EQ(linked.strings[communication.group], "0");
  }
}

TEST(RealTrace, OfACudaGraphHas421RowsOfOneLaunch) {
  if (!std::filesystem::exists(kTraces)) GTEST_SKIP() << "no real traces beside this repository";
  Diagnostics diagnostics;
  const LinkedTrace linked = link_real("", "cuda-graph/device.json.gz", diagnostics);
  std::map<CallIndex, int> rows;
  for (CallIndex launch : linked.rows.launch) ++rows[launch];
  const auto most = std::max_element(
      rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  EXPECT_EQ(most->second, 421);
  EXPECT_EQ(linked.strings[linked.device.calls.name[most->first.value]], "hipGraphLaunch");
}

TEST(RealTrace, OfOneIterationIsFoundInEveryFullOneAndLinkedToItsOwn) {
  if (!std::filesystem::exists(kTraces)) GTEST_SKIP() << "no real traces beside this repository";
  Diagnostics diagnostics;
  const LinkedTrace linked = link_real("linear/host.json.gz", "linear/device.json.gz", diagnostics);
  EXPECT_EQ(diagnostics.count("iterations-found"), 39U);
  EXPECT_EQ(diagnostics.count("bridged-ops"), 0U);
  for (std::size_t op = 0; op < linked.ops.size(); ++op) {
    const std::uint32_t host = linked.ops.host[op], profiler = linked.ops.profiler[op];
    if (host != kNoIndex && linked.host.ops.seq_id[host] >= 0) {
      EXPECT_EQ(linked.host.ops.seq_id[host], linked.device.ops.seq_id[profiler]);
    }
  }
}

TEST(RealTrace, OfOneIterationBecomesAGraphOfAllWhenRepeated) {
  if (!std::filesystem::exists(kTraces)) GTEST_SKIP() << "no real traces beside this repository";
  LinkOptions options;
  options.match.repeats_all = true;
  Diagnostics diagnostics;
  const LinkedTrace linked =
      read_and_link({kTraces / "linear/host.json.gz", kTraces / "linear/device.json.gz"}, options,
                    false, diagnostics);
  EXPECT_EQ(linked.host_ops, 39U * 928);
  EXPECT_EQ(linked.matched_host_ops, 39U * 928);
  EXPECT_EQ(linked.rows.evidence.size(), 39U * 261);
  const Graph graph = build(linked, Delays::kHost, 0);
  EXPECT_EQ(first_broken_rule(linked, graph), "");
  const ChakraCheck result = check_chakra(source_of_bytes(bytes_of(linked, graph, 1), "graph"));
  EXPECT_TRUE(result.findings.empty());
}

TEST(RealTrace, OfOneIterationIsLinkedInHalfASecond) {
#ifdef NADI_SLOW_BUILD
  GTEST_SKIP() << "half a second is asked of an optimised build without sanitizers; this is none";
#endif
  if (!std::filesystem::exists(kTraces)) GTEST_SKIP() << "no real traces beside this repository";
  double least = 60;
  for (int repetition = 0; repetition < 3; ++repetition) {
    const std::clock_t begin = std::clock();
    Diagnostics diagnostics;
    const LinkedTrace linked =
        link_real("linear/host.json.gz", "linear/device.json.gz", diagnostics);
    EXPECT_FALSE(bytes_of(linked, build(linked, Delays::kHost, 0), 1).empty());
    least = std::min(least, double(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  EXPECT_LT(least, 0.5);
}

TEST(RealTrace, LinkedByOrderHasEveryLaunchUnderAnOpThatWasRunning) {
  if (!std::filesystem::exists(kTraces)) GTEST_SKIP() << "no real traces beside this repository";
  const std::map<int, std::size_t> launched = {{0, 261}, {1, 262}, {2, 262}, {3, 273}};
  for (const auto& [rank, count] : launched) {
    Diagnostics diagnostics;
    const LinkedTrace linked =
        link_real("dlrm-8gpu/host." + std::to_string(rank) + ".json.gz",
                  "dlrm-8gpu/device." + std::to_string(rank) + ".json.gz", diagnostics);
    std::size_t under_an_op = 0;
    for (std::size_t row = 0; row < linked.rows.launch.size(); ++row) {
      const std::uint32_t op = linked.rows.parent[row];
      if (!linked.rows.launch[row] || op == kNoIndex) continue;
      const Ns begin = linked.ops.start_ns[op], end = begin + linked.ops.duration_ns[op];
      under_an_op += begin <= linked.rows.launch_ns[row] && linked.rows.launch_ns[row] < end;
    }
    EXPECT_EQ(under_an_op, count) << "rank " << rank;
  }
}

TEST(RealTrace, LinkedByCallTreeFitsWholeOrWhereWholeMicrosecondsBlurTheTreeIn99Percent) {
  if (!std::filesystem::exists(kTraces)) GTEST_SKIP() << "no real traces beside this repository";
  LinkOptions options;
  options.match.method = MatchMethod::kTree;
  for (const auto& [host, device, matched] :
       {std::tuple{"linear/host.json.gz", "linear/device.json.gz", 928U},
        std::tuple{"dlrm-8gpu/host.2.json.gz", "dlrm-8gpu/device.2.json.gz", 1656U}}) {
    Diagnostics diagnostics;
    const LinkedTrace linked =
        read_and_link({kTraces / host, kTraces / device}, options, false, diagnostics);
    EXPECT_GE(linked.matched_host_ops, matched) << host;
  }
}

TEST(RealTrace, OfAnotherRunIsRefusedAndTheLikelyCauseTold) {
  if (!std::filesystem::exists(kTraces)) GTEST_SKIP() << "no real traces beside this repository";
  Diagnostics diagnostics;
  try {
    link_real("resnet-2gpu/host.json.gz", "linear/device.json.gz", diagnostics);
    FAIL() << "linked traces of two programs";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInput);
    EXPECT_NE(error.problem().find("of 14388 host ops"), std::string::npos) << error.what();
    EXPECT_NE(error.remedy().find("two traces of the same steps"), std::string::npos);
  }
}

}  // namespace
}  // namespace nadi
