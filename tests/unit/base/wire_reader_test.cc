// The fields of messages of any shape.
#include "nadi/base/wire_reader.h"

#include <gtest/gtest.h>

#include <string>

namespace nadi {
namespace {

using namespace std::string_literals;

/// "1=5 2=6": fields and numbers; "broken" behind them where the bytes are no message.
std::string fields_of(const std::string& bytes) {
  WireReader reader(bytes);
  std::string text;
  while (reader.next())
    text += std::to_string(reader.field()) + "=" + std::to_string(reader.number()) + " ";
  return text + (reader.is_broken() ? "broken" : "");
}

TEST(WireReader, PassesOverGroupsAsProtobufDoes) {
  EXPECT_EQ(fields_of("\x08\x05\x73\x61\x72\x74\x5f\x6e\x73\x48\x90\x4e\x74\x10\x06"s), "1=5 2=6 ");
  EXPECT_EQ(fields_of("\x73\x7b\x08\x05\x7c\x74\x10\x06"s), "2=6 ");
}

TEST(WireReader, RefusesGroupsThatEndNotOrElsewhereOrAreTooDeep) {
  EXPECT_EQ(fields_of("\x08\x05\x73\x08\x05"s), "1=5 broken");
  EXPECT_EQ(fields_of("\x73\x7c"s), "broken");
  EXPECT_EQ(fields_of("\x74"s), "broken");
  EXPECT_EQ(fields_of(std::string(100'000, '\x73')), "broken");
}

}  // namespace
}  // namespace nadi
