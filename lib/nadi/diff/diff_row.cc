#include "nadi/diff/diff_row.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace nadi {
namespace {

constexpr std::array<std::string_view, kCountChanges> kChangeNames{"added", "deleted", "increased",
                                                                   "decreased", "same count"};

CountChange change_of(std::uint64_t control, std::uint64_t test) {
  if (control == test) return CountChange::kSameCount;
  if (control == 0) return CountChange::kAdded;
  if (test == 0) return CountChange::kDeleted;
  return test > control ? CountChange::kIncreased : CountChange::kDecreased;
}

KeyTotals find_totals(const StringTable& keys, const std::vector<KeyTotals>& totals,
                      std::string_view key) {
  const StringId id = keys.find(key);
  const bool is_there = id != StringId::kEmpty || key.empty();
  const auto index = static_cast<std::size_t>(id);
  return is_there && index < totals.size() ? totals[index] : KeyTotals{};
}

}  // namespace

std::string_view to_string(CountChange change) {
  return kChangeNames[static_cast<std::size_t>(change)];
}

std::string_view hta_group(CountChange change) {
  return change == CountChange::kSameCount ? "unchanged" : to_string(change);
}

std::int64_t DiffRow::diff_count() const {
  return static_cast<std::int64_t>(test.count - control.count);
}

Ns DiffRow::diff_ns() const { return add_times(test.duration_ns, -control.duration_ns); }

DiffSide side_of(const KeyTotals& totals, std::uint64_t samples) {
  DiffSide side;
  side.count = totals.count;
  side.duration_ns = totals.duration_ns;
  side.samples = totals.samples;
  if (totals.samples == 0) return side;
  const auto all = static_cast<double>(std::max(samples, totals.samples));
  const auto with = static_cast<double>(totals.samples), without = all - with;
  side.mean_count = static_cast<double>(totals.count) / all;
  side.mean_ns = totals.mean_ns * with / all;
  // Two groups joined: the samples with the key, and those without it, which are zeros.
  const double squares =
      totals.squares_ns2 + totals.mean_ns * totals.mean_ns * with * without / all;
  if (all > 1) side.deviation_ns = std::sqrt(squares / (all - 1));
  return side;
}

void judge(DiffRow& row, std::uint64_t control_samples, std::uint64_t test_samples) {
  // Counts per sample, without a division.
  row.change = change_of(row.control.count * std::max<std::uint64_t>(test_samples, 1),
                         row.test.count * std::max<std::uint64_t>(control_samples, 1));
  if (control_samples < 2 && test_samples < 2) return;
  const double control = control_samples < 2 ? row.test.deviation_ns : row.control.deviation_ns;
  const double test = test_samples < 2 ? row.control.deviation_ns : row.test.deviation_ns;
  row.spread_ns = 2 * std::hypot(control, test);
  row.verdict =
      std::abs(row.diff_mean_ns()) > row.spread_ns ? Verdict::kSignificant : Verdict::kWithinNoise;
}

std::vector<DiffRow> subtract(const DiffSummary& control, std::uint64_t control_samples,
                              const DiffSummary& test, std::uint64_t test_samples,
                              std::vector<KeyTotals> DiffSummary::*times) {
  const std::vector<KeyTotals>&from_totals = control.*times, &to_totals = test.*times;
  std::vector<DiffRow> rows;
  const auto add = [&](std::string_view key, const KeyTotals& from, const KeyTotals& to) {
    DiffRow& row = rows.emplace_back();
    row.key = key;
    const std::uint64_t in_control = control.of_means ? from.samples : control_samples;
    const std::uint64_t in_test = test.of_means ? to.samples : test_samples;
    row.control = side_of(from, in_control);
    row.test = side_of(to, in_test);
    judge(row, in_control, in_test);
  };
  for (std::size_t id = 0; id < from_totals.size(); ++id) {
    const std::string_view key = control.keys[StringId(static_cast<std::uint32_t>(id))];
    if (from_totals[id].samples > 0)
      add(key, from_totals[id], find_totals(test.keys, to_totals, key));
  }
  for (std::size_t id = 0; id < to_totals.size(); ++id) {
    const std::string_view key = test.keys[StringId(static_cast<std::uint32_t>(id))];
    const bool is_new =
        to_totals[id].samples > 0 && find_totals(control.keys, from_totals, key).samples == 0;
    if (is_new) add(key, {}, to_totals[id]);
  }
  std::sort(rows.begin(), rows.end(), [](const DiffRow& a, const DiffRow& b) {
    const bool a_is_new = a.control.samples == 0, b_is_new = b.control.samples == 0;
    return a_is_new != b_is_new ? b_is_new : a.key < b.key;
  });
  return rows;
}

}  // namespace nadi
