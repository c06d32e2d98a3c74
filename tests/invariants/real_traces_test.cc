// Real traces keep their known counts and the rules of every graph; skipped where there are none.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "et_def.pb.h"
#include "nadi/base/error.h"
#include "nadi/chakra/chakra_check.h"
#include "nadi/converters/read_traces.h"
#include "nadi/emit/chakra_writer.h"
#include "nadi/graph/build.h"
#include "nadi/input/byte_source.h"
#include "nadi/link/clock.h"
#include "nadi/read/detect.h"
#include "nadi/read/device_trace_reader.h"
#include "nadi/read/host_trace_reader.h"
#include "tests/invariants/graph_rules.h"

namespace nadi {
namespace {

const std::filesystem::path kTraces = NADI_SHARED_TRACES;

struct RealTrace {
  const char *name, *host, *device;       ///< host "" = the device trace alone
  std::size_t calls;                      ///< runtime calls
  std::size_t rows, unlaunched;           ///< device rows, those of them without a launch
  std::size_t matched;                    ///< host ops matched
  std::map<std::int64_t, int> messages;   ///< collectives by type
  std::optional<CheckRule> finding = {};  ///< the one thing `nadi check` finds
  friend void PrintTo(const RealTrace& trace, std::ostream* out) { *out << trace.name; }
};

const std::vector<RealTrace>& real_traces() {
  using namespace ChakraProtoMsg;
  constexpr CheckRule kAddress = CheckRule::kPgNameNotDecimal;  // its group: no int holds it
  static const std::map<std::int64_t, int> kDlrm = {{ALL_TO_ALL, 5}, {ALL_REDUCE, 3}};
  static const std::vector<RealTrace> traces = {
      {"resnet",
       "resnet-2gpu/host.json.gz",
       "resnet-2gpu/device.json.gz",
       8740,
       3774,
       0,
       14388,
       {{ALL_REDUCE, 15}, {BROADCAST, 6}}},
      {"resnet_device_alone",
       "",
       "resnet-2gpu/device.json.gz",
       8740,
       3774,
       0,
       14388,
       {{ALL_REDUCE, 15}, {BROADCAST, 6}}},
      {"cuda_graph", "", "cuda-graph/device.json.gz", 20, 434, 0, 102, {}},
      {"rocm", "", "rocm/device.json.gz", 3100, 3653, 968, 8478, {}},
      {"dlrm_0", "", "dlrm-8gpu/device.0.json.gz", 525, 261, 0, 1673, kDlrm, kAddress},
      {"dlrm_1", "", "dlrm-8gpu/device.1.json.gz", 527, 326, 64, 1673, kDlrm, kAddress},
      {"dlrm_2", "", "dlrm-8gpu/device.2.json.gz", 513, 262, 0, 1673, kDlrm, kAddress},
      {"dlrm_3", "", "dlrm-8gpu/device.3.json.gz", 541, 337, 64, 1673, kDlrm, kAddress},
      // Without record-function ids: linked by order.
      {"dlrm_0_linked", "dlrm-8gpu/host.0.json.gz", "dlrm-8gpu/device.0.json.gz", 525, 261, 0, 1672,
       kDlrm, kAddress},
      {"dlrm_1_linked", "dlrm-8gpu/host.1.json.gz", "dlrm-8gpu/device.1.json.gz", 527, 326, 64,
       1672, kDlrm, kAddress},
      {"dlrm_2_linked", "dlrm-8gpu/host.2.json.gz", "dlrm-8gpu/device.2.json.gz", 513, 262, 0, 1672,
       kDlrm, kAddress},
      {"dlrm_3_linked", "dlrm-8gpu/host.3.json.gz", "dlrm-8gpu/device.3.json.gz", 541, 337, 64,
       1672, kDlrm, kAddress},
      {"linear_one_iteration",
       "linear/host.json.gz",
       "linear/device.json.gz",
       364,
       261,
       0,
       928,
       {}},
      {"linear", "", "linear/device.json.gz", 14515, 10356, 0, 37078, {}},
      {"event_sync", "", "event-sync/device.json.gz", 12, 5, 0, 11, {}},
      {"events", "", "events/device.json.gz", 1204, 1204, 0, 2402, {}},
      {"trace_diff_control", "", "trace-diff/control.json.gz", 24692, 9450, 0, 40794, {}},
      {"trace_diff_test",
       "",
       "trace-diff/test.json.gz",
       21167,
       15632,
       614,
       31524,
       {},
       CheckRule::kCommSizeZero},
      {"dependent_launch", "", "dependent-launch/device.json.gz", 62, 718, 0, 261, {}},
      {"wait_without_record", "", "wait-without-record/device.json.gz", 331, 98, 0, 367, {}},
      {"late_return", "", "late-return/device.json.gz", 15724, 10103, 0, 28549, {}},
      {"mtia",
       "",
       "mtia/device.json.gz",
       3453,
       25814,
       22361,
       109103,
       {{BARRIER, 48}},
       CheckRule::kCommTypeNotSimulated},
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

BuiltGraph build(const LinkedTrace& linked, Delays delays, Ns min_part, bool joins_all = false) {
  GraphOptions options;
  options.delays = delays;
  options.min_part_ns = min_part;
  options.join_all_parts = joins_all;
  Diagnostics diagnostics;
  return build_graph(linked, options, diagnostics);
}

std::string bytes_of(const LinkedTrace& linked, const BuiltGraph& graph, unsigned threads) {
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
  EXPECT_EQ(linked_.matched_host_op_count, GetParam().matched);
  EXPECT_EQ(linked_.device.calls.size(), GetParam().calls);
  EXPECT_EQ(linked_.rows.evidence.size(), GetParam().rows);
  const auto unlaunched = std::count(linked_.rows.evidence.begin(), linked_.rows.evidence.end(),
                                     LinkEvidence::kUnlaunched);
  EXPECT_EQ(static_cast<std::size_t>(unlaunched), GetParam().unlaunched);
  EXPECT_EQ(diagnostics_.count(Finding::kUnlaunchedRows), GetParam().unlaunched);
  EXPECT_FALSE(diagnostics_.has_loss());
  std::map<std::int64_t, int> messages;
  for (const GraphCommunication& c : build(linked_, Delays::kHost, 0).communications)
    ++messages[c.type];
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

/// Stamps of whole us, as before torch 2.4, are right to 2 us.
Ns resolution_of(const LinkedTrace& linked) {
  const auto& starts = linked.device.rows.start_ns;
  const bool is_whole =
      std::all_of(starts.begin(), starts.end(), [](Ns start) { return start % 1000 == 0; });
  return is_whole ? 2000 : 10;
}

TEST_P(RealTraces, WaitForNothingThatEndsLaterButDependentLaunches) {
  const BuiltGraph graph = build(linked_, Delays::kNone, 0);
  const Ns resolution = resolution_of(linked_);
  for (auto [edge, end] = edges(graph.structure); edge != end; ++edge) {
    if (graph.structure[*edge].evidence == Evidence::kNesting) continue;
    const auto from = source(*edge, graph.structure), to = target(*edge, graph.structure);
    const Ns overlap = graph.end_ns(from) - graph.start_ns[to];
    const bool is_dependent_launch =
        graph.structure[*edge].evidence == Evidence::kGraphOrder && overlap <= 5000;
    EXPECT_TRUE(overlap <= resolution || is_dependent_launch)
        << graph.name_of(from) << " -> " << graph.name_of(to) << ": " << overlap;
  }
}

TEST_P(RealTraces, ReplayWithAllDelaysAtTheirMeasuredTimes) {
  const ReplayError whole = replay_error(build(linked_, Delays::kAll, 0));
  EXPECT_EQ(whole.most_early_ns, 0);
  EXPECT_EQ(whole.most_early_delay_ns, 0);
  EXPECT_EQ(whole.most_late_ns, 0) << whole.worst;
  const ReplayError joined = replay_error(build(linked_, Delays::kAll, 2000));
  EXPECT_LE(joined.most_early_ns, 2000);
  EXPECT_LE(joined.most_late_ns, 2000) << joined.worst;
}

TEST_P(RealTraces, TellHowLateJoiningAllPartsMakesThem) {
  const BuiltGraph graph = build(linked_, Delays::kAll, 0, true);
  const ReplayError error = replay_error(graph);
  EXPECT_GT(graph.lateness_ns, 0);
  EXPECT_LE(error.most_late_ns, graph.lateness_ns) << error.worst;
}

TEST_P(RealTraces, BecomeTheSameBytesEveryTimeAndAtAnyNumberOfThreads) {
  const BuiltGraph graph = build(linked_, Delays::kHost, 0);
  const std::string bytes = bytes_of(linked_, graph, 1);
  EXPECT_TRUE(bytes == bytes_of(linked_, graph, 4));
  Diagnostics again;
  const LinkedTrace linked = link_real(GetParam().host, GetParam().device, again);
  EXPECT_TRUE(bytes == bytes_of(linked, build(linked, Delays::kHost, 0), 4));
}

TEST_P(RealTraces, BecomeFilesInWhichTheCheckFindsNothing) {
  for (Delays delays : {Delays::kNone, Delays::kHost, Delays::kAll}) {
    const BuiltGraph graph = build(linked_, delays, 0);
    const std::string bytes = bytes_of(linked_, graph, 2);
    for (const CheckFinding& finding : check_chakra(messages_of_bytes(bytes, "graph")).findings)
      if (finding.rule != GetParam().finding)
        ADD_FAILURE() << to_string(severity_of(finding.rule)) << " " << to_string(finding.rule)
                      << ": " << message_of(finding);
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

TEST(RealTrace, HasNoDeviceWhoseClockIsCorrectedButOneWhoseLaunchesReturnBeforeTheirRowsEnd) {
  if (!std::filesystem::exists(kTraces)) GTEST_SKIP() << "no real traces beside this repository";
  std::size_t bounds = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kTraces)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".json.gz") || !is_device_trace(entry.path())) continue;
    Diagnostics diagnostics;
    ByteSource source = ByteSource::open(entry.path().string());
    const DeviceTrace trace = read_device_trace(source, diagnostics);
    for (const DeviceClock& clock : find_clocks(trace, find_row_limits(trace))) {
      const bool is_mtia = entry.path().parent_path().filename() == "mtia";
      EXPECT_EQ(clock.fit.line.has_value(), is_mtia) << entry.path() << ": " << clock_text(clock);
      EXPECT_FALSE(clock.fit.is_another_clock) << entry.path() << ": " << clock_text(clock);
      EXPECT_EQ(clock.fit.outliers, 0U) << entry.path() << ": " << clock_text(clock);
      bounds += clock.bounds;
    }
  }
  EXPECT_GT(bounds, 10'000U);
}

TEST(RealTrace, OfAHostHasItsNodesAndSchema) {
  if (!std::filesystem::exists(kTraces)) GTEST_SKIP() << "no real traces beside this repository";
  const struct {
    const char* name;
    std::size_t nodes, comms, groups;
    const char* schema;
  } traces[] = {
      {"resnet-2gpu/host.json.gz", 14391, 27, 0, "1.0.3-chakra.0.0.4"},
      {"dlrm-8gpu/host.0.json.gz", 1675, 13, 0, "1.0.1"},
      {"linear/host.json.gz", 931, 0, 0, "1.0.1"},
      {"host-only/host.1.0.2.json.gz", 263, 20, 1, "1.0.2-chakra.0.0.4"},
      {"host-only/torch-compile.json.tar.gz:pt2_et.json", 20, 0, 0, "1.1.1-chakra.0.0.4"},
  };
  for (const auto& expected : traces) {
    SCOPED_TRACE(expected.name);
    Diagnostics diagnostics;
    ByteSource source = ByteSource::open((kTraces / expected.name).string());
    const HostTrace trace = read_host_trace(source, diagnostics);
    EXPECT_EQ(trace.ops.size(), expected.nodes);
    EXPECT_EQ(trace.comms.size(), expected.comms);
    EXPECT_EQ(trace.groups.size(), expected.groups);
    EXPECT_EQ(trace.strings[trace.schema], expected.schema);
    EXPECT_GT(trace.finish_ts, trace.start_ts);
    EXPECT_TRUE(diagnostics.table().empty());
  }
}

TEST(RealTrace, OfResnetHasBytesAndGroupOnEveryCollective) {
  if (!std::filesystem::exists(kTraces)) GTEST_SKIP() << "no real traces beside this repository";
  Diagnostics diagnostics;
  const LinkedTrace linked =
      link_real("resnet-2gpu/host.json.gz", "resnet-2gpu/device.json.gz", diagnostics);
  EXPECT_EQ(linked.host_op_count, 14388U);
  const BuiltGraph graph = build(linked, Delays::kHost, 0);
  ASSERT_EQ(graph.communications.size(), 21U);
  for (const GraphCommunication& communication : graph.communications) {
    EXPECT_GT(communication.bytes, 0);
    EXPECT_EQ(graph.strings[communication.group], "0");
  }
}

/// Bytes of the trace's collectives by their recorded number.
std::map<std::int64_t, std::int64_t> bytes_by_sequence(const BuiltGraph& graph) {
  std::map<std::int64_t, std::int64_t> bytes;
  for (const GraphCommunication& communication : graph.communications)
    bytes[communication.seq] = communication.bytes;
  return bytes;
}

TEST(RealTrace, OfDlrmHasTheBytesOfItsTensorsNotOfItsSplitLists) {
  if (!std::filesystem::exists(kTraces)) GTEST_SKIP() << "no real traces beside this repository";
  std::map<std::int64_t, std::int64_t> expected = {{147, 24576},   {148, 192},   {149, 1536},
                                                   {151, 1576964}, {152, 24576}, {153, 448},
                                                   {154, 907840}};
  const std::map<std::string, std::int64_t> leaving = {
      {"0", 13184}, {"1", 12672}, {"2", 12416}, {"3", 6912}};  // of 13,568 in uneven splits
  for (const auto& [rank, bytes] : leaving) {
    expected[150] = bytes;
    Diagnostics diagnostics;
    const LinkedTrace linked = link_real("dlrm-8gpu/host." + rank + ".json.gz",
                                         "dlrm-8gpu/device." + rank + ".json.gz", diagnostics);
    EXPECT_EQ(bytes_by_sequence(build(linked, Delays::kHost, 0)), expected) << "rank " << rank;
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
  EXPECT_EQ(linked.strings[linked.device.calls.name[most->first]], "hipGraphLaunch");
}

/// Time on device lanes that no dependency explains.
Ns unexplained_device_ns(const LinkedTrace& linked) {
  const BuiltGraph graph = build(linked, Delays::kHost, 0);
  Ns sum = 0;
  for (std::size_t lane = 0; lane < linked.lanes.size(); ++lane)
    if (linked.lanes[lane].is_device) sum += graph.lane_unexplained_ns[lane];
  return sum;
}

TEST(RealTrace, OfLongLaunchesOrDependentLaunchesIsHalfExplainedAtLeast) {
  if (!std::filesystem::exists(kTraces)) GTEST_SKIP() << "no real traces beside this repository";
  // Half of what stayed unexplained as long as launch calls launched when they began.
  for (const auto& [device, most] :
       {std::pair{"wait-without-record", Ns{2'111'000'000}}, {"dependent-launch", Ns{3'846'000}}}) {
    Diagnostics diagnostics;
    const LinkedTrace linked = link_real("", std::string(device) + "/device.json.gz", diagnostics);
    EXPECT_LE(unexplained_device_ns(linked), most) << device;
  }
}

TEST(RealTrace, OfOneIterationIsFoundInEveryFullOneAndLinkedToItsOwn) {
  if (!std::filesystem::exists(kTraces)) GTEST_SKIP() << "no real traces beside this repository";
  Diagnostics diagnostics;
  const LinkedTrace linked = link_real("linear/host.json.gz", "linear/device.json.gz", diagnostics);
  EXPECT_EQ(diagnostics.count(Finding::kIterationsFound), 39U);
  EXPECT_EQ(diagnostics.count(Finding::kGapFilledOps), 0U);
  for (std::size_t op = 0; op < linked.ops.size(); ++op) {
    const HostOpIndex host = linked.ops.host[op];
    const ProfilerOpIndex profiler = linked.ops.profiler[op];
    if (host && linked.host.ops.seq_id[host] >= 0) {
      EXPECT_EQ(linked.host.ops.seq_id[host], linked.device.ops.seq_id[profiler]);
    }
  }
}

/// N of ProfilerStep#N; -1 = another name.
int number_of_step(std::string_view name) {
  constexpr std::string_view kStep = "ProfilerStep#";
  return name.starts_with(kStep) ? std::stoi(std::string(name.substr(kStep.size()))) : -1;
}

/// How many ops, and how many steps, have numbers that are so far apart: device's - host's.
struct NumbersApart {
  std::map<std::int64_t, int> ops, steps;
};

NumbersApart numbers_apart(const LinkedTrace& linked) {
  NumbersApart apart;
  for (std::size_t op = 0; op < linked.ops.size(); ++op) {
    const HostOpIndex host = linked.ops.host[op];
    const ProfilerOpIndex profiler = linked.ops.profiler[op];
    if (!host || !profiler) continue;
    const std::int64_t on_host = linked.host.ops.seq_id[host];
    const std::int64_t on_device = linked.device.ops.seq_id[profiler];
    if (on_host >= 0 && on_device >= 0) ++apart.ops[on_device - on_host];
    if (const int step = number_of_step(linked.strings[linked.host.ops.name[host]]); step >= 0)
      ++apart.steps[number_of_step(linked.strings[linked.device.ops.name[profiler]]) - step];
  }
  return apart;
}

TEST(RealTrace, WhoseStepsAreNumberedOtherwisePairsInOrderOnBothThreads) {
  if (!std::filesystem::exists(kTraces)) GTEST_SKIP() << "no real traces beside this repository";
  for (const MatchMethod method : {MatchMethod::kAuto, MatchMethod::kOrder, MatchMethod::kTree}) {
    LinkOptions options;
    options.match.method = method;
    Diagnostics diagnostics;
    const LinkedTrace linked = read_and_link(
        {kTraces / "resnet-other-steps/host.json.gz", kTraces / "resnet-2gpu/device.json.gz"},
        options, false, diagnostics);
    EXPECT_EQ(linked.matched_host_op_count, 14388U);
    const NumbersApart apart = numbers_apart(linked);
    EXPECT_EQ(apart.ops, (std::map<std::int64_t, int>{{-362, 1743}}));
    EXPECT_EQ(apart.steps, (std::map<std::int64_t, int>{{-2, 3}}));
  }
}

/// Device lanes with rows that were launched before the call and ended inside it.
std::size_t lanes_ended_inside(const LinkedTrace& linked, CallIndex call) {
  const RuntimeCalls& calls = linked.device.calls;
  const Ns begin = calls.start_ns[call], end = begin + calls.duration_ns[call];
  std::set<LaneIndex> lanes;
  for (std::size_t row = 0; row < linked.rows.lane.size(); ++row) {
    const Ns ended = linked.device.rows.start_ns[row] + linked.device.rows.duration_ns[row];
    if (linked.rows.launch_ns[row] < begin && begin < ended && ended <= end)
      lanes.insert(linked.rows.lane[row]);
  }
  return lanes.size();
}

TEST(RealTrace, WhoseEventSynchronisationsReturnLateTellsWhatTheyWaitedForWhereOneLaneEnded) {
  if (!std::filesystem::exists(kTraces)) GTEST_SKIP() << "no real traces beside this repository";
  Diagnostics diagnostics;
  const LinkedTrace linked = link_real("", "late-return/device.json.gz", diagnostics);
  // By lanes whose work ended inside, and what the wait was inferred from.
  std::map<std::pair<std::size_t, Inference>, int> found;
  for (const StreamAction& action : linked.actions) {
    if (!action.call ||
        linked.strings[linked.device.calls.name[action.call]] != "cudaEventSynchronize")
      continue;
    EXPECT_TRUE(is_guess(action.inferred));
    ++found[{lanes_ended_inside(linked, action.call), action.inferred}];
  }
  EXPECT_EQ(found, (decltype(found){{{1, Inference::kTiming}, 275}, {{2, Inference::kPlace}, 27}}));
  EXPECT_EQ(diagnostics.count(Finding::kLateReturnsInferred), 275U);
}

TEST(RealTrace, WhoseStreamWaitsNameNoRecordOrdersTheirStreams) {
  if (!std::filesystem::exists(kTraces)) GTEST_SKIP() << "no real traces beside this repository";
  Diagnostics diagnostics;
  const LinkedTrace linked = link_real("", "wait-without-record/device.json.gz", diagnostics);
  EXPECT_EQ(diagnostics.count(Finding::kWaitWithoutRecord), 20U);
  EXPECT_EQ(diagnostics.count(Finding::kSyncRowUnresolved), 0U);
  const BuiltGraph built = build(linked, Delays::kNone, 0);
  const GraphStructure& graph = built.structure;
  std::map<std::pair<std::int64_t, std::int64_t>, int> waits;  // (stream waited for, waiting one)
  for (auto [edge, end] = edges(graph); edge != end; ++edge) {
    if (graph[*edge].evidence != Evidence::kEventWait) continue;
    EXPECT_TRUE(is_guess(graph[*edge].inferred));
    ++waits[{built.lanes[built.lane[source(*edge, graph)]].stream,
             built.lanes[built.lane[target(*edge, graph)]].stream}];
  }
  EXPECT_EQ(waits,
            (std::map<std::pair<std::int64_t, std::int64_t>, int>{{{7, 20}, 4}, {{20, 7}, 2}}));
}

TEST(RealTrace, OfOneIterationBecomesAGraphOfAllWhenRepeated) {
  if (!std::filesystem::exists(kTraces)) GTEST_SKIP() << "no real traces beside this repository";
  LinkOptions options;
  options.match.repeats_all = true;
  Diagnostics diagnostics;
  const LinkedTrace linked =
      read_and_link({kTraces / "linear/host.json.gz", kTraces / "linear/device.json.gz"}, options,
                    false, diagnostics);
  EXPECT_EQ(linked.host_op_count, 39U * 928);
  EXPECT_EQ(linked.matched_host_op_count, 39U * 928);
  EXPECT_EQ(linked.rows.evidence.size(), 39U * 261);
  const BuiltGraph graph = build(linked, Delays::kHost, 0);
  EXPECT_EQ(first_broken_rule(linked, graph), "");
  const std::string bytes = bytes_of(linked, graph, 1);
  const ChakraCheck result = check_chakra(messages_of_bytes(bytes, "graph"));
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
      const LinkedOpIndex op = linked.rows.parent[row];
      if (!linked.rows.launch[row] || !op) continue;
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
    EXPECT_GE(linked.matched_host_op_count, matched) << host;
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
