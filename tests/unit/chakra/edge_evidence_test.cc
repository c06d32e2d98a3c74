// Why edges of a Chakra graph exist: by their ends, and by what is told.
#include "nadi/chakra/edge_evidence.h"

#include <gtest/gtest.h>

#include "nadi/base/utf8.h"

namespace nadi {
namespace {

TEST(EdgeEvidence, IsToldByTheEndsWhereNothingElseIs) {
  const RecordedEvidence nothing("");
  EXPECT_EQ(nothing.of(1, {.to_device = true}).evidence, Evidence::kLaunch);
  EXPECT_EQ(nothing.of(1, {.from_device = true}).evidence, Evidence::kSynchronisation);
  EXPECT_EQ(nothing.of(1, {.same_lane = true}).evidence, Evidence::kThreadOrder);
  EXPECT_EQ(nothing.of(1, {}).evidence, Evidence::kThreadHandOff);
  const EdgeEnds streams{.from_device = true, .to_device = true};
  EXPECT_EQ(nothing.of(1, streams).evidence, Evidence::kEventWait);
  EXPECT_EQ(nothing.of(1, streams).inferred, Inference::kNone);
  EXPECT_EQ(nothing.of(1, {.has_delay = true}).evidence, Evidence::kDelay);
}

TEST(EdgeEvidence, OfEachSourceIsReadBackAsWritten) {
  std::string text;
  append_edge_evidence(57, {Evidence::kEventWait, Inference::kPattern}, text);
  append_edge_evidence(61, {Evidence::kGroupOrder}, text);
  EXPECT_EQ(text, "57=event wait?pattern;61=group order");
  const RecordedEvidence told(text);
  EXPECT_EQ(told.of(57, {}).evidence, Evidence::kEventWait);
  EXPECT_EQ(told.of(57, {}).inferred, Inference::kPattern);
  EXPECT_EQ(told.of(61, {}).evidence, Evidence::kGroupOrder);
  EXPECT_EQ(told.of(61, {}).inferred, Inference::kNone);
  EXPECT_EQ(told.of(5, {.same_lane = true}).evidence, Evidence::kThreadOrder);
}

TEST(EdgeEvidence, ThatCannotBeReadIsLeftToTheEnds) {
  const RecordedEvidence told(
      ";=;x=launch;7;8=;9=nonsense;10=launch?;11=launch?never;"
      "99999999999999999999=launch");
  for (const std::uint64_t id : {7U, 8U, 9U})
    EXPECT_EQ(told.of(id, {}).evidence, Evidence::kThreadHandOff) << id;
  EXPECT_EQ(told.of(10, {}).evidence, Evidence::kLaunch);
  // As nadi wrote it when guesses had no kinds.
  EXPECT_EQ(told.of(10, {}).inferred, Inference::kTiming);
  EXPECT_EQ(told.of(11, {}).inferred, Inference::kTiming);
}

TEST(CutText, LeavesTheMiddleOutAndNoCharacterInHalves) {
  EXPECT_EQ(cut_text("short", 5), "short");
  EXPECT_EQ(cut_text("elementwise<float, 4>", 15), "elementw…, 4>");
  EXPECT_EQ(cut_text("ääääääääää", 12), "äää…ä");
  EXPECT_TRUE(is_utf8(cut_text("ääääääääää", 11)));
  EXPECT_EQ(cut_text("abcdef", 2), "…");
}

}  // namespace
}  // namespace nadi
