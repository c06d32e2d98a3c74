#include "nadi/emit/arrow_stream.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "nadi/base/error.h"

namespace nadi {
namespace {

/// Takes the only batch of a stream.
struct Imported {
  ArrowArrayStream stream;
  ArrowSchema schema{};
  ArrowArray array{};

  explicit Imported(ColumnTable table) : stream(arrow_stream(std::move(table))) {
    EXPECT_EQ(stream.get_schema(&stream, &schema), 0);
    EXPECT_EQ(stream.get_next(&stream, &array), 0);
  }
  ~Imported() {
    schema.release(&schema);
    array.release(&array);
    if (stream.release != nullptr) stream.release(&stream);
  }
  template <class T>
  std::vector<T> values(std::size_t column) const {
    const auto* const first = static_cast<const T*>(array.children[column]->buffers[1]);
    return {first, first + array.length};
  }
};

std::string text_of(const ArrowArray& texts, std::int32_t code) {
  const auto* const ends = static_cast<const std::int32_t*>(texts.buffers[1]);
  const auto* const bytes = static_cast<const char*>(texts.buffers[2]);
  return {bytes + ends[code], bytes + ends[code + 1]};
}

TEST(ArrowStream, ABatchHasTheColumnsOfTheTableUntilItIsReleased) {
  ColumnTable table;
  table.take("n", std::vector<std::int64_t>{1, 2, 3});
  table.take("real", std::vector<double>{0.5, 1, 2});
  table.take("is", std::vector<bool>{true, false, true});
  Imported imported(std::move(table));
  EXPECT_STREQ(imported.schema.format, "+s");
  EXPECT_STREQ(imported.schema.children[0]->format, "l");
  EXPECT_STREQ(imported.schema.children[1]->name, "real");
  EXPECT_STREQ(imported.schema.children[2]->format, "b");
  ArrowArray after{};
  EXPECT_EQ(imported.stream.get_next(&imported.stream, &after), 0);
  EXPECT_EQ(after.release, nullptr);  // the end
  imported.stream.release(&imported.stream);
  EXPECT_EQ(imported.values<std::int64_t>(0), (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(imported.values<double>(1), (std::vector<double>{0.5, 1, 2}));
  EXPECT_EQ(*static_cast<const std::uint8_t*>(imported.array.children[2]->buffers[1]), 0b101);
}

TEST(ArrowStream, TextsAreThoseThatRowsHave) {
  StringTable strings;
  (void)strings.intern("unused");
  const std::vector<StringId> ids = {strings.intern("b"), strings.intern("a"), strings.intern("b")};
  ColumnTable table;
  table.look_at_codes("text", ids, texts_of(strings));
  const Imported imported(std::move(table));
  const ArrowArray& texts = *imported.array.children[0]->dictionary;
  EXPECT_EQ(texts.length, 2);
  std::string told;
  for (const std::int32_t code : imported.values<std::int32_t>(0)) told += text_of(texts, code);
  EXPECT_EQ(told, "bab");
}

TEST(ArrowStream, RowsWithoutAValueAreNull) {
  ColumnTable table;
  table.take("last", std::vector<std::optional<std::int64_t>>{7, std::nullopt, 9});
  const Imported imported(std::move(table));
  EXPECT_EQ(imported.array.children[0]->null_count, 1);
  EXPECT_EQ(*static_cast<const std::uint8_t*>(imported.array.children[0]->buffers[0]), 0b101);
  EXPECT_NE(imported.schema.children[0]->flags & 2, 0);  // nullable
}

TEST(ArrowStream, ColumnsOfUnequalLengthAreRefused) {
  ColumnTable table;
  table.take("a", std::vector<double>(5));
  table.take("b", std::vector<double>(1));
  EXPECT_THROW(arrow_stream(std::move(table)), Error);
}

TEST(ArrowStream, ACodeWithoutATextIsRefused) {
  const std::vector<std::string_view> texts = {"a"};
  ColumnTable table;
  table.take_codes("text", std::vector<std::uint8_t>{0, 1},
                   std::make_shared<const std::vector<std::string_view>>(texts));
  EXPECT_THROW(arrow_stream(std::move(table)), Error);
}

}  // namespace
}  // namespace nadi
