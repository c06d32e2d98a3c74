// The events of a device trace as a table: base columns, and a typed column per chosen attribute.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "nadi/base/index.h"
#include "nadi/base/string_table.h"
#include "nadi/base/time.h"
#include "nadi/events/attribute.h"

namespace nadi {

struct EventTable;
using EventRowIndex = Index<EventTable>;

/// A column of a table that grows in pieces: no row is ever copied, and memory is what rows need.
/// Rows that are not set have the fallback.
template <class Value>
class PiecewiseColumn {
 public:
  static constexpr std::size_t kPieceRows = 4096;

  explicit PiecewiseColumn(Value fallback = Value{}) : fallback_(fallback) {}

  Value operator[](EventRowIndex row) const {
    return pieces_[row.value / kPieceRows][row.value % kPieceRows];
  }
  void set(EventRowIndex row, Value value) {
    pieces_[row.value / kPieceRows][row.value % kPieceRows] = value;
  }

  /// Makes rows up to `rows`.
  void grow_to(std::size_t rows) {
    while (pieces_.size() * kPieceRows < rows) {
      pieces_.push_back(std::make_unique_for_overwrite<Value[]>(kPieceRows));
      std::fill_n(pieces_.back().get(), kPieceRows, fallback_);
    }
  }
  /// Gives back what rows from `rows` on needed.
  void shrink_to(std::size_t rows) {
    pieces_.resize(std::min(pieces_.size(), (rows + kPieceRows - 1) / kPieceRows));
  }
  std::size_t memory_bytes() const {
    return pieces_.size() * kPieceRows * sizeof(Value) + pieces_.capacity() * sizeof(pieces_[0]);
  }

 private:
  Value fallback_;
  std::vector<std::unique_ptr<Value[]>> pieces_;
};

using IntColumn = PiecewiseColumn<std::int64_t>;
using FloatColumn = PiecewiseColumn<double>;
using TextColumn = PiecewiseColumn<StringId>;  ///< into EventTable::strings

/// Int = IntColumn, Float = FloatColumn, String and Object = TextColumn.
struct AttributeColumn {
  Attribute attribute;
  std::variant<IntColumn, FloatColumn, TextColumn> values;

  std::size_t memory_bytes() const;
};

/// What index_correlation holds in place of a partner's index, which may be 0.
inline constexpr std::int64_t kNoDeviceCall = -1, kPartnerAbsent = -2;

/// One row per event that has `dur` and `cat`, in file order. 48 bytes a row and what the
/// attributes need: Int and Float 8, String and Object 4, and each distinct text once.
struct EventTable {
  std::int64_t rank = -1;         ///< distributedInfo.rank; -1 = not recorded
  std::int64_t base_time_ns = 0;  ///< `baseTimeNanoseconds`, what ts_ns counts from; 0 = absolute
  StringTable strings;

  std::size_t rows = 0;
  PiecewiseColumn<std::uint32_t> index;             ///< position in traceEvents
  PiecewiseColumn<StringId> name, cat;              ///< text
  PiecewiseColumn<StringId> pid, tid;               ///< text as written, without quotes (K5)
  PiecewiseColumn<Ns> ts_ns, dur_ns;                ///< start and length
  PiecewiseColumn<std::int64_t> index_correlation;  ///< index of the partner (launch <-> device
                                                    ///< row); kPartnerAbsent = not in the table,
                                                    ///< kNoDeviceCall = of no device call
  PiecewiseColumn<std::int32_t> iteration;          ///< N of ProfilerStep#N; -1 = none
  std::vector<std::int32_t> iterations;             ///< all N of the trace, ascending, each once
  std::vector<AttributeColumn> attributes;          ///< in the order chosen

  Ns end_ns(EventRowIndex row) const { return ts_ns[row] + dur_ns[row]; }
  /// Returns the column of that name; nullptr = there is none.
  const AttributeColumn* find(std::string_view column) const;

  /// Adds an attribute; rows that are there have its fallback. Gives its place in `attributes`.
  std::size_t add_attribute(const Attribute& attribute);
  /// Adds a row of fallbacks.
  EventRowIndex add_row();
  /// Keeps the rows for which `keep` returns true.
  template <class Keep>
  void keep_rows(const Keep& keep);

  /// Bytes of the base columns; of the attributes' columns; of all with the texts.
  std::size_t base_bytes() const;
  std::size_t attribute_bytes() const;
  std::size_t memory_bytes() const;

 private:
  void move_row(EventRowIndex from, EventRowIndex to);
  void shrink_to(std::size_t new_rows);
};

/// All rows of a table, as many as there are now.
inline RowRange<EventTable> rows_of(const EventTable& table) {
  return {EventRowIndex(0), EventRowIndex(table.rows)};
}

/// The text of an attribute in a row, numbers as digits.
std::string attribute_text(const EventTable& table, const AttributeColumn& column,
                           EventRowIndex row);

/// index_correlation as HTA's tables have it: 0 where the partner is not in the table, too.
std::int64_t hta_index_correlation(const EventTable& table, EventRowIndex row);

/// Rounds stamps that are no whole microseconds as HTA does: starts up, ends down to the next.
/// Events inside one microsecond get a length of -1 us, as there.
void round_to_micros(EventTable& table);

template <class Keep>
void EventTable::keep_rows(const Keep& keep) {
  EventRowIndex kept(0);
  for (const EventRowIndex row : rows_of(*this)) {
    if (!keep(row)) continue;
    move_row(row, kept);
    ++kept;
  }
  shrink_to(kept.value);
}

}  // namespace nadi
