// K7 and H5: broken JSON costs at most the event it is in.
#include <gtest/gtest.h>

#include "nadi/read/json_repair.h"
#include "tests/unit/read/read_text.h"

namespace nadi {
namespace {

using test::read_device;
using test::read_events;

std::string kernel(const std::string& name, const std::string& more = "") {
  return R"({"ph": "X", "cat": "kernel", "name": ")" + name +
         R"(", "pid": 0, "tid": 7, "ts": 5, "dur": 2, "args": {"correlation": 3)" + more + "}}";
}

std::string name_of_row(const DeviceTrace& trace, std::size_t row) {
  return std::string(trace.strings[trace.rows.name.at(row)]);
}

/// Reads [good, broken, good] and expects the broken one repaired; gives the trace.
DeviceTrace read_between(const std::string& broken, const std::string& separator = ",\n") {
  Diagnostics diagnostics;
  DeviceTrace trace =
      read_events(kernel("before") + separator + broken + separator + kernel("after"), diagnostics);
  EXPECT_EQ(trace.rows.size(), 3U) << broken;
  EXPECT_EQ(name_of_row(trace, trace.rows.size() - 1), "after") << broken;
  EXPECT_EQ(diagnostics.count(Finding::kBrokenJsonRepaired), 1U) << broken;
  EXPECT_TRUE(diagnostics.has_loss());
  EXPECT_EQ(trace.event_count, 3U) << broken;
  return trace;
}

TEST(BrokenJson, K7_AnEmptyValueBecomesNull) {
  const DeviceTrace trace = read_between(kernel(
      "k", R"(, "Collective name": "allreduce", "Process Group Description": , "Group size": 2)"));
  EXPECT_EQ(trace.comms.at(0).group_size, 2);
  EXPECT_EQ(trace.comms[0].pg_desc, StringId::kEmpty);
}

TEST(BrokenJson, K7_AnEmptyValueAtTheEndBecomesNull) { read_between(kernel("k", R"(, "x": )")); }

TEST(BrokenJson, K7_UnescapedQuotesInANameStay) {
  EXPECT_EQ(name_of_row(read_between(kernel(R"(a"b)")), 1), R"(a"b)");
  EXPECT_EQ(name_of_row(read_between(kernel(R"(a "b", c)")), 1), R"(a "b", c)");
  EXPECT_EQ(name_of_row(read_between(kernel(R"(a"b)"), ","), 1), R"(a"b)");
}

TEST(BrokenJson, K7_BackslashesThatEscapeNothingStay) {
  EXPECT_EQ(name_of_row(read_between(kernel(R"(C:\data\x.py)")), 1), R"(C:\data\x.py)");
  EXPECT_EQ(name_of_row(read_between(kernel(R"(C:\data\)")), 1), R"(C:\data\)");
  EXPECT_EQ(name_of_row(read_between(kernel(R"(\u12)")), 1), R"(\u12)");
}

TEST(BrokenJson, K7_RawControlBytesInAStringStay) {
  EXPECT_EQ(name_of_row(read_between(kernel("a\x01"
                                            "b\nc")),
                        1),
            "a\x01"
            "b\nc");
}

TEST(BrokenJson, K7_BareNumbersThatAreNoneBecomeNull) {
  for (const char* value : {"nan", "NaN", "inf", "-inf", "Infinity", "-Infinity", "N/A"})
    read_between(
        kernel("k", std::string(R"(, "est. achieved occupancy %": )") + value + R"(, "bytes": 4)"));
}

TEST(BrokenJson, NumbersThatJsonDoesNotAllowStay) {
  const DeviceTrace trace = read_between(kernel(R"(a"b)", R"(, "device": 0, "stream": 007)"));
  EXPECT_EQ(trace.rows.stream.at(1), 7);
}

TEST(BrokenJson, K7_BytesThatAreNoUtf8BecomeReplacementCharacters) {
  EXPECT_EQ(name_of_row(read_between(kernel("a\xff"
                                            "b")),
                        1),
            "a\xef\xbf\xbd"
            "b");
  EXPECT_EQ(name_of_row(read_between(kernel("caf\xc3\xa9 \xc0\xaf")), 1),
            "caf\xc3\xa9 \xef\xbf\xbd\xef\xbf\xbd");
}

TEST(BrokenJson, K7_ATruncatedTailLosesOnlyTheLastEvent) {
  Diagnostics diagnostics;
  const std::string whole = R"({"traceEvents": [)" + kernel("a") + "," + kernel("b");
  const DeviceTrace trace = read_device(whole.substr(0, whole.size() - 20), diagnostics);
  EXPECT_EQ(trace.rows.size(), 1U);
  EXPECT_EQ(trace.event_count, 2U);
  ASSERT_EQ(diagnostics.count(Finding::kTruncatedInput), 1U);
  EXPECT_EQ(diagnostics.table()[0].first[0],
            "event 1 at byte " + std::to_string(whole.find(",{") + 1));
}

TEST(BrokenJson, K7_ATraceThatEndsBetweenEventsIsTruncated) {
  Diagnostics diagnostics;
  read_device(R"({"traceEvents": [)" + kernel("a"), diagnostics);
  EXPECT_EQ(diagnostics.count(Finding::kTruncatedInput), 1U);
}

TEST(BrokenJson, AnEventBeyondRepairIsSkippedAndItsPlaceTold) {
  Diagnostics diagnostics;
  const DeviceTrace trace = read_events(
      kernel("before") + ",\n" + R"({"ph": "X", "cat": {"kernel", ]})" + ",\n" + kernel("after"),
      diagnostics);
  EXPECT_EQ(trace.rows.size(), 2U);
  ASSERT_EQ(diagnostics.count(Finding::kBrokenJsonSkipped), 1U);
  EXPECT_TRUE(diagnostics.table()[0].first[0].starts_with("event 1 at byte "));
}

TEST(BrokenJson, GarbageBetweenEventsIsPassedOver) {
  Diagnostics diagnostics;
  const DeviceTrace trace = read_events(
      kernel("a") + ", @#%! garbage }} ]x, \n" + kernel("b") + "," + kernel("c"), diagnostics);
  EXPECT_EQ(trace.rows.size(), 3U);
  EXPECT_EQ(diagnostics.count(Finding::kBrokenJsonSkipped), 1U);
}

TEST(BrokenJson, AnOddQuoteDoesNotSwallowTheRestOfALargeFile) {
  std::string events = kernel("a\"b");
  for (int i = 0; i < 5000; ++i) events += "," + kernel("k" + std::to_string(i));
  Diagnostics diagnostics;
  const DeviceTrace trace = read_events(events, diagnostics);
  EXPECT_EQ(trace.rows.size(), 5001U);
  EXPECT_EQ(diagnostics.count(Finding::kBrokenJsonRepaired), 1U);
}

TEST(BrokenJson, AnOddQuoteInAListOfArgumentsDoesNotSwallowTheNextEvents) {
  std::string events =
      R"({"ph": "X", "cat": "cpu_op", "name": "op", "ts": 1, "dur": 1, "args": {"Input type": ["a"b", "c"], "Input Dims": [[1]]}})";
  for (int i = 0; i < 500; ++i) events += "," + kernel("k" + std::to_string(i));
  Diagnostics diagnostics;
  const DeviceTrace trace = read_events(events, diagnostics);
  EXPECT_EQ(trace.rows.size(), 500U);
  EXPECT_TRUE(diagnostics.has_loss());
}

TEST(BrokenJson, ABrokenHeaderDoesNotHideTheEvents) {
  Diagnostics diagnostics;
  const DeviceTrace trace = read_device(
      R"({"schemaVersion": 1, "traceName": "C:\", "distributedInfo": {"rank": nan, "world_size": 4}, "traceEvents": [)" +
          kernel("a") + "]}",
      diagnostics);
  EXPECT_EQ(trace.rows.size(), 1U);
  EXPECT_TRUE(diagnostics.has_loss());
}

TEST(BrokenJson, ABrokenMemberIsRepaired) {
  Diagnostics diagnostics;
  const DeviceTrace trace = read_device(
      R"({"distributedInfo": {"rank": 2, "world_size": nan, "backend": , "pg_count": 1}, "traceEvents": [)" +
          kernel("a") + "]}",
      diagnostics);
  EXPECT_EQ(trace.rank, 2);
  EXPECT_EQ(trace.world_size, -1);
  EXPECT_EQ(diagnostics.count(Finding::kBrokenJsonRepaired), 1U);
}

TEST(BrokenJson, AnEventInTheArgumentsOfAnEventIsNoSecondEvent) {
  Diagnostics diagnostics;
  const std::string filler(5000, 'x');
  const DeviceTrace trace =
      read_events(kernel("outer", R"(, "list": [{"a": ")" + filler + R"("}, {"name": "inner"}])") +
                      "," + kernel("b"),
                  diagnostics);
  EXPECT_EQ(trace.rows.size(), 2U);
  EXPECT_TRUE(diagnostics.table().empty());
}

TEST(RepairJson, ValidJsonStaysAsItIsButForWhiteSpace) {
  const std::string text = R"({"a":[1,-2.5e3,"x\"y\\z",null,true],"b":{"c":"d, e","f":{}}})";
  EXPECT_EQ(repair_json(text, Escapes::kTrusted), text);
}

TEST(RepairJson, TrailingAndDoubledCommasGo) {
  EXPECT_EQ(repair_json(R"({"a":1,,"b":[1,2,],})", Escapes::kTrusted), R"({"a":1,"b":[1,2]})");
}

}  // namespace
}  // namespace nadi
