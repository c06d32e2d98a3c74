// Tables for whatever takes Arrow's C stream interface: polars, pyarrow, DuckDB.
#pragma once

#include <cstdint>

#include "nadi/emit/column_table.h"

// The structures of the interface, member by member as its documents have them; the names of the
// guards are theirs, too.
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
extern "C" {
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};
}
#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
extern "C" {
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema*);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray*);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};
}
#endif

namespace nadi {

/// Returns a stream of one batch. Columns of texts are dictionaries with the texts that rows have;
/// these should be UTF-8. What the table looks at is kept until the importer has released the
/// stream and all that it gave, in whatever thread. Throws Error(kUsage) where columns are not of
/// one length, a code has no text, or a column's texts are longer than 2 GB.
/// https://arrow.apache.org/docs/format/CStreamInterface.html
ArrowArrayStream arrow_stream(ColumnTable table);

}  // namespace nadi
