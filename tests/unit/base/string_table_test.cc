#include "nadi/base/string_table.h"

#include <gtest/gtest.h>

#include <string>

namespace nadi {
namespace {

TEST(StringTable, EqualTextHasEqualIdAndTextStaysInPlace) {
  StringTable table;
  const StringId first = table.intern("aten::add");
  const char* place = table[first].data();
  for (int i = 0; i < 100'000; ++i) table.intern("name " + std::to_string(i));
  EXPECT_EQ(table.intern("aten::add"), first);
  EXPECT_EQ(table[first].data(), place);
  EXPECT_EQ(table.size(), 100'002U);  // and the empty string
  EXPECT_EQ(table.intern(""), StringId::kEmpty);
  EXPECT_EQ(table.find("name 99999"), table.intern("name 99999"));
  EXPECT_EQ(table.find("never seen"), StringId::kEmpty);
}

TEST(StringTable, AbsorbTranslatesEveryIdOfTheOther) {
  StringTable table, other;
  table.intern("both");
  const StringId both = other.intern("both");
  const StringId only = other.intern("only there");
  const std::vector<StringId> ids = table.absorb(std::move(other));
  EXPECT_EQ(table[ids[static_cast<std::size_t>(both)]], "both");
  EXPECT_EQ(table[ids[static_cast<std::size_t>(only)]], "only there");
  EXPECT_EQ(table.size(), 3U);
}

}  // namespace
}  // namespace nadi
