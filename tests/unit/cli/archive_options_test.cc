#include "nadi/converters/cli/archive_options.h"

#include <gtest/gtest.h>

namespace nadi::cli {
namespace {

TEST(ParseSize, TakesUnitsByPowersOf1024) {
  EXPECT_EQ(parse_size("1000"), 1000U);
  EXPECT_EQ(parse_size("1b"), 1U);
  EXPECT_EQ(parse_size("10k"), 10'240U);
  EXPECT_EQ(parse_size("150M"), 157'286'400U);
  EXPECT_EQ(parse_size("2GB"), 2ULL << 30);
  EXPECT_EQ(parse_size("1.5 GiB"), 3ULL << 29);
  EXPECT_EQ(parse_size("64T"), 64ULL << 40);
  EXPECT_EQ(parse_size("0"), 0U);
}

TEST(ParseSize, GivesNothingForWhatIsNoSize) {
  for (const char* text : {"", "M", "x", "-1", "1X", "1MX", "1 M B x", "1.2.3", ".", "1e3", " 1",
                           "nan", "inf", "0x10", "99999999999T", "1,000"})
    EXPECT_FALSE(parse_size(text)) << text;
}

TEST(SizeText, NamesTheLargestUnitThatFits) {
  EXPECT_EQ(size_text(0), "0 bytes");
  EXPECT_EQ(size_text(1023), "1023 bytes");
  EXPECT_EQ(size_text(1024), "1.0 KiB");
  EXPECT_EQ(size_text(157'286'400), "150.0 MiB");
  EXPECT_EQ(size_text(64ULL << 40), "64.0 TiB");
  EXPECT_EQ(size_text(5000ULL << 40), "5000.0 TiB");
}

TEST(SpoolOf, LiesBesideTheOutputUnlessAFolderIsGiven) {
  EXPECT_EQ(spool_of("", "out/x"), "out/x.spool");
  EXPECT_EQ(spool_of("/tmp", "out/x"), "/tmp/nadi");
}

}  // namespace
}  // namespace nadi::cli
