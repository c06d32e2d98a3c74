// Tables for whatever takes Arrow's C stream interface: polars, pyarrow, DuckDB.
#pragma once

#include <pybind11/pybind11.h>

namespace nadi::python {

/// Returns a capsule "arrow_array_stream" of one batch. columns: of each (name, Arrow's format,
/// buffer of values, texts' ends or None, texts' bytes or None); of a column of texts the values
/// are codes. Buffers are contiguous, and are kept until the importer releases them.
/// https://arrow.apache.org/docs/format/CStreamInterface.html
pybind11::capsule arrow_stream(std::size_t rows, const pybind11::list& columns);

}  // namespace nadi::python
