// The registry of attributes and the choices from it.
#include <gtest/gtest.h>

#include "tests/unit/events/events_text.h"

namespace nadi {
namespace {

std::string columns(const AttributeChoice& choice) {
  std::string text;
  for (const Attribute& attribute : choose_attributes(built_in_registry(), choice))
    text += (text.empty() ? "" : " ") + attribute.column;
  return text;
}

TEST(ColumnNames, AreDerivedFromRawKeys) {
  EXPECT_EQ(column_name_of("memory bandwidth (GB/s)"), "memory_bandwidth");
  EXPECT_EQ(column_name_of("est. achieved occupancy %"), "est_achieved_occupancy");
  EXPECT_EQ(column_name_of("Input-Dims/x  y"), "input_dims_x_y");
  EXPECT_EQ(column_name_of("name"), "arg_name");
  EXPECT_EQ(column_name_of("Rank"), "arg_rank");
  EXPECT_EQ(column_name_of("(GB/s)"), "arg_");
  EXPECT_EQ(column_name_of("open (paren"), "open_(paren");
}

TEST(Choices, AddUpNamedSetsWithoutRepeating) {
  EXPECT_EQ(columns({{"minimum"}, {}, {}}), "stream correlation");
  EXPECT_EQ(columns({{"minimum", "bandwidth", "minimum"}, {}, {"grid", "bytes"}}),
            "stream correlation bytes memory_bw_gbps grid");
  EXPECT_EQ(columns({{"minimum"}, {"grid", "Ev Idx"}, {"x=my key:Float:1.5"}}), "grid ev_idx x");
}

TEST(Choices, WithoutAnyAreTheDefaultSet) {
  EXPECT_EQ(columns({}), columns({{"default"}, {}, {}}));
  EXPECT_EQ(choose_attributes(built_in_registry(), {}).size(), 20u);
}

TEST(Choices, OfWhatIsNotThereListWhatIs) {
  const std::string attribute = message_of([] { columns({{}, {"strem"}, {}}); });
  EXPECT_TRUE(attribute.starts_with("attributes: none is named 'strem'. There are ev_idx, "))
      << attribute;
  const std::string set = message_of([] { columns({{"most"}, {}, {}}); });
  EXPECT_TRUE(set.starts_with("attributes: no set is named 'most'. The sets are minimum, ")) << set;
}

TEST(Choices, OfTwoAttributesForOneColumnAreRefused) {
  EXPECT_THROW(columns({{"minimum"}, {}, {"stream=hsa_queue:Int"}}), Error);
}

TEST(Attributes, AreWrittenAsColumnKeyTypeAndDefault) {
  const Attribute attribute = parse_attribute("queue=hsa: queue:Int:-7");
  EXPECT_EQ(attribute.column, "queue");
  EXPECT_EQ(attribute.raw_keys, (std::vector<std::string>{"hsa: queue"}));
  EXPECT_EQ(attribute.type, AttributeType::kInt);
  EXPECT_EQ(attribute.fallback, "-7");
  EXPECT_EQ(parse_attribute("a=b:String").fallback, "");
}

TEST(Attributes, ThatMakeNoSenseAreRefused) {
  for (const char* text : {"=b:Int", "a=b", "a=b:Number", "a=:Int", "a=b:Int:x", "ts=b:Int",
                           "Rank=b:Int", "a", "a=b:Float:"})
    EXPECT_THROW(parse_attribute(text), Error) << text;
}

TEST(Registries, AreExtendedByFilesThatReplaceWhatIsThere) {
  AttributeRegistry registry = built_in_registry();
  const std::size_t before = registry.attributes.size();
  extend_registry(registry, parse_registry(R"({"version": "9", "attributes": [
      {"column": "grid", "type": "String"}, {"column": "mine", "raw_key": "My Key", "type": "Float",
       "default": 2.5}], "sets": {"mine": ["mine", "grid"]}})",
                                           "my.json"));
  EXPECT_EQ(registry.version, "9");
  EXPECT_EQ(registry.attributes.size(), before + 1);
  EXPECT_EQ(registry.find("grid")->type, AttributeType::kString);
  EXPECT_EQ(registry.find("My Key")->fallback, "2.5");
  EXPECT_EQ(choose_attributes(registry, {{"mine"}, {}, {}}).size(), 2u);
}

TEST(Registries, ThatAreBrokenAreRefusedWithTheirPlace) {
  for (const char* text : {"", "[]", "{}", R"({"attributes": [{"column": "a"}]})",
                           R"({"attributes": [{"column": "a", "type": "Number"}]})",
                           R"({"attributes": [{"column": "ts", "type": "Int"}]})",
                           R"({"attributes": [{"column": 3, "type": "Int"}]})"})
    EXPECT_TRUE(message_of([&] { parse_registry(text, "my.json"); }).starts_with("my.json"))
        << text;
}

}  // namespace
}  // namespace nadi
