#include "nadi/converters/diff/write_diff_json.h"

#include <functional>
#include <nlohmann/json.hpp>

#include "nadi/base/json_document.h"
#include "nadi/converters/diff/diff_fields.h"
#include "nadi/converters/diff/write_diff_csv.h"
#include "nadi/converters/json_members.h"
#include "nadi/emit/json_writer.h"

namespace nadi {
namespace {

using Json = nlohmann::ordered_json;

/// With changes in HTA's words.
template <class Row>
struct DiffMembers : JsonMembers<Row> {
  using JsonMembers<Row>::JsonMembers;

  template <class ChangeOf>
  void change(const char* name, const ChangeOf& change_of) const {
    (*this)(name, [&](const Row& row) { return hta_group(std::invoke(change_of, row)); });
  }
};

template <class Row, class ListFields>
void add_members(const Row& row, const ListFields& list_fields, Json& json) {
  list_fields(DiffMembers<Row>(row, json));
}

Json row_json(const DiffRow& row) {
  Json json;
  add_members(row, kDiffFields, json);
  return json;
}

Json keyed_row_json(const std::string& column, const DiffRow& row) {
  Json json = {{column, row.key}};
  add_members(row, kDiffFields, json);
  return json;
}

Json side_info(const ComparedSide& side) {
  Json samples = Json::array();
  for (const DiffSample& sample : side.samples)
    samples.push_back({{"rank", sample.rank}, {"iteration", sample.iteration}});
  Json json = {{"paths", side.paths}, {"samples", samples}};
  if (!side.what_if.empty()) json["what_if"] = side.what_if;
  return json;
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
      json.update(keyed_row_json("lane", row));
      lanes.push_back(std::move(json));
    }
  writer.list("lanes", lanes.size(), [&](std::size_t i) { return lanes[i]; });
}

void write_calls(const DiffReport& report, ObjectWriter& writer) {
  writer.list("calls", report.calls.size(), [&](std::size_t i) {
    const CallDiff& call = report.calls[i];
    Json json = keyed_row_json("name", call.row);
    add_members(call.own, kOwnFields, json);
    json["parent"] = call.parent.value;
    add_members(call, kCallFields, json);
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
      Json json = keyed_row_json(column, report.rows[i]);
      add_members(report.own[i], kOwnFields, json);
      return json;
    });
  }
  write_lanes(report, writer);
  writer.list("edges", report.edges.size(),
              [&](std::size_t i) { return keyed_row_json("edge", report.edges[i]); });
  write_inputs(report, writer);
  const auto& found = report.diagnostics.table();
  writer.list("diagnostics", found.size(),
              [&](std::size_t i) { return diagnostic_json(found[i], word); });
  writer.finish();
}

}  // namespace nadi
