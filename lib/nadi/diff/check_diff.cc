#include "nadi/diff/check_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "nadi/base/error.h"

namespace nadi {
namespace {

bool holds(Comparison comparison, double found, double value) {
  switch (comparison) {
    case Comparison::kMore:
      return found > value;
    case Comparison::kAtLeast:
      return found >= value;
    case Comparison::kLess:
      return found < value;
    case Comparison::kAtMost:
      return found <= value;
    case Comparison::kEqual:
      return found == value;
    case Comparison::kUnequal:
      return found != value;
  }
  return false;
}

/// The measure of lanes that a condition is about.
std::optional<LaneMeasure> lane_measure_of(DiffQuantity quantity) {
  switch (quantity) {
    case DiffQuantity::kIteration:
      return LaneMeasure::kIteration;
    case DiffQuantity::kDeviceBusy:
      return LaneMeasure::kDeviceBusy;
    case DiffQuantity::kDeviceIdle:
      return LaneMeasure::kDeviceIdle;
    case DiffQuantity::kIdle:
      return LaneMeasure::kStreamIdle;
    case DiffQuantity::kLatency:
      return LaneMeasure::kLaunchLatency;
    case DiffQuantity::kGaps:
      return LaneMeasure::kHostGaps;
    default:
      return std::nullopt;
  }
}

bool is_of_duration(DiffQuantity quantity) {
  return quantity == DiffQuantity::kDuration || quantity == DiffQuantity::kInclusiveDuration ||
         quantity == DiffQuantity::kRowDuration || lane_measure_of(quantity).has_value();
}

/// By name "ProfilerStep#7", by call path "ProfilerStep".
bool is_step(const DiffRow& row) { return row.key.starts_with("ProfilerStep"); }

/// Test minus control in the condition's unit; of nothing to something is infinitely more.
double change_of(const DiffRow& row, const FailCondition& condition) {
  const bool time = is_of_duration(condition.quantity);
  const double from = time ? row.control.mean_ns : row.control.mean_count;
  const double to = time ? row.test.mean_ns : row.test.mean_count;
  if (condition.unit != DiffUnit::kPercent || to == from) return to - from;
  if (from == 0) return std::numeric_limits<double>::infinity();
  return 100 * (to - from) / from;
}

std::string change_text(double change, const FailCondition& condition) {
  if (condition.unit == DiffUnit::kPercent) return fmt::format("{:+.2f} %", change);
  if (condition.unit == DiffUnit::kNs) return fmt::format("{:+.3f} us", change / 1000);
  return fmt::format("{:+.2f}", change);
}

bool is_counted(const DiffRow& row, DiffQuantity quantity) {
  switch (quantity) {
    case DiffQuantity::kAdded:
      return row.change == CountChange::kAdded;
    case DiffQuantity::kDeleted:
      return row.change == CountChange::kDeleted;
    case DiffQuantity::kIncreased:
      return row.change == CountChange::kIncreased;
    case DiffQuantity::kDecreased:
      return row.change == CountChange::kDecreased;
    case DiffQuantity::kSlower:
      return row.verdict == Verdict::kSignificant && row.diff_mean_ns() > 0;
    case DiffQuantity::kFaster:
      return row.verdict == Verdict::kSignificant && row.diff_mean_ns() < 0;
    default:
      return false;
  }
}

template <class Offends>
std::vector<std::size_t> rows_that(const std::vector<DiffRow>& rows, bool by_count,
                                   const Offends& offends) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!is_step(rows[i]) && offends(rows[i])) places.push_back(i);
  const auto size = [&](std::size_t i) {
    const DiffRow& row = rows[i];
    return by_count ? std::abs(row.test.mean_count - row.control.mean_count)
                    : std::abs(row.diff_mean_ns());
  };
  std::stable_sort(places.begin(), places.end(),
                   [&](std::size_t a, std::size_t b) { return size(a) > size(b); });
  return places;
}

std::string rows_text(std::size_t rows) {
  return fmt::format("{} {}", rows, rows == 1 ? "row" : "rows");
}

/// A change of the total is made by the rows that changed in its direction.
FailedCondition check_total(const DiffReport& report, const FailCondition& condition, bool& fails) {
  const bool is_own = condition.quantity == DiffQuantity::kDuration;
  const double change = change_of(is_own ? report.total : report.inclusive_total, condition);
  fails = holds(condition.comparison, change, condition.value);
  FailCondition absolute = condition;
  absolute.unit = DiffUnit::kNumber;
  return {condition.text, change_text(change, condition),
          rows_that(is_own ? report.own : report.rows, !is_of_duration(condition.quantity),
                    [&](const DiffRow& row) {
                      const double part = change_of(row, absolute);
                      return part != 0 && (part > 0) == (change > 0);
                    }),
          is_own};
}

FailedCondition check_rows(const DiffReport& report, const FailCondition& condition, bool& fails) {
  const bool time = is_of_duration(condition.quantity);
  auto offenders = rows_that(report.rows, !time, [&](const DiffRow& row) {
    if (time && row.verdict == Verdict::kWithinNoise) return false;
    return holds(condition.comparison, change_of(row, condition), condition.value);
  });
  fails = !offenders.empty();
  return {condition.text, rows_text(offenders.size()), std::move(offenders)};
}

FailedCondition check_number(const DiffReport& report, const FailCondition& condition,
                             bool& fails) {
  auto offenders = rows_that(
      report.rows, false, [&](const DiffRow& row) { return is_counted(row, condition.quantity); });
  fails = holds(condition.comparison, static_cast<double>(offenders.size()), condition.value);
  return {condition.text, rows_text(offenders.size()), std::move(offenders)};
}

/// All lanes as one: sums of their means, of launches the mean of all.
DiffRow joined_lanes(const std::vector<DiffRow>& lanes, LaneMeasure measure) {
  DiffRow all;
  for (const auto side : {&DiffRow::control, &DiffRow::test}) {
    DiffSide& sum = all.*side;
    for (const DiffRow& lane : lanes) {
      const DiffSide& part = lane.*side;
      sum.count += part.count;
      sum.samples += part.samples;
      sum.duration_ns = add_times(sum.duration_ns, part.duration_ns);
      sum.mean_ns += part.mean_ns;
    }
    if (measure == LaneMeasure::kLaunchLatency && sum.count > 0)
      sum.mean_ns = static_cast<double>(sum.duration_ns) / static_cast<double>(sum.count);
  }
  return all;
}

/// Says in `cannot_judge` if one side lacks the measure.
FailedCondition check_lanes(const DiffReport& report, const FailCondition& condition,
                            LaneMeasure measure, bool& fails, std::string& cannot_judge) {
  const auto& lanes = report.lanes[static_cast<std::size_t>(measure)];
  if (lanes.empty())
    throw Error(ErrorCode::kUsage, fmt::format("condition '{}'", condition.text),
                fmt::format("neither side has any {}", to_string(measure)),
                measure == LaneMeasure::kIteration
                    ? "Record with a profiler schedule, whose steps are the iterations"
                    : "Leave the condition out");
  const DiffRow all = joined_lanes(lanes, measure);
  if (all.control.samples == 0 || all.test.samples == 0)
    cannot_judge =
        fmt::format("{} has no {}", all.test.samples == 0 ? "test" : "control", to_string(measure));
  const double change = change_of(all, condition);
  fails = holds(condition.comparison, change, condition.value);
  return {condition.text, change_text(change, condition), {}};
}

bool needs_spread(DiffQuantity quantity) {
  return quantity == DiffQuantity::kSlower || quantity == DiffQuantity::kFaster;
}

FailedCondition check(const DiffReport& report, const FailCondition& condition, bool& fails,
                      std::string& cannot_judge) {
  if (const auto measure = lane_measure_of(condition.quantity))
    return check_lanes(report, condition, *measure, fails, cannot_judge);
  switch (condition.quantity) {
    case DiffQuantity::kDuration:
    case DiffQuantity::kInclusiveDuration:
    case DiffQuantity::kCount:
      return check_total(report, condition, fails);
    case DiffQuantity::kRowDuration:
    case DiffQuantity::kRowCount:
      return check_rows(report, condition, fails);
    default:
      return check_number(report, condition, fails);
  }
}

/// Why no condition at all can be judged; empty = they can.
std::string blindness_of(const DiffReport& report) {
  if (report.diagnostics.has_loss()) return "data was lost (see the findings)";
  if (report.control.samples.empty()) return "control holds no event";
  if (report.test.samples.empty()) return "test holds no event";
  return report.rows.empty() ? "no row is compared" : "";
}

}  // namespace

GateVerdict check_diff(const DiffReport& report, const std::vector<FailCondition>& conditions) {
  GateVerdict verdict;
  verdict.cannot_judge = blindness_of(report);
  for (const FailCondition& condition : conditions) {
    if (needs_spread(condition.quantity) && report.total.verdict == Verdict::kUnknown)
      throw Error(ErrorCode::kUsage, "condition '" + condition.text + "'",
                  "one iteration on each side tells no spread",
                  "Choose more: `iterations=all`, `ranks=all`");
    verdict.conditions.push_back(condition.text);
    bool fails = false;
    FailedCondition found = check(report, condition, fails, verdict.cannot_judge);
    if (fails) verdict.failed.push_back(std::move(found));
  }
  return verdict;
}

}  // namespace nadi
