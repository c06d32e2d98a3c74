// Windows of the profiler, and traces of no rank, are told from the traces of ranks.
#include "nadi/converters/archive/settle_traces.h"

#include <gtest/gtest.h>

#include "nadi/base/error.h"

namespace nadi {
namespace {

FoundTrace device(const std::string& file, std::int64_t rank, std::int64_t first_us = -1) {
  FoundTrace trace{name_of_trace(file, "", true), file, {}};
  trace.peek.type = TraceType::kDeviceTrace;
  trace.peek.rank = rank;
  trace.peek.pid = 100 + rank;
  trace.peek.first_us = first_us;
  trace.peek.activity = DeviceActivity::kThere;
  return trace;
}

FoundTrace host(const std::string& file, std::int64_t pid) {
  FoundTrace trace{name_of_trace(file, "", true), file, {}};
  trace.peek.type = TraceType::kHostTrace;
  trace.peek.pid = pid;
  return trace;
}

FoundTrace of_process(FoundTrace trace, std::int64_t pid) {
  trace.peek.pid = pid;
  return trace;
}

FoundTrace with(FoundTrace trace, DeviceActivity activity) {
  trace.peek.activity = activity;
  return trace;
}

constexpr WindowChoice kAllWindows{WindowChoice::Kind::kAll, 0};

std::optional<ByteSource> cannot_open(std::size_t) { return std::nullopt; }

/// The window of each trace: "1 2 1"; - = passed over.
std::string windows_of(std::vector<FoundTrace> found, const WindowChoice& choice = kAllWindows) {
  Diagnostics diagnostics;
  settle_traces(found, choice, cannot_open, diagnostics);
  std::string text;
  for (const FoundTrace& trace : found)
    text += (text.empty() ? "" : " ") +
            (trace.is_passed_over ? std::string("-") : std::to_string(trace.window));
  return text;
}

TEST(Windows, AreOrderedByTheTimesOfTheirEventsWhateverTheirNames) {
  EXPECT_EQ(windows_of({device("b.json", 0, 10), device("a.json", 0, 900), device("c.json", 1, 12),
                        device("d.json", 1, 905)}),
            "1 2 1 2");
}

TEST(Windows, AreOrderedByTimesInNamesWhereTheirEventsTellNone) {
  EXPECT_EQ(windows_of(
                {device("h_1.1764000000009.json", 0, 10), device("h_1.1764000000001.json", 0, 10)}),
            "2 1");
}

TEST(Windows, AreOrderedByTheNumberThatDiffers) {
  EXPECT_EQ(windows_of({device("rank0_step20.json", 0), device("rank0_step100.json", 0),
                        device("rank1_step20.json", 1), device("rank1_step100.json", 1)}),
            "1 2 1 2");
}

TEST(Windows, OfRanksThatHaveNotTheSameNumberBelongTogetherByTime) {
  EXPECT_EQ(windows_of({device("a.json", 0, 0), device("b.json", 0, 1000),
                        device("c.json", 0, 2000), device("d.json", 1, 990)}),
            "1 2 3 2");
}

TEST(Windows, OfRanksThatBeganAtOtherWindowsBelongTogetherByTime) {
  EXPECT_EQ(windows_of({device("a.json", 0, 0), device("b.json", 0, 1000),
                        device("c.json", 1, 1010), device("d.json", 1, 2000)}),
            "1 2 2 3");
}

TEST(Windows, ThatARankLacksAreSaid) {
  std::vector<FoundTrace> found = {device("a.json", 0, 0), device("b.json", 0, 1000),
                                   device("c.json", 1, 5)};
  Diagnostics diagnostics;
  EXPECT_EQ(settle_traces(found, {}, cannot_open, diagnostics), 2U);
  EXPECT_EQ(diagnostics.count(Finding::kWindowPassedOver), 2U);
  EXPECT_EQ(diagnostics.count(Finding::kWindowLacksRank), 1U);
}

TEST(Windows, ThatWereCutBeforeTheirDeviceRowsHideNoOlderOne) {
  std::vector<FoundTrace> found = {device("a.json", 0, 0),
                                   with(device("b.json", 0, 1000), DeviceActivity::kNotSeen)};
  const auto open = [](std::size_t trace) {
    EXPECT_EQ(trace, 1U);
    return std::optional(source_of_bytes(R"({"traceEvents": [{"cat": "cpu_op", "ph": "X"})", "b"));
  };
  Diagnostics diagnostics;
  EXPECT_EQ(settle_traces(found, {}, open, diagnostics), 0U);
  EXPECT_FALSE(found[0].is_passed_over);
  EXPECT_TRUE(found[1].is_passed_over);
  EXPECT_EQ(diagnostics.count(Finding::kTraceUnread), 1U);
}

TEST(Windows, AreNoTracesOfSeveralProcessesAndNoCopies) {
  EXPECT_EQ(windows_of({device("a.json", 0, 0), of_process(device("b.json", 0, 9), 7)}), "0 0");
  EXPECT_EQ(windows_of({device("a.json", 0, 5), device("b.json", 0, 5)}), "0 0");
}

TEST(Windows, OfOneProcessWithoutRanksAreThoseOfRankZero) {
  const auto window = [](const char* file) { return of_process(device(file, -1), 7); };
  EXPECT_EQ(windows_of({window("h_7.1764000000001.json"), window("h_7.1764000000002.json")}, {}),
            "- 2");
}

TEST(Windows, OfHostTracesAreThoseOfTheirProcess) {
  EXPECT_EQ(windows_of({device("a.json", 0, 0), device("b.json", 0, 9), host("host_2.json", 100),
                        host("host_1.json", 100)}),
            "1 2 2 1");
  EXPECT_EQ(
      windows_of({device("a.json", 0, 0), device("b.json", 0, 9), host("host.json", 100)}, {}),
      "- 2 0")
      << "one host trace is of all";
}

TEST(Windows, ThatAreNotThereAreRefused) {
  EXPECT_EQ(windows_of({device("a.json", 0)}, {WindowChoice::Kind::kNumber, 1}), "0");
  EXPECT_THROW(windows_of({device("a.json", 0)}, {WindowChoice::Kind::kNumber, 2}), Error);
}

TEST(Coordinators, ArePassedOverWhereOthersHaveDeviceRows) {
  const FoundTrace none = with(device("c.json", -1), DeviceActivity::kNone);
  EXPECT_EQ(windows_of({device("a.json", 0), none}), "0 -");
  EXPECT_EQ(windows_of({none}), "0");
  EXPECT_EQ(windows_of({device("a.json", 0), with(device("b.json", 1), DeviceActivity::kNone)}),
            "0 0")
      << "a rank that used no device";
  EXPECT_EQ(windows_of({device("a.json", 0), with(device("b.json", -1), DeviceActivity::kNotSeen)}),
            "0 0")
      << "nobody can look further";
}

TEST(Coordinators, AreReadToTheirEndWhereTheFirstLookSawNoDeviceRows) {
  const std::string op = R"({"ph": "X", "cat": "cpu_op", "name": "o", "ts": 1, "dur": 1},)";
  std::string ops;
  while (ops.size() < 5U << 20) ops += op;
  for (const std::string& last :
       {op, std::string(R"({"ph": "X", "cat": "kernel", "name": "k"},)")}) {
    std::vector<FoundTrace> found = {device("a.json", 0),
                                     with(device("b.json", -1), DeviceActivity::kNotSeen)};
    const auto open = [&](std::size_t) {
      std::string text = "{\"traceEvents\": [" + ops + last + "]}";
      const auto read = [text, at = std::size_t{0}](std::span<char> into) mutable {
        const std::size_t count = text.copy(into.data(), into.size(), at);
        at += count;
        return count;
      };
      return std::optional(ByteSource::unpack("b.json", read, text.size(), {}));
    };
    Diagnostics diagnostics;
    settle_traces(found, {}, open, diagnostics);
    EXPECT_EQ(found[1].is_passed_over, last == op);
  }
}

}  // namespace
}  // namespace nadi
