// Why edges of a Chakra graph exist: by their ends, and by what is recorded.
#include "nadi/chakra/edge_evidence.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "nadi/base/utf8.h"

namespace nadi {
namespace {

TEST(EdgeEvidence, FollowsFromTheEndsWhereNothingElseIsRecorded) {
  Graph graph;
  graph.lanes = {{false, 1}, {false, 2}, {true, -1, 0, 7}, {true, -1, 0, 8}};
  graph.lane = {0, 0, 1, 2, 2, 3, 0};
  graph.kind.assign(6, NodeKind::kHostOther);
  graph.kind.push_back(NodeKind::kDelay);
  EXPECT_EQ(evidence_of_ends(graph, 0, 1), Evidence::kThreadOrder);
  EXPECT_EQ(evidence_of_ends(graph, 0, 2), Evidence::kThreadHandOff);
  EXPECT_EQ(evidence_of_ends(graph, 0, 3), Evidence::kLaunch);
  EXPECT_EQ(evidence_of_ends(graph, 3, 0), Evidence::kSynchronisation);
  EXPECT_EQ(evidence_of_ends(graph, 3, 4), Evidence::kStreamOrder);
  EXPECT_EQ(evidence_of_ends(graph, 3, 5), Evidence::kEventWait);
  EXPECT_EQ(evidence_of_ends(graph, 3, 6), Evidence::kDelay);
  EXPECT_EQ(evidence_of_ends(graph, 6, 3), Evidence::kDelay);
}

/// "57 event wait?pattern" of each edge that the text records.
std::vector<std::string> recorded(std::string_view text) {
  std::vector<RecordedEdge> edges;
  append_recorded_edges(text, edges);
  std::vector<std::string> all;
  for (const auto& [source, edge] : edges)
    all.push_back(std::to_string(source) + " " + std::string(to_string(edge.evidence)) + "?" +
                  std::string(to_string(edge.inferred)));
  return all;
}

TEST(EdgeEvidence, OfEachSourceIsReadBackAsWritten) {
  std::string text;
  append_edge_evidence(57, {Evidence::kEventWait, Inference::kPattern}, text);
  append_edge_evidence(61, {Evidence::kGroupOrder}, text);
  EXPECT_EQ(text, "57=event wait?pattern;61=group order");
  EXPECT_EQ(recorded(text),
            (std::vector<std::string>{"57 event wait?pattern", "61 group order?recorded"}));
}

TEST(EdgeEvidence, ThatCannotBeReadIsLeftOut) {
  // As nadi wrote it when guesses had no kinds.
  EXPECT_EQ(recorded(";=;x=launch;7;8=;9=nonsense;11=launch?never;10=launch?;"
                     "99999999999999999999=launch"),
            (std::vector<std::string>{"10 launch?timing", "11 launch?timing"}));
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
