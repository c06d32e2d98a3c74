#include "nadi/converters/html/lane_pieces.h"

#include <gtest/gtest.h>

namespace nadi::html {
namespace {

/// A kernel; its name is its number.
LaneNode node(Ns begin, Ns end, std::uint32_t name = 0, PictureKind kind = PictureKind::kKernel) {
  return {begin, end, name, kind};
}

std::vector<std::pair<Ns, Ns>> spans(const std::vector<LanePiece>& pieces) {
  std::vector<std::pair<Ns, Ns>> all;
  for (const LanePiece& piece : pieces) all.emplace_back(piece.begin_ns, piece.end_ns);
  return all;
}

using Spans = std::vector<std::pair<Ns, Ns>>;

TEST(JoinNodes, KeepsEveryNodeThatHasALengthAtResolutionZero) {
  EXPECT_EQ(spans(join_nodes(std::vector{node(0, 5), node(5, 5), node(5, 6)}, 0)),
            (Spans{{0, 5}, {5, 6}}));
}

TEST(JoinNodes, JoinsShortNeighboursAndLeavesLongNodesAlone) {
  const std::vector nodes = {node(0, 3), node(4, 6), node(7, 30), node(31, 32), node(60, 61)};
  EXPECT_EQ(spans(join_nodes(nodes, 10)), (Spans{{0, 6}, {7, 30}, {31, 32}, {60, 61}}));
}

TEST(JoinNodes, EndsAPieceAtFourTimesTheResolution) {
  std::vector<LaneNode> nodes;
  for (Ns begin = 0; begin < 100; begin += 5) nodes.push_back(node(begin, begin + 4));
  for (const LanePiece& piece : join_nodes(nodes, 10))
    EXPECT_LE(piece.end_ns - piece.begin_ns, 40) << piece.begin_ns;
}

TEST(JoinNodes, APieceIsWhatMostOfItsTimeIsNamedAfterItsLongestNode) {
  const auto pieces =
      join_nodes(std::vector{node(0, 4, 1, PictureKind::kCopy), node(4, 7, 2), node(7, 9, 3)}, 10);
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_EQ(pieces[0].kind, PictureKind::kKernel);  // 5 ns against 4
  EXPECT_EQ(pieces[0].name, 1U);
  EXPECT_EQ(pieces[0].nodes, 3U);
  EXPECT_EQ(pieces[0].node_ns, 9);
}

TEST(JoinNodes, CommunicationJoinsItsLikeAloneSoThatAShortCollectiveStaysVisible) {
  const auto pieces = join_nodes(
      std::vector{node(0, 8), node(8, 9, 1, PictureKind::kCommunication), node(9, 18)}, 20);
  ASSERT_EQ(spans(pieces), (Spans{{0, 18}, {8, 9}}));
  EXPECT_EQ(pieces[0].kind, PictureKind::kKernel);
  EXPECT_EQ(pieces[1].kind, PictureKind::kCommunication);
}

TEST(JoinNodes, WaitsDoNotTakeTheColourOfKernelsAmongThem) {
  const auto pieces = join_nodes(std::vector{node(0, 6, 0, PictureKind::kDelay), node(6, 8),
                                             node(8, 15, 0, PictureKind::kDelay)},
                                 20);
  ASSERT_EQ(spans(pieces), (Spans{{0, 15}, {6, 8}}));
  EXPECT_EQ(pieces[1].kind, PictureKind::kKernel);
}

TEST(FindResolution, IsZeroWhereAllNodesFit) {
  const std::vector<std::vector<LaneNode>> lanes = {{node(0, 1), node(2, 3)}};
  EXPECT_EQ(find_resolution(lanes, 3, 2), 0);
}

TEST(FindResolution, KeepsToTheNumberOfPiecesHoweverManyNodesThereAre) {
  std::vector<std::vector<LaneNode>> lanes(2);
  for (std::vector<LaneNode>& lane : lanes)
    for (Ns begin = 0; begin < 1'000'000; begin += 10) lane.push_back(node(begin, begin + 9));
  const Ns resolution = find_resolution(lanes, 1'000'000, 500);
  EXPECT_LE(join_nodes(lanes[0], resolution).size() + join_nodes(lanes[1], resolution).size(),
            500U);
  EXPECT_GT(join_nodes(lanes[0], resolution).size(), 50U) << "coarser than need be";
}

TEST(BusyTime, CountsOverlapOnceAndDelaysNot) {
  EXPECT_EQ(busy_time(std::vector{node(0, 10, 0, PictureKind::kDelay), node(10, 20), node(15, 18),
                                  node(19, 25), node(30, 31)}),
            16);
}

}  // namespace
}  // namespace nadi::html
