#include "nadi/converters/html/diff_page.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "nadi/converters/diff/diff_fields.h"
#include "nadi/converters/html/page_json.h"
#include "nadi/converters/html/write_page.h"
#include "nadi/converters/json_members.h"
#include "nadi/diff/diff_report.h"
#include "nadi/sim_bridge/replay/what_if.h"

namespace nadi::html {
namespace {

/// Means with two decimals, times in whole ns: more would only be noise of the division.
double rounded(double count) { return std::round(count * 100) / 100; }
std::int64_t whole(double ns) { return std::llround(ns); }

// The call tree of a diff's page.

constexpr std::size_t kCallBytes = 2'000'000, kCallNameBytes = 400;

std::size_t bytes_of(const CallDiff& call) {
  constexpr std::size_t kNumbers = 90;
  return std::min(call.row.key.size(), kCallNameBytes) + kNumbers;
}

/// The calls that changed most, with those around them, as far as kCallBytes go.
ByRow<CallDiff, bool> choose_calls(const ByRow<CallDiff>& calls) {
  std::vector<CallDiffIndex> order(calls.size());
  std::iota(order.begin(), order.end(), CallDiffIndex(0));
  std::stable_sort(order.begin(), order.end(), [&](CallDiffIndex a, CallDiffIndex b) {
    return std::abs(calls[a].own.diff_mean_ns()) > std::abs(calls[b].own.diff_mean_ns());
  });
  ByRow<CallDiff, bool> chosen(calls.size());
  std::size_t bytes = 0;
  if (!chosen.empty()) chosen.front() = true;
  for (CallDiffIndex call : order) {
    for (; !chosen[call]; call = calls[call].parent) {
      chosen[call] = true;
      bytes += bytes_of(calls[call]);
    }
    if (bytes > kCallBytes) break;
  }
  return chosen;
}

Json call_json(const CallDiff& call, std::uint32_t parent) {
  return {parent,
          cut_end(call.row.key, kCallNameBytes),
          call.is_device ? 1 : 0,
          rounded(call.row.control.mean_count),
          rounded(call.row.test.mean_count),
          whole(call.row.control.mean_ns),
          whole(call.row.test.mean_ns),
          whole(call.own.diff_mean_ns()),
          whole(call.test_device.mean_ns - call.control_device.mean_ns)};
}

/// Adds "calls": [[parent, name, is device, mean counts, mean ns with all they call, difference of
/// own time, difference of device time]], each behind its parent, the root first; and
/// "calls_left_out": of large trees only the calls that changed most, and their callers, are there.
void add_calls(const DiffReport& report, Json& data) {
  const ByRow<CallDiff, bool> chosen = choose_calls(report.calls);
  ByRow<CallDiff, std::uint32_t> position(report.calls.size());  // in the page
  Json list = Json::array();
  for (const CallDiffIndex call : rows_of(report.calls)) {
    if (!chosen[call]) continue;
    position[call] = static_cast<std::uint32_t>(list.size());
    list.push_back(call_json(report.calls[call], position[report.calls[call].parent]));
  }
  data["calls_left_out"] = report.calls.size() - list.size();
  data["calls"] = std::move(list);
}

constexpr std::size_t kRowBytes = 2'000'000, kKeyBytes = 2000, kOffenders = 20, kInputs = 1000;
constexpr std::size_t kListed = 12, kForms = 5, kPaths = 12, kLanes = 2000, kHeadlines = 12;

Json is_significant(const DiffRow& row) { return optional_json(significance_of(row)); }

Json side_json(const ComparedSide& side) {
  Json paths = Json::array(), samples = Json::array();
  for (std::size_t i = 0; i < std::min(kPaths, side.paths.size()); ++i)
    paths.push_back(cut_end(side.paths[i], kKeyBytes));
  for (std::size_t i = 0; i < std::min(kListed, side.samples.size()); ++i)
    samples.push_back({side.samples[i].rank, side.samples[i].iteration});
  return {{"paths", std::move(paths)},
          {"paths_count", side.paths.size()},
          {"what_if", cut_end(what_if_text(side.what_if), kKeyBytes)},
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

/// Positions of the rows, those first that changed most in own time or with all they call.
std::vector<std::size_t> by_difference(const DiffReport& report) {
  std::vector<std::size_t> order(report.rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto change = [&](std::size_t i) {
    return std::max(std::abs(report.own[i].diff_mean_ns()),
                    std::abs(report.rows[i].diff_mean_ns()));
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return change(a) > change(b); });
  return order;
}

/// [[name, change, counts of both sides, own time: is significant, ns of both sides, time with all
/// that is called: the same]] within kRowBytes.
void add_rows(const DiffReport& report, Json& data) {
  Json list = Json::array();
  std::size_t bytes = 0;
  for (const std::size_t position : by_difference(report)) {
    const DiffRow& row = report.rows[position];
    std::string name = cut_end(key_text(report, position), kKeyBytes);
    constexpr std::size_t kNumbers = 90;
    bytes += name.size() + kNumbers;
    if (bytes > kRowBytes) break;
    const DiffRow& own = report.own[position];
    list.push_back({std::move(name), static_cast<int>(row.change), rounded(row.control.mean_count),
                    rounded(row.test.mean_count), is_significant(own), whole(own.control.mean_ns),
                    whole(own.test.mean_ns), is_significant(row), whole(row.control.mean_ns),
                    whole(row.test.mean_ns)});
  }
  data["rows_left_out"] = report.rows.size() - list.size();
  data["rows"] = std::move(list);
}

/// null of a lane that the side does not have.
Json mean_json(const DiffSide& side) {
  return side.samples == 0 ? Json() : Json(whole(side.mean_ns));
}

/// [what, ns and standard deviation of control, of test, is significant]; a deviation of one sample
/// is null.
Json headline_json(const std::string& what, const DiffRow& row) {
  const auto deviation = [](const DiffSide& side) {
    return side.samples < 2 ? Json() : Json(whole(side.deviation_ns));
  };
  return {what,
          mean_json(row.control),
          deviation(row.control),
          mean_json(row.test),
          deviation(row.test),
          is_significant(row)};
}

Json headlines_json(const DiffReport& report) {
  Json json = Json::array();
  for (const LaneMeasure measure : kHeadlineMeasures) {
    const auto& lanes = report.lanes[static_cast<std::size_t>(measure)];
    const std::string what(to_string(measure));
    for (const DiffRow& lane : lanes)
      if (json.size() < kHeadlines)
        json.push_back(headline_json(
            lanes.size() > 1 ? what + ", " + cut_end(lane.key, kKeyBytes) : what, lane));
  }
  json.push_back(headline_json(total_text(report), report.total));
  return json;
}

Json lanes_json(const DiffReport& report) {
  Json json = Json::array();
  for (std::size_t i = kHeadlineMeasures.size(); i < kLaneMeasures; ++i)
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

void write_diff_page(const DiffReport& report, const GateVerdict& gate, const ByteSink& sink,
                     WordPlace word) {
  Json data;
  data["by"] = to_string(report.by);
  data["device"] = to_string(report.device);
  data["control"] = side_json(report.control);
  data["test"] = side_json(report.test);
  data["gate"] = gate_json(report, gate);
  data["headlines"] = headlines_json(report);
  data["changes"] = changes_json(report);
  add_rows(report, data);
  if (report.calls.size() > 1) add_calls(report, data);
  data["lanes"] = lanes_json(report);
  data["edges"] = edges_json(report);
  add_inputs(report, data);
  data["findings"] = findings_json(report.diagnostics.table(), word);
  write_page(
      {"diff.html", {"diff_rows.js", "diff_bars.js", "call_tree.js", "diff.js"}, std::move(data)},
      sink);
}

}  // namespace nadi::html
