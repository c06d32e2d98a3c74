// Feeds any bytes to the event table, its writers and the diff: they may refuse them, but not crash
// or hang.
#include "nadi/base/error.h"
#include "nadi/converters/diff/write_diff_json.h"
#include "nadi/converters/events/write_csv.h"
#include "nadi/converters/events/write_json_lines.h"
#include "nadi/diff/diff_report.h"
#include "tests/fuzz/mutate_events.h"
#include "tests/fuzz/pieces.h"

namespace {

void write_all(const nadi::EventTable& table) {
  const nadi::ByteSink nowhere = [](std::string_view) {};
  for (const auto& writer :
       {nadi::csv_writer(nowhere, true), nadi::json_lines_writer(nowhere, false)}) {
    writer->add(table);
    writer->finish();
  }
}

/// The trace against itself: nothing may have changed.
void compare(const std::uint8_t* data, std::size_t size, nadi::DiffBy by) {
  const nadi::DiffChoice choice{.by = by, .iterations = {}};
  nadi::Diagnostics diagnostics;
  nadi::ByteSource source = nadi::source_in_pieces(data, size);
  nadi::SideSummary side;
  nadi::add_table(nadi::read_event_table(source, nadi::table_options(choice), diagnostics), 0,
                  "fuzz", choice, side, diagnostics);
  const nadi::DiffReport report = nadi::make_report(side, side, choice);
  for (const nadi::DiffRow& row : report.rows)
    if (row.change != nadi::CountChange::kSameCount || row.diff_ns() != 0) __builtin_trap();
  nadi::write_diff_json(report, {}, [](std::string_view) {});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  nadi::Diagnostics diagnostics;
  try {
    nadi::ByteSource source = nadi::source_in_pieces(data, size);
    nadi::EventTableOptions options;
    options.all_attributes = true;
    write_all(nadi::read_event_table(source, options, diagnostics));
    for (const nadi::DiffBy by : {nadi::DiffBy::kCallPath, nadi::DiffBy::kCollective})
      compare(data, size, by);
  } catch (const nadi::Error&) {
    return 0;
  }
  return 0;
}
