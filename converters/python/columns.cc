#include "nadi/converters/python/columns.h"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "nadi/base/error.h"
#include "nadi/emit/arrow_stream.h"

namespace nadi::python {

namespace {

template <class T>
py::array array_of(std::span<const T> values, const py::capsule& owner) {
  py::array made(py::dtype::of<T>(), {static_cast<py::ssize_t>(values.size())}, {}, values.data(),
                 owner);
  made.attr("setflags")(py::arg("write") = false);
  return made;
}

py::list list_of(const std::vector<std::string_view>& texts) {
  py::list made(texts.size());
  for (std::size_t code = 0; code < texts.size(); ++code) made[code] = text_of(texts[code]);
  return made;
}

/// Keeps an object of Python's, which may be given back in any thread; after Python's end it stays.
std::shared_ptr<const void> keep(py::object object) {
  return {new py::object(std::move(object)), [](const py::object* kept) {
            if (Py_IsInitialized() == 0) return;
            const py::gil_scoped_acquire locked;
            delete kept;
          }};
}

template <class... T>
std::optional<ColumnValues> look_into(const py::array& array,
                                      const std::variant<std::span<const T>...>&) {
  std::optional<ColumnValues> found;
  const auto look = [&]<class Value>(std::type_identity<Value>) {
    if (py::isinstance<py::array_t<Value>>(array))
      found = std::span(static_cast<const Value*>(array.data()),
                        static_cast<std::size_t>(array.size()));
  };
  (look(std::type_identity<T>()), ...);
  return found;
}

/// Looks into an array, and a copy of it where its values do not lie one behind the other.
ColumnValues look_into(const std::string& name, const py::handle& given, ColumnTable& table) {
  const py::array array = py::array::ensure(given, py::array::c_style);
  const auto values = look_into(array, ColumnValues());
  if (!values)
    throw Error(ErrorCode::kUsage, name, "is of " + py::str(array.dtype()).cast<std::string>(),
                "Arrow takes whole and real numbers of this machine's byte order, flags and texts");
  table.owners.push_back(keep(array));
  return *values;
}

ColumnTexts texts_of(const py::handle& names, ColumnTable& table) {
  const py::tuple kept(py::reinterpret_borrow<py::object>(names));
  std::vector<std::string_view> texts;
  for (const py::handle text : kept) {
    Py_ssize_t size = 0;
    const char* const bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (bytes == nullptr) throw py::error_already_set();
    texts.emplace_back(bytes, static_cast<std::size_t>(size));
  }
  table.owners.push_back(keep(kept));
  return std::make_shared<const std::vector<std::string_view>>(std::move(texts));
}

void destroy_capsule(PyObject* capsule) {
  auto* const stream =
      static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule, "arrow_array_stream"));
  if (stream->release != nullptr) stream->release(stream);
  delete stream;
}

}  // namespace

py::str text_of(std::string_view text) {
  return py::reinterpret_steal<py::str>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
}

py::dict arrays_of(ColumnTable table) {
  auto* const kept = new ColumnTable(std::move(table));
  const py::capsule owner(kept, [](void* given) { delete static_cast<ColumnTable*>(given); });
  std::map<ColumnTexts, py::list> known;  // which columns share
  py::dict columns;
  for (const Column& column : kept->columns) {
    const py::array values = std::visit(
        [&](const auto& of_a_type) { return array_of(of_a_type, owner); }, column.values);
    py::object texts = py::none(), is_known = py::none();
    if (column.texts) {
      if (known.count(column.texts) == 0) known[column.texts] = list_of(*column.texts);
      texts = known[column.texts];
    }
    if (column.is_known) is_known = array_of(*column.is_known, owner);
    columns[text_of(column.name)] = py::make_tuple(values, texts, is_known);
  }
  return columns;
}

py::capsule arrow_stream_of(const py::list& columns) {
  ColumnTable table;
  std::map<const PyObject*, ColumnTexts> known;
  for (const py::handle given : columns) {
    const auto [name, values, names, is_known] =
        py::cast<std::tuple<std::string, py::object, py::object, py::object>>(given);
    Column column{name, look_into(name, values, table)};
    if (!names.is_none()) {
      if (known.count(names.ptr()) == 0) known[names.ptr()] = texts_of(names, table);
      column.texts = known[names.ptr()];
    }
    if (!is_known.is_none())
      column.is_known = std::get<std::span<const bool>>(look_into(name, is_known, table));
    table.columns.push_back(std::move(column));
  }
  auto stream = [&] {
    const py::gil_scoped_release unlocked;
    return std::make_unique<ArrowArrayStream>(nadi::arrow_stream(std::move(table)));
  }();
  py::capsule made(stream.get(), "arrow_array_stream", destroy_capsule);
  (void)stream.release();
  return made;
}

}  // namespace nadi::python
