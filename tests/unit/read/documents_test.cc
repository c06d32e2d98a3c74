// Several JSON documents in one file: which are one trace.
#include <gtest/gtest.h>

#include "tests/unit/read/read_text.h"

namespace nadi {
namespace {

using test::read_device;

/// A document with an op of a process that starts at `ts`.
std::string document_of_op(const std::string& ts, const std::string& header = "",
                           const std::string& pid = "4") {
  return "{" + header + R"("traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "op", "pid": )" +
         pid + R"(, "tid": 4, "ts": )" + ts + R"(, "dur": 2}]})";
}

const std::string kOfRank0 = R"("distributedInfo": {"rank": 0},)",
                  kOfRank1 = R"("distributedInfo": {"rank": 1},)";

/// The place of the only finding of a kind; empty = there is none.
std::string first_place(const Diagnostics& diagnostics, Finding kind) {
  for (const Diagnostic& found : diagnostics.table())
    if (found.kind == kind) return found.first.front();
  return {};
}

TEST(Documents, OfOneProcessAreOneTraceWithOneNumbering) {
  const std::string one = document_of_op("1", kOfRank0), two = document_of_op("50", kOfRank0);
  for (const std::string& text :
       {one + two, one + "\n\n" + two + "\n", "[" + one + ",\n" + two + "]", one + ",\n" + two,
        one + "]}" + two}) {
    Diagnostics diagnostics;
    const DeviceTrace trace = read_device(text, diagnostics);
    ASSERT_EQ(trace.ops.size(), 2U) << text;
    EXPECT_EQ(trace.ops.order[1], 1U);
    EXPECT_EQ(trace.event_count, 2U);
    EXPECT_EQ(trace.rank, 0);
    EXPECT_EQ(diagnostics.count(Finding::kDocumentsJoined), 1U);
    EXPECT_FALSE(diagnostics.has_loss());
  }
}

TEST(Documents, AHeaderThatTheFirstLacksIsThatOfALaterOne) {
  EXPECT_EQ(read_device(document_of_op("1") + document_of_op("50", kOfRank1)).rank, 1);
}

TEST(Documents, OfAnotherRankProcessOrClockAreLeftOut) {
  const std::string base1 = R"("baseTimeNanoseconds": 1000,)",
                    base2 = R"("baseTimeNanoseconds": 2000,)";
  const struct {
    std::string first, second, why;
  } cases[] = {
      {document_of_op("1", kOfRank0), document_of_op("50", kOfRank1),
       "document 2 is of rank 1, the first of rank 0"},
      {document_of_op("1"), document_of_op("50", "", "5"),
       "document 2 is of process 5, the first of process 4"},
      {document_of_op("1", base1), document_of_op("50", base2),
       "document 2 has another baseTimeNanoseconds than the first"},
      {document_of_op("1"), document_of_op("1"),
       "document 2 begins with the row of an earlier one"},
  };
  for (const auto& [first, second, why] : cases) {
    Diagnostics diagnostics;
    const DeviceTrace trace = read_device(first + "\n" + second, diagnostics);
    EXPECT_EQ(trace.ops.size(), 1U) << why;
    EXPECT_EQ(first_place(diagnostics, Finding::kDocumentUnread), why);
    EXPECT_TRUE(diagnostics.has_loss());
  }
}

TEST(Documents, AHeaderBehindTheEventsOfALaterOneIsHeardWhileItIsShort) {
  Diagnostics diagnostics;
  std::string second = document_of_op("50");
  second.insert(second.size() - 1, R"(, "distributedInfo": {"rank": 1})");
  EXPECT_EQ(read_device(document_of_op("1", kOfRank0) + second, diagnostics).ops.size(), 1U);
  EXPECT_EQ(diagnostics.count(Finding::kDocumentUnread), 1U);
}

TEST(Documents, OtherTextBehindATraceIsOfNoMeaning) {
  for (const char* text : {"\n\n", " \n;", "\n garbage {", "]", "}}", "},", "{\"ts\": 3}"}) {
    Diagnostics diagnostics;
    EXPECT_EQ(read_device(document_of_op("1") + text, diagnostics).ops.size(), 1U);
    EXPECT_TRUE(diagnostics.table().empty()) << text;
  }
}

TEST(Documents, EventsOfNoDocumentBehindATraceAreALoss) {
  const std::string one = document_of_op("1"), other = document_of_op("50", "", "5");
  const std::string event = other.substr(other.find("{\"ph\""));
  for (const std::string& rest :
       {event, "," + event, "\"correlation\": 3}}, " + event, "7}, " + event,
        "\n garbage\n" + other, std::string(1 << 16, '\0') + event}) {
    for (const std::size_t chunk : {std::size_t{7}, std::size_t{1} << 16}) {
      Diagnostics diagnostics;
      EXPECT_EQ(read_device(one + rest, diagnostics, chunk).ops.size(), 1U);
      EXPECT_TRUE(
          first_place(diagnostics, Finding::kDocumentUnread).starts_with("events of no document"))
          << rest;
      EXPECT_TRUE(diagnostics.has_loss());
    }
  }
}

TEST(Documents, BrokenEventsOfALaterOneAreRepairedAsThoseOfTheFirst) {
  std::string second = document_of_op("50");
  second.insert(second.find("\"dur\""),
                R"("args": {"Process Group Description": , "Ev Idx": 1}, )");
  Diagnostics diagnostics;
  EXPECT_EQ(read_device(document_of_op("1") + second, diagnostics).ops.size(), 2U);
  EXPECT_EQ(diagnostics.count(Finding::kBrokenJsonRepaired), 1U);
}

TEST(Documents, BehindAHostTraceAreALoss) {
  const std::string host =
      R"({"schema": "1.0.3-chakra.0.0.4", "pid": 7, "nodes": [], "finish_ts": 9})";
  Diagnostics diagnostics;
  test::read_host(host + "\n" + host, diagnostics);
  EXPECT_EQ(first_place(diagnostics, Finding::kDocumentUnread), "document 2 begins at byte 72");
  for (const char* rest : {R"({"id": 3, "name": "op"}]})", R"("x"}, {"id": 3, "name": "op"}]})"}) {
    Diagnostics of_rest;
    test::read_host(host + rest, of_rest);
    EXPECT_TRUE(
        first_place(of_rest, Finding::kDocumentUnread).starts_with("nodes of no document from"));
  }
}

}  // namespace
}  // namespace nadi
