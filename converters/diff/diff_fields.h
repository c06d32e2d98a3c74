// The fields of a diff's rows, for JSON and for columns in memory. Each list calls add(name,
// value_of) for its fields, in order, and add.change(name, change_of) for a CountChange.
// value_of(row) gives the field of a row, a std::optional where it may be unknown. "control.count"
// names the member `count` of an object `control`.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "nadi/diff/call_diff.h"
#include "nadi/diff/diff_row.h"

namespace nadi {

inline double us_of(double ns) { return ns / 1000; }
inline double us_of(Ns ns) { return static_cast<double>(ns) / 1000; }

/// Nothing where the spread is not known.
inline std::optional<bool> significance_of(const DiffRow& row) {
  if (row.verdict == Verdict::kUnknown) return std::nullopt;
  return row.verdict == Verdict::kSignificant;
}

/// `before` stands before the names.
template <class Add>
void list_side_fields(const std::string& before, DiffSide DiffRow::*side, const Add& add) {
  const auto add_part = [&](const char* name, const auto& value_of) {
    add(before + name, [&](const DiffRow& row) { return std::invoke(value_of, row.*side); });
  };
  add_part("count", &DiffSide::count);
  add_part("total_us", [](const DiffSide& of) { return us_of(of.duration_ns); });
  add_part("mean_count", &DiffSide::mean_count);
  add_part("mean_us", [](const DiffSide& of) { return us_of(of.mean_ns); });
  add_part("deviation_us", [](const DiffSide& of) { return us_of(of.deviation_ns); });
}

inline constexpr auto kDiffFields = [](const auto& add) {
  list_side_fields("control.", &DiffRow::control, add);
  list_side_fields("test.", &DiffRow::test, add);
  add("diff_count", &DiffRow::diff_count);
  add("diff_us", [](const DiffRow& row) { return us_of(row.diff_ns()); });
  add("diff_mean_us", [](const DiffRow& row) { return us_of(row.diff_mean_ns()); });
  add("spread_us", [](const DiffRow& row) { return us_of(row.spread_ns); });
  add.change("change", &DiffRow::change);
  add("significant", significance_of);
};

/// Of the own time of a row.
inline constexpr auto kOwnFields = [](const auto& add) {
  add("mean_own.control_us", [](const DiffRow& own) { return us_of(own.control.mean_ns); });
  add("mean_own.test_us", [](const DiffRow& own) { return us_of(own.test.mean_ns); });
  add("mean_own.diff_us", [](const DiffRow& own) { return us_of(own.diff_mean_ns()); });
  add("mean_own.spread_us", [](const DiffRow& own) { return us_of(own.spread_ns); });
  add("mean_own.significant", significance_of);
};

/// Without the parent, which is a row in one form and a number in the other.
inline constexpr auto kCallFields = [](const auto& add) {
  add("depth", &CallDiff::depth);
  add("device", &CallDiff::is_device);
  add("control_device_us", [](const CallDiff& call) { return us_of(call.control_device.mean_ns); });
  add("test_device_us", [](const CallDiff& call) { return us_of(call.test_device.mean_ns); });
};

}  // namespace nadi
