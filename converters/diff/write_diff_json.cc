#include "nadi/converters/diff/write_diff_json.h"

#include <nlohmann/json.hpp>

#include "nadi/base/json_document.h"
#include "nadi/converters/diff/write_diff_csv.h"
#include "nadi/emit/json_writer.h"

namespace nadi {
namespace {

using Json = nlohmann::ordered_json;

double micros(double ns) { return ns / 1000; }
double micros(Ns ns) { return static_cast<double>(ns) / 1000; }

Json side_json(const DiffSide& side) {
  return {{"count", side.count},
          {"total_us", micros(side.duration_ns)},
          {"mean_count", side.mean_count},
          {"mean_us", micros(side.mean_ns)},
          {"deviation_us", micros(side.deviation_ns)}};
}

/// true, false, or null where the spread is not known.
Json is_significant(const DiffRow& row) {
  if (row.verdict == Verdict::kUnknown) return nullptr;
  return row.verdict == Verdict::kSignificant;
}

Json row_json(const DiffRow& row) {
  return {{"control", side_json(row.control)},
          {"test", side_json(row.test)},
          {"diff_count", row.diff_count()},
          {"diff_us", micros(row.diff_ns())},
          {"diff_mean_us", micros(row.diff_mean_ns())},
          {"spread_us", micros(row.spread_ns)},
          {"change", hta_group(row.change)},
          {"significant", is_significant(row)}};
}

Json keyed_row_json(const std::string& column, const std::string& key, const DiffRow& row) {
  Json json = {{column, key}};
  json.update(row_json(row));
  return json;
}

Json own_json(const DiffRow& own) {
  return {{"control_us", micros(own.control.mean_ns)},
          {"test_us", micros(own.test.mean_ns)},
          {"diff_us", micros(own.diff_mean_ns())},
          {"spread_us", micros(own.spread_ns)},
          {"significant", is_significant(own)}};
}

Json side_info(const ComparedSide& side) {
  Json samples = Json::array();
  for (const DiffSample& sample : side.samples)
    samples.push_back({{"rank", sample.rank}, {"iteration", sample.iteration}});
  Json json = {{"paths", side.paths}, {"samples", samples}};
  if (!side.what_if.empty()) json["what_if"] = side.what_if;
  return json;
}

Json call_json(const CallDiff& call) {
  return {{"parent", call.parent.value},
          {"depth", call.depth},
          {"device", call.is_device},
          {"control_device_us", micros(call.control_device.mean_ns)},
          {"test_device_us", micros(call.test_device.mean_ns)}};
}

Json forms_json(const std::vector<InputForm>& forms) {
  Json list = Json::array();
  for (const InputForm& form : forms)
    list.push_back({{"dims", form.dims}, {"types", form.types}, {"count", form.count}});
  return list;
}

Json diagnostic_json(const Diagnostic& found, WordPlace word) {
  Json places = Json::array();
  for (const std::string& place : found.first) places.push_back(word(place));
  return {{"kind", to_string(found.kind)},
          {"severity", to_string(severity_of(found.kind))},
          {"count", found.count},
          {"first", std::move(places)}};
}

/// Writes the members of one object; lists a line per element.
class ObjectWriter {
 public:
  explicit ObjectWriter(const ByteSink& sink) : sink_(sink) { json_.begin_object(); }

  void member(const std::string& name, const Json& value) {
    json_.next_line(2);
    json_.key(name);
    append(value);
  }
  /// make(i) gives element i.
  template <class Make>
  void list(const std::string& name, std::size_t size, const Make& make) {
    json_.next_line(2);
    json_.key(name).begin_list();
    for (std::size_t i = 0; i < size; ++i) {
      json_.next_line(4);
      append(make(i));
    }
    if (size > 0) json_.next_line(2);
    json_.end_list();
  }
  void finish() {
    json_.next_line();
    json_.end_object();
    json_.finish();
    sink_(json_.text());
  }

 private:
  void append(const Json& value) {
    json_.raw() += document_text(value);
    sink_(json_.text());
    json_.text().clear();
  }

  const ByteSink& sink_;
  JsonWriter json_{JsonWriter::Blanks::kSome};
};

/// HTA's ops_diff: the keys of each group.
Json groups_json(const DiffReport& report) {
  Json groups;
  for (std::size_t change = 0; change < kCountChanges; ++change)
    groups[std::string(hta_group(static_cast<CountChange>(change)))] = Json::array();
  for (const DiffRow& row : report.rows)
    groups[std::string(hta_group(row.change))].push_back(row.key);
  return groups;
}

Json gate_json(const DiffReport& report, const GateVerdict& gate) {
  Json failed = Json::array();
  for (const FailedCondition& condition : gate.failed) {
    Json rows = Json::array();
    for (const std::size_t row : condition.offenders) rows.push_back(key_text(report, row));
    failed.push_back({{"condition", condition.condition},
                      {"found", condition.found},
                      {"rows", std::move(rows)}});
  }
  return {{"is_open", gate.is_open()},
          {"cannot_judge", gate.cannot_judge},
          {"conditions", gate.conditions},
          {"failed", std::move(failed)}};
}

void write_lanes(const DiffReport& report, ObjectWriter& writer) {
  Json lanes = Json::array();
  for (std::size_t measure = 0; measure < kLaneMeasures; ++measure)
    for (const DiffRow& row : report.lanes[measure]) {
      Json json = {{"measure", to_string(static_cast<LaneMeasure>(measure))}};
      json.update(keyed_row_json("lane", row.key, row));
      lanes.push_back(std::move(json));
    }
  writer.list("lanes", lanes.size(), [&](std::size_t i) { return lanes[i]; });
}

void write_calls(const DiffReport& report, ObjectWriter& writer) {
  writer.list("calls", report.calls.size(), [&](std::size_t i) {
    Json json = keyed_row_json("name", report.calls[i].row.key, report.calls[i].row);
    json["mean_own"] = own_json(report.calls[i].own);
    json.update(call_json(report.calls[i]));
    return json;
  });
}

void write_inputs(const DiffReport& report, ObjectWriter& writer) {
  writer.list("changed_inputs", report.inputs.size(), [&](std::size_t i) -> Json {
    const ChangedInputs& op = report.inputs[i];
    return {{"name", op.op}, {"control", forms_json(op.control)}, {"test", forms_json(op.test)}};
  });
}

}  // namespace

void write_diff_json(const DiffReport& report, const GateVerdict& gate, const ByteSink& sink,
                     WordPlace word) {
  ObjectWriter writer(sink);
  writer.member("by", to_string(report.by));
  writer.member("device", to_string(report.device));
  if (!gate.conditions.empty()) writer.member("gate", gate_json(report, gate));
  writer.member("control", side_info(report.control));
  writer.member("test", side_info(report.test));
  writer.member("total", row_json(report.total));
  writer.member("inclusive_total", row_json(report.inclusive_total));
  if (report.by == DiffBy::kCallPath) {
    write_calls(report, writer);
  } else {
    writer.member("ops_diff", groups_json(report));
    const std::string column = diff_column(report.by);
    writer.list("rows", report.rows.size(), [&](std::size_t i) {
      Json json = keyed_row_json(column, report.rows[i].key, report.rows[i]);
      json["mean_own"] = own_json(report.own[i]);
      return json;
    });
  }
  write_lanes(report, writer);
  writer.list("edges", report.edges.size(), [&](std::size_t i) {
    return keyed_row_json("edge", report.edges[i].key, report.edges[i]);
  });
  write_inputs(report, writer);
  const auto& found = report.diagnostics.table();
  writer.list("diagnostics", found.size(),
              [&](std::size_t i) { return diagnostic_json(found[i], word); });
  writer.finish();
}

}  // namespace nadi
