// nadi convert and link: where the output goes, what is said, and that nothing is half-written.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstdlib>

#include <nlohmann/json.hpp>

#include "tests/cli/sample_traces.h"
#include "tests/cli/tool.h"

namespace nadi {
namespace {

class Convert : public testing::Test {
 protected:
  void SetUp() override {
    folder_.write("host.json", kSampleHost);
    folder_.write("device.json", kSampleDevice);
  }
  Outcome run(const std::string& arguments) { return run_tool(arguments, folder_.path()); }
  std::string read(const std::string& name) { return read_file(folder_.path() / name); }

  TemporaryFolder folder_;
};

TEST_F(Convert, WritesAFileNamedAfterTheRankAndASummaryOnStdoutWhereNoDataGoesThere) {
  const Outcome outcome = run("convert --host host.json --device device.json --output out");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(folder_.listing(), "device.json host.json out.3.et");
  EXPECT_NE(outcome.out.find("out.3.et (rank 3)"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("1 of 1 host ops"), std::string::npos) << outcome.out;
  const Outcome report =
      run("convert --host host.json --device device.json --output out --report -");
  EXPECT_EQ(nlohmann::json::parse(report.out)["rank"], 3);
  EXPECT_TRUE(holds(report.err, "1 of 1 host ops")) << report.err;
}

TEST_F(Convert, MemoryNodesHaveTheBytesAndTheTimeOfTheirCopies) {
  const std::string traces = NADI_TEST_DATA "/../golden/memory-nodes-of-what-is-offloaded/";
  const Outcome outcome =
      run("convert --device " + traces + "device.json --output out --memory-nodes offload");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("copy-offloaded"), std::string::npos) << outcome.err;
  const std::string nodes = run("show out.0.et").out;
  for (const char* type : {"MEM_STORE_NODE", "MEM_LOAD_NODE"}) {
    const std::size_t node = nodes.find(std::string("\"type\":\"") + type);
    ASSERT_NE(node, std::string::npos) << nodes;
    const std::string text = nodes.substr(node, nodes.find('\n', node) - node);
    EXPECT_NE(text.find("{\"name\":\"tensor_size\",\"uint64Val\":\"1048576\"}"), std::string::npos)
        << text;
    EXPECT_NE(text.find(type == std::string("MEM_LOAD_NODE") ? "\"durationMicros\":\"45\""
                                                             : "\"durationMicros\":\"40\""),
              std::string::npos)
        << text;
  }
  EXPECT_EQ(run("check out.0.et").exit_code, 0);
}

TEST_F(Convert, TheRankGivenWinsOverTheTraces) {
  EXPECT_EQ(run("convert --device device.json --output out --rank 1 -q").exit_code, 0);
  EXPECT_EQ(folder_.listing(), "device.json host.json out.1.et");
}

TEST_F(Convert, QuietSaysNothing) {
  const Outcome outcome = run("convert --device device.json --output out --quiet");
  EXPECT_EQ(outcome.out + outcome.err, "");
}

TEST_F(Convert, TheReportIsJsonInAFileOrOnStdout) {
  ASSERT_EQ(run("convert --host host.json --device device.json --output out --report r.json -q")
                .exit_code,
            0);
  const auto report = nlohmann::json::parse(read("r.json"));
  EXPECT_EQ(report["host_ops"], 1);
  EXPECT_EQ(report["matched_host_ops"], 1);
  EXPECT_EQ(report["linked_device_rows"], 1);
  EXPECT_EQ(report["edges"]["launch"], 1);
  EXPECT_GT(report["span_ns"], 0);
  const Outcome to_stdout =
      run("convert --host host.json --device device.json --output out --report - -q");
  EXPECT_EQ(to_stdout.out, read("r.json"));
}

TEST_F(Convert, ATraceMayComeFromStandardInput) {
  ASSERT_EQ(run("convert --host host.json --device device.json --output file").exit_code, 0);
  const Outcome outcome = run("convert --host host.json --device - --output piped <device.json");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(read("piped.3.et"), read("file.3.et"));
  const Outcome host = run("convert --host - --device device.json --output other <host.json");
  EXPECT_EQ(host.exit_code, 0) << host.err;
  EXPECT_EQ(read("other.3.et"), read("file.3.et"));
}

TEST_F(Convert, BothTracesFromStandardInputIsAUsageError) {
  const Outcome outcome = run("convert --host - --device - --output out <host.json");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(folder_.listing(), "device.json host.json");
}

TEST_F(Convert, AMissingFileExitsWith3AndIsNamed) {
  const Outcome outcome = run("convert --host none.json --device device.json --output out");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.err.substr(0, 17), "nadi: none.json: ") << outcome.err;
  EXPECT_EQ(folder_.listing(), "device.json host.json");
}

TEST_F(Convert, ABadTraceExitsWith3WhicheverOfTheTwoItIs) {
  folder_.write("bad.json", "<html>404</html>");
  for (const std::string traces :
       {"--host bad.json --device device.json", "--host host.json --device bad.json",
        "--host device.json --device host.json", "--device /dev/null"}) {
    const Outcome outcome = run("convert " + traces + " --output out");
    EXPECT_EQ(outcome.exit_code, 3) << traces << "\n" << outcome.err;
    EXPECT_EQ(outcome.err.substr(0, 6), "nadi: ");
    EXPECT_EQ(folder_.listing(), "bad.json device.json host.json");
  }
}

TEST_F(Convert, TracesOfDifferentRanksAreRefusedUnlessForced) {
  std::string host = kSampleHost;
  host.replace(host.find(R"("pid": 4)"), 8, R"("pid": 5)");
  folder_.write("host.0.json", host);
  folder_.write("host.3.json", host);
  folder_.write("device.3.json", kSampleDevice);
  const std::string convert = "convert --output out --host ";
  const Outcome other = run(convert + "host.0.json --device device.3.json");
  EXPECT_EQ(other.exit_code, 3);
  EXPECT_EQ(
      other.err,
      "nadi: host.0.json and device.3.json: are of different ranks and processes: the device "
      "trace is of rank 3, the host trace is named after rank 0. Pass both traces of one "
      "rank; --match force takes them as they are, and keeps the ops whose record-function ids "
      "fit\n");
  EXPECT_EQ(run(convert + "host.0.json --device device.3.json --match force").exit_code, 0);
  const Outcome same = run(convert + "host.3.json --device device.3.json");
  EXPECT_EQ(same.exit_code, 0) << "of another process alone";
  EXPECT_TRUE(holds(same.err, "another-process")) << same.err;
  EXPECT_EQ(run(convert + "host.0.json --device device.json").exit_code, 0)
      << "no rank in the name";
}

TEST_F(Convert, OfATraceThatIsCutCountsTheLaunchesWhoseRowsAreMissing) {
  std::string events;
  for (int i = 0; i < 10; ++i)
    events +=
        fmt::format(R"({{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", )"
                    R"("pid": 1, "tid": 1, "ts": {}, "dur": 2, "args": {{"correlation": {}}}}},)",
                    10 * i, i + 1);
  for (int i = 0; i < 3; ++i)
    events += fmt::format(R"({{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, )"
                          R"("ts": {}, "dur": 3, "args": {{"device": 0, "stream": 7, )"
                          R"("correlation": {}}}}},)",
                          10 * i + 4, i + 1);
  folder_.write("cut.json", R"({"traceEvents": [)" + events + R"({"ph": "X", "ca)");
  const Outcome outcome = run("convert --device cut.json --output out --report r.json");
  EXPECT_TRUE(holds(outcome.out, "3: 3 kernel; 7 more launches have no row")) << outcome.out;
  EXPECT_TRUE(holds(read_file(folder_.path() / "r.json"), "\"launches_without_row\": 7"));
}

TEST_F(Convert, TracesThatAreSwappedAreCalledThat) {
  for (const std::string verb : {"convert --output out", "link --output out.json", "doctor"}) {
    const Outcome outcome = run(verb + " --host device.json --device host.json");
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_EQ(outcome.err,
              "nadi: --host and --device: are swapped: device.json is the device trace, host.json "
              "the host trace. Exchange the two\n");
  }
}

TEST_F(Convert, SettingsThatTheLibraryNamesAreOptionsAndOtherBackticksStay) {
  EXPECT_EQ(run("convert --host host.json --device device.json --output x --match rf-id "
                "--occurrence 2")
                .err,
            "nadi: --match: record-function ids know one iteration: there is none to choose. Use "
            "--match order or tree, or leave --occurrence, --annotation and --repeat out\n");
  EXPECT_TRUE(run("convert --device '`x`.json' --output x").err.starts_with("nadi: `x`.json: "));
}

TEST_F(Convert, ATraceIsNoGraphButOneCanBeMadeOfIt) {
  for (const std::string verb : {"check", "check --profile astra-sim", "show"}) {
    const Outcome device = run(verb + " device.json");
    EXPECT_EQ(device.exit_code, 3);
    EXPECT_EQ(device.err,
              "nadi: device.json: this is a device trace, not a Chakra graph. Make one: nadi "
              "convert device.json\n")
        << verb;
    EXPECT_NE(run(verb + " host.json").err.find("host.json and the device trace of its rank"),
              std::string::npos);
  }
}

TEST_F(Convert, TracesWithoutOptionsAreToldApartByContentAndTheOutputIsNamedAfterThem) {
  ASSERT_EQ(run("convert --host host.json --device device.json --output-file want.et").exit_code,
            0);
  ASSERT_EQ(run("link --host host.json --device device.json --output want.json").exit_code, 0);
  for (const char* traces : {"host.json device.json", "device.json - < host.json"}) {
    ASSERT_EQ(run(std::string("convert ") + traces).exit_code, 0) << traces;
    EXPECT_EQ(read("device.3.et"), read("want.et")) << traces;
    ASSERT_EQ(run(std::string("link ") + traces).exit_code, 0) << traces;
    EXPECT_EQ(read("device.linked.json"), read("want.json")) << traces;
  }
  EXPECT_EQ(run("doctor host.json device.json").out,
            run("doctor --host host.json --device device.json").out);
  EXPECT_EQ(folder_.listing(),
            "device.3.et device.json device.linked.json host.json want.et want.json");
  ASSERT_EQ(run("convert device.linked.json").exit_code, 0);
  EXPECT_EQ(read("device.linked.3.et"), read("want.et"));
}

TEST_F(Convert, AFolderWithoutAnOptionIsConvertedAsTracesAre) {
  ASSERT_EQ(run("convert . --output out").exit_code, 0);
  EXPECT_TRUE(holds(folder_.listing(), "out.3.et out.manifest.jsonl")) << folder_.listing();
  EXPECT_TRUE(holds(run("convert --traces . --output out").out, "done before"));
}

TEST_F(Convert, TracesAreNamedOnceAndOfOneRankWhereOneIsAsked) {
  const auto refused = [&](const std::string& arguments, int code, const std::string& why) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, code) << arguments;
    EXPECT_TRUE(holds(outcome.err, why)) << outcome.err;
  };
  refused("convert device.json --host host.json", 2, "--host: excludes traces without an option");
  refused("convert host.json", 3, "is a host trace");
  ASSERT_EQ(run("convert device.json").exit_code, 0);
  refused("convert device.3.et", 3, "is a Chakra graph");
  folder_.write("rank4.json", kSampleDevice);
  refused("doctor device.json rank4.json", 3, "two device traces of rank 3");
}

TEST_F(Convert, ReplayAndGraphConvertTracesInMemory) {
  ASSERT_EQ(run("convert device.json host.json --output-file x.et").exit_code, 0);
  const auto replayed = [&](const std::string& inputs) {
    const Outcome outcome = run("replay " + inputs + " --report -");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    nlohmann::json report = nlohmann::json::parse(outcome.out);
    for (nlohmann::json& rank : report["ranks"]) rank.erase("file");
    return report.dump();
  };
  const std::string want = replayed("x.et");
  for (const char* inputs : {"device.json host.json", ".", "host.json - < device.json", "- < x.et"})
    EXPECT_EQ(replayed(inputs), want) << inputs;
  ASSERT_EQ(run("graph x.et --output x.dot").exit_code, 0);
  ASSERT_EQ(run("graph host.json device.json --output y.dot").exit_code, 0);
  std::string graph = read("y.dot");
  graph.replace(graph.find("device.json"), std::string("device.json").size(), "x.et");
  EXPECT_EQ(graph, read("x.dot"));
}

TEST_F(Convert, TracesOfDifferentRunsAreRefusedUnlessForced) {
  std::string other = kSampleHost;
  other.replace(other.find("aten::mm"), 8, "aten::xy");
  folder_.write("other.json", other);
  const std::string arguments = "convert --host other.json --device device.json --output out";
  EXPECT_EQ(run(arguments).exit_code, 3);
  EXPECT_EQ(folder_.listing(), "device.json host.json other.json");
  EXPECT_EQ(run(arguments + " --match force").exit_code, 0);
}

TEST_F(Convert, StrictTurnsLossIntoExitCode1AndWritesNothing) {
  folder_.write("cut.json", kSampleDevice.substr(0, kSampleDevice.size() - 30));
  const std::string arguments = "convert --device cut.json --output out";
  const Outcome strict = run(arguments + " --strict");
  EXPECT_EQ(strict.exit_code, 1) << strict.err;
  EXPECT_TRUE(strict.err.starts_with("nadi: cut.json, event ")) << strict.err;
  EXPECT_EQ(folder_.listing(), "cut.json device.json host.json");
  EXPECT_EQ(run(arguments).exit_code, 0);
}

TEST_F(Convert, ACutGzipFileIsOneLoss) {
  std::string trace = R"({"traceEvents": [)";
  for (int i = 0; i < 5000; ++i)
    trace += R"({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 4, "tid": 4, "dur": 1, )"
             R"("ts": )" +
             std::to_string(i * 3LL * i) + "},\n";
  folder_.write("whole.json", trace + "{}]}");
  const std::string cut = "cd " + folder_.path().string() +
                          " && gzip -c whole.json > whole.gz && head -c 20000 whole.gz > cut.gz";
  ASSERT_EQ(std::system(cut.c_str()), 0);
  const Outcome outcome = run("convert --device cut.gz --output out");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("truncated-input  loss          1"), std::string::npos) << outcome.err;
  // What it lacks may be why a host trace does not fit.
  const Outcome refused = run("convert --host host.json --device cut.gz --output other");
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_NE(refused.err.find("Cut (truncated-input): cut.gz. Record again"), std::string::npos)
      << refused.err;
}

TEST_F(Convert, AnOutputThatCannotBeWrittenExitsWith3) {
  const Outcome outcome = run("convert --device device.json --output device.json/out");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.err,
            "nadi: device.json/out.3.et: cannot be created (Not a directory). Check the folder: "
            "one of its names is a file, or cannot be made\n");
}

TEST_F(Convert, IterationsWithoutRecordFunctionIdsAreLinkedByNamesAndReportedByThread) {
  std::string nodes, events;
  for (int i = 0; i < 8; ++i)
    nodes += fmt::format(R"({}{{"id": {}, "name": "op{}", "parent": 1, "rf_id": 0, "tid": 5}})",
                         i == 0 ? "" : ",", i + 2, i);
  for (int i = 0; i < 24; ++i)
    events += fmt::format(R"({}{{"ph": "X", "cat": "cpu_op", "name": "op{}", "pid": 1, "tid": 1, )"
                          R"("ts": {}, "dur": 5, "args": {{}}}})",
                          i == 0 ? "" : ",", i % 8, 10 * i);
  folder_.write("h.json", R"({"schema": "1.0.1", "pid": 1, "nodes": [)" + nodes + "]}");
  folder_.write("d.json", R"({"traceEvents": [)" + events + "]}");
  const Outcome one = run("link --host h.json --device d.json --output l.json --occurrence last");
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_NE(one.err.find("number 3 taken"), std::string::npos) << one.err;
  EXPECT_NE(one.err.find("thread 5: 8 of 8 ops exact"), std::string::npos) << one.err;
  const Outcome all = run("convert --host h.json --device d.json --output all --repeat all");
  EXPECT_NE(all.out.find("24 of 24 host ops"), std::string::npos) << all.out;
  EXPECT_EQ(run("check --strict all.0.et").exit_code, 0);
  EXPECT_EQ(run("link --host h.json --device d.json --output l.json --occurrence 4").exit_code, 2);
  EXPECT_EQ(run("link --host h.json --device d.json --output l.json --match rf-id --repeat all")
                .exit_code,
            2);
}

TEST_F(Convert, ValuesThatMakeNoSenseAreUsageErrors) {
  for (const std::string option :
       {"--delays some", "--min-part 2", "--min-part -2us", "--min-part 2parsecs", "--steps 5-3",
        "--steps x", "--steps 3-", "--rank -1", "--match names", "--clock fast", "--occurrence 0",
        "--output ''", "--output -"}) {
    const bool has_output = option.starts_with("--output");
    const Outcome outcome =
        run("convert --device device.json " + option + (has_output ? "" : " --output out"));
    EXPECT_EQ(outcome.exit_code, 2) << option << "\n" << outcome.err;
    EXPECT_EQ(folder_.listing(), "device.json host.json") << option;
  }
}

TEST_F(Convert, StepsThatTheTraceDoesNotHaveAreAUsageError) {
  const Outcome outcome = run("convert --device device.json --output out --steps 3-5");
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
}

TEST_F(Convert, MinPartTakesTimesWithUnitsAndTheWordOp) {
  for (const std::string value : {"0", "2us", "500ns", "1.5ms", "op"}) {
    EXPECT_EQ(run("convert --device device.json --output out -q --min-part " + value).exit_code, 0)
        << value;
  }
}

TEST_F(Convert, SameInputGivesTheSameBytes) {
  ASSERT_EQ(run("convert --host host.json --device device.json --output a").exit_code, 0);
  ASSERT_EQ(run("convert --host host.json --device device.json --output b").exit_code, 0);
  EXPECT_EQ(read("a.3.et"), read("b.3.et"));
}

TEST_F(Convert, ClocksThatContradictNothingGiveTheSameBytesCorrectedOrAsRecorded) {
  ASSERT_EQ(run("convert --device device.json --output a").exit_code, 0);
  ASSERT_EQ(run("convert --device device.json --output b --clock as-recorded").exit_code, 0);
  EXPECT_EQ(read("a.3.et"), read("b.3.et"));
}

TEST_F(Convert, AClockThatContradictsCallsIsCorrectedAndToldUnlessLeftAsRecorded) {
  std::string behind = kSampleDevice;
  const std::string kernel_start = "\"ts\": 20.000";
  behind.replace(behind.find(kernel_start), kernel_start.size(), "\"ts\": 4.000");
  folder_.write("behind.json", behind);
  const Outcome outcome = run("convert --device behind.json --output a --report -");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("clock-corrected"), std::string::npos) << outcome.err;
  const auto report = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(report["diagnostics"][0]["kind"], "clock-corrected");
  EXPECT_EQ(report["clock_corrections"][0]["device"], 0);
  EXPECT_NE(report["clock_corrections"][0]["offset_ns"], 0);
  EXPECT_EQ(report["edges"]["launch"], 1);
  EXPECT_NE(read("a.3.et").find(R"("offset_ns":-8000,"drift_ppb":0)"), std::string::npos);

  ASSERT_EQ(run("link --device behind.json --output linked.json").exit_code, 0);
  ASSERT_EQ(run("convert --linked linked.json --output b").exit_code, 0);
  EXPECT_EQ(read("a.3.et"), read("b.3.et"));

  ASSERT_EQ(run("convert --device behind.json --output c --clock as-recorded").exit_code, 0);
  EXPECT_EQ(read("c.3.et").find("clock_corrections"), std::string::npos);
  EXPECT_EQ(run("convert --linked linked.json --output d --clock auto").exit_code, 2);
}

TEST_F(Convert, LinkWritesOneJsonDocument) {
  const Outcome outcome = run("link --host host.json --device device.json --output linked.json");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(read("linked.json"));
  EXPECT_GE(json["nodes"].size(), 3U);
  EXPECT_EQ(run("link --host host.json --device device.json --output - -q").out,
            read("linked.json"));
}

TEST_F(Convert, ALinkThatFailsLeavesNoFile) {
  EXPECT_EQ(run("link --host host.json --device none.json --output linked.json").exit_code, 3);
  EXPECT_EQ(folder_.listing(), "device.json host.json");
}

}  // namespace
}  // namespace nadi
