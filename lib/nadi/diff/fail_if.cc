#include "nadi/diff/fail_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "nadi/base/count_text.h"
#include "nadi/base/error.h"
#include "nadi/base/number_text.h"

namespace nadi {
namespace {

enum class Takes : std::uint8_t { kTimes, kCounts, kRows };

struct QuantityName {
  std::string_view name;
  Takes takes;
  std::string_view meaning;
};

// In the order of DiffQuantity.
constexpr std::array<QuantityName, 17> kQuantities{{
    {"duration", Takes::kTimes, "all rows' own time per iteration"},
    {"inclusive-duration", Takes::kTimes, "all rows' time with all they call"},
    {"count", Takes::kCounts, "all rows' number per iteration"},
    {"added", Takes::kRows, "rows only test has"},
    {"deleted", Takes::kRows, "rows only control has"},
    {"increased", Takes::kRows, "rows that occur more often"},
    {"decreased", Takes::kRows, "rows that occur less often"},
    {"slower", Takes::kRows, "rows that take significantly longer"},
    {"faster", Takes::kRows, "rows that take significantly less"},
    {"row.duration", Takes::kTimes, "any row's time per iteration, rows within noise left out"},
    {"row.count", Takes::kCounts, "any row's number per iteration"},
    {"iteration", Takes::kTimes, "the iteration's length"},
    {"device-busy", Takes::kTimes, "time per iteration in which a device works"},
    {"device-idle", Takes::kTimes, "the rest of the iteration"},
    {"idle", Takes::kTimes, "idle time of all streams per iteration"},
    {"latency", Takes::kTimes, "from a launch to its first row"},
    {"gaps", Takes::kTimes, "time of host threads between ops, per iteration"},
}};

// In the order of Comparison; two bytes before one.
struct ComparisonName {
  std::string_view sign;
  Comparison comparison;
};
constexpr std::array<ComparisonName, 6> kComparisons{{{">=", Comparison::kAtLeast},
                                                      {"<=", Comparison::kAtMost},
                                                      {"!=", Comparison::kUnequal},
                                                      {">", Comparison::kMore},
                                                      {"<", Comparison::kLess},
                                                      {"=", Comparison::kEqual}}};

struct UnitName {
  std::string_view name;
  DiffUnit unit;
  double factor;
};
constexpr std::array<UnitName, 6> kUnits{{{"", DiffUnit::kNumber, 1},
                                          {"%", DiffUnit::kPercent, 1},
                                          {"ns", DiffUnit::kNs, 1},
                                          {"us", DiffUnit::kNs, 1e3},
                                          {"ms", DiffUnit::kNs, 1e6},
                                          {"s", DiffUnit::kNs, 1e9}}};

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

[[noreturn]] void refuse(std::string_view condition, const std::string& what,
                         const std::string& remedy) {
  throw Error(ErrorCode::kUsage, fmt::format("condition '{}'", condition), what, remedy);
}

/// The number and what stands behind it.
std::optional<double> number_at(std::string_view text, std::string_view& behind) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto number = number_at_front<double>(text);
  if (!number || !std::isfinite(*number)) return std::nullopt;
  behind = trimmed(text);
  return number;
}

void set_value(std::string_view text, Takes takes, FailCondition& condition) {
  std::string_view behind;
  const auto number = number_at(text, behind);
  const auto unit = std::find_if(kUnits.begin(), kUnits.end(),
                                 [&](const UnitName& known) { return known.name == behind; });
  if (!number || unit == kUnits.end())
    refuse(condition.text, "has no number behind the comparison", "Write it like duration>5%");
  const bool fits = takes == Takes::kTimes    ? unit->unit != DiffUnit::kNumber
                    : takes == Takes::kCounts ? unit->unit != DiffUnit::kNs
                                              : unit->unit == DiffUnit::kNumber;
  if (!fits)
    refuse(condition.text,
           behind.empty() ? "has no unit" : fmt::format("'{}' is no unit of it", behind),
           "Times take %, ns, us, ms or s, counts % or nothing, numbers of rows nothing");
  condition.unit = unit->unit;
  condition.value = *number * unit->factor;
}

FailCondition parse_condition(std::string_view text) {
  FailCondition condition;
  condition.text = text;
  const std::size_t at = text.find_first_of("<>=!");
  const std::string_view name = trimmed(text.substr(0, at));
  const auto quantity =
      std::find_if(kQuantities.begin(), kQuantities.end(),
                   [name](const QuantityName& known) { return known.name == name; });
  if (quantity == kQuantities.end())
    refuse(text, fmt::format("nothing is called '{}'", name),
           "There are " + list_of(kQuantities, &QuantityName::name));
  const std::string_view rest = at == std::string_view::npos ? "" : text.substr(at);
  const auto sign =
      std::find_if(kComparisons.begin(), kComparisons.end(),
                   [rest](const ComparisonName& known) { return rest.starts_with(known.sign); });
  if (sign == kComparisons.end())
    refuse(text, "compares nothing", "There are > >= < <= = !=, as in duration>5%");
  condition.quantity = static_cast<DiffQuantity>(quantity - kQuantities.begin());
  condition.comparison = sign->comparison;
  set_value(trimmed(rest.substr(sign->sign.size())), quantity->takes, condition);
  return condition;
}

}  // namespace

std::vector<FailCondition> parse_fail_if(std::string_view text) {
  std::vector<FailCondition> conditions;
  for (;;) {
    const std::size_t comma = std::min(text.find(','), text.size());
    conditions.push_back(parse_condition(trimmed(text.substr(0, comma))));
    if (comma == text.size()) return conditions;
    text.remove_prefix(comma + 1);
  }
}

std::string fail_if_help() {
  std::string text;
  for (const QuantityName& quantity : kQuantities)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", quantity.name, quantity.meaning);
  return text;
}

}  // namespace nadi
