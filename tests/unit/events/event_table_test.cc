// Rows, values, partners, iterations and memory of event tables.
#include <gtest/gtest.h>

#include "tests/unit/events/events_text.h"

namespace nadi {
namespace {

using test::event;
using test::read_events;
using test::value;
using test::with_attributes;

TEST(EventRows, AreTheEventsWithDurAndCatThatAreNoTrace) {
  const EventTable table = read_events(
      R"({"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "python"}},)" +
      event("cpu_op", "aten::mm", 10, 5) + "," + event("Trace", "PyTorch Profiler (0)", 0, 99) +
      R"(, {"ph": "X", "cat": null, "name": "a", "ts": 1, "dur": 1},)"
      R"({"ph": "X", "cat": "cpu_op", "name": "b", "ts": 1, "dur": null},)" +
      event("kernel", "gemm", 20, 7));
  ASSERT_EQ(table.rows, 2u);
  EXPECT_EQ(table.index[EventRowIndex(0)], 1u);
  EXPECT_EQ(table.index[EventRowIndex(1)], 5u);
  EXPECT_EQ(table.strings[table.name[EventRowIndex(1)]], "gemm");
  EXPECT_EQ(table.strings[table.cat[EventRowIndex(1)]], "kernel");
  EXPECT_EQ(table.ts_ns[EventRowIndex(1)], 20'000);
  EXPECT_EQ(table.end_ns(EventRowIndex(1)), 27'000);
}

TEST(EventRows, KeepNanosecondsAndTextThatIsNoNumber) {
  const EventTable table = read_events(
      R"({"cat": "kernel", "name": "k", "pid": 0, "tid": "stream 7",
          "ts": 1694128201435418.655, "dur": 0.001})");
  ASSERT_EQ(table.rows, 1u);
  EXPECT_EQ(table.ts_ns[EventRowIndex(0)], 1694128201435418655);
  EXPECT_EQ(table.dur_ns[EventRowIndex(0)], 1);
  EXPECT_EQ(table.strings[table.tid[EventRowIndex(0)]], "stream 7");
}

TEST(EventRows, OfSkippedCategoriesAndAnnotationsOnTheDeviceAreLeftOutUnlessWanted) {
  const std::string events = event("python_function", "f", 1, 1) + "," +
                             event("gpu_user_annotation", "g", 1, 1) + "," +
                             event("cpu_op", "o", 1, 1);
  EXPECT_EQ(read_events(events).rows, 1u);
  EventTableOptions options;
  options.skip_categories = {"cpu_op"};
  options.keep_gpu_annotations = true;
  const EventTable table = read_events(events, options);
  ASSERT_EQ(table.rows, 2u);
  EXPECT_EQ(table.strings[table.cat[EventRowIndex(0)]], "python_function");
  EXPECT_EQ(table.strings[table.cat[EventRowIndex(1)]], "gpu_user_annotation");
}

TEST(EventRows, LongerThanTheCapTellTheIterationsAllTheSame) {
  EventTableOptions options;
  options.max_duration_ns = 50'000;
  const EventTable table = read_events(
      event("user_annotation", "ProfilerStep#7", 0, 100) + "," + event("cpu_op", "a", 10, 20),
      options);
  ASSERT_EQ(table.rows, 1u);
  EXPECT_EQ(table.iteration[EventRowIndex(0)], 7);
}

TEST(EventRows, LongerThanTheCapOrWithImpossibleTimesAreDroppedAndCounted) {
  EventTableOptions options;
  options.max_duration_ns = 50'000;
  Diagnostics diagnostics;
  const EventTable table =
      read_events(event("cpu_op", "a", 1, 50) + "," + event("cpu_op", "b", 1, 51) + "," +
                      event("cpu_op", "c", 1, -1) + R"(,{"cat": "cpu_op", "dur": 1, "ts": "x"},
                      {"cat": "cpu_op", "dur": 86400000001, "ts": 1},
                      {"cat": "cpu_op", "dur": 1, "ts": 9223372036854776})",
                  options, diagnostics);
  EXPECT_EQ(table.rows, 1u);
  EXPECT_EQ(diagnostics.count(Finding::kLongerThanAsked), 1u);
  EXPECT_EQ(diagnostics.count(Finding::kGarbageTime), 4u);
}

TEST(AttributeColumns, HaveTheirTypesAndFallbacks) {
  const EventTable table =
      read_events(event("kernel", "k", 1, 1, R"("stream": "7", "warps per SM": 2, "grid": [1, 2],
          "Process Group Ranks": "[0, 1, ..., ...]", "kernel_hash": "a\"b", "cbid": true)") +
                      "," + event("cpu_op", "o", 1, 1),
                  with_attributes({"warps_per_sm", "grid", "process_group_ranks", "kernel_hash",
                                   "cbid", "in_msg_nelems"}));
  const auto row = [&](std::size_t number) {
    std::string text;
    for (const AttributeColumn& column : table.attributes)
      text += attribute_text(table, column, EventRowIndex(number)) + "|";
    return text;
  };
  EXPECT_EQ(row(0), "7|2|[1, 2]|[0, 1, ..., ...]|a\"b|1|0|");
  EXPECT_EQ(row(1), "-1|0|[]|[]||-1|0|");
}

TEST(AttributeColumns, TakeBothSpellingsOfAKey) {
  const EventTable table = read_events(event("cpu_op", "o", 1, 1, R"("External id": 4)") + "," +
                                           event("cpu_op", "o", 1, 1, R"("external id": 5)"),
                                       with_attributes({"external_id"}));
  EXPECT_EQ(value(table, "external_id", 0), "4");
  EXPECT_EQ(value(table, "external_id", 1), "5");
}

TEST(AttributeColumns, OfOneKeyMayBeSeveral) {
  const EventTable table = read_events(event("gpu_memcpy", "m", 1, 1, R"("bytes": 4)"),
                                       with_attributes({"bytes", "size=bytes:Float"}));
  EXPECT_EQ(value(table, "bytes", 0), "4");
  EXPECT_EQ(std::get<FloatColumn>(table.find("size")->values)[EventRowIndex(0)], 4.0);
}

TEST(AttributeColumns, KeepTheFallbackWhereAValueIsOfAnotherTypeAndCountIt) {
  Diagnostics diagnostics;
  const EventTable table =
      read_events(event("kernel", "k", 1, 1, R"("cbid": 18446744073709551615, "bytes": "x")"),
                  with_attributes({"cbid", "bytes"}), diagnostics);
  EXPECT_EQ(value(table, "cbid", 0), "-1");
  EXPECT_EQ(value(table, "bytes", 0), "-1");
  EXPECT_EQ(diagnostics.count(Finding::kAttributeOfAnotherType), 2u);
}

TEST(AttributeColumns, OfListsOverSeveralLinesAreOneLine) {
  const EventTable table = read_events(
      event("kernel", "k", 1, 1, "\"grid\": [\n    1,\n    2\n  ]"), with_attributes({"grid"}));
  EXPECT_EQ(value(table, "grid", 0), "[1, 2]");
}

TEST(AllAttributes, BecomeColumnsOfTheFirstValuesType) {
  EventTableOptions options;
  options.all_attributes = true;
  options.registry = built_in_registry();
  const std::string first = R"("First seen (ms) at": 1, "a.b/c": 0.5, "name": "n")";
  const std::string second = R"("Ev Idx": 3, "list": [1], "First seen (ms) at": 2)";
  const EventTable table = read_events(
      event("kernel", "k", 1, 1, first) + "," + event("kernel", "k", 1, 1, second), options);
  EXPECT_EQ(value(table, "first_seen_at", 1), "2");
  EXPECT_EQ(value(table, "a_b_c", 0), "0.5");
  EXPECT_EQ(value(table, "a_b_c", 1), "0");
  EXPECT_EQ(value(table, "ev_idx", 0), "-1");
  EXPECT_EQ(value(table, "ev_idx", 1), "3");
  EXPECT_EQ(value(table, "list", 0), "");
  EXPECT_EQ(value(table, "list", 1), "[1]");
}

TEST(AllAttributes, OfAStrangersTraceAreNoMoreThan256Columns) {
  EventTableOptions options;
  options.all_attributes = true;
  Diagnostics diagnostics;
  std::string args;
  for (int key = 0; key < 1000; ++key)
    args += (key > 0 ? ", " : "") + ("\"key " + std::to_string(key)) + "\": 1";
  const EventTable table = read_events(event("kernel", "k", 1, 1, args), options, diagnostics);
  EXPECT_EQ(table.attributes.size(), 256u);
  EXPECT_EQ(diagnostics.count(Finding::kTooManyColumns), 1000u - 256u);
}

TEST(Partners, AreLaunchAndDeviceRowAndZeroWhereTheyAreNotInTheTrace) {
  const EventTable table =
      read_events(event("cpu_op", "o", 0, 50) + "," +
                  event("cuda_runtime", "cudaLaunchKernel", 1, 1, R"("correlation": 5)") + "," +
                  event("kernel", "k", 9, 1, R"("stream": 7, "correlation": 5)") + "," +
                  event("kernel", "k", 9, 1, R"("stream": 7, "correlation": 6)") + "," +
                  event("cuda_runtime", "cudaMalloc", 9, 1, R"("correlation": 7)"));
  EXPECT_EQ(test::partners(table), (std::vector<std::int64_t>{-1, 2, 1, 0, 0}));
}

TEST(Partners, OfAGraphLaunchAreItsLastRowAndEachRowsLaunch) {
  const std::string row = event("kernel", "k", 9, 1, R"("stream": 7, "correlation": 5)");
  const EventTable table = read_events(
      row + "," + event("cuda_runtime", "cudaGraphLaunch", 1, 1, R"("correlation": 5)") + "," +
      row + "," + row);
  EXPECT_EQ(test::partners(table), (std::vector<std::int64_t>{1, 3, 1, 1}));
}

TEST(Partners, OfCallsWithOneCorrelationAreTheRowAndOfTheRowTheLastCall) {
  const std::string call = event("cuda_runtime", "launch", 1, 1, R"("correlation": 5)");
  const EventTable table = read_events(
      call + "," + call + "," + event("kernel", "k", 9, 1, R"("stream": 7, "correlation": 5)"));
  EXPECT_EQ(test::partners(table), (std::vector<std::int64_t>{2, 2, 1}));
}

TEST(Partners, AreFoundInTablesOfManyPasses) {
  std::string events;
  constexpr int kCalls = 70'000;
  for (int call = 0; call < kCalls; ++call)
    events += event("cuda_runtime", "l", call, 1, "\"correlation\": " + std::to_string(call)) + ",";
  for (int call = 0; call < kCalls; ++call)
    events += event("kernel", "k", call, 1, "\"correlation\": " + std::to_string(call)) +
              (call + 1 < kCalls ? "," : "");
  const EventTable table = read_events(events);
  ASSERT_EQ(table.rows, 2u * kCalls);
  for (int call = 0; call < kCalls; ++call) {
    const EventRowIndex row(static_cast<std::size_t>(call));
    ASSERT_EQ(table.index_correlation[row], call + kCalls);
    ASSERT_EQ(table.index_correlation[row + kCalls], call);
  }
}

const std::string kTwoSteps =
    event("user_annotation", "ProfilerStep#3", 0, 100) + "," +
    event("user_annotation", "ProfilerStep#4", 100, 100) + "," +
    event("cuda_runtime", "l", 99, 5, R"("correlation": 5)") + "," +
    event("cuda_runtime", "l", 100, 5, R"("correlation": 6)") + "," +
    event("kernel", "k", 150, 1, R"("stream": 7, "correlation": 5)") + "," +
    event("kernel", "k", 250, 1, R"("stream": 7, "correlation": 6)") + "," +
    event("kernel", "k", 50, 1, R"("stream": 7, "correlation": 8)") + "," +
    event("cpu_op", "o", 200, 1);

TEST(Iterations, AreTheStepAHostRowStartsInAndThatOfADeviceRowsLaunch) {
  const EventTable table = read_events(kTwoSteps);
  EXPECT_EQ(test::iterations(table), (std::vector<int>{3, 4, 3, 4, 3, 4, -1, -1}));
  EXPECT_EQ(table.iterations, (std::vector<std::int32_t>{3, 4}));
}

TEST(Iterations, AreKnownWhereStepsThemselvesMakeNoRows) {
  EventTableOptions options;
  options.skip_categories = {"user_annotation"};
  EXPECT_EQ(test::iterations(read_events(kTwoSteps, options)),
            (std::vector<int>{3, 4, 3, 4, -1, -1}));
}

TEST(Iterations, ThatAreChosenLeaveTheirRowsOnly) {
  EventTableOptions options = with_attributes({"correlation"});
  options.iterations = parse_iterations("4");
  const EventTable table = read_events(kTwoSteps, options);
  EXPECT_EQ(test::iterations(table), (std::vector<int>{4, 4, 4}));
  EXPECT_EQ(value(table, "correlation", 2), "6");
  options.iterations = parse_iterations("first");
  EXPECT_EQ(test::iterations(read_events(kTwoSteps, options)), (std::vector<int>{3, 3, 3}));
}

TEST(Iterations, ThatAreNotThereAreAnErrorThatListsWhatIs) {
  EventTableOptions options;
  options.iterations = parse_iterations("3,7-9");
  EXPECT_EQ(message_of([&] { read_events(kTwoSteps, options); }),
            "trace.json: holds no iteration 7-9. There are 3, 4");
  options.iterations = parse_iterations("first");
  EXPECT_EQ(message_of([&] { read_events(event("cpu_op", "o", 1, 1), options); }),
            "trace.json: holds no iterations (ProfilerStep#N). Choose all, or record with "
            "torch.profiler's step()");
}

TEST(Iterations, AreWrittenAsNumbersAndRanges) {
  EXPECT_EQ(parse_iterations("3,5-7").ranges, (std::vector<NumberRange>{{3, 3}, {5, 7}}));
  for (const char* text : {"", "x", "3,", "3;4", "7-5", "-1", "3-", "99999999999"})
    EXPECT_THROW(parse_iterations(text), Error) << text;
}

TEST(RoundToMicros, MovesStartsUpAndEndsDown) {
  EventTableOptions options;
  options.round_to_micros = true;
  const EventTable table = read_events(
      R"({"cat": "a", "ts": 10.2, "dur": 2.9}, {"cat": "a", "ts": 10, "dur": 2},
         {"cat": "a", "ts": 10.2, "dur": 0.1}, {"cat": "a", "ts": -10.2, "dur": 2.9})",
      options);
  const auto times = [&](std::size_t place) {
    const EventRowIndex row(place);
    return std::pair(table.ts_ns[row], table.dur_ns[row]);
  };
  EXPECT_EQ(times(0), (std::pair<Ns, Ns>(11'000, 2'000)));
  EXPECT_EQ(times(1), (std::pair<Ns, Ns>(10'000, 2'000)));
  EXPECT_EQ(times(2), (std::pair<Ns, Ns>(11'000, -1'000)));
  EXPECT_EQ(times(3), (std::pair<Ns, Ns>(-10'000, 2'000)));
}

TEST(Memory, IsAtMost64BytesARowAndWhatTheAttributesNeed) {
  std::string events;
  constexpr std::size_t kRows = 20 * PiecewiseColumn<Ns>::kPieceRows;
  for (std::size_t row = 0; row < kRows; ++row)
    events += event("kernel", "k", 1, 1, R"("stream": 7, "grid": [1], "warps per SM": 0.5)") +
              (row + 1 < kRows ? "," : "");
  const EventTable table = read_events(events, with_attributes({"warps_per_sm", "grid"}));
  ASSERT_EQ(table.rows, kRows);
  EXPECT_LE(table.base_bytes(), kRows * 64);
  constexpr std::size_t kOfPieces = 1024;  // pointers to them
  EXPECT_LE(table.attribute_bytes(), kRows * (8 + 8 + 4) + 3 * kOfPieces);
}

TEST(BrokenTraces, LoseTheBrokenEventOnly) {
  Diagnostics diagnostics;
  const EventTable table =
      read_events(event("cpu_op", "a", 1, 1) + "," + R"({"ph": "X", "cat": "cpu_op", "name": "b",
          "ts": 5, "dur": 1, "args": {"stream": , "External id": 3}},)" +
                      event("cpu_op", "c", 9, 1),
                  with_attributes({"external_id"}), diagnostics);
  ASSERT_EQ(table.rows, 3u);
  EXPECT_EQ(value(table, "external_id", 1), "3");
  EXPECT_EQ(diagnostics.count(Finding::kBrokenJsonRepaired), 1u);
}

TEST(BrokenTraces, ThatAreNoDeviceTraceAreRefused) {
  Diagnostics diagnostics;
  EXPECT_THROW(test::read_table(R"({"schema": "1.0.3", "nodes": []})", {}, diagnostics), Error);
}

}  // namespace
}  // namespace nadi
