// What a file is, and what the readers say to the wrong one.
#include <gtest/gtest.h>

#include "nadi/base/error.h"
#include "nadi/read/detect.h"
#include "tests/unit/read/read_text.h"

namespace nadi {
namespace {

using namespace std::string_literals;

const std::string kHost = R"({"schema": "1.0.1", "pid": 1, "nodes": [{"name": "a", "id": 2}]})";
const std::string kDevice = R"({"schemaVersion": 1, "traceEvents": [{"ph": "X"}]})";
const std::string kLinked =
    R"({"schema": "1.0.1", "nodes": [{"id": 2, "inclusive_dur": 3, "exclusive_dur": 2}]})";
const std::string kChakra =
    "\x07\x0a\x05"
    "0.0.4"
    "\x10\x08\x01\x12\x01x"s;

TEST(Detect, EachKindOfTraceIsKnownByItsFirstBytes) {
  EXPECT_EQ(detect(kHost), TraceType::kHostTrace);
  EXPECT_EQ(detect("\xef\xbb\xbf\n " + kDevice), TraceType::kDeviceTrace);
  EXPECT_EQ(detect(R"([ {"name": "a", "ph": "X"}])"), TraceType::kDeviceTrace);
  EXPECT_EQ(detect(kLinked), TraceType::kLinkedJson);
  EXPECT_EQ(detect(kChakra), TraceType::kChakra);
  EXPECT_EQ(detect("hello"), TraceType::kOther);
}

TEST(Detect, ALinkedTraceOfManyGroupsIsKnownByItsHeader) {
  const std::string groups(100'000, ' ');
  EXPECT_EQ(detect(R"({"schema": "1.1.1", "pid": 1, "nadi": {"rank": 0, "base_time_ns": 5, )"
                   R"("distributedInfo": {"pg_config": [)" +
                   groups),
            TraceType::kLinkedJson);
}

/// The message of the error that reading `text` gives; empty = it was read.
std::string refusal(const std::string& text, bool as_host) {
  Diagnostics diagnostics;
  try {
    if (as_host)
      test::read_host(text, diagnostics);
    else
      test::read_device(text, diagnostics);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInput);
    return error.what();
  }
  return {};
}

void expect_says(const std::string& message, const std::string& part) {
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(Detect, TheReadersSayWhatTheyWereGivenAndWhatToPass) {
  expect_says(refusal(kHost, false),
              "this is a host trace, not a device trace. nadi convert, link and doctor take it "
              "with `host`");
  expect_says(refusal(kDevice, true),
              "this is a device trace, not a host trace. nadi convert, link and doctor take it "
              "with `device`");
  expect_says(refusal(kLinked, true), "this is a linked trace");
  expect_says(refusal(kChakra, false), "this is a Chakra graph (.et)");
  expect_says(refusal("", false), "an empty file");
  expect_says(refusal("<!DOCTYPE html><html>", true), "HTML");
  expect_says(refusal(R"({"segments": [], "device_traces": []})", false),
              "a PyTorch memory snapshot");
  expect_says(refusal("\x80\x04\x95 pickle"s, false), "a Python pickle (PyTorch memory snapshot)");
  expect_says(refusal("SQLite format 3\0 x"s, false), "SQLite");
  expect_says(refusal("just words", true), "text that is no JSON");
  expect_says(refusal("\x01\x02\x00\xff"s, true), "binary data");
  expect_says(refusal(R"({"a": [1, 2, 3]})", true), "without \"nodes\"");
  expect_says(refusal(R"({"a": [1, 2, 3]})", false), "without \"traceEvents\"");
  expect_says(refusal(R"({"schemaVersion": 1, "deviceProp)", false),
              "this is a device trace that ends before its \"traceEvents\". Record it again");
}

TEST(Detect, AnEmptyListOfEventsIsATrace) {
  EXPECT_EQ(refusal(R"({"traceEvents": []})", false), "");
  EXPECT_EQ(refusal("[]", false), "");
}

TEST(Detect, AnArrayOfSomethingElseIsCalledThat) {
  const std::string array = "trace.json: this is a JSON array, but no trace: ";
  for (const char* text : {"[1, 2, 3]", R"([{"a": 1}])", R"(["ph"])", R"( [[], {"name": "x"}, 2])",
                           R"([{"a": 1}, {"b")"}) {
    expect_says(refusal(text, false),
                array +
                    "none of its elements is an event, an object with \"ph\". Pass what "
                    "torch.profiler's export_chrome_trace wrote");
    expect_says(refusal(text, true),
                array + "a host trace is an object that holds \"nodes\". Pass what");
  }
}

TEST(Detect, AListWhoseFirstEventIsVeryLongIsATrace) {
  const std::string text =
      R"([{"args": {"stack": ")" + std::string(1 << 17, 'x') + R"("}, "ph": "i", "name": "mark"}])";
  EXPECT_EQ(refusal(text, false), "");
}

}  // namespace
}  // namespace nadi
