#include "nadi/emit/python_repr.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace nadi {
namespace {

std::string repr(std::string_view json) {
  std::string out = "before ";
  EXPECT_TRUE(append_python_repr(json, out)) << json;
  EXPECT_EQ(out.substr(0, 7), "before ");
  return out.substr(7);
}

TEST(PythonRepr, ListsObjectsAndLiteralsPrintAsPythonPrintsThem) {
  EXPECT_EQ(repr(R"([["<None>",[1,2]],true,false,null,{"a":1,"b":[]}])"),
            "[['<None>', [1, 2]], True, False, None, {'a': 1, 'b': []}]");
  EXPECT_EQ(repr(" [ ] "), "[]");
  EXPECT_EQ(repr("{}"), "{}");
  EXPECT_EQ(repr(""), "[]");
  EXPECT_EQ(repr("[[7,8,0,64,4,\"cuda:0\"],[-1]]"), "[[7, 8, 0, 64, 4, 'cuda:0'], [-1]]");
}

TEST(PythonRepr, IntegersKeepEveryDigit) {
  EXPECT_EQ(repr("[18446744073709551616000000000001]"), "[18446744073709551616000000000001]");
  EXPECT_EQ(repr("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(repr("-0"), "0");
}

// Right sides: repr(float(left)) of Python 3.11.
TEST(PythonRepr, FloatsHaveTheShortestDigitsAndPythonsExponentRule) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"1.0", "1.0"},
      {"100000.0", "100000.0"},
      {"1e5", "100000.0"},
      {"1E+5", "100000.0"},
      {"0.0001", "0.0001"},
      {"0.00001", "1e-05"},
      {"0.000012345", "1.2345e-05"},
      {"9999999999999998.0", "9999999999999998.0"},
      {"1e15", "1000000000000000.0"},
      {"1e16", "1e+16"},
      {"12345678901234567890.5", "1.2345678901234567e+19"},
      {"0.1", "0.1"},
      {"0.10000000000000001", "0.1"},
      {"0.30000000000000004", "0.30000000000000004"},
      {"1e22", "1e+22"},
      {"1e100", "1e+100"},
      {"-2.5e-310", "-2.5e-310"},
      {"5e-324", "5e-324"},
      {"1.7976931348623157e308", "1.7976931348623157e+308"},
      {"1e400", "inf"},
      {"-1e400", "-inf"},
      {"1e-400", "0.0"},
      {"-1e-400", "-0.0"},
      {"1e99999999999999999999", "inf"},
      {"1e-99999999999999999999", "0.0"},
      {"-0.0", "-0.0"},
      {"123.456", "123.456"},
      {"2251799813685248.5", "2251799813685248.5"},
      {"6.02214076e23", "6.02214076e+23"},
      {"1e-5", "1e-05"},
      {"12.0", "12.0"},
  };
  for (const auto& [json, python] : cases) EXPECT_EQ(repr(json), python) << json;
}

TEST(PythonRepr, BareInfinityAndNanOfOldRecordersAreUnderstood) {
  EXPECT_EQ(repr("[inf,-inf,nan,-nan,NaN,Infinity,-Infinity,INF]"),
            "[inf, -inf, nan, nan, nan, inf, -inf, inf]");
}

TEST(PythonRepr, QuotesAreChosenAsPythonChoosesThem) {
  EXPECT_EQ(repr(R"("plain")"), "'plain'");
  EXPECT_EQ(repr(R"("it's")"), R"("it's")");
  EXPECT_EQ(repr(R"("say \"hi\"")"), R"('say "hi"')");
  EXPECT_EQ(repr(R"("it's \"both\"")"), R"('it\'s "both"')");
  EXPECT_EQ(repr(R"("")"), "''");
}

TEST(PythonRepr, CharactersThatDoNotPrintAreEscapedAsPythonEscapesThem) {
  EXPECT_EQ(repr(R"("a\\b\/c")"), R"('a\\b/c')");
  EXPECT_EQ(repr(R"("\n\r\t\b\f\u0000\u001f\u007f")"), R"('\n\r\t\x08\x0c\x00\x1f\x7f')");
  EXPECT_EQ(repr(R"("\u00e9\u4e2d")"), "'\u00e9\u4e2d'");
  EXPECT_EQ(repr("\"\u00e9\u4e2d\""), "'\u00e9\u4e2d'");
  EXPECT_EQ(repr(R"("\u00a0\u00ad\u0085")"), R"('\xa0\xad\x85')");
  EXPECT_EQ(repr(R"("\u200b\u2028\u3000\ufeff\ue000")"), R"('\u200b\u2028\u3000\ufeff\ue000')");
  EXPECT_EQ(repr(R"("\ud83d\ude00")"), "'\U0001F600'");
  EXPECT_EQ(repr(R"("\udb40\udc01")"), R"('\U000e0001')");
  EXPECT_EQ(repr(R"("\ud83d")"), R"('\ud83d')");
  EXPECT_EQ(repr(R"("\ude00\ud83d")"), R"('\ude00\ud83d')");
  EXPECT_EQ(repr(R"("\ud83dx\ude00")"), R"('\ud83dx\ude00')");
  EXPECT_EQ(repr(R"("\ud83d\ud83d\ude00")"), "'\\ud83d\U0001F600'");
  EXPECT_EQ(repr("\"raw\x01"
                 "byte\""),
            R"('raw\x01byte')");
}

TEST(PythonRepr, BytesThatAreNoUtf8BecomeReplacementCharacters) {
  EXPECT_EQ(repr("[\"a\xff"
                 "b\xc3\"]"),
            "['a\ufffd"
            "b\ufffd']");
}

TEST(PythonRepr, TextThatIsNoJsonLeavesTheOutputAlone) {
  for (const char* json :
       {"[",        "]",         "[1,]",   "[1 2]",       "{1:2}",     "{\"a\" 1}",
        "{\"a\":}", "[1]]",      "\"open", "\"bad \\q\"", "\"\\u12\"", "\"\\u12g4\"",
        "[1}",      "nothing",   "-",      "01",          "1.2.3",     "[,1]",
        "{,}",      "[\"a\":1]", "1e",     "<None>"}) {
    std::string out = "kept";
    EXPECT_FALSE(append_python_repr(json, out)) << json;
    EXPECT_EQ(out, "kept");
  }
}

TEST(PythonRepr, AMillionOpenBracketsNeitherCrashNorTakeLong) {
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  EXPECT_EQ(repr(deep), deep);
  std::string out;
  EXPECT_FALSE(append_python_repr(std::string(1'000'000, '['), out));
}

TEST(PythonFloat, ValuesOutsideJsonPrintAsPythonPrintsThem) {
  const auto text = [](double value) {
    std::string out;
    append_python_float(value, out);
    return out;
  };
  EXPECT_EQ(text(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(text(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(text(std::numeric_limits<double>::denorm_min()), "5e-324");
}

}  // namespace
}  // namespace nadi
