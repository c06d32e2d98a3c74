// Reads event tables from text in tests, as if it were a file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nadi/events/attribute_choice.h"
#include "nadi/events/event_table_reader.h"
#include "tests/error_of.h"

namespace nadi::test {

inline EventTable read_table(std::string_view text, const EventTableOptions& options,
                             Diagnostics& diagnostics) {
  ByteSource source = source_of_bytes(text, "trace.json");
  return read_event_table(source, options, diagnostics);
}

/// A table of these events, separated by the caller.
inline EventTable read_events(const std::string& events, const EventTableOptions& options,
                              Diagnostics& diagnostics) {
  return read_table(R"({"traceEvents": [)" + events + "]}", options, diagnostics);
}
inline EventTable read_events(const std::string& events, const EventTableOptions& options = {}) {
  Diagnostics diagnostics;
  return read_events(events, options, diagnostics);
}

/// Options with these attributes of the registry, or in parse_attribute()'s form.
inline EventTableOptions with_attributes(const std::vector<std::string>& names) {
  EventTableOptions options;
  AttributeChoice choice;
  choice.only = {"stream"};
  choice.add = names;
  options.attributes = choose_attributes(built_in_registry(), choice);
  return options;
}

/// A complete event; args without braces.
inline std::string event(const std::string& category, const std::string& name, int start,
                         int duration, const std::string& args = "") {
  return R"({"ph": "X", "cat": ")" + category + R"(", "name": ")" + name +
         R"(", "pid": 1, "tid": 2, "ts": )" + std::to_string(start) + R"(, "dur": )" +
         std::to_string(duration) + R"(, "args": {)" + args + "}}";
}

/// The attribute's text in a row; "no such column" where there is none.
inline std::string value(const EventTable& table, const std::string& column, std::size_t row) {
  const AttributeColumn* found = table.find(column);
  return found == nullptr ? "no such column" : attribute_text(table, *found, EventRowIndex(row));
}

inline std::vector<std::int64_t> partners(const EventTable& table) {
  std::vector<std::int64_t> all;
  for (const EventRowIndex row : rows_of(table)) all.push_back(hta_index_correlation(table, row));
  return all;
}

inline std::vector<int> iterations(const EventTable& table) {
  std::vector<int> all;
  for (const EventRowIndex row : rows_of(table)) all.push_back(table.iteration[row]);
  return all;
}

}  // namespace nadi::test
