// Rows of devices find their processes by ids, then by place, then by guesses that are counted.
#include "nadi/model/row_processes.h"

#include <gtest/gtest.h>

namespace nadi {
namespace {

using Numbers = std::vector<ProcessNumber>;

/// Two processes whose host rows alternate in the file.
const std::vector<HostRowRange> kMixed = {{0, 90}, {10, 100}};

TEST(RowProcesses, AreThoseOfTheOnlyCallWithTheirCorrelation) {
  const RowProcesses found = find_row_processes(
      {{1, 0, 0}, {2, 0, 1}}, {{2, 5, 0, {0, 1, 7}}, {1, 5, 0, {0, 1, 7}}}, kMixed);
  EXPECT_EQ(found.of_row, (Numbers{1, 0}));
  EXPECT_EQ(found.guessed, 0U);
}

TEST(RowProcesses, OfEqualIdsAreThoseOfTheHostRowsAroundThemInTheFile) {
  const std::vector<ProcessCall> calls = {{1, 0, 0}, {1, 0, 1}};
  const RowProcesses found =
      find_row_processes(calls, {{1, 5, 3, {0, 1, 7}}, {1, 5, 60, {0, 1, 7}}}, {{0, 10}, {50, 90}});
  EXPECT_EQ(found.of_row, (Numbers{0, 1}));
  EXPECT_EQ(found.guessed, 0U);
}

TEST(RowProcesses, OfEqualIdsAreThoseOfTheirNeighbours) {
  const std::vector<ProcessCall> calls = {{1, 0, 0}, {1, 0, 1}, {2, 0, 1}, {3, 0, 0}};
  const std::vector<ProcesslessRow> rows = {
      {1, 5, 0, {0, 1, 7}},
      {2, 5, 0, {0, 1, 7}},  // of the stream
      {1, 5, 0, {1, 1, 20}},
      {3, 5, 0, {1, 1, 7}},    // of the context
      {-1, 5, 0, {1, 2, 9}}};  // of the device, without a call
  const RowProcesses found = find_row_processes(calls, rows, kMixed);
  EXPECT_EQ(found.of_row, (Numbers{1, 1, 0, 0, 0}));
  EXPECT_EQ(found.guessed, 0U);
}

TEST(RowProcesses, AreNotThoseOfCallsThatBeganAfterThem) {
  const std::vector<ProcessCall> calls = {{1, 100, 0}, {1, 0, 1}, {2, 100, 0}, {2, 10, 1}};
  const std::vector<ProcesslessRow> rows = {{1, 50, 0, {5, 1, 7}}, {2, 60, 0, {5, 1, 7}}};
  const RowProcesses found = find_row_processes(calls, rows, kMixed);
  EXPECT_EQ(found.of_row, (Numbers{1, 1}));
  EXPECT_EQ(found.guessed, 0U);
}

TEST(RowProcesses, StayWithTheirDeviceWhereOthersHaveTheirIdByChance) {
  std::vector<ProcessCall> calls = {{99, 0, 0}};  // of a row that was launched before the trace
  std::vector<ProcesslessRow> rows = {{99, 5, 0, {1, 1, 7}}};
  for (std::int64_t id = 1; id <= 20; ++id) {
    calls.push_back({id, 0, 1});
    rows.push_back({id, 5, 0, {1, 1, 7}});
  }
  EXPECT_EQ(find_row_processes(calls, rows, kMixed).of_row, Numbers(21, 1));
}

TEST(RowProcesses, BehindAllHostRowsAreSharedOutByDevice) {
  const std::vector<ProcessCall> calls = {{1, 0, 0}, {1, 3, 1}, {2, 8, 0}, {2, 11, 1}};
  const std::vector<ProcesslessRow> rows = {{1, 5, 200, {0, 1, 7}},
                                            {2, 12, 201, {0, 1, 7}},
                                            {1, 6, 202, {1, 1, 7}},
                                            {2, 13, 203, {1, 1, 7}}};
  const RowProcesses found = find_row_processes(calls, rows, {{0, 10}, {50, 90}});
  EXPECT_EQ(found.of_row, (Numbers{0, 0, 1, 1}));
  EXPECT_EQ(found.guessed, 4U);
}

TEST(RowProcesses, OfDevicesThatNothingTellsComeInTheirOrder) {
  const std::vector<ProcessCall> calls = {{1, 0, 0}, {1, 0, 1}};
  const RowProcesses found =
      find_row_processes(calls, {{1, 50, 0, {4, 1, 7}}, {1, 60, 0, {3, 1, 7}}}, kMixed);
  EXPECT_EQ(found.of_row, (Numbers{1, 0}));
  EXPECT_EQ(found.guessed, 2U);
}

}  // namespace
}  // namespace nadi
