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

}  // namespace
}  // namespace nadi
