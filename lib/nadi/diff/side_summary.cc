#include "nadi/diff/side_summary.h"

#include <optional>

#include "nadi/diff/changed_inputs.h"
#include "nadi/diff/row_keys.h"
#include "nadi/diff/table_rows.h"
#include "nadi/events/attribute_choice.h"

namespace nadi {
namespace {

/// A trace without steps is one iteration, whatever is chosen by place.
void choose_iterations(EventTable& table, const std::string& where, const IterationChoice& choice,
                       Diagnostics& diagnostics) {
  if (table.iterations.empty() && choice.kind != IterationChoice::Kind::kListed) {
    diagnostics.report(Finding::kNoIterations,
                       where + ": no ProfilerStep#N; compared as one iteration");
    return;
  }
  keep_iterations(table, choice, where);
}

bool is_chosen(bool has_stream, const DiffChoice& choice) {
  // Host and device rows of one collective would count its time twice.
  const bool is_any = choice.device == DiffDevice::kAll && choice.by != DiffBy::kCollective;
  return is_any || has_stream == (choice.device != DiffDevice::kHost);
}

/// Adds the rows chosen to a side; not for diffs by call path, whose rows are the tree's nodes.
class ChosenRows {
 public:
  ChosenRows(const TableRows& rows, const OwnTimes& own, const DiffChoice& choice,
             SideSummary& side)
      : rows_(rows),
        own_times_(own),
        choice_(choice),
        side_(side),
        keys_(rows, choice.by, side.rows.keys),
        filter_(choice, side.rows.keys) {}

  void add(const IterationRows& iteration) {
    for (const EventRowIndex row : iteration.rows) {
      StringId key;
      if (!is_chosen(rows_.has_stream(row), choice_) || !keys_.find(row, key) ||
          !filter_.keeps(key))
        continue;
      sums_.add(key, rows_.table().dur_ns[row]);
      own_.add(key, own_times_.own_ns(row));
      all_.add(own_times_.work_ns(row), rows_.table().dur_ns[row]);
    }
    sums_.fold_into(side_.rows);
    own_.fold_into(side_.rows.own, side_.rows.keys.size());
    all_.fold_into(side_.all);
  }

 private:
  const TableRows& rows_;
  const OwnTimes& own_times_;
  const DiffChoice& choice_;
  SideSummary& side_;
  RowKeys keys_;
  KeyFilter filter_;
  SampleSums sums_, own_;
  AllRowsSums all_;
};

void add_streams(const TableRows& rows, const IterationRows& iteration, StreamRows& streams) {
  const EventTable& table = rows.table();
  for (const EventRowIndex row : iteration.rows)
    if (rows.is_work(row) && rows.has_stream(row))
      streams.add(rows.stream_name(row), table.strings[table.name[row]]);
}

}  // namespace

bool has_calls(const DiffChoice& choice) {
  return choice.by == DiffBy::kCallPath || choice.grow_calls;
}

EventTableOptions table_options(const DiffChoice& choice) {
  AttributeChoice attributes;
  attributes.only = {"stream", "device"};
  if (choice.compare_inputs) attributes.add = {"input_dims", "input_type"};
  if (choice.by == DiffBy::kCollective)
    for (const char* column : {"collective_name", "msg_dtype", "in_msg_nelems", "out_msg_nelems",
                               "group_size", "process_group_desc"})
      attributes.add.emplace_back(column);
  EventTableOptions options;
  options.attributes = choose_attributes(built_in_registry(), attributes);
  options.round_to_micros = choice.round_to_micros;
  return options;
}

void add_table(EventTable table, std::int64_t rank, const std::string& where,
               const DiffChoice& choice, SideSummary& side, Diagnostics& diagnostics) {
  if (table.rows == 0) diagnostics.report(Finding::kNoEvents, where);
  const DeviceTimes devices{TableRows(table)};
  choose_iterations(table, where, choice.iterations, diagnostics);
  const TableRows rows(table);
  const ThreadNames threads(rows);
  const bool is_by_path = choice.by == DiffBy::kCallPath;
  OwnTimes own(rows);
  std::optional<ChosenRows> chosen;
  if (!is_by_path) chosen.emplace(rows, own, choice, side);
  std::optional<CallTreeGrower> calls;
  AllRows not_asked_for;
  if (has_calls(choice))
    calls.emplace(rows, own, choice, side.calls, is_by_path ? side.all : not_asked_for);
  LaneTimes lanes(rows, threads, devices, side.lanes);
  std::optional<InputForms> inputs;
  if (choice.compare_inputs) inputs.emplace(rows, side.inputs);
  std::uint64_t outside = table.rows;
  for (const IterationRows& iteration : rows_by_iteration(table)) {
    outside -= iteration.rows.size();
    const std::vector<HostRow> host = host_rows_in_order(rows, threads, iteration);
    own.measure(host);
    if (chosen) chosen->add(iteration);
    lanes.add(iteration);
    add_streams(rows, iteration, side.streams);
    if (inputs) inputs->add(iteration);
    if (calls) calls->add(iteration, host, diagnostics);
    side.samples.push_back({rank, iteration.iteration});
  }
  diagnostics.report(Finding::kRowsOutsideIterations, where, outside);
}

}  // namespace nadi
