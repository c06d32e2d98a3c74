#include <gtest/gtest.h>

#include <string>

#include "nadi/chakra/groups.h"

namespace nadi {
namespace {

TEST(GroupNumber, IsTheOneThatStoiFindsAndNoneWhereItThrows) {
  for (const std::string name :
       {"3", "3abc", " \t+3", "-1x", "007", "0x10", "2147483647", "3.5", "", "abc", "+", "+-3",
        "- 3", "2147483648", "a3f", " ", "94398426290464", "-2147483648", "-2147483649"}) {
    std::optional<std::int64_t> expected;
    try {
      expected = std::stoi(name);
    } catch (const std::exception&) {
    }
    EXPECT_EQ(group_number_of(name), expected) << name;
  }
}

}  // namespace
}  // namespace nadi
