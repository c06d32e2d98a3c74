// nadi replay: the summary, what-if, report and timeline of two ranks.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <regex>
#include <set>
#include <sstream>

#include "tests/cli/timeline_slices.h"
#include "tests/cli/tool.h"

namespace nadi {
namespace {

using Json = nlohmann::json;

/// g.0.et and g.1.et, of a training step that took 390 us.
class ReplayVerb : public ToolTest {
 protected:
  void SetUp() override {
    const Outcome outcome = run("convert --quiet --traces " + std::string(NADI_TEST_DATA) +
                                "/ddp-2rank --delays all --output g");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  Json json_of(const std::string& file) { return Json::parse(read_file(folder_.path() / file)); }
  Shown shown_of(const std::string& file) {
    const std::string bytes = read_file(folder_.path() / file);
    return file.ends_with(".pftrace") ? shown_by_perfetto(bytes) : shown_by_json(bytes);
  }

  /// Replays x.*.et with and without inferred waits and compares what either says of the other.
  void expect_both_makespans(std::uint64_t guesses) {
    const auto replay = [&](const std::string& option) {
      EXPECT_EQ(run("replay x.*.et -q --report r.json" + option).exit_code, 0);
      return json_of("r.json");
    };
    const Json with = replay(" --inferred with"), without = replay(" --inferred without");
    EXPECT_EQ(replay(""), with);
    EXPECT_EQ(with["inferred"]["edges"], guesses);
    EXPECT_EQ(with["inferred"]["replayed"], "with");
    EXPECT_EQ(without["inferred"]["replayed"], "without");
    for (const char* key : {"edges", "with_ns", "without_ns"})
      EXPECT_EQ(with["inferred"][key], without["inferred"][key]) << key;
    EXPECT_EQ(with["replayed_ns"], with["inferred"]["with_ns"]);
    EXPECT_EQ(without["replayed_ns"], with["inferred"]["without_ns"]);
    EXPECT_LE(without["replayed_ns"], with["replayed_ns"]);
  }
};

TEST_F(ReplayVerb, OfAnUnchangedGraphGivesTheMeasuredTime) {
  const Outcome outcome = run("replay g.0.et g.1.et");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "measured        390.000 us\n")) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "replayed        390.000 us (+0.00 %)\n")) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "2 communications of several ranks matched")) << outcome.out;
}

TEST_F(ReplayVerb, SaysBeforeAndAfterAndHowManyNodesAScaleMeant) {
  const Outcome outcome = run("replay g.*.et --scale kernel:gemm=2 --scale host=3");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "with kernel:gemm=2 (8 nodes), host=3 (")) << outcome.out;
}

TEST_F(ReplayVerb, RefusesAScaleThatAppliesToNoNodeAndNamesWhatItCouldApplyTo) {
  const Outcome outcome = run("replay g.*.et --scale stream:999=3 --report r.json");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(holds(outcome.err, "--scale stream:999=3: applies to no node. The streams are 7, "))
      << outcome.err;
  EXPECT_EQ(folder_.listing(), "g.0.et g.1.et g.manifest.jsonl");
}

/// Of all graphs that fit: how many edges their bytes call a guess.
std::uint64_t guesses_in(const std::filesystem::path& folder, const std::string& prefix) {
  static const std::regex kGuess("[0-9]+=[a-z -]+\\?(pattern|place|timing)");
  std::uint64_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!entry.path().filename().string().starts_with(prefix)) continue;
    const std::string bytes = read_file(entry.path());
    count += static_cast<std::uint64_t>(
        std::distance(std::sregex_iterator(bytes.begin(), bytes.end(), kGuess), {}));
  }
  return count;
}

TEST_F(ReplayVerb, OfGraphsWithoutGuessesSaysNothingOfThem) {
  ASSERT_EQ(guesses_in(folder_.path(), "g."), 0U);
  for (const char* choice : {"", " --inferred without"}) {
    const Outcome outcome = run("replay g.*.et --report r.json" + std::string(choice));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_FALSE(holds(outcome.out + outcome.err, "inferred")) << outcome.out;
    EXPECT_TRUE(json_of("r.json").at("inferred").is_null());
  }
}

TEST_F(ReplayVerb, GivesTheMakespanWithAndWithoutInferredWaits) {
  for (const char* rank : {"0", "1"}) {  // the same traces, as profiled without sync rows
    const std::string strip = "gzip -dc '" + std::string(NADI_TEST_DATA) + "/ddp-2rank/device." +
                              rank + ".json.gz' | sed 's/\"cuda_sync\"/\"no_sync\"/g' >'" +
                              (folder_.path() / "device.").string() + rank + ".json'";
    ASSERT_EQ(std::system(strip.c_str()), 0);
    ASSERT_EQ(run("convert --quiet --host '" + std::string(NADI_TEST_DATA) + "/ddp-2rank/host." +
                  rank + ".json.gz' --device device." + rank + ".json --delays all --output x")
                  .exit_code,
              0);
  }
  const std::uint64_t guesses = guesses_in(folder_.path(), "x.");
  EXPECT_GT(guesses, 0U);
  const Outcome with = run("replay x.*.et"), without = run("replay x.*.et --inferred without");
  EXPECT_TRUE(holds(with.out, "without inferred waits  344.000 us (-11.79 % of replayed)\n"))
      << with.out;
  EXPECT_TRUE(holds(without.out, "with inferred waits  390.000 us (+13.37 % of replayed)\n"))
      << without.out;
  expect_both_makespans(guesses);
}

TEST_F(ReplayVerb, OfDlrmGivesTheMakespanWithAndWithoutInferredWaits) {
  const std::string traces = std::string(NADI_SHARED_TRACES) + "/dlrm-8gpu";
  if (!std::filesystem::exists(traces)) GTEST_SKIP() << traces << " is missing";
  ASSERT_EQ(run("convert --quiet --traces " + traces + " --output x").exit_code, 0);
  const std::uint64_t guesses = guesses_in(folder_.path(), "x.");
  EXPECT_GT(guesses, 0U);
  expect_both_makespans(guesses);
}

/// The run of a process of a timeline: "replayed" of "rank 0 replayed (g.0.et)".
std::string run_of(const ShownSlice& slice) {
  const std::size_t begin = slice.process.find(' ', 5) + 1;
  return slice.process.substr(begin, slice.process.find(' ', begin) - begin);
}

/// How many slices of a timeline there are, and how long they are in all.
struct Slices {
  int count = 0;
  std::int64_t ns = 0;
};
/// By run, of ranks and names with this part.
std::map<std::string, Slices> slices_of(const Shown& timeline, const std::string& name = "") {
  std::map<std::string, Slices> slices;
  for (const ShownSlice& slice : timeline.slices) {
    if (!slice.process.starts_with("rank ") || !holds(slice.name, name)) continue;
    Slices& of_run = slices[run_of(slice)];
    ++of_run.count;
    of_run.ns += slice.length_ns;
  }
  return slices;
}

TEST_F(ReplayVerb, TimelineHasTheScaledRunBesideTheOthers) {
  ASSERT_EQ(run("replay --quiet g.0.et --scale kernel:gemm=2 --output t.json").exit_code, 0);
  const Shown timeline = shown_of("t.json");
  auto gemm = slices_of(timeline, "gemm");
  ASSERT_EQ(gemm.size(), 3U);
  EXPECT_EQ(gemm["replayed"].count, 4);
  EXPECT_EQ(gemm["replayed"].ns, gemm["measured"].ns);
  EXPECT_EQ(gemm["scaled"].ns, 2 * gemm["replayed"].ns);
  std::vector<std::string> expected;
  for (const std::string run : {"measured", "replayed", "scaled"})
    expected.push_back("critical path (nadi replay) / " + run);
  for (const std::string run : {"measured", "replayed", "scaled"})
    for (const char* lane :
         {"thread 1", "thread 2", "thread 3", "device 0 stream 7", "device 0 stream 20"})
      expected.push_back("rank 0 " + run + " (g.0.et) / " + lane);
  EXPECT_EQ(timeline.tracks, expected);
}

/// "aten::mm, 12000 ns after the step began, 3000 ns".
std::string place_of(const std::string& name, std::int64_t start_ns, std::int64_t length_ns) {
  return fmt::format("{}, {} ns after the step began, {} ns", name, start_ns, length_ns);
}

TEST_F(ReplayVerb, TimelineShowsEachOpAndRowWhereTheTraceHasIt) {
  ASSERT_EQ(run("replay --quiet g.0.et --output t.json").exit_code, 0);
  const std::string unpack = "gzip -dc '" NADI_TEST_DATA "/ddp-2rank/device.0.json.gz' >'" +
                             (folder_.path() / "trace.json").string() + "'";
  ASSERT_EQ(std::system(unpack.c_str()), 0);
  const std::set<std::string> categories = {"cpu_op", "user_annotation", "kernel", "gpu_memcpy"};
  const auto ns_of = [](const Json& micros) { return std::llround(micros.get<double>() * 1000); };
  std::multiset<std::string> expected, shown;
  std::int64_t step_ns = 0;
  const Json trace = json_of("trace.json");
  for (const Json& event : trace["traceEvents"])
    if (event["name"] == "ProfilerStep#3" && event["cat"] == "user_annotation")
      step_ns = ns_of(event["ts"]);
  for (const Json& event : trace["traceEvents"])
    if (event["ph"] == "X" && categories.contains(event["cat"]))
      expected.insert(place_of(event["name"], ns_of(event["ts"]) - step_ns, ns_of(event["dur"])));
  const Shown timeline = shown_of("t.json");
  for (const ShownSlice& slice : timeline.slices)
    if (slice.name == "ProfilerStep#3" && run_of(slice) == "measured") {
      step_ns = slice.start_ns;
      EXPECT_EQ(slice.category, "user_annotation");
    }
  for (const ShownSlice& slice : timeline.slices)
    if (slice.process.starts_with("rank ") && run_of(slice) == "measured" &&
        slice.category != "cuda_runtime" && slice.name != "## process_group:init ##")
      shown.insert(place_of(slice.name, slice.start_ns - step_ns, slice.length_ns));
  EXPECT_EQ(shown, expected);
}

TEST_F(ReplayVerb, TimelineHasAnArrowToEachRowFromWhatLaunchedIt) {
  ASSERT_EQ(run("replay --quiet g.0.et --output t.json").exit_code, 0);
  const Shown timeline = shown_of("t.json");
  std::size_t rows = 0;
  for (const ShownSlice& slice : timeline.slices) rows += slice.track.starts_with("device ");
  EXPECT_GT(rows, 0U);
  EXPECT_EQ(timeline.arrows.size(), rows);
  for (const ShownArrow& arrow : timeline.arrows) {
    const ShownSlice &op = timeline.at(arrow.from, arrow.from_ns),
                     &row = timeline.at(arrow.to, arrow.to_ns);
    EXPECT_EQ(op.process, row.process);
    EXPECT_EQ(row.start_ns, arrow.to_ns);
    EXPECT_TRUE(!holds(row.name, "gemm") || holds(op.name, "mm")) << row.name << " of " << op.name;
    EXPECT_TRUE(holds(row.arguments.at("evidence"), "launch")) << row.arguments.at("evidence");
  }
}

TEST_F(ReplayVerb, TimelineTellsWhatIsCommunicatedAndWhatANodeWaitedFor) {
  ASSERT_EQ(run("replay --quiet g.0.et --output t.json").exit_code, 0);
  int communications = 0;
  for (const ShownSlice& slice : shown_of("t.json").slices) {
    if (slice.category != "communication" || !slice.process.starts_with("rank ")) continue;
    ++communications;
    EXPECT_EQ(slice.arguments.at("operation"), "ALL_REDUCE");
    EXPECT_EQ(slice.arguments.at("group"), "0");
    EXPECT_GT(std::stoll(slice.arguments.at("bytes")), 0);
    EXPECT_EQ(slice.arguments.at("kind"), "device row");
    EXPECT_EQ(slice.arguments.at("step"), "3");
    EXPECT_TRUE(slice.arguments.contains("waited_for"));
  }
  EXPECT_EQ(communications, 4) << "two, measured and replayed";
}

TEST_F(ReplayVerb, TimelineHasTheCriticalPathWithoutHoles) {
  ASSERT_EQ(run("replay --quiet g.*.et --scale host=0.8 --output t.json").exit_code, 0);
  std::map<std::string, std::vector<ShownSlice>> paths;
  for (const ShownSlice& slice : shown_of("t.json").slices)
    if (slice.process == "critical path (nadi replay)") paths[slice.track].push_back(slice);
  ASSERT_EQ(paths.size(), 3U);
  for (auto& [run, pieces] : paths) {
    std::sort(pieces.begin(), pieces.end(),
              [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
    for (std::size_t i = 1; i < pieces.size(); ++i)
      EXPECT_EQ(pieces[i].start_ns, pieces[i - 1].end_ns()) << run;
  }
  EXPECT_EQ(paths["replayed"].back().end_ns() - paths["replayed"].front().start_ns, 390'000);
  EXPECT_LT(paths["scaled"].back().end_ns() - paths["scaled"].front().start_ns, 390'000);
}

TEST_F(ReplayVerb, TimelinesOfBothFormsAreTheSameEventsToTheReaderOfTraces) {
  std::map<std::string, std::multiset<Json>> events;
  for (const std::string form : {"json", "pftrace"}) {
    ASSERT_EQ(run("replay --quiet g.0.et --scale host=0.8 --output t." + form).exit_code, 0);
    ASSERT_EQ(run("events t." + form + " --output " + form + ".jsonl").exit_code, 0);
    const Outcome converted = run("convert t." + form + " --output again");
    EXPECT_EQ(converted.exit_code, 3);
    EXPECT_TRUE(holds(converted.err, "this is a timeline of nadi replay")) << converted.err;
    std::istringstream lines(read_file(folder_.path() / (form + ".jsonl")));
    for (std::string line; std::getline(lines, line);) {
      const Json event = Json::parse(line);
      events[form].insert({event["name"], event["cat"], event["pid"], event["ts"], event["dur"]});
    }
  }
  EXPECT_GT(events["json"].size(), 100U);
  EXPECT_EQ(events["json"], events["pftrace"]);
}

TEST_F(ReplayVerb, TimelineAsPerfettoTraceShowsTheSameAsItsJson) {
  for (const std::string options : {"g.0.et g.1.et --scale host=0.8 --flows-of 1:30",
                                    "g.0.et --lanes none --flows-of 30", "g.1.et"}) {
    for (const char* file : {"t.json", "t.pftrace"})
      ASSERT_EQ(run("replay --quiet " + options + " --output " + file).exit_code, 0);
    const Shown json = shown_of("t.json"), perfetto = shown_of("t.pftrace");
    EXPECT_GT(json.slices.size(), 100U);
    EXPECT_EQ(json.tracks, perfetto.tracks) << options;
    EXPECT_EQ(json.slices, perfetto.slices) << options;
    EXPECT_EQ(json.arrows, perfetto.arrows) << options;
    EXPECT_LT(4 * std::filesystem::file_size(folder_.path() / "t.pftrace"),
              std::filesystem::file_size(folder_.path() / "t.json"));
  }
  ASSERT_EQ(run("replay --quiet g.1.et --output u.pftrace.gz").exit_code, 0);
  ASSERT_EQ(std::system(("gzip -d '" + (folder_.path() / "u.pftrace.gz").string() + "'").c_str()),
            0);
  EXPECT_EQ(read_file(folder_.path() / "u.pftrace"), read_file(folder_.path() / "t.pftrace"));
}

/// p.0.et to p.11.et, which nobody ran.
class ReplayOfGeneratedGraphs : public ReplayVerb {
 protected:
  void SetUp() override {
    const Outcome outcome =
        run("generate pipeline --npus 12 --pipeline 12 --layers 12 --hidden 256 --output p -q");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
};

TEST_F(ReplayOfGeneratedGraphs, HasNothingMeasuredInSummaryReportTimelineAndPage) {
  const Outcome outcome = run("replay p.*.et --report r.json --output t.json --html p.html");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* word : {"measured", "explained", "difference", "shift", "clocks", "base-time"})
    EXPECT_FALSE(holds(outcome.out, word)) << word << " in\n" << outcome.out;
  const Json report = json_of("r.json");
  for (const char* key : {"measured_ns", "error_percent", "idle_ns", "explained_idle_ns"})
    EXPECT_TRUE(report.at(key).is_null()) << key;
  EXPECT_TRUE(report["differences"].empty());
  EXPECT_GT(report["replayed_ns"], 0);
  for (const Json& rank : report["ranks"]) EXPECT_TRUE(rank.at("measured_ns").is_null());
  for (const Json& lane : report["lanes"]) {
    for (const char* key : {"busy_ns", "idle_ns", "explained_idle_ns", "unexplained_idle_ns"})
      EXPECT_TRUE(lane.at(key).is_null()) << key;
    EXPECT_GT(lane["replayed_busy_ns"], 0);
  }
  EXPECT_EQ(slices_of(shown_of("t.json")).size(), 1U);
  EXPECT_EQ(slices_of(shown_of("t.json")).begin()->first, "replayed");
  const std::string page = read_file(folder_.path() / "p.html");
  EXPECT_TRUE(holds(page, R"("measured_ns":null)"));
  EXPECT_TRUE(holds(page, R"("run":"replayed")"));
  EXPECT_FALSE(holds(page, R"("run":"measured")"));
}

TEST_F(ReplayOfGeneratedGraphs, OfOneNodeHasNothingMeasuredEither) {
  ASSERT_EQ(run("generate one_comp_node --npus 1 --output one -q").exit_code, 0);
  const Outcome outcome = run("replay one.0.et");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_FALSE(holds(outcome.out, "measured")) << outcome.out;
}

TEST_F(ReplayOfGeneratedGraphs, NamesRanksInTheOrderOfTheirNumbers) {
  // A shell gives p.10.et before p.2.et.
  const Outcome outcome = run("replay p.*.et --report r.json --output t.json --html p.html");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_LT(outcome.out.find("p.2.et"), outcome.out.find("p.10.et"));
  std::vector<int> ranks, lanes, processes, drawn;
  const Json report = json_of("r.json"), timeline = json_of("t.json");
  for (const Json& rank : report["ranks"]) ranks.push_back(rank["rank"]);
  for (const Json& lane : report["lanes"]) lanes.push_back(lane["rank"]);
  for (const Json& event : timeline["traceEvents"])
    if (event["name"] == "process_name" && event["args"]["name"] != "critical path (nadi replay)")
      processes.push_back(std::stoi(event["args"]["name"].get<std::string>().substr(5)));
  const std::string page = read_file(folder_.path() / "p.html");
  const std::string key = R"("rank":)";
  for (std::size_t at = page.find(key); at != std::string::npos; at = page.find(key, at + 1))
    drawn.push_back(std::atoi(page.c_str() + at + key.size()));
  std::vector<int> all(12);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(ranks, all);
  EXPECT_EQ(processes, all);
  EXPECT_EQ(drawn, all);
  EXPECT_TRUE(std::is_sorted(lanes.begin(), lanes.end()));
}

TEST_F(ReplayVerb, ReportHoldsTheSameAsNumbers) {
  const Outcome outcome = run("replay --quiet g.0.et g.1.et --scale host=0.5 --report r.json");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  const Json report = json_of("r.json");
  EXPECT_EQ(report["measured_ns"], 390000);
  EXPECT_EQ(report["replayed_ns"], 390000);
  EXPECT_LT(report["scaled_ns"], 390000);
  EXPECT_EQ(report["ranks"].size(), 2U);
  EXPECT_GT(report["scaled_nodes"][0], 100);
}

TEST_F(ReplayVerb, TimelineHasArrowsToANodeFromAllThatItDependsOn) {
  ASSERT_EQ(run("replay --quiet g.0.et g.1.et --output t.json --flows-of 1:30").exit_code, 0);
  const Shown timeline = shown_of("t.json");
  std::map<std::string, int> arrows;  // by run
  for (const ShownArrow& arrow : timeline.arrows) {
    if (arrow.name != "dependency") continue;
    const ShownSlice& slice = timeline.at(arrow.to, arrow.to_ns);
    EXPECT_TRUE(slice.process.starts_with("rank 1 ")) << slice.process;
    ++arrows[run_of(slice)];
  }
  EXPECT_GT(arrows["measured"], 0);
  EXPECT_EQ(arrows["measured"], arrows["replayed"]);
}

TEST_F(ReplayVerb, TimelineHasNoTrackThatPerfettoTakesForAMainThread) {
  ASSERT_EQ(run("replay --quiet g.0.et g.1.et --output t.json").exit_code, 0);
  std::set<Json> pids, tids;
  const Json timeline = json_of("t.json");
  for (const Json& event : timeline["traceEvents"]) {
    pids.insert(event["pid"]);
    if (event.contains("tid")) tids.insert(event["tid"]);
  }
  EXPECT_EQ(pids.size(), 5U) << "of the path, and of two runs of two ranks";
  for (const Json& pid : pids) EXPECT_FALSE(tids.contains(pid));
}

TEST_F(ReplayVerb, OfTwoGraphsOfOneRankIsRefusedAndLeavesNoFile) {
  const Outcome outcome = run("replay g.0.et g.0.et --output t.json");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_TRUE(holds(outcome.err, "g.0.et: is of rank 0, as g.0.et is. Pass one graph per rank"))
      << outcome.err;
  EXPECT_EQ(folder_.listing(), "g.0.et g.1.et g.manifest.jsonl");
}

TEST_F(ReplayVerb, RefusesScalesThatAreNone) {
  for (const char* scale : {"gpu=2", "host", "host=x", "stream:a=2", "'kernel:(=2'", "host=-1"}) {
    const Outcome outcome = run(std::string("replay g.0.et --scale ") + scale);
    EXPECT_EQ(outcome.exit_code, 2) << scale;
    EXPECT_TRUE(holds(outcome.err, "nadi: --scale ")) << outcome.err;
  }
}

}  // namespace
}  // namespace nadi
