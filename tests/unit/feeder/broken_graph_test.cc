// What the feeder says about each kind of broken file.
#include <gtest/gtest.h>

#include "graph_file.h"
#include "nadi/base/error.h"
#include "nadi/sim_bridge/feeder/feeder.h"

namespace nadi::test {
namespace {

std::string opening_error(const std::string& path) {
  try {
    const Feeder feeder(path);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInput);
    EXPECT_NE(error.remedy(), "");
    return error.what();
  }
  return "no error";
}

TEST(BrokenGraph, NamesDanglingIdsAndWhoWaitsForThem) {
  const Folder folder;
  EXPECT_PRED2(says, opening_error(folder.write({{1}, {2, {1, 77}}, {3, {}, {88}}})),
               "graph.0.et: has dependencies on nodes that are not in it");
  EXPECT_PRED2(says, opening_error(folder.write({{1}, {2, {1, 77}}, {3, {}, {88}}})),
               "node 2 waits for 77 (data_deps), node 3 waits for 88 (ctrl_deps)");
}

TEST(BrokenGraph, ShowsThreeExamplesAndCountsTheOthers) {
  const Folder folder;
  const std::string error = opening_error(folder.write({{1, {91, 92, 93, 94, 95}}}));
  EXPECT_PRED2(says, error, "waits for 93 (data_deps), and 2 more");
  EXPECT_FALSE(says(error, "94"));
}

TEST(BrokenGraph, NamesDanglingIdsBetweenIdsWithGaps) {
  const Folder folder;
  EXPECT_PRED2(says, opening_error(folder.write({{10}, {20, {15}}})),
               "node 20 waits for 15 (data_deps)");
}

TEST(BrokenGraph, NamesIdsThatComeTwiceAndTheirPlaces) {
  const Folder folder;
  EXPECT_PRED2(says, opening_error(folder.write({{1}, {2}, {1}})),
               "has an id twice: node 1 (nodes number 1 and 3 of the file)");
  EXPECT_PRED2(says, opening_error(folder.write({{4}, {4}})), "has an id twice: node 4");
}

TEST(BrokenGraph, ShowsTheShortestCycleThroughANode) {
  const Folder folder;
  // 2 -> 3 -> 4 -> 2, and a longer way 2 -> 5 -> 6 -> 4.
  const std::string error = opening_error(
      folder.write({{1}, {2, {1, 4}}, {3, {2}}, {4, {3, 6}}, {5, {2}}, {6, {5}}, {7, {4}}}));
  EXPECT_PRED2(says, error,
               "has a cycle: node 4 waits for node 3 waits for node 2 waits for node 4");
  EXPECT_PRED2(says, error, "6 nodes could never run");
}

TEST(BrokenGraph, FindsACycleThatOnlyDataAndCtrlTogetherMake) {
  const Folder folder;
  const std::string path = folder.write({{1, {2}}, {2, {}, {1}}});
  EXPECT_PRED2(says, opening_error(path), "node 2 waits for node 1 waits for node 2");
  EXPECT_EQ(Feeder(path, {.ctrl_deps = false}).size(), 2U);
}

TEST(BrokenGraph, FindsANodeThatWaitsForItself) {
  const Folder folder;
  EXPECT_PRED2(says, opening_error(folder.write({{1}, {2, {2}}})),
               "has a cycle: node 2 waits for node 2;");
}

TEST(BrokenGraph, DependenciesOnLaterNodesAreNoCycle) {
  const Folder folder;
  EXPECT_EQ(opening_error(folder.write({{1, {2}}, {2, {3}}, {3}})), "no error");
}

TEST(BrokenGraph, SaysWhereTheFileIsCut) {
  const Folder folder;
  std::string bytes = graph_bytes({{1}, {2}, {3}});
  bytes.resize(bytes.size() - 1);
  EXPECT_PRED2(says, opening_error(folder.write("cut.et", bytes)), "cut.et, byte ");
  EXPECT_PRED2(says, opening_error(folder.write("cut.et", bytes)),
               "the file ends within a message");
}

TEST(BrokenGraph, NamesAFileWithoutNodesOrMetadata) {
  const Folder folder;
  EXPECT_PRED2(says, opening_error(folder.write("no-node.et", graph_bytes({}))),
               "no-node.et: holds no node");
  EXPECT_PRED2(says, opening_error(folder.write("empty.et", "")), "is empty");
  EXPECT_PRED2(says, opening_error(folder.write("no-metadata.et", "\x02\x08\x01")),  // node 1
               "the first message is no GlobalMetadata");
  EXPECT_PRED2(says, opening_error(folder / "absent.et"), "absent.et: cannot be opened");
}

TEST(BrokenGraph, SaysWhatIsNoNode) {
  const Folder folder;
  EXPECT_PRED2(says,
               opening_error(folder.write("noise.et", graph_bytes({{1}}) + "\x03\x08\xff\xff")),
               "here is no Chakra node");
}

TEST(BrokenGraph, AFileThatChangesAfterwardsIsNoticedAtLookup) {
  const Folder folder;
  const std::string path = folder.write({{1}, {2}, {3}});
  Feeder shorter(path, {.window_bytes = 1}), other(path);
  std::filesystem::resize_file(path, 20);
  EXPECT_PRED2(says, message_of([&] { shorter.lookup(3); }), "has become shorter");
  folder.write({{4}, {5}, {6}});
  EXPECT_PRED2(says, message_of([&] { other.lookup(1); }), "has changed since it was opened");
}

TEST(BrokenGraph, ADamagedAttributeIsNoticedAtLookup) {
  const Folder folder;
  // Node { id 1, attr of two bytes that claim a name of 9 }.
  const Feeder feeder(
      folder.write("a.et", graph_bytes({}) + std::string("\x06\x08\x01\x52\x02\x0a\x09", 7)));
  EXPECT_PRED2(says, message_of([&] { feeder.lookup(1); }),
               "a.et, node 1: its bytes are no Chakra node");
}

}  // namespace
}  // namespace nadi::test
