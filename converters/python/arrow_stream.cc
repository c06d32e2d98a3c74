#include "nadi/converters/python/arrow_stream.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace nadi::python {

namespace py = pybind11;

namespace {

// The structures of the interface, member by member as its document has them.
extern "C" {
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};
}

struct Texts {
  std::int64_t count = 0;
  const void *ends = nullptr, *bytes = nullptr;
};

struct StreamColumn {
  std::string name, format;
  const void* values = nullptr;
  std::unique_ptr<Texts> texts;  // none: the values are numbers
};

/// Everything that Arrow's structures point to, until the last of them is released. Importers may
/// release them in any thread, and without Python's lock.
struct StreamTable {
  std::int64_t rows = 0;
  std::vector<StreamColumn> columns;
  std::vector<py::buffer_info> buffers;

  ~StreamTable() {
    const py::gil_scoped_acquire locked;
    buffers.clear();
  }
};
using SharedTable = std::shared_ptr<const StreamTable>;

/// A structure, what it points to, and its children.
template <class Structure>
struct Node {
  SharedTable table;
  std::vector<std::unique_ptr<Structure>> children;
  std::vector<Structure*> pointers;
  std::unique_ptr<Structure> dictionary;
  std::array<const void*, 3> buffers{};
};

template <class Structure>
void release_structure(Structure* structure) {
  auto* const node = static_cast<Node<Structure>*>(structure->private_data);
  for (Structure* const child : node->pointers)
    if (child->release != nullptr) child->release(child);
  if (node->dictionary && node->dictionary->release != nullptr)
    node->dictionary->release(node->dictionary.get());
  structure->release = nullptr;
  delete node;
}

/// Fills the structure but for what is of its kind alone.
template <class Structure>
Node<Structure>& begin_structure(Structure& structure, const SharedTable& table) {
  structure = {};
  auto* const node = new Node<Structure>{table, {}, {}, {}, {}};
  structure.private_data = node;
  structure.release = release_structure<Structure>;
  return *node;
}

template <class Structure>
Structure& add_child(Node<Structure>& parent) {
  parent.children.push_back(std::make_unique<Structure>());
  parent.pointers.push_back(parent.children.back().get());
  return *parent.children.back();
}

void fill_column(const StreamColumn& column, const SharedTable& table, ArrowSchema& schema) {
  Node<ArrowSchema>& node = begin_structure(schema, table);
  schema.format = column.format.c_str();
  schema.name = column.name.c_str();
  if (!column.texts) return;
  node.dictionary = std::make_unique<ArrowSchema>();
  begin_structure(*node.dictionary, table);
  node.dictionary->format = "u";
  schema.dictionary = node.dictionary.get();
}

void fill_array(std::int64_t length, std::initializer_list<const void*> buffers,
                Node<ArrowArray>& node, ArrowArray& array) {
  std::copy(buffers.begin(), buffers.end(), node.buffers.begin());
  array.length = length;
  array.n_buffers = static_cast<std::int64_t>(buffers.size());
  array.buffers = node.buffers.data();
}

void fill_column(const StreamColumn& column, const SharedTable& table, ArrowArray& array) {
  Node<ArrowArray>& node = begin_structure(array, table);
  fill_array(table->rows, {nullptr, column.values}, node, array);
  if (!column.texts) return;
  node.dictionary = std::make_unique<ArrowArray>();
  Node<ArrowArray>& texts = begin_structure(*node.dictionary, table);
  fill_array(column.texts->count, {nullptr, column.texts->ends, column.texts->bytes}, texts,
             *node.dictionary);
  array.dictionary = node.dictionary.get();
}

template <class Structure>
Node<Structure>& fill_table(const SharedTable& table, Structure& structure) {
  Node<Structure>& node = begin_structure(structure, table);
  for (const StreamColumn& column : table->columns) fill_column(column, table, add_child(node));
  structure.n_children = static_cast<std::int64_t>(node.pointers.size());
  structure.children = node.pointers.data();
  return node;
}

struct Stream {
  SharedTable table;
  bool is_read = false;
};

Stream& stream_of(ArrowArrayStream* stream) { return *static_cast<Stream*>(stream->private_data); }

int get_schema(ArrowArrayStream* stream, ArrowSchema* schema) {
  fill_table(stream_of(stream).table, *schema);
  schema->format = "+s";
  schema->name = "";
  return 0;
}

int get_next(ArrowArrayStream* stream, ArrowArray* array) {
  Stream& from = stream_of(stream);
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

void destroy_capsule(PyObject* capsule) {
  auto* const stream =
      static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule, "arrow_array_stream"));
  if (stream->release != nullptr) stream->release(stream);
  delete stream;
}

}  // namespace

py::capsule arrow_stream(std::size_t rows, const py::list& columns) {
  const auto table = std::make_shared<StreamTable>();
  table->rows = static_cast<std::int64_t>(rows);
  const auto keep = [&](const py::handle& buffer) -> const py::buffer_info& {
    table->buffers.push_back(py::cast<py::buffer>(buffer).request());
    return table->buffers.back();
  };
  for (const py::handle given : columns) {
    const auto column = py::cast<py::tuple>(given);
    StreamColumn& made = table->columns.emplace_back();
    made.name = py::cast<std::string>(column[0]);
    made.format = py::cast<std::string>(column[1]);
    made.values = keep(column[2]).ptr;
    if (column[3].is_none()) continue;
    const py::buffer_info& ends = keep(column[3]);
    made.texts = std::make_unique<Texts>();
    made.texts->count = ends.size - 1;
    made.texts->ends = ends.ptr;
    made.texts->bytes = keep(column[4]).ptr;
  }
  auto* const stream = new ArrowArrayStream{get_schema, get_next, get_last_error, release_stream,
                                            new Stream{table, false}};
  return py::reinterpret_steal<py::capsule>(
      PyCapsule_New(stream, "arrow_array_stream", destroy_capsule));
}

}  // namespace nadi::python
