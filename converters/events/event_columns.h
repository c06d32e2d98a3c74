// Event tables as columns in memory, which are those of the CSV file.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/base/string_table.h"
#include "nadi/converters/events/write_events.h"
#include "nadi/emit/column_table.h"
#include "nadi/events/event_table_reader.h"
#include "nadi/read/progress.h"

namespace nadi {

/// Keeps the tables of ranks below each other. Times are µs, whole ones where they were rounded;
/// else the double that is next to what the CSV file has.
class EventColumns : public EventWriter {
 public:
  EventColumns(bool with_rank, bool are_rounded)
      : with_rank_(with_rank), are_rounded_(are_rounded) {}

  void add(const EventTable& table) override;
  void finish() override {}

  /// Moves the columns out.
  ColumnTable take();

 private:
  struct Growing {
    std::string name;
    std::variant<std::vector<std::int64_t>, std::vector<double>, std::vector<StringId>> values;
  };

  /// Adds value(row) of every row of the table to its next column.
  template <class Value, class ValueOf>
  void add_column(const EventTable& table, const std::string& name, const ValueOf& value);
  template <class NsOf>
  void add_time(const EventTable& table, const char* name, const NsOf& ns);
  void add_texts(const EventTable& table, const std::string& name,
                 const PiecewiseColumn<StringId>& texts);

  const bool with_rank_, are_rounded_;
  StringTable strings_;
  std::vector<Growing> columns_;
  std::size_t next_ = 0;        // column of the table that is added
  std::vector<StringId> ours_;  // by the table's id: that in strings_; kEmpty = not asked for yet
};

/// Reads the tables of the traces below each other. What is found is added to `found`. Throws what
/// find_event_traces, choose_ranks and write_event_tables throw.
ColumnTable read_event_columns(const std::vector<std::string>& paths, std::string_view ranks,
                               const EventTableOptions& options, const Progress& progress,
                               Diagnostics& found);

}  // namespace nadi
