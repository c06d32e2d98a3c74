#include "nadi/converters/cli/text_table.h"

#include <gtest/gtest.h>

namespace nadi::cli {
namespace {

TEST(TextTable, ColumnsAreAsWideAsTheirWidestCell) {
  const TextTable table{{"lane", "nodes"}, {{"thread 1", "5"}, {"gpu", "12,000"}}, {1}};
  EXPECT_EQ(format_table(table, 2),
            "  lane       nodes\n"
            "  thread 1       5\n"
            "  gpu       12,000\n");
}

TEST(TextTable, LinesDoNotEndInBlanks) {
  const TextTable table{{}, {{"long name", "x"}, {"a", ""}, {"b"}}, {}};
  EXPECT_EQ(format_table(table), "long name  x\na\nb\n");
}

TEST(TextTable, ControlBytesFromTracesDoNotReachTheTerminal) {
  const TextTable table{{}, {{"a\033[31mred\nnext"}}, {}};
  EXPECT_EQ(format_table(table), "a?[31mred?next\n");
}

TEST(TextTable, WidthCountsCharactersNotBytes) {
  const TextTable table{{}, {{"\xc2\xb5s", "1"}, {"ms", "2"}}, {}};
  EXPECT_EQ(format_table(table), "\xc2\xb5s  1\nms  2\n");
}

TEST(TextTable, NumbersHaveACommaEveryThreeDigits) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
}

TEST(TextTable, DurationsChooseTheirUnit) {
  EXPECT_EQ(duration_text(999), "999 ns");
  EXPECT_EQ(duration_text(1500), "1.500 us");
  EXPECT_EQ(duration_text(-2'000'000), "-2.000 ms");
  EXPECT_EQ(duration_text(3'141'592'653), "3.142 s");
}

TEST(TextTable, ShareOfNothingIsADash) {
  EXPECT_EQ(share_text(1, 8), "12.5 %");
  EXPECT_EQ(share_text(0, 0), "-");
}

}  // namespace
}  // namespace nadi::cli
