#include "nadi/diff/diff_report.h"

#include <fmt/format.h>

#include "nadi/diff/row_keys.h"

namespace nadi {
namespace {

DiffRow total_of(const SideSummary& control, const SideSummary& test, KeyTotals AllRows::*times) {
  DiffRow total;
  total.control = side_of(control.all.*times, control.samples.size());
  total.test = side_of(test.all.*times, test.samples.size());
  judge(total, control.samples.size(), test.samples.size());
  return total;
}

bool is_chosen(const CallDiff& call, DiffDevice device) {
  return device == DiffDevice::kAll || call.is_device == (device == DiffDevice::kDevice);
}

/// Whether a name on the path from the root holds one of the texts, for each node.
std::vector<bool> paths_that_hold(const std::vector<CallDiff>& calls,
                                  const std::vector<std::string>& texts) {
  std::vector<bool> holds(calls.size());
  for (std::size_t place = 1; place < calls.size(); ++place)
    holds[place] = holds[calls[place].parent] || holds_any(calls[place].row.key, texts);
  return holds;
}

/// The nodes of the tree as rows.
void add_call_rows(const DiffChoice& choice, DiffReport& report) {
  const auto is_only = paths_that_hold(report.calls, choice.only);
  const auto is_excluded = paths_that_hold(report.calls, choice.exclude);
  for (std::size_t place = 1; place < report.calls.size(); ++place) {
    const bool is_kept = (choice.only.empty() || is_only[place]) && !is_excluded[place];
    if (!is_kept || !is_chosen(report.calls[place], choice.device)) continue;
    report.rows.push_back(report.calls[place].row);
    report.own.push_back(report.calls[place].own);
    report.call_of_row.push_back(static_cast<std::uint32_t>(place));
  }
}

void subtract_rows(const SideSummary& control, const SideSummary& test, DiffReport& report) {
  const std::size_t control_samples = control.samples.size(), test_samples = test.samples.size();
  report.rows = subtract(control.rows, control_samples, test.rows, test_samples);
  report.own = subtract(control.rows, control_samples, test.rows, test_samples, &DiffSummary::own);
}

void subtract_lanes(const SideSummary& control, const SideSummary& test, DiffReport& report) {
  for (std::size_t measure = 0; measure < kLaneMeasures; ++measure) {
    report.lanes[measure] = subtract(control.lanes[measure], control.samples.size(),
                                     test.lanes[measure], test.samples.size());
    // A lane that one side does not have took no time there, but was not fast either.
    for (DiffRow& lane : report.lanes[measure])
      if (lane.control.samples == 0 || lane.test.samples == 0) lane.verdict = Verdict::kUnknown;
  }
}

}  // namespace

std::array<std::uint64_t, kCountChanges> changes_of(const std::vector<DiffRow>& rows) {
  std::array<std::uint64_t, kCountChanges> changes{};
  for (const DiffRow& row : rows) ++changes[static_cast<std::size_t>(row.change)];
  return changes;
}

std::string key_text(const DiffReport& report, std::size_t row) {
  if (report.call_of_row.empty()) return report.rows[row].key;
  return path_of(report.calls, report.call_of_row[row]);
}

DiffReport make_report(const SideSummary& control, const SideSummary& test,
                       const DiffChoice& choice) {
  DiffReport report;
  report.device = choice.device;
  report.by = choice.by;
  const std::size_t control_samples = control.samples.size(), test_samples = test.samples.size();
  report.control.samples = control.samples;
  report.test.samples = test.samples;
  if (has_calls(choice))
    report.calls = align_calls(control.calls, control_samples, test.calls, test_samples);
  if (choice.by == DiffBy::kCallPath)
    add_call_rows(choice, report);
  else
    subtract_rows(control, test, report);
  report.edges = subtract(control.edges, control_samples, test.edges, test_samples);
  report.inputs = changed_inputs(control.inputs, test.inputs);
  report.total = total_of(control, test, &AllRows::work);
  report.inclusive_total = total_of(control, test, &AllRows::inclusive);
  subtract_lanes(control, test, report);
  if (control_samples != test_samples)
    report.diagnostics.report(
        "samples-differ", Severity::kWarning,
        fmt::format("control has {} iterations over all ranks, test {}: compare means, not totals",
                    control_samples, test_samples));
  return report;
}

}  // namespace nadi
