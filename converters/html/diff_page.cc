#include "nadi/converters/html/diff_page.h"

#include <algorithm>
#include <cmath>

#include "nadi/converters/html/diff_page_calls.h"
#include "nadi/converters/html/write_page.h"

namespace nadi::html {
namespace {

constexpr std::size_t kRowBytes = 2'000'000, kKeyBytes = 2000, kOffenders = 20, kInputs = 1000;
constexpr std::size_t kListed = 12, kForms = 5, kPaths = 12, kLanes = 2000;

/// Means with two decimals, times in whole ns: more would only be noise of the division.
double rounded(double count) { return std::round(count * 100) / 100; }
std::int64_t whole(double ns) { return std::llround(ns); }

/// true, false, or null where nothing tells the spread.
Json is_significant(const DiffRow& row) {
  if (row.verdict == Verdict::kUnknown) return nullptr;
  return row.verdict == Verdict::kSignificant;
}

Json side_json(const ComparedSide& side) {
  Json paths = Json::array(), samples = Json::array();
  for (std::size_t i = 0; i < std::min(kPaths, side.paths.size()); ++i)
    paths.push_back(cut_end(side.paths[i], kKeyBytes));
  for (std::size_t i = 0; i < std::min(kListed, side.samples.size()); ++i)
    samples.push_back({side.samples[i].rank, side.samples[i].iteration});
  return {{"paths", std::move(paths)},
          {"paths_count", side.paths.size()},
          {"samples", std::move(samples)},
          {"samples_count", side.samples.size()}};
}

Json gate_json(const DiffReport& report, const GateVerdict& gate) {
  if (gate.conditions.empty()) return nullptr;
  Json failed = Json::array();
  for (const FailedCondition& condition : gate.failed) {
    Json rows = Json::array();
    for (std::size_t i = 0; i < std::min(kOffenders, condition.offenders.size()); ++i)
      rows.push_back(cut_end(key_text(report, condition.offenders[i]), kKeyBytes));
    failed.push_back({{"condition", condition.condition},
                      {"found", condition.found},
                      {"rows", std::move(rows)},
                      {"rows_count", condition.offenders.size()}});
  }
  return {{"conditions", gate.conditions},
          {"failed", std::move(failed)},
          {"is_blind", !gate.cannot_judge.empty()},
          {"is_open", gate.is_open()}};
}

Json changes_json(const DiffReport& report) {
  const auto changes = changes_of(report.rows);
  Json json = Json::array();
  for (std::size_t change = 0; change < kCountChanges; ++change)
    json.push_back({to_string(static_cast<CountChange>(change)), changes[change]});
  return json;
}

/// Places of the rows, those that changed most first.
std::vector<std::size_t> by_difference(const std::vector<DiffRow>& rows) {
  std::vector<std::size_t> order(rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(rows[a].diff_mean_ns()) > std::abs(rows[b].diff_mean_ns());
  });
  return order;
}

/// [[name, change, is significant, counts, ns of both sides]] within kRowBytes.
void add_rows(const DiffReport& report, Json& data) {
  Json list = Json::array();
  std::size_t bytes = 0;
  for (const std::size_t place : by_difference(report.rows)) {
    const DiffRow& row = report.rows[place];
    std::string name = cut_end(key_text(report, place), kKeyBytes);
    constexpr std::size_t kNumbers = 60;
    bytes += name.size() + kNumbers;
    if (bytes > kRowBytes) break;
    list.push_back({std::move(name), static_cast<int>(row.change), is_significant(row),
                    rounded(row.control.mean_count), rounded(row.test.mean_count),
                    whole(row.control.mean_ns), whole(row.test.mean_ns)});
  }
  data["rows_left_out"] = report.rows.size() - list.size();
  data["rows"] = std::move(list);
}

/// null of a lane that the side does not have.
Json mean_json(const DiffSide& side) {
  return side.samples == 0 ? Json() : Json(whole(side.mean_ns));
}

Json lanes_json(const DiffReport& report) {
  Json json = Json::array();
  for (std::size_t i = 0; i < kLaneMeasures; ++i)
    for (const DiffRow& row : report.lanes[i]) {
      if (json.size() >= kLanes) return json;
      json.push_back({to_string(static_cast<LaneMeasure>(i)), cut_end(row.key, kKeyBytes),
                      rounded(row.control.mean_count), rounded(row.test.mean_count),
                      mean_json(row.control), mean_json(row.test), is_significant(row)});
    }
  return json;
}

Json edges_json(const DiffReport& report) {
  Json json = Json::array();
  for (const DiffRow& row : report.edges)
    json.push_back({row.key, rounded(row.control.mean_count), rounded(row.test.mean_count)});
  return json;
}

Json forms_json(const std::vector<InputForm>& forms) {
  constexpr std::size_t kForm = 300;
  Json json = Json::array();
  for (std::size_t i = 0; i < std::min(kForms, forms.size()); ++i)
    json.push_back({cut_end(forms[i].dims, kForm), cut_end(forms[i].types, kForm), forms[i].count});
  return json;
}

void add_inputs(const DiffReport& report, Json& data) {
  Json json = Json::array();
  for (std::size_t i = 0; i < std::min(kInputs, report.inputs.size()); ++i) {
    const ChangedInputs& op = report.inputs[i];
    json.push_back({cut_end(op.op, kKeyBytes), forms_json(op.control), forms_json(op.test),
                    op.control.size(), op.test.size()});
  }
  data["inputs_left_out"] = report.inputs.size() - json.size();
  data["inputs"] = std::move(json);
}

}  // namespace

void write_diff_page(const DiffReport& report, const GateVerdict& gate, const ByteSink& sink) {
  Json data;
  data["by"] = to_string(report.by);
  data["device"] = to_string(report.device);
  data["control"] = side_json(report.control);
  data["test"] = side_json(report.test);
  data["gate"] = gate_json(report, gate);
  const DiffRow& total = report.total;
  data["total"] = {whole(total.control.mean_ns), whole(total.test.mean_ns),
                   rounded(total.control.mean_count), rounded(total.test.mean_count)};
  data["changes"] = changes_json(report);
  add_rows(report, data);
  if (report.calls.size() > 1) add_calls(report, data);
  data["lanes"] = lanes_json(report);
  data["edges"] = edges_json(report);
  add_inputs(report, data);
  data["findings"] = findings_json(report.diagnostics.table());
  write_page(
      {"diff.html", {"diff_rows.js", "diff_bars.js", "call_tree.js", "diff.js"}, std::move(data)},
      sink);
}

}  // namespace nadi::html
