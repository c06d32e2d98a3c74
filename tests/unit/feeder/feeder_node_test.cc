// Typed attributes of a node.
#include "nadi/sim_bridge/feeder/feeder_node.h"

#include <gtest/gtest.h>

#include <limits>

#include "graph_file.h"

namespace nadi::test {
namespace {

using Attribute = ChakraProtoMsg::AttributeProto;

FeederNode read(const Node& node) {
  return {node.SerializeAsString(), std::make_shared<const std::string>("graph.0.et")};
}

/// A node with one attribute "x" of the given value.
template <class Set>
FeederNode with_x(Set set) {
  Node node;
  node.set_id(7);
  node.set_name("aten::mm");
  set(add_attribute(node, "x"));
  return read(node);
}

TEST(FeederNode, AnyIntegerOrBoolMemberIsAWholeNumber) {
  EXPECT_EQ(with_x([](Attribute& a) { a.set_int32_val(-5); }).attribute_int("x"), -5);
  EXPECT_EQ(with_x([](Attribute& a) { a.set_int64_val(-6); }).attribute_int("x"), -6);
  EXPECT_EQ(with_x([](Attribute& a) { a.set_uint32_val(4'000'000'000U); }).attribute_int("x"),
            4'000'000'000);
  EXPECT_EQ(with_x([](Attribute& a) { a.set_uint64_val(8); }).attribute_int("x"), 8);
  EXPECT_EQ(with_x([](Attribute& a) { a.set_sint32_val(-9); }).attribute_int("x"), -9);
  EXPECT_EQ(with_x([](Attribute& a) { a.set_sint64_val(-10); }).attribute_int("x"), -10);
  EXPECT_EQ(with_x([](Attribute& a) { a.set_fixed32_val(4'000'000'001U); }).attribute_int("x"),
            4'000'000'001);
  EXPECT_EQ(with_x([](Attribute& a) { a.set_fixed64_val(12); }).attribute_int("x"), 12);
  EXPECT_EQ(with_x([](Attribute& a) { a.set_sfixed32_val(-13); }).attribute_int("x"), -13);
  EXPECT_EQ(with_x([](Attribute& a) { a.set_sfixed64_val(-14); }).attribute_int("x"), -14);
  EXPECT_EQ(with_x([](Attribute& a) { a.set_bool_val(true); }).attribute_int("x"), 1);
  EXPECT_TRUE(with_x([](Attribute& a) { a.set_int64_val(2); }).attribute_bool("x"));
}

TEST(FeederNode, ZeroIsThereToo) {
  const FeederNode node = with_x([](Attribute& a) { a.set_bool_val(false); });
  EXPECT_TRUE(node.has_attribute("x"));
  EXPECT_FALSE(node.attribute_bool("x", true));
  EXPECT_EQ(node.attribute_int("x", 9), 0);
}

TEST(FeederNode, ErrorsShowLongNamesInWholeCharacters) {
  const std::string shown(199, 'x');
  Node node;
  node.set_id(7);
  node.set_name(shown + "\u00e9");
  EXPECT_PRED2(says, message_of([&] { read(node).attribute_int("absent"); }),
               "node 7 (" + shown + "): has no attribute absent");
}

TEST(FeederNode, FloatAndTextAreNoWholeNumbers) {
  EXPECT_PRED2(says, message_of([] {
                 with_x([](Attribute& a) { a.set_double_val(3); }).attribute_int("x");
               }),
               "graph.0.et, node 7 (aten::mm): attribute x has the member double_val");
  EXPECT_PRED2(says, message_of([] {
                 with_x([](Attribute& a) { a.set_double_val(3); }).attribute_int("x");
               }),
               "a whole number is wanted");
  EXPECT_PRED2(says, message_of([] {
                 with_x([](Attribute& a) { a.set_string_val("3"); }).attribute_int("x", 0);
               }),
               "the member string_val");
  EXPECT_PRED2(says, message_of([] { with_x([](Attribute&) {}).attribute_int("x"); }),
               "attribute x has no value");
  EXPECT_PRED2(says, message_of([] {
                 with_x([](Attribute& a) { a.set_int64_val(3); }).attribute_text("x");
               }),
               "the member int64_val");
  EXPECT_PRED2(says, message_of([] {
                 with_x([](Attribute& a) { a.set_int64_val(3); }).attribute_text("x");
               }),
               "a text is wanted");
}

TEST(FeederNode, NumbersThatDoNotFitAreNotBent) {
  const FeederNode large =
      with_x([](Attribute& a) { a.set_uint64_val(std::numeric_limits<std::uint64_t>::max()); });
  EXPECT_EQ(large.attribute_uint("x"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_PRED2(says, message_of([&] { large.attribute_int("x"); }), "18446744073709551615");
  const FeederNode negative = with_x([](Attribute& a) { a.set_int32_val(-1); });
  EXPECT_PRED2(says, message_of([&] { negative.attribute_uint("x"); }), "is -1");
}

TEST(FeederNode, AnAbsentAttributeIsNamedWithThoseThatAreThere) {
  const FeederNode node = with_x([](Attribute& a) { a.set_int64_val(1); });
  EXPECT_PRED2(says, message_of([&] { node.attribute_int("comm_size"); }),
               "has no attribute comm_size. It has x");
  EXPECT_EQ(node.attribute_int("comm_size", -1), -1);
  EXPECT_EQ(node.attribute_text("pg_name", "none"), "none");
  EXPECT_EQ(node.attribute("comm_size"), std::nullopt);
}

TEST(FeederNode, RealNumbersComeFromFloatsAndIntegers) {
  EXPECT_DOUBLE_EQ(with_x([](Attribute& a) { a.set_double_val(0.1); }).attribute_double("x"), 0.1);
  EXPECT_DOUBLE_EQ(with_x([](Attribute& a) { a.set_float_val(0.5F); }).attribute_double("x"), 0.5);
  EXPECT_DOUBLE_EQ(with_x([](Attribute& a) { a.set_int64_val(-3); }).attribute_double("x"), -3);
  EXPECT_DOUBLE_EQ(with_x([](Attribute& a) { a.set_uint64_val(1ULL << 63); }).attribute_double("x"),
                   0x1p63);
}

TEST(FeederNode, ListsAreTyped) {
  const FeederNode flags = with_x([](Attribute& a) {
    a.mutable_bool_list()->add_values(true);
    a.mutable_bool_list()->add_values(false);
  });
  EXPECT_EQ(list(flags.attribute_ints("x")), list({1, 0}));
  const FeederNode reals = with_x([](Attribute& a) { a.mutable_float_list()->add_values(0.5F); });
  EXPECT_EQ(reals.attribute_doubles("x"), std::vector<double>{0.5});
  EXPECT_PRED2(says, message_of([&] { reals.attribute_ints("x"); }),
               "the member float_list, and a list of whole numbers is wanted");
  const FeederNode texts = with_x([](Attribute& a) { a.mutable_string_list()->add_values("a"); });
  EXPECT_EQ(texts.attribute_texts("x"), std::vector<std::string>{"a"});
  EXPECT_PRED2(says, message_of([&] { flags.attribute_texts("x"); }), "a list of texts");
}

TEST(FeederNode, TheLastOfTwoAttributesOfOneNameCounts) {
  Node node;
  add_attribute(node, "x").set_int64_val(1);
  add_attribute(node, "x").set_int32_val(2);
  EXPECT_EQ(read(node).attribute_int("x"), 2);
  EXPECT_TRUE(read(node).attribute("x")->has_int32_val());
}

TEST(FeederNode, FieldsAreThoseOfTheMessage) {
  Node node;
  node.set_id(1ULL << 60);
  node.set_name("ncclAllReduce");
  node.set_type(ChakraProtoMsg::COMM_COLL_NODE);
  node.add_data_deps(3);
  node.add_ctrl_deps(300);
  node.add_ctrl_deps(4);
  node.set_start_time_micros(17);
  node.set_duration_micros(18);
  node.mutable_inputs()->set_values("[1]");
  node.mutable_outputs()->set_types("['Tensor']");
  const FeederNode view = read(node);
  EXPECT_EQ(view.id(), 1ULL << 60);
  EXPECT_EQ(view.name(), "ncclAllReduce");
  EXPECT_EQ(view.type(), ChakraProtoMsg::COMM_COLL_NODE);
  EXPECT_EQ(view.start_micros(), 17U);
  EXPECT_EQ(view.duration_micros(), 18U);
  EXPECT_EQ(list(view.data_deps()), list({3}));
  EXPECT_EQ(list(view.ctrl_deps()), list({300, 4}));
  EXPECT_EQ(view.inputs().values, "[1]");
  EXPECT_EQ(view.inputs().shapes, "");
  EXPECT_EQ(view.outputs().types, "['Tensor']");
  EXPECT_EQ(view.message().SerializeAsString(), node.SerializeAsString());
}

}  // namespace
}  // namespace nadi::test
