#include "nadi/emit/arrow_stream.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <utility>

#include "nadi/base/error.h"

namespace nadi {

namespace {

constexpr std::int64_t kNullable = 2;  // ARROW_FLAG_NULLABLE

/// The texts of a column that rows have, one behind the other.
struct StreamTexts {
  std::vector<std::int32_t> codes, ends{0};
  std::string bytes;

  std::int64_t count() const { return static_cast<std::int64_t>(ends.size()) - 1; }
};

struct StreamColumn {
  std::string name;
  const char* format = nullptr;
  const void* values = nullptr;
  bool is_nullable = false;
  std::vector<std::uint8_t> bits, known_bits;  // of flags; of is_known
  std::int64_t unknown = 0;                    // rows
  std::unique_ptr<StreamTexts> texts;          // none: the values are numbers
};

/// Everything that Arrow's structures point to, until the last of them is released.
struct StreamTable {
  ColumnTable given;
  std::int64_t rows = 0;
  std::vector<StreamColumn> columns;
};
using SharedTable = std::shared_ptr<const StreamTable>;

const char* arrow_format(const ColumnValues& values) {
  // In the order of ColumnValues.
  static constexpr const char* kFormats[] = {"b", "c", "C", "s", "S", "i", "I", "l", "L", "f", "g"};
  static_assert(std::size(kFormats) == std::variant_size_v<ColumnValues>);
  return kFormats[values.index()];
}

std::vector<std::uint8_t> packed_bits(std::span<const bool> flags) {
  std::vector<std::uint8_t> bits((flags.size() + 7) / 8);
  for (std::size_t row = 0; row < flags.size(); ++row)
    if (flags[row]) bits[row / 8] = static_cast<std::uint8_t>(bits[row / 8] | 1U << row % 8);
  return bits;
}

/// Appends a text and returns its new code.
std::int32_t add_text(const std::string& column, std::string_view text, StreamTexts& texts) {
  constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();
  if (text.size() > kMost - texts.bytes.size())
    throw Error(ErrorCode::kUsage, column, "has more than 2 GB of texts", "Take fewer rows");
  texts.bytes += text;
  texts.ends.push_back(static_cast<std::int32_t>(texts.bytes.size()));
  return static_cast<std::int32_t>(texts.count()) - 1;
}

StreamTexts used_texts(const Column& column) {
  constexpr std::int32_t kUnused = -1;
  std::vector<std::int32_t> new_codes(column.texts->size(), kUnused);
  StreamTexts texts;
  texts.codes.reserve(column.rows());
  const auto add = [&](std::size_t code) {
    if (code >= new_codes.size())
      throw Error(ErrorCode::kUsage, column.name, "has a code without a text",
                  "Codes are the places of texts, from 0 on");
    if (new_codes[code] == kUnused)
      new_codes[code] = add_text(column.name, (*column.texts)[code], texts);
    texts.codes.push_back(new_codes[code]);
  };
  std::visit(
      [&](const auto& codes) {
        for (const auto code : codes) add(static_cast<std::size_t>(code));
      },
      column.values);
  return texts;
}

void require_rows(const std::string& column, std::size_t rows, std::size_t wanted) {
  if (rows == wanted) return;
  throw Error(ErrorCode::kUsage, column,
              "has " + std::to_string(rows) + " rows, and the table " + std::to_string(wanted),
              "Columns of a table have one length");
}

StreamColumn stream_column(const Column& column, std::size_t rows) {
  require_rows(column.name, column.rows(), rows);
  StreamColumn made;
  made.name = column.name;
  made.format = arrow_format(column.values);
  std::visit([&](const auto& values) { made.values = values.data(); }, column.values);
  if (column.is_known) {
    require_rows(column.name, column.is_known->size(), rows);
    made.is_nullable = true;
    made.known_bits = packed_bits(*column.is_known);
    made.unknown = std::count(column.is_known->begin(), column.is_known->end(), false);
  }
  if (column.texts) {
    made.texts = std::make_unique<StreamTexts>(used_texts(column));
    made.format = "i";
    made.values = made.texts->codes.data();
  } else if (const auto* flags = std::get_if<std::span<const bool>>(&column.values)) {
    made.bits = packed_bits(*flags);
    made.values = made.bits.data();
  }
  return made;
}

/// A structure, what it points to, and its children.
template <class Structure>
struct Filled {
  SharedTable table;
  std::vector<std::unique_ptr<Structure>> children;
  std::vector<Structure*> pointers;
  std::unique_ptr<Structure> dictionary;
  std::array<const void*, 3> buffers{};
};

template <class Structure>
void release_structure(Structure* structure) {
  auto* const node = static_cast<Filled<Structure>*>(structure->private_data);
  for (Structure* const child : node->pointers)
    if (child->release != nullptr) child->release(child);
  if (node->dictionary && node->dictionary->release != nullptr)
    node->dictionary->release(node->dictionary.get());
  structure->release = nullptr;
  delete node;
}

/// Fills the structure but for what is of its kind alone.
template <class Structure>
Filled<Structure>& begin_structure(Structure& structure, const SharedTable& table) {
  structure = {};
  auto* const node = new Filled<Structure>{table, {}, {}, {}, {}};
  structure.private_data = node;
  structure.release = release_structure<Structure>;
  return *node;
}

template <class Structure>
Structure& add_child(Filled<Structure>& parent) {
  parent.children.push_back(std::make_unique<Structure>());
  parent.pointers.push_back(parent.children.back().get());
  return *parent.children.back();
}

void fill_column(const StreamColumn& column, const SharedTable& table, ArrowSchema& schema) {
  Filled<ArrowSchema>& node = begin_structure(schema, table);
  schema.format = column.format;
  schema.name = column.name.c_str();
  if (column.is_nullable) schema.flags = kNullable;
  if (!column.texts) return;
  node.dictionary = std::make_unique<ArrowSchema>();
  begin_structure(*node.dictionary, table);
  node.dictionary->format = "u";
  schema.dictionary = node.dictionary.get();
}

void fill_array(std::int64_t length, std::initializer_list<const void*> buffers,
                Filled<ArrowArray>& node, ArrowArray& array) {
  std::copy(buffers.begin(), buffers.end(), node.buffers.begin());
  array.length = length;
  array.n_buffers = static_cast<std::int64_t>(buffers.size());
  array.buffers = node.buffers.data();
}

void fill_column(const StreamColumn& column, const SharedTable& table, ArrowArray& array) {
  Filled<ArrowArray>& node = begin_structure(array, table);
  const void* known = column.known_bits.empty() ? nullptr : column.known_bits.data();
  fill_array(table->rows, {known, column.values}, node, array);
  array.null_count = column.unknown;
  if (!column.texts) return;
  node.dictionary = std::make_unique<ArrowArray>();
  Filled<ArrowArray>& texts = begin_structure(*node.dictionary, table);
  fill_array(column.texts->count(),
             {nullptr, column.texts->ends.data(), column.texts->bytes.data()}, texts,
             *node.dictionary);
  array.dictionary = node.dictionary.get();
}

template <class Structure>
Filled<Structure>& fill_table(const SharedTable& table, Structure& structure) {
  Filled<Structure>& node = begin_structure(structure, table);
  for (const StreamColumn& column : table->columns) fill_column(column, table, add_child(node));
  structure.n_children = static_cast<std::int64_t>(node.pointers.size());
  structure.children = node.pointers.data();
  return node;
}

struct OpenStream {
  SharedTable table;
  bool is_read = false;
};

OpenStream& stream_of(ArrowArrayStream* stream) {
  return *static_cast<OpenStream*>(stream->private_data);
}

int get_schema(ArrowArrayStream* stream, ArrowSchema* schema) {
  fill_table(stream_of(stream).table, *schema);
  schema->format = "+s";
  schema->name = "";
  return 0;
}

int get_next(ArrowArrayStream* stream, ArrowArray* array) {
  OpenStream& from = stream_of(stream);
  *array = {};  // released: the end
  if (std::exchange(from.is_read, true)) return 0;
  fill_array(from.table->rows, {nullptr}, fill_table(from.table, *array), *array);
  return 0;
}

const char* get_last_error(ArrowArrayStream*) { return nullptr; }

void release_stream(ArrowArrayStream* stream) {
  delete &stream_of(stream);
  stream->release = nullptr;
}

}  // namespace

ArrowArrayStream arrow_stream(ColumnTable table) {
  const auto made = std::make_shared<StreamTable>();
  made->rows = static_cast<std::int64_t>(table.rows());
  for (const Column& column : table.columns)
    made->columns.push_back(stream_column(column, table.rows()));
  made->given = std::move(table);
  return {get_schema, get_next, get_last_error, release_stream, new OpenStream{made, false}};
}

}  // namespace nadi
