#include "nadi/diff/diff_report.h"

#include <fmt/format.h>

#include <set>

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

RowRange<CallDiff> below_the_root(const ByRow<CallDiff>& calls) {
  return {CallDiffIndex(1), CallDiffIndex(calls.size())};
}

/// Whether a name on the path from the root holds one of the texts, for each node.
ByRow<CallDiff, bool> paths_that_hold(const ByRow<CallDiff>& calls,
                                      const std::vector<std::string>& texts) {
  ByRow<CallDiff, bool> holds(calls.size());
  for (const CallDiffIndex call : below_the_root(calls))
    holds[call] = holds[calls[call].parent] || holds_any(calls[call].row.key, texts);
  return holds;
}

/// The nodes of the tree as rows.
void add_call_rows(const DiffChoice& choice, DiffReport& report) {
  const auto is_only = paths_that_hold(report.calls, choice.only);
  const auto is_excluded = paths_that_hold(report.calls, choice.exclude);
  for (const CallDiffIndex call : below_the_root(report.calls)) {
    const bool is_kept = (choice.only.empty() || is_only[call]) && !is_excluded[call];
    if (!is_kept || !is_chosen(report.calls[call], choice.device)) continue;
    report.rows.push_back(report.calls[call].row);
    report.own.push_back(report.calls[call].own);
    report.call_of_row.push_back(call);
  }
}

void subtract_rows(const SideSummary& control, const SideSummary& test, const StreamNames& streams,
                   DiffReport& report) {
  const DiffSummary from = with_stream_names(control.rows, streams.control);
  const DiffSummary to = with_stream_names(test.rows, streams.test);
  const std::size_t control_samples = control.samples.size(), test_samples = test.samples.size();
  report.rows = subtract(from, control_samples, to, test_samples);
  report.own = subtract(from, control_samples, to, test_samples, &DiffSummary::own);
}

void subtract_lanes(const SideSummary& control, const SideSummary& test, const StreamNames& streams,
                    DiffReport& report) {
  for (std::size_t measure = 0; measure < kLaneMeasures; ++measure) {
    report.lanes[measure] =
        subtract(with_stream_names(control.lanes[measure], streams.control), control.samples.size(),
                 with_stream_names(test.lanes[measure], streams.test), test.samples.size());
    // A lane that one side does not have took no time there, but was not fast either.
    for (DiffRow& lane : report.lanes[measure])
      if (lane.control.samples == 0 || lane.test.samples == 0) lane.verdict = Verdict::kUnknown;
  }
}

/// "rank 0", "ranks 0, 1, 2"; of many the first eight and their number.
std::string ranks_text(const std::set<std::int64_t>& ranks) {
  constexpr std::size_t kListedRanks = 8;
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  std::size_t listed = 0;
  for (const std::int64_t rank : ranks) {
    if (listed++ == kListedRanks) return text + fmt::format(", … ({} in all)", ranks.size());
    text += fmt::format("{}{}", listed == 1 ? "" : ", ", rank);
  }
  return text;
}

void warn_of_ranks(DiffReport& report) {
  const auto ranks_of = [](const ComparedSide& side) {
    std::set<std::int64_t> ranks;
    for (const DiffSample& sample : side.samples) ranks.insert(sample.rank);
    return ranks;
  };
  const auto control = ranks_of(report.control), test = ranks_of(report.test);
  if (control == test) return;
  report.diagnostics.report(
      Finding::kRanksDiffer,
      fmt::format("control is of {}, test of {}, which may do different work: compare the same "
                  "ranks (`ranks`)",
                  ranks_text(control), ranks_text(test)));
}

}  // namespace

std::array<std::uint64_t, kCountChanges> changes_of(const std::vector<DiffRow>& rows) {
  std::array<std::uint64_t, kCountChanges> changes{};
  for (const DiffRow& row : rows) ++changes[static_cast<std::size_t>(row.change)];
  return changes;
}

std::string key_text(const DiffReport& report, std::size_t position) {
  if (report.call_of_row.empty()) return report.rows[position].key;
  return path_of(report.calls, report.call_of_row[position]);
}

std::string total_text(const DiffReport& report) {
  const bool is_communication = report.by == DiffBy::kCollective;
  const bool is_device = report.device == DiffDevice::kDevice || report.by == DiffBy::kStream ||
                         report.by == DiffBy::kKernelFamily ||
                         (is_communication && report.device == DiffDevice::kAll);
  const std::string of = is_communication ? "communication " : "";
  const bool is_host = !is_device && report.device == DiffDevice::kHost;
  return "own time of all " + of + (is_device ? "device " : is_host ? "host " : "") + "rows";
}

DiffReport make_report(const SideSummary& control, const SideSummary& test,
                       const DiffChoice& choice) {
  DiffReport report;
  report.device = choice.device;
  report.by = choice.by;
  const std::size_t control_samples = control.samples.size(), test_samples = test.samples.size();
  report.control.samples = control.samples;
  report.test.samples = test.samples;
  report.control.what_if = control.what_if;
  report.test.what_if = test.what_if;
  if (has_calls(choice))
    report.calls = align_calls(control.calls, control_samples, test.calls, test_samples);
  const StreamNames streams = pair_streams(control.streams, test.streams);
  if (choice.by == DiffBy::kCallPath)
    add_call_rows(choice, report);
  else
    subtract_rows(control, test, choice.by == DiffBy::kStream ? streams : StreamNames{}, report);
  report.edges = subtract(control.edges, control_samples, test.edges, test_samples);
  report.inputs = changed_inputs(control.inputs, test.inputs);
  report.total = total_of(control, test, &AllRows::work);
  report.inclusive_total = total_of(control, test, &AllRows::inclusive);
  subtract_lanes(control, test, streams, report);
  if (control_samples != test_samples)
    report.diagnostics.report(
        Finding::kSamplesDiffer,
        fmt::format("control has {} iterations over all ranks, test {}: compare means, not totals",
                    control_samples, test_samples));
  warn_of_ranks(report);
  return report;
}

}  // namespace nadi
