// Which step an op, a call and a device row belong to.
#include <gtest/gtest.h>

#include "tests/unit/link/trace_text.h"

namespace nadi {
namespace {

using namespace test;

TEST(Steps, AreThoseOfProfilerStepAndARowIsInThatOfItsLaunch) {
  const LinkedTrace linked = link(
      {annotation("ProfilerStep#3", 0, 10), op("a", 2, 2), launch(3, 1, 11),
       annotation("ProfilerStep#4", 10, 10), op("b", 10, 2), op("c", 20, 2), row("late", 15, 1, 11),
       row("unlaunched", 12, 1, 99), row("behind", 17, 1, 98), row("alone", 12, 1, 97, 8)});
  const auto step = [&](const std::string& name) {
    for (std::uint32_t row = 0; row < linked.ops.size(); ++row)
      if (op_name(linked, row) == name) return linked.ops.step[row];
    return -2;
  };
  EXPECT_EQ(step("ProfilerStep#3"), 3);
  EXPECT_EQ(step("a"), 3);
  EXPECT_EQ(step("b"), 4);
  EXPECT_EQ(step("c"), -1);  // the last step had ended
  EXPECT_EQ(linked.calls.step[0], 3);
  EXPECT_EQ(linked.rows.step[0], 3);
  EXPECT_EQ(linked.rows.step[1], -1);  // launched before all that the trace holds
  EXPECT_EQ(linked.rows.step[2], 3);   // launched behind what runs before it
  EXPECT_EQ(linked.rows.step[3], 4);   // nothing but its time tells
}

TEST(Steps, NamesThatOnlyLookLikeStepsAreNone) {
  for (const char* name : {"ProfilerStep#", "ProfilerStep#x", "ProfilerStep#-1", "ProfilerStep#1x",
                           "ProfilerStep#99999999999", "MyProfilerStep#1"}) {
    const LinkedTrace linked = link({annotation(name, 0, 10), op("a", 2, 2)});
    EXPECT_EQ(linked.ops.step[1], -1) << name;
  }
}

}  // namespace
}  // namespace nadi
