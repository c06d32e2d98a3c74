// Columns of tables as Python takes them: NumPy arrays that look into nadi's memory, texts as
// codes.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nadi/base/string_table.h"

namespace nadi::python {

namespace py = pybind11;

/// Text from a trace. What is no UTF-8 stands as \xff, so that different texts stay different.
inline py::str text_of(std::string_view text) {
  return py::reinterpret_steal<py::str>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
}

/// All texts of a table of strings, by id.
inline py::list texts_of(const StringTable& strings) {
  py::list texts(strings.size());
  for (std::size_t id = 0; id < strings.size(); ++id)
    texts[id] = text_of(strings[static_cast<StringId>(id)]);
  return texts;
}

/// The names of an enumeration's values 0 to `count` - 1.
template <class Enumeration>
py::list names_of(std::size_t count) {
  py::list names;
  for (std::size_t value = 0; value < count; ++value)
    names.append(text_of(to_string(static_cast<Enumeration>(value))));
  return names;
}

/// A table as a dict: of each name an array, or a pair (codes, texts by code). Arrays cannot be
/// written to.
class Columns {
 public:
  /// What looks into memory keeps `owner` alive.
  explicit Columns(py::object owner = py::none()) : owner_(std::move(owner)) {}

  /// A look at values `stride` bytes apart.
  template <class T>
  void look(const char* name, const T* values, std::size_t count, std::size_t stride = sizeof(T)) {
    columns_[name] = array(py::dtype::of<T>(), values, count, stride, owner_);
  }
  template <class T>
  void look(const char* name, const std::vector<T>& values) {
    look(name, values.data(), values.size());
  }
  /// Values that begin as unsigned integers do: enumerations, ids of texts.
  template <class T>
  void look_at_codes(const char* name, const T* values, std::size_t count, const py::list& texts,
                     std::size_t stride = sizeof(T)) {
    const py::dtype codes(sizeof(T) == 1 ? "u1" : "u4");
    columns_[name] = py::make_tuple(array(codes, values, count, stride, owner_), texts);
  }
  template <class T>
  void take(const char* name, std::vector<T> values) {
    columns_[name] = owned(std::move(values));
  }
  template <class T>
  void take_codes(const char* name, std::vector<T> codes, const py::list& texts) {
    columns_[name] = py::make_tuple(owned(std::move(codes)), texts);
  }
  py::dict dict() const { return columns_; }

 private:
  static py::array array(const py::dtype& type, const void* values, std::size_t count,
                         std::size_t stride, const py::object& owner) {
    py::array made(type, {static_cast<py::ssize_t>(count)}, {static_cast<py::ssize_t>(stride)},
                   values, owner);
    made.attr("setflags")(py::arg("write") = false);
    return made;
  }
  template <class T>
  static py::array owned(std::vector<T> values) {
    auto* const kept = new std::vector<T>(std::move(values));
    const py::capsule owner(kept, [](void* given) { delete static_cast<std::vector<T>*>(given); });
    return array(py::dtype::of<T>(), kept->data(), kept->size(), sizeof(T), owner);
  }

  py::object owner_;
  py::dict columns_;
};

}  // namespace nadi::python
