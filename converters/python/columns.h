// Tables as Python takes them: NumPy arrays that look into nadi's memory, texts as codes.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <string_view>

#include "nadi/emit/column_table.h"

namespace nadi::python {

namespace py = pybind11;

/// Text from a trace, or the name of a file. What is no UTF-8 stands as \xff, so that different
/// texts stay different.
py::str text_of(std::string_view text);

/// Returns of each column its name with (values, texts by code or None, flags of the rows that have
/// a value or None). Arrays keep the table, and cannot be written to.
py::dict arrays_of(ColumnTable table);

/// Returns a capsule "arrow_array_stream" of a list of such columns with their names in front; it
/// keeps the arrays. Throws what nadi::arrow_stream throws, and Error(kUsage) of types it has not.
py::capsule arrow_stream_of(const py::list& columns);

}  // namespace nadi::python
