#include "nadi/converters/html/profile_page.h"

#include <gtest/gtest.h>

#include "tests/unit/html/page_data.h"

namespace nadi::html {
namespace {

std::string page_of(const Profile& profile, const HotSpots& spots = {},
                    const Roofline& roofline = {}) {
  std::string page;
  write_profile_page({profile, spots, roofline, nullptr},
                     [&page](std::string_view bytes) { page += bytes; });
  return page;
}

HotKernel kernel(const std::string& name, Ns sum_ns) {
  HotKernel made;
  made.name = name;
  made.family = "gemm";
  made.count = 2;
  made.sum_ns = sum_ns;
  made.longest_ns = sum_ns;
  return made;
}

HotPath path(const std::string& name, std::uint32_t parent, Ns host_ns) {
  HotPath made;
  made.name = name;
  made.parent = parent;
  made.count = 1;
  made.host_ns = host_ns;
  made.inclusive_ns = host_ns;
  return made;
}

TEST(WriteProfilePage, TellsPartsOfAStepThatAddUpToItsLength) {
  Profile profile;
  StepTimes step;
  step.rank = 3;
  step.device = 1;
  step.step = 7;
  step.length_ns = 1000;
  step.computation_ns = 500;
  step.communication_ns = 300;
  step.exposed_communication_ns = 200;
  step.exposed_waiting_ns = 50;
  step.copies_ns = 150;
  step.exposed_copies_ns = 100;
  step.idle_ns = {80, 60, 40, 10, 5, 5};
  profile.steps.push_back(step);
  const Json data = data_of(page_of(profile));
  EXPECT_EQ(data["steps"],
            Json::parse("[[3, 1, 7, 1000, 500, 50, 150, 100, 100, 50, [80, 60, 40, 10, 5, 5]]]"));
  EXPECT_EQ(data["causes"][0], to_string(IdleCause::kHost));
  EXPECT_EQ(data["causes"].size(), kIdleCauses);
}

TEST(WriteProfilePage, TellsWorkAndRooflineOnlyOfKernelsOfWhichTheyAreKnown) {
  HotSpots spots;
  spots.kernels = {kernel("gemm", 2000), kernel("other", 1000)};
  spots.kernels[0].work = {.time_ns = 2000, .operations = 40'000'000, .bytes = 1000};
  const Json rows = data_of(page_of({}, spots, {.tflops_per_s = 40}))["kernels"];
  EXPECT_EQ(rows[0], Json::parse(R"(["gemm", "gemm", "", 2, 2000, 1000, 2000, 20.0, 0.5, 0.5])"));
  EXPECT_EQ(rows[1], Json::parse(R"(["other", "gemm", "", 2, 1000, 500, 1000, null, null, null])"));
}

TEST(WriteProfilePage, ListsWhoWaitedForACollectiveTheLongestFirst) {
  Profile profile;
  CollectiveTimes collective;
  collective.kind = "ALL_REDUCE";
  collective.members = {{0, 10, 100, 60}, {1, 70, 100, 0}, {2, 5, 100, 65}};
  collective.last_rank = 1;
  profile.collectives.push_back(collective);
  const Json row = data_of(page_of(profile))["collectives"][0];
  EXPECT_EQ(row[5], 1);
  EXPECT_EQ(row[7], Json::parse("[[2, 65], [0, 60]]"));
  EXPECT_EQ(row[11], 5);
  EXPECT_EQ(row[12], 95);
}

TEST(WriteProfilePage, LeavesOutTheCallsThatTookLeastButNoneThatIsAround) {
  HotSpots spots;
  spots.paths.push_back(path("outer", kNoIndex, 9'000));
  for (int i = 0; i < 9'000; ++i) spots.paths.push_back(path("inner" + std::to_string(i), 0, i));
  const Json data = data_of(page_of({}, spots));
  EXPECT_EQ(data["calls"].size() - 1 + data["left_out"]["calls"].get<std::size_t>(), 9'001U);
  EXPECT_LT(data["calls"].size(), 9'000U);
  EXPECT_EQ(data["calls"][1][1], "outer");
  EXPECT_EQ(data["calls"].back()[1], "inner8999");
  EXPECT_EQ(data["calls"].back()[0], 1);
}

}  // namespace
}  // namespace nadi::html
