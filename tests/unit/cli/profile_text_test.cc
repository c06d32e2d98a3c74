#include "nadi/converters/cli/profile_text.h"

#include <gtest/gtest.h>

namespace nadi::cli {
namespace {

TEST(ProfileText, OnATerminalTheFirstLineOfEachPartIsBold) {
  EXPECT_EQ(with_titles_in_bold("Where\n  a\n  b\n\nWhich\n  c\n"),
            "\x1b[1mWhere\x1b[0m\n  a\n  b\n\n\x1b[1mWhich\x1b[0m\n  c\n");
  EXPECT_EQ(with_titles_in_bold("Where"), "\x1b[1mWhere\x1b[0m");
}

}  // namespace
}  // namespace nadi::cli
