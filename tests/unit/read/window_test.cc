// The moving window: results do not depend on how the bytes arrive, and memory stays bounded.
#include <gtest/gtest.h>

#include "nadi/read/object_scanner.h"
#include "nadi/read/trace_walk.h"
#include "tests/unit/read/read_text.h"

namespace nadi {
namespace {

using test::read_device;
using test::source_of;

std::string small_trace() {
  std::string text =
      R"({"deviceProperties": [{"id": 0, "name": "A100"}], "other": ["]}", {"x": 1}], "traceEvents": [)";
  for (int i = 0; i < 200; ++i)
    text += std::string(i == 0 ? "" : ",\n") + R"({"ph": "X", "cat": "kernel", "name": "k\"{)" +
            std::to_string(i) + R"(\\", "ts": )" + std::to_string(10 + i) +
            R"(, "dur": 1, "args": {"correlation": )" + std::to_string(i) +
            (i % 7 == 0 ? R"(, "broken": )" : "") + "}}";
  return text + R"(], "baseTimeNanoseconds": 77})";
}

TEST(Window, TheResultDoesNotDependOnHowManyBytesArriveAtATime) {
  Diagnostics whole_diagnostics;
  const DeviceTrace whole = read_device(small_trace(), whole_diagnostics);
  ASSERT_EQ(whole.rows.size(), 200U);
  EXPECT_EQ(whole.base_time_ns, 77);
  EXPECT_EQ(whole_diagnostics.count(Finding::kBrokenJsonRepaired), 29U);
  for (const std::size_t chunk : {1, 2, 63, 64, 65, 1000}) {
    Diagnostics diagnostics;
    const DeviceTrace trace = read_device(small_trace(), diagnostics, chunk);
    EXPECT_EQ(trace.rows.correlation, whole.rows.correlation) << chunk;
    EXPECT_EQ(trace.rows.name, whole.rows.name) << chunk;
    EXPECT_EQ(trace.device_names, whole.device_names) << chunk;
    ASSERT_EQ(diagnostics.table().size(), whole_diagnostics.table().size()) << chunk;
    EXPECT_EQ(diagnostics.table()[0].first, whole_diagnostics.table()[0].first) << chunk;
  }
}

/// Gives `head`, then `body` `times` times, then `tail`, without holding them.
ByteSource repeated(std::string head, std::string body, std::uint64_t times, std::string tail) {
  std::string block;
  while (block.size() < (1 << 20)) block += body;
  const std::uint64_t per_block = block.size() / body.size();
  return ByteSource("fake",
                    [=, stage = 0, at = std::size_t{0},
                     left = times / per_block](std::span<char> into) mutable -> std::size_t {
                      const std::string* parts[] = {&head, &block, &tail};
                      while (stage < 3 && at == parts[stage]->size()) {
                        at = 0;
                        if (stage != 1 || --left == 0) ++stage;
                      }
                      if (stage == 3) return 0;
                      const std::size_t got = std::min(into.size(), parts[stage]->size() - at);
                      std::memcpy(into.data(), parts[stage]->data() + at, got);
                      at += got;
                      return got;
                    });
}

class Counter : public TraceVisitor {
 public:
  bool wants(std::string_view) const override { return false; }
  bool member(std::string_view, std::string_view) override { return true; }
  bool event(std::string_view object, std::uint64_t) override {
    bytes += object.size();
    return true;
  }
  std::uint64_t bytes = 0;
};

TEST(Window, ATraceBeyondFourGibibytesIsWalkedInASmallWindow) {
  const std::string event = R"({"ph": "X", "cat": "python_function", "name": ")" +
                            std::string(3900, 'n') + R"(", "ts": 1, "dur": 1})";
  constexpr std::uint64_t kBytes = (std::uint64_t{4} << 30) + (std::uint64_t{1} << 27);
  ByteSource source =
      repeated(R"({"traceEvents": [)", event + ",", kBytes / (event.size() + 1), "{}]}");
  Progress quiet;
  Window window(source, quiet);
  Counter counter;
  Diagnostics diagnostics;
  const WalkResult result = walk_trace(window, kDeviceTraceShape, counter, diagnostics);
  EXPECT_TRUE(result.list_closed);
  EXPECT_GT(window.position(), std::uint64_t{4} << 30);
  EXPECT_EQ(counter.bytes, (result.events - 1) * event.size() + 2);
  EXPECT_LE(window.capacity(), std::size_t{1} << 18);
  EXPECT_TRUE(diagnostics.table().empty());
}

TEST(Window, AnEventThatNeverEndsIsGivenUpAtABound) {
  ByteSource source =
      repeated(R"({"traceEvents": [{"ph": "X", "name": ")", "0123456789abcdef",
               (std::uint64_t{1} << 28) / 16,
               R"("}, {"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 1}]})");
  Diagnostics diagnostics;
  const DeviceTrace trace = read_device_trace(source, diagnostics);
  EXPECT_EQ(diagnostics.count(Finding::kOversizedEvent), 1U);
  EXPECT_EQ(trace.rows.size(), 1U);
}

TEST(Window, ProgressIsToldUpToTheEnd) {
  std::string text = R"({"traceEvents": [)";
  while (text.size() < (5 << 20)) text += R"({"ph": "M", "name": "process_name"},)";
  text += "{}]}";
  ByteSource source = source_of(text);
  Diagnostics diagnostics;
  std::vector<std::uint64_t> told;
  read_device_trace(source, diagnostics, [&](std::uint64_t read, std::uint64_t total) {
    EXPECT_EQ(total, text.size());
    told.push_back(read);
  });
  ASSERT_GE(told.size(), 4U);
  EXPECT_LE(told.size(), 8U);
  EXPECT_GE(told.back(), 5U << 20);
}

/// The slow, plain way to find the end of an object.
std::optional<std::size_t> plain_end(std::string_view text, bool with_lists) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
      continue;
    }
    if (c == '"') in_string = true;
    if (c == '\\' && i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\')) ++i;
    if (c == '{' || (with_lists && c == '[')) ++depth;
    if ((c == '}' || (with_lists && c == ']')) && --depth <= 0) return i + 1;
  }
  return std::nullopt;
}

TEST(ObjectScanner, ItAgreesWithThePlainWayOnRandomText) {
  std::uint64_t state = 12345;
  const std::string_view alphabet = "{{}}[]\"\"\\\\ab,:";
  for (int round = 0; round < 20000; ++round) {
    std::string text = "{";
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::size_t size = (state >> 33) % 300;
    while (text.size() < size) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      text.push_back((state >> 60) < 9 ? 'x' : alphabet[(state >> 33) % alphabet.size()]);
    }
    const std::size_t bytes = text.size();
    text.append(Window::kPadding, '}');
    const std::string_view view(text.data(), bytes);
    ObjectScanner<Brackets::kBraces> braces, in_steps;
    ObjectScanner<Brackets::kAll> all;
    const auto expected = plain_end(view, false);
    EXPECT_EQ(braces.find_end(view), expected) << view;
    EXPECT_EQ(all.find_end(view), plain_end(view, true)) << view;
    std::optional<std::size_t> end;
    for (std::size_t step = 1; step <= bytes && !end; step += 17)
      end = in_steps.find_end(view.substr(0, step));
    if (!end) end = in_steps.find_end(view);
    EXPECT_EQ(end, expected) << view;
  }
}

}  // namespace
}  // namespace nadi
