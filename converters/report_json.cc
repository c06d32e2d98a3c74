#include "nadi/converters/report_json.h"

#include <array>

#include <nlohmann/json.hpp>

#include "nadi/base/json_document.h"

namespace nadi {

namespace {

using Json = nlohmann::ordered_json;

Json counts_json(const CountTable& counts) {
  Json json = Json::object();
  for (const auto& [name, count] : counts) json[name] = count;
  return json;
}

/// By evidence, what its guesses rest on.
Json inferences_json(const ConvertReport& report) {
  Json json = Json::object();
  for (const auto& [evidence, inferences] : report.inferences)
    json[evidence] = counts_json(inferences);
  return json;
}

Json lanes_json(const std::vector<LaneReport>& lanes) {
  Json json = Json::array();
  for (const LaneReport& lane : lanes) {
    json.push_back({{"name", lane.name},
                    {"nodes", lane.nodes},
                    {"span_ns", lane.span_ns},
                    {"unexplained_ns", lane.unexplained_ns},
                    {"end_ns", lane.end_ns}});
  }
  return json;
}

CountTable counts_of(const Json& json) {
  CountTable counts;
  for (const auto& [name, count] : json.items()) counts.emplace_back(name, count);
  return counts;
}

LaneReport lane_of(const Json& json) {
  return {json.at("name").get<std::string>(), json.at("nodes").get<std::uint64_t>(),
          json.at("span_ns").get<Ns>(), json.at("unexplained_ns").get<Ns>(),
          json.at("end_ns").get<Ns>()};
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

struct CudaGraphCount {
  const char* key;
  std::uint64_t CudaGraphReport::*member;
};
constexpr std::array kCudaGraphCounts = {
    CudaGraphCount{"id", &CudaGraphReport::id},
    CudaGraphCount{"launches", &CudaGraphReport::launches},
    CudaGraphCount{"nodes", &CudaGraphReport::nodes},
    CudaGraphCount{"dependencies", &CudaGraphReport::dependencies},
    CudaGraphCount{"roots", &CudaGraphReport::roots},
    CudaGraphCount{"rows_without_predecessor", &CudaGraphReport::rows_without_predecessor}};

Json cuda_graphs_json(const std::vector<CudaGraphReport>& graphs) {
  Json json = Json::array();
  for (const CudaGraphReport& graph : graphs) {
    Json& one = json.emplace_back();
    for (const CudaGraphCount& count : kCudaGraphCounts) one[count.key] = graph.*count.member;
  }
  return json;
}

CudaGraphReport cuda_graph_of(const Json& json) {
  CudaGraphReport graph;
  for (const CudaGraphCount& count : kCudaGraphCounts)
    json.at(count.key).get_to(graph.*count.member);
  return graph;
}

}  // namespace

nlohmann::ordered_json report_json(const ConvertReport& report) {
  Json json;
  json["host"] = report.host;
  json["device"] = report.device;
  json["output"] = report.output;
  json["rank"] = report.rank;
  json["host_ops"] = report.host_ops;
  json["matched_host_ops"] = report.matched_host_ops;
  json["device_rows"] = report.device_rows;
  json["linked_device_rows"] = report.linked_device_rows;
  json["unlaunched_device_rows"] = report.unlaunched_device_rows;
  json["launches_without_row"] = report.launches_without_row;
  json["device_rows_by_kind"] = counts_json(report.device_rows_by_kind);
  json["device_rows_by_evidence"] = counts_json(report.device_rows_by_evidence);
  json["nodes"] = report.nodes;
  json["nodes_by_kind"] = counts_json(report.nodes_by_kind);
  json["edges"] = counts_json(report.edges);
  json["inferred_edges"] = counts_json(report.inferred_edges);
  json["inferences"] = inferences_json(report);
  json["collectives"] = counts_json(report.collectives);
  if (report.unrecorded_communications > 0) {
    json["unrecorded_communications"] = report.unrecorded_communications;
    json["unrecorded_communication_ns"] = report.unrecorded_communication_ns;
    json["device_ns"] = report.device_ns;
  }
  json["span_ns"] = report.span_ns;
  json["unexplained_ns"] = report.unexplained_ns;
  if (report.unrecorded_work_ns > 0) json["unrecorded_work_ns"] = report.unrecorded_work_ns;
  json["lanes"] = lanes_json(report.lanes);
  if (!report.cuda_graphs.empty()) json["cuda_graphs"] = cuda_graphs_json(report.cuda_graphs);
  if (!report.clock_corrections.empty())
    json["clock_corrections"] = parse_ordered_json(report.clock_corrections);
  json["diagnostics"] = diagnostics_json(report.diagnostics);
  return json;
}

std::string report_json_text(const ConvertReport& report) { return json_text(report_json(report)); }

ConvertReport parse_report_json(const nlohmann::ordered_json& json) {
  ConvertReport report;
  const auto take = [&json](const char* key, auto& target) { json.at(key).get_to(target); };
  const auto take_counts = [&json](const char* key, CountTable& target) {
    target = counts_of(json.at(key));
  };
  take("host", report.host);
  take("device", report.device);
  take("output", report.output);
  take("rank", report.rank);
  report.has_host_trace = !report.host.empty();
  take("host_ops", report.host_ops);
  take("matched_host_ops", report.matched_host_ops);
  take("device_rows", report.device_rows);
  take("linked_device_rows", report.linked_device_rows);
  take("unlaunched_device_rows", report.unlaunched_device_rows);
  take("launches_without_row", report.launches_without_row);
  take_counts("device_rows_by_kind", report.device_rows_by_kind);
  take_counts("device_rows_by_evidence", report.device_rows_by_evidence);
  take("nodes", report.nodes);
  take_counts("nodes_by_kind", report.nodes_by_kind);
  take_counts("edges", report.edges);
  take_counts("inferred_edges", report.inferred_edges);
  for (const auto& [evidence, counts] : json.at("inferences").items())
    report.inferences.emplace_back(evidence, counts_of(counts));
  take_counts("collectives", report.collectives);
  if (json.contains("unrecorded_communications")) {
    take("unrecorded_communications", report.unrecorded_communications);
    take("unrecorded_communication_ns", report.unrecorded_communication_ns);
    take("device_ns", report.device_ns);
  }
  take("span_ns", report.span_ns);
  take("unexplained_ns", report.unexplained_ns);
  if (json.contains("unrecorded_work_ns")) take("unrecorded_work_ns", report.unrecorded_work_ns);
  for (const Json& lane : json.at("lanes")) report.lanes.push_back(lane_of(lane));
  if (const auto graphs = json.find("cuda_graphs"); graphs != json.end())
    for (const Json& graph : *graphs) report.cuda_graphs.push_back(cuda_graph_of(graph));
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
