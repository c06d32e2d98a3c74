// nadi events: formats, choices, what is refused, and that output is whole or not there.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <nlohmann/json.hpp>

#include "tests/cli/sample_traces.h"
#include "tests/cli/tool.h"

namespace nadi {
namespace {

/// Events with a comma in a name, a quote in an argument, a list, and two iterations.
const std::string kTrace = R"({"distributedInfo": {"rank": 3}, "traceEvents": [
{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#4", "pid": 4, "tid": 4, "ts": 0, "dur": 9},
{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#5", "pid": 4, "tid": 4, "ts": 9, "dur": 9},
{"ph": "X", "cat": "cuda_runtime", "name": "launch", "pid": 4, "tid": 4, "ts": 1.5, "dur": 0.25,
 "args": {"correlation": 5}},
{"ph": "X", "cat": "kernel", "name": "gemm<a, b>", "pid": 0, "tid": "stream 7", "ts": 3, "dur": 2,
 "args": {"stream": 7, "correlation": 5, "grid": [1, 2], "note": "a \"b\"", "warps per SM": 0.5}}]})";

class Events : public testing::Test {
 protected:
  Outcome run(const std::string& arguments) const {
    return run_tool("-q events " + arguments, folder_.path());
  }
  std::string text(const std::string& name) const { return read_file(folder_.path() / name); }

  TemporaryFolder folder_;
};

/// The first cell of the first row, as text.
std::string query(const std::filesystem::path& path, const std::string& sql) {
  sqlite3* database = nullptr;
  sqlite3_stmt* statement = nullptr;
  std::string answer = "no row";
  if (sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK &&
      sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK) {
    if (sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_text(statement, 0) != nullptr)
      answer = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
  } else {
    answer = sqlite3_errmsg(database);
  }
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return answer;
}

TEST_F(Events, AreCsvOnStandardOutputByDefault) {
  folder_.write("d.json", kTrace);
  const Outcome outcome = run("d.json --only-args stream,grid --add-arg 'note=note:String:none'");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out,
            "index,name,cat,pid,tid,ts,dur,stream,grid,note,index_correlation,iteration,end\n"
            "0,ProfilerStep#4,user_annotation,4,4,0,9,-1,[],none,-1,4,9\n"
            "1,ProfilerStep#5,user_annotation,4,4,9,9,-1,[],none,-1,5,18\n"
            "2,launch,cuda_runtime,4,4,1.500,0.250,-1,[],none,3,4,1.750\n"
            "3,\"gemm<a, b>\",kernel,0,stream 7,3,2,7,\"[1, 2]\",\"a \"\"b\"\"\",2,4,5\n");
}

TEST_F(Events, OfStandardInputHaveTheRankTheTraceTells) {
  folder_.write("d.json", kTrace);
  ASSERT_EQ(run("- --output t.sqlite <d.json").exit_code, 0);
  EXPECT_EQ(query(folder_.path() / "t.sqlite", "SELECT DISTINCT rank FROM events"), "3");
}

TEST_F(Events, TablesPerRankAreOfSqliteAlone) {
  folder_.write("d.json", kTrace);
  const Outcome outcome = run("d.json --tables rank --output t.csv");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err, "nadi: --tables: is of SQLite alone. Pass --output events.sqlite\n");
}

TEST_F(Events, AsJsonLinesKeepListsAndNumbers) {
  folder_.write("d.json", kTrace);
  ASSERT_EQ(run("d.json --only-args grid,warps_per_sm --iterations 4 --output t.jsonl").exit_code,
            0);
  const std::string lines = text("t.jsonl");
  const auto row = nlohmann::json::parse(lines.substr(lines.rfind("{\"index")));
  EXPECT_EQ(row.dump(),
            R"({"cat":"kernel","dur":2,"end":5,"grid":[1,2],"index":3,"index_correlation":2,)"
            R"("iteration":4,"name":"gemm<a, b>","pid":0,"tid":"stream 7","ts":3,)"
            R"("warps_per_sm":0.5})");
}

TEST_F(Events, AsSqliteHaveViewsOfLaunchesAndSteps) {
  folder_.write("d.json", kTrace);
  const Outcome outcome = run("d.json --output t.sqlite");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto file = folder_.path() / "t.sqlite";
  EXPECT_EQ(query(file, "SELECT count(*) FROM events WHERE rank = 3"), "4");
  EXPECT_EQ(query(file, "SELECT launch || ' ' || name || ' ' || latency_ns FROM launches"),
            "launch gemm<a, b> 1500");
  EXPECT_EQ(query(file, "SELECT group_concat(iteration || ' ' || device_rows) FROM steps"),
            "4 1,5 0");
  EXPECT_EQ(query(file,
                  "SELECT (dur_ns = (SELECT dur_ns FROM events WHERE name = 'ProfilerStep#4')) || "
                  "' ' || (span_ns >= dur_ns) FROM steps WHERE iteration = 4"),
            "1 1");
  EXPECT_EQ(query(file,
                  "SELECT group_concat(name) FROM (SELECT name FROM sqlite_master WHERE "
                  "type = 'index' ORDER BY name)"),
            "events_by_correlation,events_by_index,events_by_ts");
  EXPECT_EQ(query(file, "SELECT typeof(tid) FROM events WHERE \"index\" = 0"), "integer");
  EXPECT_EQ(folder_.listing(), "d.json t.sqlite");
}

TEST_F(Events, WithoutAPartnerJoinToNoneAndThoseOfTheFirstEventToIt) {
  const auto event = [](const char* category, int correlation) {
    return std::string(R"({"ph": "X", "cat": ")") + category +
           R"(", "name": "e", "pid": 1, "tid": 1, "ts": 1, "dur": 1, "args": {"correlation": )" +
           std::to_string(correlation) + "}}";
  };
  folder_.write("d.json", "{\"traceEvents\": [" + event("cuda_runtime", 5) + "," +
                              event("kernel", 5) + "," + event("kernel", 6) + "]}");
  ASSERT_EQ(run("d.json --output t.sqlite").exit_code, 0);
  const auto file = folder_.path() / "t.sqlite";
  EXPECT_EQ(query(file, "SELECT group_concat(device_index) FROM launches"), "1");
  EXPECT_EQ(query(file, "SELECT group_concat(ifnull(index_correlation, 'none')) FROM events"),
            "1,0,none");
  const std::string csv = run("d.json --only-args stream").out;
  EXPECT_TRUE(holds(csv, "\n2,e,kernel,1,1,1,1,-1,0,-1,2\n")) << "as in HTA's tables: " << csv;
}

TEST_F(Events, OfSeveralRanksSayTheRank) {
  folder_.write("a_rank0.json", R"({"traceEvents": [{"cat": "c", "ts": 1, "dur": 1}]})");
  folder_.write("b_rank1.json", R"({"traceEvents": [{"cat": "c", "ts": 2, "dur": 1,
      "args": {"Only here": 1}}]})");
  folder_.write("notes.txt", "no trace");
  EXPECT_EQ(run(". --only-args stream --all-args").out,
            "rank,index,name,cat,pid,tid,ts,dur,stream,only_here,index_correlation,iteration,end\n"
            "0,0,,c,,,1,1,-1,0,-1,-1,2\n"
            "1,0,,c,,,2,1,-1,1,-1,-1,3\n");
  EXPECT_EQ(run("a_rank0.json b_rank1.json --ranks 1 --only-args stream").out,
            "index,name,cat,pid,tid,ts,dur,stream,index_correlation,iteration,end\n"
            "0,,c,,,2,1,-1,-1,-1,3\n");
  ASSERT_EQ(run(". --output t.db --tables rank").exit_code, 0);
  EXPECT_EQ(query(folder_.path() / "t.db", "SELECT ts_ns FROM events_1"), "2000");
}

TEST_F(Events, TakeChoicesFromFilesAndTheCommandLineGoesBeforeThem) {
  folder_.write("d.json", kTrace);
  folder_.write("more.yaml",
                "attributes:\n- {column: note, type: String}\nsets: {mine: [note, stream]}\n");
  folder_.write("c.yaml", "args: [mine]\nregistry: more.yaml\nround-us: true\niterations: 5\n");
  folder_.write("c.json", R"({"only-args": ["stream"], "skip-categories": "user_annotation",
                              "keep-gpu-annotations": true, "add-arg": "\ud83d\ude00=no:Int:1"})");
  EXPECT_EQ(run("d.json --config c.yaml").out,
            "index,name,cat,pid,tid,ts,dur,note,stream,index_correlation,iteration,end\n"
            "1,ProfilerStep#5,user_annotation,4,4,9,9,,-1,-1,5,18\n");
  EXPECT_EQ(run("d.json --config c.json --only-args correlation --iterations 4 --round-us").out,
            "index,name,cat,pid,tid,ts,dur,correlation,\xF0\x9F\x98\x80,index_correlation,"
            "iteration,end\n"
            "2,launch,cuda_runtime,4,4,2,-1,5,1,3,4,1\n"
            "3,\"gemm<a, b>\",kernel,0,stream 7,3,2,5,1,2,4,5\n");
}

TEST_F(Events, OfCategoriesThatOlderHtaLeftOutAreKeptOnRequest) {
  folder_.write("d.json", R"({"traceEvents": [
      {"cat": "python_function", "name": "f", "ts": 1, "dur": 1},
      {"cat": "gpu_user_annotation", "name": "g", "ts": 2, "dur": 1},
      {"cat": "cpu_op", "name": "o", "ts": 3, "dur": 1}]})");
  folder_.write("c.json", R"({"all-categories": true})");
  const auto names = [&](const std::string& arguments) {
    const std::string csv = run("d.json --only-args stream " + arguments).out;
    std::string found;
    for (const char* row : {"0,f,", "1,g,", "2,o,"})
      if (csv.find(row) != std::string::npos) found += row[2];
    return found;
  };
  EXPECT_EQ(names(""), "o");
  EXPECT_EQ(names("--all-categories"), "fgo");
  EXPECT_EQ(names("--config c.json"), "fgo");
  EXPECT_EQ(names("--all-categories --skip-categories cpu_op"), "fg");
}

TEST_F(Events, ListTheAttributesThereAre) {
  const Outcome outcome = run("--list-args");
  EXPECT_EQ(outcome.exit_code, 0);
  for (const char* expected : {"external_id", "External id", "\nSets\n", "  minimum: stream, "})
    EXPECT_NE(outcome.out.find(expected), std::string::npos) << expected;
}

TEST_F(Events, WithStatsSayTheBytesOfEachColumn) {
  folder_.write("d.json", kTrace);
  const Outcome outcome =
      run_tool("events d.json --only-args grid --stats --output t.csv", folder_.path());
  for (const char* expected : {"t.csv: 4 rows with 1 attribute of rank 3\n", "base columns", "grid",
                               "texts, each once", "peak of the process"})
    EXPECT_NE(outcome.out.find(expected), std::string::npos) << outcome.out;
}

TEST_F(Events, ThatAreNotThereAreErrorsThatListWhatIs) {
  folder_.write("d.json", kTrace);
  const auto refused = [&](const std::string& arguments, const std::string& message) {
    const Outcome outcome = run(arguments + " --output t.csv");
    EXPECT_EQ(outcome.exit_code, 2) << arguments;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(folder_.listing().find("t.csv"), std::string::npos);
  };
  refused("d.json --iterations 7", "d.json: holds no iteration 7. There are 4, 5");
  refused("d.json --ranks 0", "there is no rank 0. 1 rank is there: 3");
  refused("d.json --add-arg strem", "none is named 'strem'. There are ev_idx, ");
  refused("d.json --args most", "no set is named 'most'. The sets are minimum, ");
  refused("d.json --max-duration soon", "is no time");
  folder_.write("c.yaml", "arg: [x]");
  refused("d.json --config c.yaml", "no setting is named 'arg'. There are args ");
  folder_.write("deep.json", std::string(100'000, '['));
  refused("d.json --config deep.json", "is nested too deep");
  refused("", "TRACE: is required");
}

TEST_F(Events, LeaveNothingBehindWhereTheTraceIsBad) {
  folder_.write("host.json", kSampleHost);
  folder_.write("t.sqlite", "as before");
  for (const char* output : {"t.csv", "t.jsonl", "t.sqlite", "t.bin"}) {
    const Outcome outcome = run(std::string("host.json --output ") + output);
    EXPECT_NE(outcome.exit_code, 0);
    EXPECT_NE(outcome.exit_code, 4) << outcome.err;
  }
  EXPECT_EQ(folder_.listing(), "host.json t.sqlite");
  EXPECT_EQ(text("t.sqlite"), "as before");
}

}  // namespace
}  // namespace nadi
