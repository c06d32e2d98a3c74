#include "nadi/converters/report_json.h"

#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

#include "nadi/base/json_document.h"

namespace nadi {

namespace {

using Json = nlohmann::ordered_json;

/// A member of a report by its key. It is left out where `is_given` says no; null = always there.
template <class Record, class T>
struct Member {
  const char* key;
  T Record::*member;
  bool (*is_given)(const Record&) = nullptr;
};
template <class Record, class T>
Member(const char*, T Record::*, bool (*)(const Record&) = nullptr) -> Member<Record, T>;

constexpr std::tuple kLaneMembers{
    Member{"name", &LaneReport::name}, Member{"nodes", &LaneReport::nodes},
    Member{"span_ns", &LaneReport::span_ns}, Member{"unexplained_ns", &LaneReport::unexplained_ns},
    Member{"end_ns", &LaneReport::end_ns}};

constexpr std::tuple kCudaGraphMembers{
    Member{"id", &CudaGraphReport::id},
    Member{"launches", &CudaGraphReport::launches},
    Member{"nodes", &CudaGraphReport::nodes},
    Member{"dependencies", &CudaGraphReport::dependencies},
    Member{"roots", &CudaGraphReport::roots},
    Member{"rows_without_predecessor", &CudaGraphReport::rows_without_predecessor}};

bool has_unrecorded(const ConvertReport& report) { return report.unrecorded_communications > 0; }
bool has_unrecorded_work(const ConvertReport& report) { return report.unrecorded_work_ns > 0; }
bool has_cuda_graphs(const ConvertReport& report) { return !report.cuda_graphs.empty(); }

/// All but what is JSON already, clock_corrections, and the diagnostics.
constexpr std::tuple kReportMembers{
    Member{"host", &ConvertReport::host},
    Member{"device", &ConvertReport::device},
    Member{"output", &ConvertReport::output},
    Member{"rank", &ConvertReport::rank},
    Member{"host_ops", &ConvertReport::host_ops},
    Member{"matched_host_ops", &ConvertReport::matched_host_ops},
    Member{"device_rows", &ConvertReport::device_rows},
    Member{"linked_device_rows", &ConvertReport::linked_device_rows},
    Member{"unlaunched_device_rows", &ConvertReport::unlaunched_device_rows},
    Member{"launches_without_row", &ConvertReport::launches_without_row},
    Member{"device_rows_by_kind", &ConvertReport::device_rows_by_kind},
    Member{"device_rows_by_evidence", &ConvertReport::device_rows_by_evidence},
    Member{"nodes", &ConvertReport::nodes},
    Member{"nodes_by_kind", &ConvertReport::nodes_by_kind},
    Member{"edges", &ConvertReport::edges},
    Member{"inferred_edges", &ConvertReport::inferred_edges},
    Member{"inferences", &ConvertReport::inferences},
    Member{"collectives", &ConvertReport::collectives},
    Member{"unrecorded_communications", &ConvertReport::unrecorded_communications, &has_unrecorded},
    Member{"unrecorded_communication_ns", &ConvertReport::unrecorded_communication_ns,
           &has_unrecorded},
    Member{"device_ns", &ConvertReport::device_ns, &has_unrecorded},
    Member{"span_ns", &ConvertReport::span_ns},
    Member{"unexplained_ns", &ConvertReport::unexplained_ns},
    Member{"unrecorded_work_ns", &ConvertReport::unrecorded_work_ns, &has_unrecorded_work},
    Member{"lanes", &ConvertReport::lanes},
    Member{"cuda_graphs", &ConvertReport::cuda_graphs, &has_cuda_graphs}};

constexpr const auto& members_of(const LaneReport&) { return kLaneMembers; }
constexpr const auto& members_of(const CudaGraphReport&) { return kCudaGraphMembers; }
constexpr const auto& members_of(const ConvertReport&) { return kReportMembers; }

template <class T>
const T& json_of(const T& value) {
  return value;
}
/// Counts by name, and such counts by name.
template <class T>
Json json_of(const std::vector<std::pair<std::string, T>>& values) {
  Json json = Json::object();
  for (const auto& [name, value] : values) json[name] = json_of(value);
  return json;
}
template <class Record>
Json json_of(const std::vector<Record>& records);
template <class Record>
Json record_json(const Record& record) {
  Json json;
  const auto write = [&](const auto& one) {
    if (!one.is_given || one.is_given(record)) json[one.key] = json_of(record.*one.member);
  };
  std::apply([&](const auto&... one) { (write(one), ...); }, members_of(record));
  return json;
}
template <class Record>
Json json_of(const std::vector<Record>& records) {
  Json json = Json::array();
  for (const Record& record : records) json.push_back(record_json(record));
  return json;
}

template <class T>
void take(const Json& json, T& value) {
  json.get_to(value);
}
template <class T>
void take(const Json& json, std::vector<std::pair<std::string, T>>& values) {
  for (const auto& [name, value] : json.items()) take(value, values.emplace_back(name, T{}).second);
}
template <class Record>
void take(const Json& json, std::vector<Record>& records);
template <class Record>
void take_record(const Json& json, Record& record) {
  const auto read = [&](const auto& one) {
    if (!one.is_given || json.contains(one.key)) take(json.at(one.key), record.*one.member);
  };
  std::apply([&](const auto&... one) { (read(one), ...); }, members_of(record));
}
template <class Record>
void take(const Json& json, std::vector<Record>& records) {
  for (const Json& one : json) take_record(one, records.emplace_back());
}

/// Kinds that the registry does not know are left out.
std::vector<Diagnostic> diagnostics_of(const Json& json) {
  std::vector<Diagnostic> diagnostics;
  for (const Json& row : json) {
    const auto kind = row.at("kind").get<std::string>(),
               severity = row.at("severity").get<std::string>();
    for (const FindingInfo& info : all_findings()) {
      if (info.name != kind || to_string(info.severity) != severity) continue;
      diagnostics.push_back({info.kind, row.at("count").get<std::uint64_t>(),
                             row.at("first").get<std::vector<std::string>>()});
      break;
    }
  }
  return diagnostics;
}

}  // namespace

nlohmann::ordered_json report_json(const ConvertReport& report) {
  Json json = record_json(report);
  if (!report.clock_corrections.empty())
    json["clock_corrections"] = parse_ordered_json(report.clock_corrections);
  json["diagnostics"] = diagnostics_json(report.diagnostics);
  return json;
}

std::string report_json_text(const ConvertReport& report) { return json_text(report_json(report)); }

ConvertReport parse_report_json(const nlohmann::ordered_json& json) {
  ConvertReport report;
  take_record(json, report);
  report.has_host_trace = !report.host.empty();
  if (const auto clocks = json.find("clock_corrections"); clocks != json.end())
    report.clock_corrections = clocks->dump();
  report.diagnostics = diagnostics_of(json.at("diagnostics"));
  return report;
}

namespace {

/// Places name the rank, if the report is one's.
void add_diagnostics(const Json& report, const Json& rows, Diagnostics& found) {
  Diagnostics own;
  for (const Diagnostic& diagnostic : diagnostics_of(rows)) own.add(diagnostic);
  const auto rank = report.find("rank");
  if (rank != report.end() && rank->is_number_integer())
    found.merge_of("rank " + std::to_string(rank->get<std::int64_t>()), own);
  else
    found.merge(own);
}

}  // namespace

ReportedTroubles reported_troubles(std::string_view report) {
  ReportedTroubles troubles;
  const std::function<void(const Json&)> visit = [&](const Json& part) {
    for (const auto& [key, value] : part.items())
      if (part.is_object() && key == "diagnostics")
        add_diagnostics(part, value, troubles.found);
      else if (part.is_object() && key == "error" && value.is_string() && value != "")
        troubles.errors.push_back(value);
      else if (value.is_structured())
        visit(value);
  };
  visit(parse_ordered_json(report));
  return troubles;
}

Json diagnostics_json(const std::vector<Diagnostic>& diagnostics) {
  Json json = Json::array();
  for (const Diagnostic& diagnostic : diagnostics)
    json.push_back({{"kind", to_string(diagnostic.kind)},
                    {"severity", to_string(severity_of(diagnostic.kind))},
                    {"count", diagnostic.count},
                    {"first", diagnostic.first}});
  return json;
}

std::string open_object_text(const Json& object) {
  std::string text = json_text(object);
  text.resize(text.size() - 3);  // "\n}\n"
  return text;
}

void write_rows(const char* key, const VisitJson& visit, const ByteSink& sink) {
  sink(std::string("  \"") + key + "\": [");
  const char* separator = "\n";
  visit([&](const Json& row) {
    std::string text = json_text(row);
    text.pop_back();  // the newline
    sink(separator + text);
    separator = ",\n";
  });
  sink("]");
}

std::string json_text(const Json& json) {
  constexpr int kBlanks = 2;
  return document_text(json, kBlanks) + "\n";
}

}  // namespace nadi
