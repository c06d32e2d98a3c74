#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "et_def.pb.h"
#include "nadi/chakra/wire_node.h"

namespace nadi {
namespace {

ChakraProtoMsg::Node delay_with(std::initializer_list<const char*> attributes) {
  ChakraProtoMsg::Node node;
  node.set_name("delay");
  for (const char* name : attributes) {
    ChakraProtoMsg::AttributeProto* attribute = node.add_attr();
    attribute->set_name(name);
    attribute->set_int64_val(1);
  }
  return node;
}

bool is_delay(const ChakraProtoMsg::Node& node) {
  const std::string bytes = node.SerializeAsString();
  WireNode read;
  EXPECT_TRUE(parse_wire_node(bytes, read));
  return kind_of(read) == NodeKind::kDelay;
}

TEST(ChakraDelay, IsWhatSaysSoWhateverItIsCalled) {
  ChakraProtoMsg::Node node = delay_with({"start_ns", "is_delay"});
  EXPECT_TRUE(is_delay(node));
  node.set_name("waiting");
  EXPECT_TRUE(is_delay(node));
  node.set_name("delay");
  node.mutable_attr(1)->set_bool_val(false);
  EXPECT_FALSE(is_delay(node));
}

TEST(ChakraDelay, OfAGraphWrittenBeforeTheAttributeIsToldByItsName) {
  EXPECT_TRUE(is_delay(delay_with({"rf_id", "is_cpu_op", "tid", "start_ns", "duration_ns"})));
  EXPECT_TRUE(is_delay(delay_with({"start_ns", "stream", "device"})));
  EXPECT_FALSE(is_delay(delay_with({"is_cpu_op"}))) << "another writer's node";
  ChakraProtoMsg::Node other = delay_with({"start_ns"});
  other.set_name("aten::mm");
  EXPECT_FALSE(is_delay(other));
}

}  // namespace
}  // namespace nadi
