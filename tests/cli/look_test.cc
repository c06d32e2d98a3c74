// nadi show, check and doctor.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <vector>

#include "tests/cli/sample_traces.h"
#include "tests/cli/tool.h"

namespace nadi {
namespace {

class Look : public testing::Test {
 protected:
  void SetUp() override {
    folder_.write("host.json", kSampleHost);
    folder_.write("device.json", kSampleDevice);
    ASSERT_EQ(run("convert --host host.json --device device.json --output out -q").exit_code, 0);
    graph_ = read_file(folder_.path() / "out.3.et");
  }
  Outcome run(const std::string& arguments) { return run_tool(arguments, folder_.path()); }

  TemporaryFolder folder_;
  std::string graph_;
};

TEST_F(Look, ShowPrintsOneJsonDocument) {
  const Outcome outcome = run("show out.3.et");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_TRUE(json.contains("metadata"));
  EXPECT_GE(json["nodes"].size(), 2U);
}

TEST_F(Look, ShowReadsStandardInputAndWritesToAFile) {
  const std::string document = run("show out.3.et").out;
  EXPECT_EQ(run("show - <out.3.et").out, document);
  const Outcome outcome = run("show out.3.et --output y.json");
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(read_file(folder_.path() / "y.json"), document);
}

TEST_F(Look, ShowOfABrokenFileExitsWith3AndLeavesNoFile) {
  folder_.write("cut.et", graph_.substr(0, graph_.size() - 5));
  const Outcome outcome = run("show cut.et --output y.json");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_NE(outcome.err.find("cut.et"), std::string::npos) << outcome.err;
  const auto place = [](const std::string& said) { return said.substr(0, said.find("): ")); };
  EXPECT_TRUE(holds(outcome.err, "(message ")) << outcome.err;
  EXPECT_EQ(place(run("replay cut.et").err), place(outcome.err)) << "the same place";
  EXPECT_EQ(folder_.listing(), "cut.et device.json host.json out.3.et");
}

TEST_F(Look, ShowOfSomethingElseExitsWith3) {
  const Outcome outcome = run("show device.json");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.err.substr(0, 17), "nadi: device.json") << outcome.err;
}

TEST_F(Look, TheSummaryCountsNodesAndLanes) {
  const Outcome outcome = run("show --summary out.3.et");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("1 delay, 1 device row"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("device 0 stream 7"), std::string::npos) << outcome.out;
}

/// The last `columns` columns of the lanes of a summary, as they stand, in any order.
std::multiset<std::string> ends_of_lanes(const std::string& summary, std::size_t words) {
  std::multiset<std::string> ends;
  std::istringstream lines(summary);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("device 0 stream") == line.npos && line.find("thread ") == line.npos) continue;
    std::istringstream text(line);
    const std::vector<std::string> all{std::istream_iterator<std::string>(text), {}};
    if (all.size() < words || line.find(": ") != line.npos) continue;
    std::string end;
    for (std::size_t i = all.size() - words; i < all.size(); ++i) end += all[i] + " ";
    ends.insert(end);
  }
  return ends;
}

/// "busy" of a lane.
std::string busy_of(const std::string& summary, const std::string& lane) {
  const std::size_t at = summary.find(lane);
  std::istringstream text(summary.substr(std::min(at + lane.size(), summary.size())));
  std::string nodes, busy;
  text >> nodes >> busy;
  return busy;
}

TEST_F(Look, TheSummaryTellsOfLanesWhatConvertToldWhateverTheDelays) {
  const std::string data = std::string(NADI_TEST_DATA) + "/ddp-2rank/";
  std::set<std::string> busy;
  for (const std::string delays : {"none", "host", "all"}) {
    const Outcome converted = run("convert --host " + data + "host.0.json.gz --device " + data +
                                  "device.0.json.gz --output-file d.et --delays " + delays);
    const Outcome shown = run("show --summary d.et");
    EXPECT_TRUE(holds(shown.out, "unexplained (of until)")) << shown.out;
    const auto lanes = ends_of_lanes(shown.out, 6);  // 379.000 us 22.000 us (5.8 %)
    EXPECT_EQ(lanes, ends_of_lanes(converted.out, 6)) << delays << shown.out << converted.out;
    EXPECT_EQ(lanes.size(), 5U);
    busy.insert(busy_of(shown.out, "device 0 stream 7") + busy_of(shown.out, "thread 1"));
  }
  EXPECT_EQ(busy.size(), 1U) << "work is no matter of delays";
}

/// One graph launch: the first two kernels overlap, before the third its stream did what no row
/// tells.
const std::string kLaunchOfAGraph = R"({"schemaVersion": 1, "traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 4, "tid": 4, "ts": 0.000, "dur": 20.000,
 "args": {"External id": 1}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaGraphLaunch", "pid": 4, "tid": 4, "ts": 10.000,
 "dur": 2.000, "args": {"External id": 1, "correlation": 5}},
{"ph": "X", "cat": "kernel", "name": "a", "pid": 0, "tid": 7, "ts": 90.000, "dur": 100.000,
 "args": {"device": 0, "context": 1, "stream": 7, "correlation": 5, "graph id": 2}},
{"ph": "X", "cat": "kernel", "name": "b", "pid": 0, "tid": 7, "ts": 100.000, "dur": 100.000,
 "args": {"device": 0, "context": 1, "stream": 7, "correlation": 5, "graph id": 2}},
{"ph": "X", "cat": "kernel", "name": "c", "pid": 0, "tid": 7, "ts": 500.000, "dur": 10.000,
 "args": {"device": 0, "context": 1, "stream": 7, "correlation": 5, "graph id": 2}}]})";

TEST_F(Look, UnexplainedTimeOfALaneCountsOnceAndNotWhereTheDeviceItselfWasAtWork) {
  folder_.write("graph.json", kLaunchOfAGraph);
  for (const auto& [delays, unexplained] : {std::pair{"none", "380.000 us (74.5 %)"},
                                            {"host", "80.000 us (15.7 %)"},
                                            {"all", "80.000 us (15.7 %)"}}) {
    const Outcome converted =
        run(std::string("convert --device graph.json --output-file d.et --delays ") + delays);
    EXPECT_TRUE(holds(converted.out, unexplained)) << converted.out;
    EXPECT_TRUE(holds(run("show --summary d.et").out, unexplained)) << delays;
  }
}

TEST_F(Look, TheSummaryOfAGraphWithoutStartsTellsNoSpan) {
  ASSERT_EQ(run("generate pipeline --npus 2 --pipeline 2 --layers 2 --output g").exit_code, 0);
  const Outcome outcome = run("show --summary g.0.et");
  EXPECT_TRUE(holds(outcome.out, "unknown: no node records when it started")) << outcome.out;
  EXPECT_FALSE(holds(outcome.out, "until")) << outcome.out;
}

TEST_F(Look, WhatIsNoGraphIsCalledWhatItIs) {
  folder_.write("wl.txt", "DATA\n1\nlayer -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 1024 5\n");
  std::filesystem::create_directory(folder_.path() / "r");
  for (const std::string verb : {"check", "show", "replay", "graph --output x.dot"}) {
    const Outcome text = run(verb + " wl.txt"), folder = run(verb + " r");
    EXPECT_EQ(text.exit_code, 3) << verb;
    const bool takes_folders = verb == "replay" || verb.starts_with("graph");
    EXPECT_TRUE(text.err.starts_with(
        std::string("nadi: wl.txt: this is text that is no JSON, not a ") +
        (takes_folders ? "device trace. Pass what torch" : "Chakra graph. Pass what nadi convert")))
        << text.err;
    EXPECT_TRUE(folder.err.starts_with(takes_folders
                                           ? "nadi: r: holds neither traces nor Chakra graphs. "
                                           : "nadi: r: is a folder. Pass the graphs in it: r/*.et"))
        << folder.err;
  }
}

TEST_F(Look, CheckTakesRanksInTheOrderOfTheirNumbers) {
  ASSERT_EQ(run("generate data-parallel --npus 12 --layers 1 --output g").exit_code, 0);
  const std::string out = run("check g.*.et").out;
  std::size_t at = 0;
  for (int rank = 0; rank < 12; ++rank) {
    const std::size_t found = out.find("g." + std::to_string(rank) + ".et: ok");
    ASSERT_NE(found, out.npos) << rank;
    EXPECT_GE(found, at) << rank << out;
    at = found;
  }
}

TEST_F(Look, OfManyRanksWhatStandsOutIsToldAndAllOnlyInDetail) {
  ASSERT_EQ(run("generate data-parallel --npus 20 --layers 1 --output g").exit_code, 0);
  EXPECT_TRUE(run("check g.*.et").out.starts_with("20 of 20 graphs ok, without findings: "));
  EXPECT_TRUE(holds(run("check -v g.*.et").out, "g.19.et: ok"));
  folder_.write("g.7.et", graph_.substr(0, graph_.size() - 5));
  const Outcome failed = run("check g.*.et");
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_TRUE(holds(failed.out, "g.7.et: failed")) << failed.out;
  EXPECT_TRUE(holds(failed.out, "\n19 of 20 graphs ok")) << failed.out;
}

TEST_F(Look, ReplayOfManyRanksNamesThoseWhoseReplayIsFarthestFromWhatWasMeasured) {
  for (int rank = 0; rank < 20; ++rank) {
    std::string trace = kSampleDevice;
    trace.replace(trace.find("\"rank\": 3"), 9, "\"rank\": " + std::to_string(rank));
    if (rank == 17)  // a kernel after a gap that nothing explains
      trace.insert(trace.rfind(']'), R"(,
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 4, "tid": 4, "ts": 14.000,
 "dur": 2.000, "args": {"correlation": 8}},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 60.000, "dur": 5.000,
 "args": {"device": 0, "context": 1, "stream": 7, "correlation": 8}})");
    folder_.write("rank" + std::to_string(rank) + ".json", trace);
  }
  const auto has_rank = [&](const std::string& text, int rank) {
    return holds(text, " rank" + std::to_string(rank) + ".json ");
  };
  const std::string some = run("replay rank*.json").out;
  EXPECT_TRUE(has_rank(some, 17)) << some;
  EXPECT_FALSE(has_rank(some, 19)) << some;
  EXPECT_TRUE(has_rank(run("replay rank*.json -v").out, 19));
}

TEST_F(Look, CheckAcceptsWhatConvertWrites) {
  const Outcome outcome = run("check out.3.et");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_EQ(outcome.out.substr(0, 13), "out.3.et: ok:");
}

TEST_F(Look, CheckOfABrokenFileExitsWith1AndShowsTheFinding) {
  folder_.write("cut.et", graph_.substr(0, graph_.size() - 5));
  const Outcome outcome = run("check out.3.et cut.et");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.out.find("cut.et: failed:"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("framing"), std::string::npos) << outcome.out;
}

TEST_F(Look, CheckTakesAGroupsNameForTheNumberThatItBeginsWithAsTheSimulatorDoes) {
  const std::string groups = std::string(NADI_TEST_DATA) + "/../cases/group-names/pg.";
  const Outcome outcome = run("check --profile astra-sim " + groups + "0.et " + groups +
                              "1.et --comm-groups " + groups + "groups.json");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_FALSE(holds(outcome.out, "group-not-decimal")) << outcome.out;
  EXPECT_FALSE(holds(run("check " + groups + "0.et").out, "pg-name-not-decimal"));
}

TEST_F(Look, CheckOfAMissingFileExitsWith3) { EXPECT_EQ(run("check none.et").exit_code, 3); }

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += by.size())
    text.replace(at, part.size(), by);
  return text;
}

TEST_F(Look, AnOpNamedDelayIsWorkLikeAnyOther) {
  const auto outputs_with_op = [&](const std::string& name) {
    folder_.write("device.json", replaced(kSampleDevice, "aten::mm", name));
    EXPECT_EQ(run("convert --device device.json --output named -q").exit_code, 0);
    std::string text;
    for (const char* arguments :
         {"show --summary named.3.et", "check named.3.et", "replay named.3.et --scale host=2",
          "diff --control named.3.et --test named.3.et"}) {
      const Outcome outcome = run(arguments);
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
      text += outcome.out;
    }
    return text;
  };
  const std::string with_delay = outputs_with_op("delay");
  EXPECT_NE(with_delay.find("1 delay, 1 device row"), std::string::npos) << with_delay;
  EXPECT_EQ(with_delay, replaced(outputs_with_op("dalay"), "dalay", "delay"));
}

TEST_F(Look, DoctorExitsWith0UnlessStrictFindsSomethingImportant) {
  const std::string arguments = "doctor --host host.json --device device.json";
  const Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("enable_cuda_sync_events=True"), std::string::npos) << outcome.out;
  EXPECT_EQ(run(arguments + " --strict").exit_code, 1);
}

TEST_F(Look, DoctorSaysInFiveLinesWhatAGraphNeeds) {
  const Outcome outcome = run("doctor host.json device.json");
  const std::string table = outcome.out.substr(0, outcome.out.find("\n\n") + 1);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 5) << table;
  for (const char* line : {"recording      ", "launches       good     1 of 1 device rows have",
                           "waits          lacking  sync rows: none", "communication  ", "times  "})
    EXPECT_TRUE(holds("\n" + table, std::string("\n") + line)) << table;
  EXPECT_FALSE(holds(outcome.out, "with torch.profiler.profile("));
  EXPECT_TRUE(holds(run("doctor -v host.json device.json").out, "with torch.profiler.profile("));
}

TEST_F(Look, DoctorOfManyRanksTellsTheFirstThatLacksSomething) {
  std::filesystem::create_directory(folder_.path() / "ranks");
  for (const std::string rank : {"0", "1"})
    folder_.write("ranks/device." + rank + ".json",
                  replaced(kSampleDevice, "\"rank\": 3", "\"rank\": " + rank));
  const Outcome outcome = run("doctor ranks");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "rank 0: sync rows: none")) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "; and so is 1 more")) << outcome.out;
  EXPECT_TRUE(holds(run("doctor -v ranks").out, "\nrank 1, launches")) << outcome.out;
}

/// A device trace of one thread and one stream, written event by event. Times are in microseconds.
class DeviceTraceText {
 public:
  void op(const char* name, int start, int duration) {
    add("cpu_op", name, kThread, start, duration, "");
  }
  /// A call; rows and flows after it are of it.
  void call(const char* name, int start, double duration, const char* category = "cuda_runtime") {
    ++correlation_;
    add(category, name, kThread, start, duration, correlation());
  }
  void row(const char* category, const char* name, int start, int duration,
           const std::string& more = "") {
    add(category, name, kStream, start, duration,
        R"("device": 0, "context": 1, "stream": 7, )" + correlation() + more);
  }
  /// The begin of the flow from the call to its row.
  void flow(int start) {
    add_line(fmt::format(R"({{"ph": "s", "cat": "ac2g", "name": "ac2g", "id": {}, {}, "ts": {}}})",
                         correlation_, kThread, start));
  }
  std::string text() const {
    return "{\"schemaVersion\": 1, \"traceEvents\": [\n" + events_ + "]}";
  }

 private:
  static constexpr const char *kThread = R"("pid": 1, "tid": 1)",
                              *kStream = R"("pid": 0, "tid": 7)";

  std::string correlation() const { return fmt::format(R"("correlation": {})", correlation_); }
  void add(const char* category, const char* name, const char* lane, int start, double duration,
           const std::string& args) {
    add_line(fmt::format(
        R"({{"ph": "X", "cat": "{}", "name": "{}", {}, "ts": {}, "dur": {}, "args": {{{}}}}})",
        category, name, lane, start, duration, args));
  }
  void add_line(const std::string& event) { events_ += (events_.empty() ? "" : ",\n") + event; }

  std::string events_;
  int correlation_ = 0;
};

/// Launches of which the first `rows` have their row.
std::string trace_with_lost_rows(int launches, int rows) {
  DeviceTraceText trace;
  for (int i = 1; i <= launches; ++i) {
    trace.call("cudaLaunchKernel", 10 * i, 2);
    if (i <= rows) trace.row("kernel", "k", 10 * i, 3);
  }
  return trace.text();
}

/// 30 launches with their rows, 30 of a capture, and one of the graph that it gave: 30 rows.
std::string trace_of_a_capture() {
  DeviceTraceText trace;
  for (int start = 10; start < 610; start += 20) {
    trace.op("aten::mm", start, 10);
    trace.call("cudaLaunchKernel", start + 3, 4);
    trace.row("kernel", "gemm", start + 10, 15);
  }
  trace.call("cudaStreamSynchronize", 620, 10);
  trace.call("cudaStreamBeginCapture", 640, 3);
  for (int start = 650; start < 950; start += 10) {
    trace.op("aten::mm", start, 8);
    trace.call("cudaLaunchKernel", start + 2, 3);
  }
  trace.call("cudaStreamEndCapture", 960, 5);
  trace.call("cudaGraphInstantiateWithFlags", 970, 20);
  trace.call("cudaGraphLaunch", 1000, 10);
  for (int node = 1; node <= 30; ++node)
    trace.row("kernel", "gemm", 999 + 16 * node, 15,
              fmt::format(R"(, "graph id": 1, "graph node id": {})", node));
  trace.call("cudaDeviceSynchronize", 1020, 480);
  return trace.text();
}

/// 30 ops that set memory and launch: 5 sets of some bytes, which have a row, and 25 quick ones.
std::string trace_of_sets_of_no_bytes() {
  DeviceTraceText trace;
  for (int i = 0; i < 30; ++i) {
    const int start = 10 + 40 * i;
    const bool has_bytes = i < 5;
    trace.op("aten::addmm", start, 30);
    trace.call("cudaMemsetAsync", start + 2, has_bytes ? 4 : 0.19);
    if (has_bytes) trace.row("gpu_memset", "Memset (Device)", start + 10, 1, R"(, "bytes": 4)");
    trace.call("cuLaunchKernel", start + 10, 5, "cuda_driver");
    trace.row("kernel", "nvjet", start + 16, 12);
  }
  trace.call("cudaDeviceSynchronize", 1215, 5);
  return trace.text();
}

/// 40 kernels and 1 copy, all without rows; a flow to a row begins with each.
std::string trace_without_rows() {
  DeviceTraceText trace;
  for (int start = 10; start < 810; start += 20) {
    trace.op("aten::mm", start, 12);
    trace.call("cudaLaunchKernel", start + 3, 5);
    trace.flow(start + 3);
  }
  trace.op("aten::copy_", 900, 20);
  trace.call("cudaMemcpyAsync", 905, 10);
  trace.flow(905);
  trace.call("cudaDeviceSynchronize", 930, 400);
  return trace.text();
}

/// 40 kernels without rows, and 3 copies with theirs.
std::string trace_without_kernel_rows() {
  DeviceTraceText trace;
  for (int start = 10; start < 810; start += 20) {
    trace.op("aten::mm", start, 12);
    trace.call("cudaLaunchKernel", start + 3, 5);
  }
  for (int start = 900; start < 960; start += 20) {
    trace.op("aten::copy_", start, 15);
    trace.call("cudaMemcpyAsync", start + 3, 10);
    trace.row("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", start + 8, 3);
  }
  return trace.text();
}

TEST_F(Look, ManyLaunchesWithoutARowAreALossToConvertAndDoctorAndAFewAreNot) {
  folder_.write("lost.json", trace_with_lost_rows(80, 50));
  const Outcome converted = run("convert --device lost.json --output x");
  EXPECT_EQ(converted.exit_code, 0);
  EXPECT_TRUE(holds(converted.err, "device-rows-missing  loss         30")) << converted.err;
  EXPECT_EQ(run("convert --device lost.json --output x --strict").exit_code, 1);
  const Outcome doctor = run("doctor --device lost.json");
  EXPECT_TRUE(holds(doctor.out, "30 launches without a device row")) << doctor.out;
  EXPECT_TRUE(holds(doctor.out, "launches       lacking")) << doctor.out;
  EXPECT_TRUE(holds(doctor.out, "waits          partly")) << doctor.out;
  EXPECT_TRUE(holds(doctor.out, "; 30 launches have no device row")) << doctor.out;

  folder_.write("few.json", trace_with_lost_rows(53, 50));
  EXPECT_EQ(run("convert --device few.json --output x --strict").exit_code, 0);
  EXPECT_FALSE(holds(run("doctor --device few.json").out, "without a device row"));

  folder_.write("none.json", trace_with_lost_rows(3, 0));
  EXPECT_EQ(run("convert --device none.json --output x --strict").exit_code, 1);
}

TEST_F(Look, LaunchesOfACaptureAndSetsOfNoBytesHaveLostNoRow) {
  for (const std::string& trace : {trace_of_a_capture(), trace_of_sets_of_no_bytes()}) {
    folder_.write("whole.json", trace);
    const Outcome converted = run("convert --strict --output x --device whole.json");
    EXPECT_EQ(converted.exit_code, 0) << converted.err;
    EXPECT_FALSE(holds(converted.out, "no row")) << converted.out;
    const Outcome doctor = run("doctor --device whole.json");
    EXPECT_TRUE(holds(doctor.out, "\nlaunches       good")) << doctor.out;
  }
}

TEST_F(Look, AllRowsThatAreLostOrAllOfAKindAreALossAndDoctorSaysWhat) {
  folder_.write("all.json", trace_without_rows());
  const Outcome all = run("convert --output x --device all.json");
  EXPECT_EQ(all.exit_code, 0);
  EXPECT_TRUE(holds(all.err, "device-rows-missing  loss         41")) << all.err;
  EXPECT_EQ(run("convert --strict --output x --device all.json").exit_code, 1);
  const Outcome of_all = run("doctor --device all.json");
  EXPECT_TRUE(holds(of_all.out, "device activity was on")) << of_all.out;
  EXPECT_TRUE(holds(of_all.out, "40 kernels, 1 copy")) << of_all.out;
  EXPECT_FALSE(holds(of_all.out, "device rows: profile(")) << of_all.out;

  folder_.write("kernels.json", trace_without_kernel_rows());
  const Outcome kernels = run("convert --output x --device kernels.json");
  EXPECT_TRUE(holds(kernels.err, "device-rows-missing  loss         40")) << kernels.err;
  EXPECT_EQ(run("convert --strict --output x --device kernels.json").exit_code, 1);
  const Outcome of_kernels = run("doctor --device kernels.json");
  EXPECT_TRUE(holds(of_kernels.out, "40 launches without a device row: 40 kernels"))
      << of_kernels.out;
}

TEST_F(Look, DoctorMatchesByNameWhereConvertDoes) {
  const std::string data = std::string(NADI_TEST_DATA) + "/ddp-2rank/",
                    strip = "gzip -dc '" + data +
                            "device.0.json.gz' | sed 's/Record function id/x/g' >'" +
                            (folder_.path() / "d.json").string() + "'";
  ASSERT_EQ(std::system(strip.c_str()), 0);
  const std::string traces = " --host " + data + "host.0.json.gz --device d.json";
  ASSERT_EQ(run("convert" + traces + " --output x").exit_code, 0);
  const Outcome doctor = run("doctor -v" + traces);
  EXPECT_TRUE(holds(doctor.out, "same run             good")) << doctor.out;
  EXPECT_TRUE(holds(doctor.out, "host ops are in the device trace, by name")) << doctor.out;
}

TEST_F(Look, DoctorRefusesWhatConvertRefuses) {
  const std::string ids = R"(, "Record function id": 7)";
  std::string other = kSampleDevice;
  other.replace(other.find(ids), ids.size(), "");
  other.replace(other.find("aten::mm"), 8, "aten::xx");
  folder_.write("other.json", other);
  const std::string traces = " --host host.json --device other.json";
  EXPECT_EQ(run("convert" + traces + " --output x").exit_code, 3);
  const Outcome doctor = run("doctor" + traces);
  EXPECT_TRUE(holds(doctor.out, "same run")) << doctor.out;
  EXPECT_TRUE(holds(doctor.out, "nadi convert refuses them")) << doctor.out;

  folder_.write("host.5.json", kSampleHost);
  std::string third = kSampleDevice;
  for (std::size_t at = 0; (at = third.find("\"pid\": 4", at)) != third.npos;) third[at + 7] = '6';
  folder_.write("device.3.json", third);
  const std::string ranks = " --host host.5.json --device device.3.json";
  const Outcome refused = run("convert" + ranks + " --output x");
  ASSERT_EQ(refused.exit_code, 3) << refused.err;
  EXPECT_TRUE(holds(refused.err, "are of different ranks")) << refused.err;
  EXPECT_TRUE(holds(refused.err, "keeps the ops whose record-function ids fit")) << refused.err;
  EXPECT_TRUE(holds(run("doctor" + ranks).out,
                    "the device trace is of rank 3, the host trace is "
                    "named after rank 5"));
}

TEST_F(Look, DoctorOfSomethingThatIsNoTraceExitsWith3) {
  EXPECT_EQ(run("doctor --device out.3.et").exit_code, 3);
}

}  // namespace
}  // namespace nadi
