#include "nadi/converters/html/page_json.h"

#include <gtest/gtest.h>

namespace nadi::html {
namespace {

TEST(TextForPage, HoldsNothingThatEndsAnElement) {
  const std::string text = text_for_page({{"name", "</script><!--<script>"}});
  EXPECT_EQ(text.find('<'), std::string::npos) << text;
  EXPECT_EQ(Json::parse(text)["name"], "</script><!--<script>");
}

TEST(TextForPage, ReplacesBytesThatAreNoUtf8) {
  EXPECT_EQ(Json::parse(text_for_page(Json("a\xff"))), "a\xef\xbf\xbd");
}

TEST(CutText, CutsBetweenCharacters) {
  EXPECT_EQ(cut_end("µµµ", 6), "µµµ");
  EXPECT_EQ(cut_end("µµµ", 5), "µµ…");
  EXPECT_EQ(cut_end("\x80\x80\x80", 2), "…");
}

}  // namespace
}  // namespace nadi::html
