// Tokens to text, numbers and times.
#include <gtest/gtest.h>

#include "nadi/read/json_text.h"
#include "nadi/read/time_text.h"

namespace nadi {
namespace {

TEST(TimeText, NanosecondsAreExactForAbsoluteStamps) {
  EXPECT_EQ(nanoseconds_of("1712345678901234.567"), 1712345678901234567);
  EXPECT_EQ(nanoseconds_of("4458676522690.655"), 4458676522690655);
  EXPECT_EQ(nanoseconds_of("7"), 7000);
  EXPECT_EQ(nanoseconds_of("7.1"), 7100);
  EXPECT_EQ(nanoseconds_of("-7.001"), -7001);
  EXPECT_EQ(nanoseconds_of("\"12.5\""), 12500);
}

TEST(TimeText, ExponentsShiftTheDecimalPoint) {
  EXPECT_EQ(nanoseconds_of("1.712345678901234567e15"), 1712345678901234567);
  EXPECT_EQ(nanoseconds_of("1e-3"), 1);
  EXPECT_EQ(nanoseconds_of("0e99999"), 0);
}

TEST(TimeText, TheFourthDecimalIsRounded) {
  EXPECT_EQ(nanoseconds_of("1.0005"), 1001);
  EXPECT_EQ(nanoseconds_of("1.00049"), 1000);
}

TEST(TimeText, WhatIsNoTimeOrDoesNotFitGivesNothing) {
  for (const char* text : {"", "nan", "-", ".", "1e", "1.5x", "1e400", "99999999999999999999",
                           "true", "1e99999999999"})
    EXPECT_EQ(nanoseconds_of(text), std::nullopt) << text;
}

TEST(TimeText, TimesBeyondTheBoundsGiveNothingInAnyForm) {
  EXPECT_EQ(nanoseconds_of("4611686018427386.999"), 4611686018427386999);
  EXPECT_EQ(nanoseconds_of("4.611686018427387e15"), 4611686018427387000);
  EXPECT_EQ(nanoseconds_of("-2305843009213693"), -2305843009213693000);
  for (const char* text :
       {"4611686018427388", "9223372036854776", "\"9223372036854776\"", "9.223372036854776e15",
        "9999999999999999.999", "-2305843009213694", "-9223372036854776", "-4611686018427388.1"})
    EXPECT_EQ(nanoseconds_of(text), std::nullopt) << text;
}

TEST(TimeText, ARowsTimeIsGarbageWhereItsStartOrItsDurationIs) {
  EXPECT_EQ(row_time_of("12.5", "3").start_ns, 12'500);
  EXPECT_EQ(row_time_of("12.5", "3").duration_ns, 3'000);
  EXPECT_EQ(row_time_of("12.5", "").duration_ns, 0);
  EXPECT_TRUE(row_time_of("1", "86400000000").is_known());
  for (const auto& [start, duration] : {std::pair{"", "3"},
                                        {"soon", "3"},
                                        {"9223372036854776", "3"},
                                        {"1", "-3"},
                                        {"1", "long"},
                                        {"1", "86400000000.001"},
                                        {"1", "9223372036854776"}})
    EXPECT_FALSE(row_time_of(start, duration).is_known()) << start << ", " << duration;
}

TEST(JsonText, EscapesAreResolved) {
  std::string scratch;
  EXPECT_EQ(text_of(R"("plain")", scratch), "plain");
  EXPECT_EQ(text_of(R"("a\"b\\c\/\n\t")", scratch), "a\"b\\c/\n\t");
  EXPECT_EQ(text_of(R"("\u00e9\ud83d\ude00\ud800")", scratch),
            "\xc3\xa9\xf0\x9f\x98\x80\xef\xbf\xbd");
  EXPECT_EQ(text_of("12", scratch), "12");
  EXPECT_EQ(text_of(R"("\u12")", scratch), R"(\u12)");
}

TEST(JsonText, IntegersMayBeQuotedOrEndInAFractionOfZeros) {
  EXPECT_EQ(integer_of("-12"), -12);
  EXPECT_EQ(integer_of("\"12\""), 12);
  EXPECT_EQ(integer_of("12.0"), 12);
  EXPECT_EQ(integer_of("12.5"), std::nullopt);
  EXPECT_EQ(integer_of("18446744073709551615"), std::nullopt);
  EXPECT_EQ(unsigned_of("18446744073709551615"), 18446744073709551615U);
  EXPECT_EQ(unsigned_of("-1"), std::nullopt);
  EXPECT_EQ(integer_of("null"), std::nullopt);
}

TEST(JsonText, ElementsOfAListKeepTheirText) {
  using Views = std::vector<std::string_view>;
  EXPECT_EQ(elements_of(R"([[1, [2]], "a,]", 3 , {"x": [1]}])"),
            (Views{"[1, [2]]", R"("a,]")", "3", R"({"x": [1]})"}));
  EXPECT_EQ(elements_of("[]"), Views{});
  EXPECT_EQ(elements_of("7"), Views{});
  EXPECT_EQ(elements_of("[1, 2"), (Views{"1", "2"}));
}

}  // namespace
}  // namespace nadi
