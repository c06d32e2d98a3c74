// Process groups of a trace as the JSON that the graph's metadata holds.
#include "nadi/emit/process_groups.h"

#include <gtest/gtest.h>

namespace nadi {
namespace {

/// A kernel's record of a group of so many ranks, each the next.
LinkedTrace trace_of_group(std::int64_t size) {
  LinkedTrace linked;
  CommRecord record;
  record.pg_name = linked.strings.intern("7");
  record.group_size = size;
  record.rank_start = 0;
  record.rank_stride = 1;
  linked.comms.push_back(record);
  linked.carried.push_back(CommIndex(0));
  return linked;
}

TEST(ProcessGroups, ListTheRanksThatStartAndStrideTell) {
  EXPECT_EQ(process_groups_json(trace_of_group(3)),
            R"({"7":{"desc":"","ranks":[0,1,2],"size":3}})");
}

TEST(ProcessGroups, DoNotListMillionsOfRanksThatAFewWordsClaim) {
  EXPECT_EQ(process_groups_json(trace_of_group((1 << 22) + 1)),
            R"({"7":{"desc":"","ranks":[],"size":4194305}})");
}

TEST(ProcessGroups, OfWhichEachListsAFewMillionsListNoMoreThanThatTogether) {
  LinkedTrace linked = trace_of_group((1 << 21) + 1);
  linked.comms.push_back(linked.comms.front());
  linked.comms.back().pg_name = linked.strings.intern("8");
  linked.carried.push_back(CommIndex(1));
  const std::string json = process_groups_json(linked);
  EXPECT_NE(json.find(R"("ranks":[0,1,2)"), std::string::npos);
  EXPECT_NE(json.find(R"("8":{"desc":"","ranks":[],"size":2097153})"), std::string::npos);
}

}  // namespace
}  // namespace nadi
