// Event tables of real traces equal HTA's (facebookresearch/HolisticTraceAnalysis).
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "nadi/events/attribute_choice.h"
#include "nadi/events/attribute_value.h"
#include "nadi/events/event_table_reader.h"
#include "tests/file_bytes.h"

namespace nadi {
namespace {

std::string events_file(const std::string& name) {
  return std::string(NADI_SHARED_TRACES) + "/events/" + name;
}

/// Rows of cells of a CSV text.
std::vector<std::vector<std::string>> cells_of(const std::string& csv) {
  std::vector<std::vector<std::string>> rows(1, {""});
  bool in_quotes = false;
  for (std::size_t at = 0; at < csv.size(); ++at) {
    const char c = csv[at];
    if (in_quotes && c == '"' && csv[at + 1] == '"') {
      rows.back().back() += csv[++at];
    } else if (c == '"') {
      in_quotes = !in_quotes;
    } else if (!in_quotes && c == ',') {
      rows.back().emplace_back();
    } else if (!in_quotes && c == '\n') {
      rows.push_back({""});
    } else if (c != '\r' || in_quotes) {
      rows.back().back() += c;
    }
  }
  if (rows.back().size() == 1) rows.pop_back();
  return rows;
}

/// Python writes lists of texts with single quotes.
std::string as_json(std::string python) {
  if (python.starts_with('['))
    for (char& c : python)
      if (c == '\'') c = '"';
  return python;
}

bool same(const std::string& ours, const std::string& theirs) {
  if (ours == theirs) return true;
  const auto a = float_value(EventValue::of_json(ours)),
             b = float_value(EventValue::of_json(theirs));
  return a && b && *a == *b;
}

/// The value of the column as HTA's tables write it, cat and name by the symbol list.
std::string cell(const EventTable& table, const std::string& column, EventRowIndex row) {
  if (column.empty()) return std::to_string(row.value);
  if (column == "index") return std::to_string(table.index[row]);
  if (column == "pid") return std::string(table.strings[table.pid[row]]);
  if (column == "tid") return std::string(table.strings[table.tid[row]]);
  if (column == "ts") return std::to_string(table.ts_ns[row] / 1000);
  if (column == "dur") return std::to_string(table.dur_ns[row] / 1000);
  const AttributeColumn* found = table.find(column);
  return found == nullptr ? "no such column" : attribute_text(table, *found, row);
}

class EventTablesOfHta : public testing::TestWithParam<std::string> {};

TEST_P(EventTablesOfHta, AreEqual) {
  if (!std::filesystem::exists(events_file("device.json.gz")))
    GTEST_SKIP() << "no real traces beside this repository";
  EventTableOptions options;
  options.attributes = choose_attributes(built_in_registry(), {{GetParam()}, {}, {}});
  options.round_to_micros = true;
  Diagnostics diagnostics;
  ByteSource source = ByteSource::open(events_file("device.json.gz"));
  const EventTable table = read_event_table(source, options, diagnostics);
  EXPECT_TRUE(diagnostics.table().empty());

  const auto symbols = nlohmann::json::parse(read_unpacked(events_file("expected.symbols.json")))
                           .get<std::vector<std::string>>();
  const auto rows = cells_of(read_unpacked(events_file("expected." + GetParam() + ".csv.gz")));
  ASSERT_EQ(rows.size(), 4811u);
  ASSERT_EQ(table.rows, 4810u);
  EXPECT_EQ(rows[0].size(), 8 + table.attributes.size());
  // The list numbers the names of the default table; the complete one has a numbering of its own.
  std::map<std::string, std::string> number_of;
  for (const EventRowIndex row : rows_of(table)) {
    for (std::size_t i = 0; i < rows[0].size(); ++i) {
      const std::string &column = rows[0][i], &expected = rows[row.value + 1][i];
      if (column == "name" || column == "cat") {
        const auto id = column == "name" ? table.name[row] : table.cat[row];
        const auto [known, is_new] =
            number_of.try_emplace(std::string(table.strings[id]), expected);
        ASSERT_EQ(known->second, expected) << column << " of row " << row.value;
        if (is_new && GetParam() == "default") {
          ASSERT_LT(std::stoul(expected), symbols.size());
          ASSERT_EQ(symbols[std::stoul(expected)], known->first);
        }
      } else {
        ASSERT_TRUE(same(cell(table, column, row), as_json(expected)))
            << column << " of row " << row.value << ": " << cell(table, column, row) << ", not "
            << expected;
      }
    }
  }
  std::set<std::string> numbers;
  for (const auto& [name, number] : number_of) EXPECT_TRUE(numbers.insert(number).second) << name;
}

INSTANTIATE_TEST_SUITE_P(Sets, EventTablesOfHta, testing::Values("default", "complete"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace nadi
