#include <nlohmann/json.hpp>

#include "nadi/converters/cli/json_parts.h"
#include "nadi/converters/cli/summary.h"

namespace nadi::cli {

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

}  // namespace

std::string report_json(const ConvertReport& report) {
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
  json["span_ns"] = report.span_ns;
  json["unexplained_ns"] = report.unexplained_ns;
  json["lanes"] = lanes_json(report.lanes);
  if (!report.clock_corrections.empty())
    json["clock_corrections"] = Json::parse(report.clock_corrections);
  json["diagnostics"] = diagnostics_json(report.diagnostics);
  return json_text(json);
}

}  // namespace nadi::cli
