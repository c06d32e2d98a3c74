// Finds what a diff needs to know of the rows of an event table: side, category, iteration.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nadi/events/event_table.h"
#include "nadi/read/category_table.h"

namespace nadi {

/// A table with quick answers about its rows; the table must outlive it, and have the Int
/// attributes stream and device.
class TableRows {
 public:
  explicit TableRows(const EventTable& table);

  const EventTable& table() const { return table_; }
  std::int64_t stream(EventRowIndex row) const { return (*stream_)[row]; }
  std::int64_t device(EventRowIndex row) const { return (*device_)[row]; }
  /// True where the row has a stream, which makes it a device row, as in HTA.
  bool has_stream(EventRowIndex row) const { return stream(row) != -1; }
  EventCategory kind(EventRowIndex row) const {
    return kinds_[static_cast<std::size_t>(table_.cat[row])];
  }
  /// True for kernels, copies, sets, and other work of a device.
  bool is_work(EventRowIndex row) const;
  /// The partner's row (launch <-> device row); none where it is not in the table.
  EventRowIndex partner(EventRowIndex row) const;
  /// True for ProfilerStep#N of a host thread.
  bool is_step(EventRowIndex row) const {
    return is_step_name_[static_cast<std::size_t>(table_.name[row])] &&
           (kind(row) == EventCategory::kAnnotation || kind(row) == EventCategory::kOp);
  }
  /// True for steps, whatever their category, and for other annotations of a host thread.
  bool is_annotation(EventRowIndex row) const {
    return kind(row) == EventCategory::kAnnotation || is_step(row);
  }
  /// "device"; "device 3" where work runs on several.
  std::string device_name(EventRowIndex row) const;
  /// "stream 7"; with the device where work runs on several.
  std::string stream_name(EventRowIndex row) const;
  /// The text of an attribute; empty = there is no such column.
  std::string text(const AttributeColumn* column, EventRowIndex row) const;

 private:
  void look_at_texts();

  const EventTable& table_;
  const IntColumn *stream_, *device_;
  std::vector<EventCategory> kinds_;  // by id of the category's text
  std::vector<bool> is_step_name_;    // by id of the name
  bool has_many_devices_ = false;
};

/// Rows of one iteration, in file order.
struct IterationRows {
  std::int32_t iteration = -1;  ///< -1 = the trace has none: all rows
  std::vector<EventRowIndex> rows;
};

/// The rows of each iteration of the table that has rows, ascending; rows outside of all of them
/// are left out. A table without iterations is one.
std::vector<IterationRows> rows_by_iteration(const EventTable& table);

}  // namespace nadi
