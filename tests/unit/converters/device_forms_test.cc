// Both forms of one device trace, joined.
#include "nadi/converters/device_forms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "nadi/base/error.h"
#include "nadi/read/device_trace_reader.h"
#include "tests/error_of.h"
#include "tests/perfetto_bytes.h"
#include "tests/vm/programs.h"
#include "tests/vm/write.h"

namespace nadi {
namespace {

/// Two kernels of a CUDA graph that overlap, and one beside it; times are relative to a base.
const std::string kJson =
    R"({"baseTimeNanoseconds": 1000000, "distributedInfo": {"rank": 3}, "traceEvents": [
{"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":2,"dur":6.5,"args":{"device":0,"stream":7,"correlation":9,"graph id":4,"graph node id":0}},
{"ph":"X","cat":"kernel","name":"b","pid":0,"tid":7,"ts":7,"dur":3,"args":{"device":0,"stream":7,"correlation":9,"graph id":4,"graph node id":1}},
{"ph":"X","cat":"kernel","name":"c","pid":0,"tid":7,"ts":20,"dur":3,"args":{"device":0,"stream":7,"correlation":10}}
]})";

std::string row(int time, int duration, int correlation, const std::string& more) {
  return "packet { timestamp: " + std::to_string(1000000 + time) +
         " trusted_packet_sequence_id: 1 sequence_flags: 2 gpu_render_stage_event { stage_iid: 1 "
         "name_iid: 5 duration: " +
         std::to_string(duration) +
         " extra_data { name: \"stream id\" value: \"7\" } extra_data { name: \"correlation\" "
         "value: \"" +
         std::to_string(correlation) + "\" } " + more + " } }\n";
}
std::string graph_row(int time, int duration, int correlation, int id, const std::string& waits) {
  return row(time, duration, correlation,
             "event_id: " + std::to_string(id + 1) +
                 " extra_data { name: \"graph id\" value: \"4\" } extra_data { name: \"graph node "
                 "id\" value: \"" +
                 std::to_string(id) + "\" } " + waits);
}

/// The same run, in another order, the first kernel cut to where the next begins.
const std::string kPerfetto = row(20000, 3000, 10, "event_id: 7") +
                              graph_row(7000, 3000, 9, 1, "event_wait_ids: 1") +
                              graph_row(2000, 5000, 9, 0, "");

struct Joined {
  DeviceTrace trace;
  Diagnostics diagnostics;
};

/// Reads "a" and "b", files of these bytes; an empty b is none.
Joined join(const std::string& a, const std::string& b) {
  std::map<std::string, std::string> files{{"a", a}, {"b", b}};
  const auto open = [&](const std::string& name) { return source_of_bytes(files[name], name); };
  Joined joined;
  joined.trace = read_device_forms("a", b.empty() ? "" : "b", open, joined.diagnostics);
  return joined;
}
std::string perfetto(const std::string& packets) {
  return test::perfetto_bytes(test::kPerfettoTables + packets);
}

TEST(DeviceForms, N60_RowsAreTheJsonsAndDependenciesThePerfettoTraces) {
  for (const bool is_json_first : {false, true}) {
    const auto [trace, diagnostics] =
        is_json_first ? join(kJson, perfetto(kPerfetto)) : join(perfetto(kPerfetto), kJson);
    EXPECT_EQ(trace.rank, 3);
    EXPECT_EQ(trace.rows.duration_ns, (std::vector<Ns>{6500, 3000, 3000}));
    EXPECT_EQ(trace.graph_dependencies,
              (std::vector<GraphDependency>{{DeviceRowIndex(1), DeviceRowIndex(0)}}));
    EXPECT_TRUE(diagnostics.table().empty());
  }
}

TEST(DeviceForms, AFlowThatJoinsNoRowsLeavesNothingUnknownThatThePerfettoTraceTells) {
  std::string json = kJson;
  json.insert(json.rfind("]}"), R"(,
{"ph":"s","cat":"ac2g","name":"ac2g","id":1099511627776,"pid":0,"tid":7,"ts":4},
{"ph":"f","cat":"ac2g","name":"ac2g","id":1099511627776,"pid":0,"tid":7,"ts":7,"bp":"e"}
)");
  EXPECT_EQ(join(json, "").trace.partly_recorded_rows.size(), 1U);
  const DeviceTrace trace = join(json, perfetto(kPerfetto)).trace;
  EXPECT_TRUE(trace.partly_recorded_rows.empty());
  EXPECT_EQ(trace.graph_dependencies.size(), 1U);
}

TEST(DeviceForms, AFlowThatFitsSeveralRowsIsFoundOnlyWhereThePerfettoTraceNamesNone) {
  std::string json = kJson;
  json.insert(json.rfind("]}"), R"(,
{"ph":"X","cat":"kernel","name":"d","pid":0,"tid":7,"ts":4,"dur":4.5,"args":{"device":0,"stream":7,"correlation":9,"graph id":4,"graph node id":2}},
{"ph":"s","cat":"ac2g","name":"ac2g","id":1099511627776,"pid":0,"tid":7,"ts":8.5},
{"ph":"f","cat":"ac2g","name":"ac2g","id":1099511627776,"pid":0,"tid":7,"ts":7,"bp":"e"}
)");
  const auto count_ambiguous = [&](const char* waits) {
    const std::string rows = row(20000, 3000, 10, "") + graph_row(7000, 3000, 9, 1, waits) +
                             graph_row(4000, 3000, 9, 2, "") + graph_row(2000, 2000, 9, 0, "");
    return join(json, perfetto(rows)).diagnostics.count(Finding::kGraphDependencyAmbiguous);
  };
  EXPECT_EQ(count_ambiguous(""), 1U);
  EXPECT_EQ(count_ambiguous("event_wait_ids: 1"), 0U);
}

TEST(DeviceForms, RowsOfAGraphThatOneFormLacksAreCounted) {
  const auto [trace, diagnostics] =
      join(kJson, perfetto(graph_row(7000, 3000, 9, 1, "event_wait_ids: 1") +
                           row(20000, 3000, 10, "") + graph_row(12000, 3000, 9, 2, "")));
  EXPECT_TRUE(trace.graph_dependencies.empty());
  EXPECT_EQ(diagnostics.count(Finding::kDeviceTraceRowsUnjoined), 2U);  // nodes 0 and 2
}

std::string problem_of(const std::string& a, const std::string& b) {
  const Error error = error_of([&] { join(a, b); });
  EXPECT_EQ(error.where(), "a and b");
  return error.problem();
}

TEST(DeviceForms, FilesThatDoNotBelongTogetherAreRefused) {
  EXPECT_EQ(problem_of(kJson, kJson), "are device traces of one form");
  EXPECT_EQ(problem_of(perfetto(kPerfetto), perfetto(kPerfetto)), "are device traces of one form");
  const char* const two_runs =
      "are of two runs: their rows have other correlations or begin at other times";
  EXPECT_EQ(problem_of(kJson, perfetto(row(2000, 5, 11, ""))), two_runs);
  EXPECT_EQ(problem_of(kJson, perfetto(graph_row(2000, 5, 9, 0, "") + graph_row(9000, 5, 9, 1, "") +
                                       row(30000, 5, 10, ""))),
            two_runs);
}

std::string written(const vm::Program& program, vm::DeviceForm form) {
  vm::WriteOptions options;
  options.form = form;
  return vm::write_device_trace(program, vm::execute(program), 0, options);
}

/// Launch, source and target of each dependency: what both forms have.
std::set<std::tuple<std::int64_t, std::uint64_t, std::uint64_t>> dependencies_of(
    const DeviceTrace& trace) {
  std::set<std::tuple<std::int64_t, std::uint64_t, std::uint64_t>> named;
  for (const auto& [target, source] : trace.graph_dependencies)
    named.emplace(trace.rows.correlation[target], trace.rows.graph_node_id[source],
                  trace.rows.graph_node_id[target]);
  return named;
}

std::vector<std::int64_t> sorted(std::vector<std::int64_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

TEST(DeviceForms, OfOneProgramTellTheSame) {
  std::uint64_t ambiguous = 0;
  for (const std::string& name : vm::graph_program_names()) {
    SCOPED_TRACE(name);
    const vm::Program program = vm::make_program(name);
    const std::string json_text = written(program, vm::DeviceForm::kCuspy),
                      perfetto_bytes = written(program, vm::DeviceForm::kPftrace);
    Diagnostics diagnostics;
    ByteSource json_source = source_of_bytes(json_text, "a"),
               perfetto_source = source_of_bytes(perfetto_bytes, "b");
    const DeviceTrace json = read_device_trace(json_source, diagnostics),
                      perfetto = read_device_trace(perfetto_source, diagnostics);
    const auto [both, of_both] = join(json_text, perfetto_bytes);
    EXPECT_FALSE(diagnostics.has_loss());
    ambiguous += diagnostics.count(Finding::kGraphDependencyAmbiguous);
    EXPECT_EQ(of_both.count(Finding::kGraphDependencyAmbiguous), 0U);
    EXPECT_EQ(perfetto.ops.size(), json.ops.size());
    EXPECT_EQ(sorted(perfetto.ops.duration_ns), sorted(json.ops.duration_ns));
    EXPECT_EQ(sorted(perfetto.calls.correlation), sorted(json.calls.correlation));
    EXPECT_EQ(sorted(perfetto.syncs.correlation), sorted(json.syncs.correlation));
    EXPECT_EQ(sorted(perfetto.rows.correlation), sorted(json.rows.correlation));
    EXPECT_EQ(sorted(perfetto.rows.stream), sorted(json.rows.stream));
    EXPECT_EQ(both.rows.duration_ns, json.rows.duration_ns);
    const auto of_json = dependencies_of(json), exact = dependencies_of(perfetto);
    EXPECT_TRUE(std::includes(exact.begin(), exact.end(), of_json.begin(), of_json.end()));
    EXPECT_EQ(dependencies_of(both), exact);
  }
  EXPECT_GT(ambiguous, 0U) << "no program has what only the names of the rows settle";
}

}  // namespace
}  // namespace nadi
