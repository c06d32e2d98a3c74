#include "nadi/emit/json_writer.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "nadi/emit/clean_json.h"

namespace nadi {
namespace {

void write_members(JsonWriter& json) {
  json.begin_object();
  json.member("a", 1);
  json.member("b", "two");
  json.member("c", std::vector<std::uint64_t>{3, 4});
  json.key("d").begin_list();
  json.value(true);
  json.begin_object();
  json.end_object();
  json.end_list();
  json.key("e").raw() += "null";
  json.end_object();
}

TEST(JsonWriter, PutsCommasBetweenMembersAndElements) {
  JsonWriter json, with_blanks(JsonWriter::Blanks::kSome);
  write_members(json);
  EXPECT_EQ(json.text(), R"({"a":1,"b":"two","c":[3,4],"d":[true,{}],"e":null})");
  write_members(with_blanks);
  EXPECT_EQ(with_blanks.text(), R"({"a": 1, "b": "two", "c": [3, 4], "d": [true, {}], "e": null})");
}

TEST(JsonWriter, BreaksLinesWhereAsked) {
  JsonWriter json(JsonWriter::Blanks::kSome);
  json.begin_list();
  for (int i = 0; i < 2; ++i) {
    json.next_line(2);
    json.value(i);
  }
  json.next_line();
  json.end_list();
  json.finish();
  json.value(7);
  EXPECT_EQ(json.text(), "[\n  0,\n  1\n]\n7");
}

TEST(JsonWriter, EscapesWhatStringsCannotHold) {
  JsonWriter json;
  json.value("a \"b\" \\ \x01\x7f \xff \u00e9");
  EXPECT_EQ(json.text(), "\"a \\\"b\\\" \\\\ \\u0001\\u007f \ufffd \u00e9\"");
}

TEST(JsonWriter, MicrosecondsHaveThreeDecimals) {
  const auto micros = [](Ns ns) {
    JsonWriter json;
    json.value(JsonMicros{ns});
    return json.text();
  };
  EXPECT_EQ(micros(0), "0.000");
  EXPECT_EQ(micros(1'234'056), "1234.056");
  EXPECT_EQ(micros(-1), "-0.001");
  EXPECT_EQ(micros(std::numeric_limits<Ns>::min()), "-9223372036854775.808");
}

TEST(CleanJson, NumbersKeepTheirTextWhereItIsValid) {
  std::string out;
  EXPECT_TRUE(append_clean_json(
      R"([1e-05, 0.10, -0, 1., .5, 1e999, 12345678901234567890123, "\ud83d\ude00\ud800"])", out));
  EXPECT_EQ(out,
            "[1e-05, 0.10, 0, 1.0, 0.5, \"inf\", 12345678901234567890123, \"\U0001F600\ufffd\"]");
}

}  // namespace
}  // namespace nadi
