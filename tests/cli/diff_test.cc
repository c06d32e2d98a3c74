// nadi diff: formats, choices, the gate for CI, what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "tests/cli/sample_traces.h"
#include "tests/cli/tool.h"

namespace nadi {
namespace {

std::string row(const std::string& category, const std::string& name, const std::string& times,
                const std::string& args = "{}") {
  return R"({"ph": "X", "cat": ")" + category + R"(", "name": ")" + name +
         R"(", "pid": 4, "tid": 4, )" + times + R"(, "args": )" + args + "},";
}

/// Two iterations with an op of the lengths given, a kernel with a comma in its name, and `more`.
std::string trace(int first, int second, const std::string& more = "") {
  return R"({"traceEvents": [)" +
         row("user_annotation", "ProfilerStep#4", R"("ts": 0, "dur": 100)") +
         row("user_annotation", "ProfilerStep#5", R"("ts": 100, "dur": 100)") +
         row("cuda_runtime", "launch", R"("ts": 1.5, "dur": 0.25)", R"({"correlation": 5})") +
         row("kernel", "gemm<a, b>(c)", R"("ts": 3, "dur": 2)",
             R"({"stream": 7, "device": 0, "correlation": 5})") +
         more + row("cpu_op", "mm", R"("ts": 10, "dur": )" + std::to_string(first)) +
         row("cpu_op", "mm", R"("ts": 110, "dur": )" + std::to_string(second)) + R"({"ph": "M"}]})";
}

const std::string kAdded = row("cpu_op", "added op", R"("ts": 60, "dur": 4)");

class Diff : public testing::Test {
 protected:
  void SetUp() override {
    folder_.write("a.json", trace(20, 22));
    folder_.write("b.json", trace(40, 42, kAdded));
  }
  Outcome run(const std::string& arguments) const {
    return run_tool("-q diff " + arguments, folder_.path());
  }
  Outcome diff(const std::string& arguments) const {
    return run("--control a.json --test b.json " + arguments);
  }
  std::string text(const std::string& name) const { return read_file(folder_.path() / name); }

  TemporaryFolder folder_;
};

TEST_F(Diff, AgainstItselfChangesNothingWhateverTheNumberOfIterations) {
  const Outcome outcome =
      run("--control a.json --test a.json --control-iterations all --test-iterations 5 --only mm "
          "--fail-if 'increased>0,decreased>0'");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST_F(Diff, AGateIsClosedWhereDataWasLostOrNothingIsCompared) {
  const std::string whole = text("a.json");
  folder_.write("cut.json", whole.substr(0, whole.size() / 2));
  const Outcome lost = run("--control a.json --test cut.json --fail-if 'added>5'");
  EXPECT_EQ(lost.exit_code, 1);
  EXPECT_NE(lost.err.find("--fail-if: data was lost (see the findings), so nothing"),
            std::string::npos)
      << lost.err;
  const Outcome empty = diff("--only nothing --fail-if 'added>0'");
  EXPECT_EQ(empty.exit_code, 1);
  EXPECT_NE(empty.err.find("--fail-if: no row is compared"), std::string::npos) << empty.err;
  EXPECT_EQ(run("--control a.json --test cut.json").exit_code, 0);
}

TEST_F(Diff, TheOptionOfASideGoesBeforeThatOfBoth) {
  EXPECT_EQ(diff("--test-iterations 5 --iterations 4").exit_code, 0);
  const Outcome outcome = diff("--test-iterations 5 --iterations 9");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("a.json"), std::string::npos) << outcome.err;  // control's is none
}

TEST_F(Diff, OfTheFirstIterationsIsACsvAsHtaWritesIt) {
  const Outcome outcome = diff("--output d.csv");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(text("d.csv"),
            "name,Control_counts,Control_total_duration,Test_counts,Test_total_duration,"
            "diff_counts,diff_duration,counts_change_categories\n"
            "ProfilerStep#4,1,100,1,100,0,0,=\n"
            "\"gemm<a, b>(c)\",1,2,1,2,0,0,=\n"
            "launch,1,0.250,1,0.250,0,0,=\n"
            "mm,1,20,1,40,0,20,=\n"
            "added op,0,0,1,4,1,4,+\n");
}

TEST_F(Diff, IsATableOnStandardOutput) {
  const Outcome outcome = diff("--iterations all --exclude Profiler --top 2");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string rows = R"(
4 rows: 1 added, 0 deleted, 0 increased, 0 decreased, 3 same count

name           control calls  test calls  diff calls  control own time  test own time  diff own time  change in %  significant
mm                         1           1                     21.000 us      41.000 us     +20.000 us        +95.2  yes
added op                   0        0.50       +0.50              0 ns       2.000 us      +2.000 us          new  no
… 2 more rows
all rows )";
  EXPECT_NE(outcome.out.find("control: a.json (rank 0 iteration 4, rank 0 iteration 5)"),
            std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find(rows), std::string::npos) << outcome.out;
}

TEST_F(Diff, SaysFirstHowLongTheIterationTookAndHowTheDeviceWorked) {
  // Own times per iteration: 20 and 22 of mm, later 40 and 42; in the first of both 0.25 of the
  // launch and 2 of the kernel, later 4 of the added op.
  const std::string out = diff("--iterations all").out;
  const std::string headline = R"(

mean per iteration                 control                  test        diff  change in %  significant
iteration                100.000 us ± 0 ns     100.000 us ± 0 ns        0 ns               no
device busy            1.000 us ± 1.414 us   1.000 us ± 1.414 us        0 ns               no
device idle           99.000 us ± 1.414 us  99.000 us ± 1.414 us        0 ns               no
own time of all rows    22.125 us ± 177 ns  44.125 us ± 3.005 us  +22.000 us        +99.4  yes

)";
  EXPECT_NE(out.find(headline), std::string::npos) << out;
}

TEST_F(Diff, ShowsTimesWithAllThatIsCalledWhereAskedFor) {
  folder_.write("nested.json", trace(20, 22, row("cpu_op", "inside", R"("ts": 12, "dur": 5)")));
  const auto line = [&](const std::string& arguments) {
    const std::string out =
        run("--control nested.json --test nested.json --only mm " + arguments).out;
    const std::size_t at = out.find("\nmm ");
    return out.substr(at + 1, out.find('\n', at + 1) - at - 1);
  };
  EXPECT_NE(line("").find(" 15.000 us "), std::string::npos) << line("");
  EXPECT_NE(line("--time inclusive").find(" 20.000 us "), std::string::npos);
}

TEST_F(Diff, WarnsWhereTheSidesAreOfDifferentRanks) {
  folder_.write("r3.json", R"({"distributedInfo": {"rank": 3},)" + trace(20, 22).substr(1));
  const std::string warning = "control is of rank 0, test of rank 3";
  const auto said = [&](const std::string& test) {
    return run_tool("diff --control a.json --test " + test, folder_.path()).err;
  };
  EXPECT_NE(said("r3.json").find(warning), std::string::npos) << said("r3.json");
  EXPECT_EQ(said("b.json").find("ranks-differ"), std::string::npos);
}

TEST_F(Diff, ShowsOnlyTheRowsAskedFor) {
  const auto table = [&](const std::string& arguments) { return diff(arguments).out; };
  EXPECT_EQ(table("--group added").find("mm "), std::string::npos);
  EXPECT_NE(table("--group added").find("added op"), std::string::npos);
  EXPECT_NE(table("--group same-count").find("\nmm "), std::string::npos);
  EXPECT_EQ(table("--group same-count").find("\nadded op"), std::string::npos);
  EXPECT_EQ(table("--only mm --sort name").find("\nProfilerStep"), std::string::npos);
  EXPECT_EQ(table("--iterations all --significant").find("\nadded op"), std::string::npos);
  EXPECT_NE(table("--iterations all --significant").find("\nmm "), std::string::npos);
}

TEST_F(Diff, AsJsonHasMeansSpreadAndGroups) {
  ASSERT_EQ(diff("--iterations all --by short-name --device host --output d.json").exit_code, 0);
  const auto json = nlohmann::json::parse(text("d.json"));
  EXPECT_EQ(json.at("by"), "short-name");
  EXPECT_EQ(
      json.at("control").dump(),
      R"({"paths":["a.json"],"samples":[{"iteration":4,"rank":0},{"iteration":5,"rank":0}]})");
  EXPECT_EQ(json.at("ops_diff").at("added").dump(), R"(["added op"])");
  const auto& mm = json.at("rows").at(3);
  EXPECT_EQ(mm.at("short_name"), "mm");
  EXPECT_EQ(mm.at("control").at("mean_us"), 21.0);
  EXPECT_NEAR(mm.at("spread_us"), 4.0, 1e-9);  // 2 * sqrt(2 + 2)
  EXPECT_EQ(mm.at("significant"), true);
  EXPECT_EQ(mm.at("change"), "unchanged");  // as HTA says it
  EXPECT_EQ(mm.at("mean_own").at("test_us"), 41.0);
  EXPECT_NEAR(json.at("total").at("control").at("mean_us"), 21.125, 1e-9);  // mm and the launch
  EXPECT_NEAR(json.at("inclusive_total").at("control").at("mean_us"), 121.125, 1e-9);
}

TEST_F(Diff, ComparesTheRanksAndIterationsChosenOfEachSide) {
  folder_.write("runs_rank0.json", trace(1, 2));
  folder_.write("runs_rank1.json", trace(5, 6));
  const auto mm = [&](const std::string& arguments) {
    const Outcome outcome =
        run("--control runs_rank0.json runs_rank1.json --test a.json --only mm --exclude gemm "
            "--format csv " +
            arguments);
    return outcome.out.substr(outcome.out.find('\n') + 1) + outcome.err;
  };
  EXPECT_EQ(mm(""), "mm,1,1,1,20,0,19,=\n");
  EXPECT_EQ(mm("--control-ranks 1 --control-iterations 5"), "mm,1,6,1,20,0,14,=\n");
  EXPECT_EQ(mm("--control-ranks all --control-iterations 4,5 --test-iterations all"),
            "mm,4,14,2,42,-2,28,-\n");
}

TEST_F(Diff, FailsWhereAConditionHoldsAndListsTheRows) {
  // Own times: 22.25 us of control, 46.25 of test; with all that is called 122.25 and 146.25.
  const Outcome failed = diff("--fail-if 'duration>5%,added>0,deleted>0' --output d.csv");
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_NE(failed.err.find("duration>5% holds: +107.87 %"), std::string::npos) << failed.err;
  EXPECT_NE(failed.err.find("added>0 holds: 1 row"), std::string::npos) << failed.err;
  EXPECT_NE(failed.err.find("added op"), std::string::npos) << failed.err;
  EXPECT_EQ(failed.err.find("deleted>0"), std::string::npos) << failed.err;
  EXPECT_NE(text("d.csv"), "");  // the answer is there, too
  const Outcome inclusive = diff("--fail-if 'inclusive-duration>5%'");
  EXPECT_NE(inclusive.err.find("inclusive-duration>5% holds: +19.63 %"), std::string::npos)
      << inclusive.err;
  EXPECT_EQ(diff("--fail-if 'duration>108%' --fail-if 'added>1'").exit_code, 0);
  const std::string json = diff("--fail-if 'duration>5%,added>0' --format json").out;
  EXPECT_NE(json.find(R"("gate": {"is_open":false)"), std::string::npos) << json;
  EXPECT_NE(json.find(R"({"condition":"added>0","found":"1 row","rows":["added op"]})"),
            std::string::npos)
      << json;
}

TEST_F(Diff, TakesBothRunsWithoutOptions) {
  const Outcome plain = run("a.json b.json"), named = run("--control a.json --test b.json");
  EXPECT_EQ(plain.exit_code, 0) << plain.err;
  EXPECT_EQ(plain.out, named.out);
  for (const std::string wrong : {"a.json", "", "a.json b.json --test b.json"}) {
    const Outcome outcome = run(wrong);
    EXPECT_EQ(outcome.exit_code, 2) << wrong;
    EXPECT_NE(outcome.err.find("two runs are compared"), std::string::npos) << outcome.err;
  }
}

TEST_F(Diff, OfASelectionThatIsNotThereListsWhatIs) {
  const auto refused = [&](const std::string& arguments, int code, const std::string& message) {
    const Outcome outcome = diff(arguments + " --output d.csv");
    EXPECT_EQ(outcome.exit_code, code) << arguments;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
    EXPECT_EQ(folder_.listing(), "a.json b.json");
  };
  refused("--test-ranks 3", 2, "there is no rank 3. 1 rank is there: 0");
  refused("--control-iterations 4,9", 2, "a.json: holds no iteration 9. There are 4, 5");
  refused("--fail-if 'time>5%'", 2,
          "nothing is called 'time'. There are duration, inclusive-duration, count");
  refused("--by size", 2, "--by");
  refused("--group some", 2, "--group");
  refused("--format yaml", 2, "--format");
  EXPECT_EQ(diff("--output d.pdf").exit_code, 2);
  EXPECT_EQ(run("--control a.json").exit_code, 2);
  EXPECT_EQ(run("--control a.json --test none.json").exit_code, 3);
  EXPECT_EQ(run("--control - --test -").exit_code, 2);
}

TEST_F(Diff, OfWhatIsNoDeviceTraceIsRefused) {
  folder_.write("host.json", kSampleHost);
  const Outcome outcome = run("--control a.json --test host.json");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_NE(outcome.err.find("host.json"), std::string::npos) << outcome.err;
}

TEST_F(Diff, ComparesChakraGraphsByNodesAndEdges) {
  for (const char* name : {"a", "b"}) {
    const std::string arguments =
        std::string("-q convert --delays none --device ") + name + ".json --output " + name;
    ASSERT_EQ(run_tool(arguments, folder_.path()).exit_code, 0);
  }
  const Outcome outcome = run("--control a.0.et --test b.0.et --only op --format csv");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("\nadded op,0,0,1,4,1,4,+\n"), std::string::npos) << outcome.out;
  const std::string table = run("--control a.0.et --test b.0.et").out;
  for (const char* edges : {"\nlaunch ", "\nthread order "})
    EXPECT_NE(table.find(edges), std::string::npos) << table;
  EXPECT_EQ(run("--control a.0.et --test b.json").exit_code, 3);
  EXPECT_EQ(run("--control a.0.et --test b.0.et --by call-path").exit_code, 2);
  for (const std::string name : {"a", "b"}) {
    std::filesystem::create_directory(folder_.path() / name);
    std::filesystem::rename(folder_ / (name + ".0.et"), folder_.path() / name / "of.0.et");
  }
  const std::string folders = run("--control a --test b").out;
  EXPECT_EQ(folders.substr(folders.find(" rows: ")), table.substr(table.find(" rows: ")));
}

TEST_F(Diff, OfGraphsSaysHowLongDevicesAreBusyAndIdleAsOfTheirTraces) {
  const std::string data = std::string(NADI_TEST_DATA) + "/ddp-2rank/device.";
  for (const std::string rank : {"0", "1"})
    ASSERT_EQ(run_tool("-q convert --delays all --device " + data + rank +
                           ".json.gz --output-file r." + rank + ".et",
                       folder_.path())
                  .exit_code,
              0);
  const std::string graphs = run("--control r.0.et --test r.1.et").out,
                    traces =
                        run("--control " + data + "0.json.gz --test " + data + "1.json.gz").out;
  for (const std::string measure : {"\ndevice busy ", "\ndevice idle "}) {
    const auto words = [&](const std::string& text) {
      const std::size_t at = std::min(text.find(measure), text.size());
      std::istringstream line(text.substr(at, text.find('\n', at + 1) - at));
      return std::vector<std::string>{std::istream_iterator<std::string>(line), {}};
    };
    EXPECT_FALSE(words(traces).empty()) << traces;
    EXPECT_EQ(words(graphs), words(traces)) << graphs << traces;
  }
}

TEST_F(Diff, ReadsOneSideFromStandardInput) {
  EXPECT_EQ(run("--control - --test b.json --only mm --format csv < a.json").out,
            diff("--only mm --format csv").out);
  folder_.write("r3.json", R"({"distributedInfo": {"rank": 3},)" + trace(20, 22).substr(1));
  const Outcome told = run("--control - --control-ranks 3 --test b.json < r3.json");
  EXPECT_EQ(told.exit_code, 0) << told.err;
  EXPECT_NE(told.out.find("control: - (rank 3 "), std::string::npos) << told.out;
  const Outcome other = run("--control - --control-ranks 2 --test b.json < r3.json");
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.err.find("there is no rank 2. 1 rank is there: 3"), std::string::npos)
      << other.err;
}

}  // namespace
}  // namespace nadi
