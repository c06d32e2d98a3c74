#include "nadi/converters/cli/replay_json.h"

#include <functional>
#include <nlohmann/json.hpp>

#include "nadi/converters/json_members.h"
#include "nadi/converters/report_json.h"

namespace nadi::cli {

namespace {

using Json = nlohmann::ordered_json;

/// "measured_ns", which is null of a what-if, whose "what_if_ns" is beside it.
void add_measured(const ReplayReport& report, const std::optional<Ns>& ns, Json& json) {
  const bool is_what_if = !report.what_if.empty();
  json["measured_ns"] = is_what_if ? Json() : optional_json(ns);
  if (is_what_if) json["what_if_ns"] = optional_json(ns);
}

/// null where the graphs hold no guesses.
Json inferred_json(const std::optional<ReplayOfInferred>& inferred) {
  if (!inferred) return {};
  return {{"edges", inferred->edges},
          {"replayed", inferred->is_without ? "without" : "with"},
          {"with_ns", inferred->with_ns},
          {"without_ns", inferred->without_ns}};
}

Json ranks_json(const ReplayReport& report) {
  Json json = Json::array();
  for (const ReplayRank& rank : report.ranks) {
    json.push_back({{"rank", rank.rank},
                    {"file", rank.file},
                    {"nodes", rank.nodes},
                    {"shift_ns", rank.clock.shift_ns},
                    {"drift_ppm", rank.clock.drift * 1e6}});
    add_measured(report, rank.measured_ns, json.back());
    json.back()["replayed_ns"] = rank.replayed_ns;
    if (rank.scaled_ns) json.back()["scaled_ns"] = *rank.scaled_ns;
  }
  return json;
}

Json lanes_json(const std::vector<ReplayLane>& lanes) {
  Json json = Json::array();
  for (const ReplayLane& lane : lanes) {
    const auto measured = [&](auto what) {
      return lane.use.measured ? Json(std::invoke(what, *lane.use.measured)) : Json();
    };
    json.push_back({{"rank", lane.rank},
                    {"lane", lane.name},
                    {"step", lane.use.step},
                    {"nodes", lane.use.nodes},
                    {"busy_ns", measured(&MeasuredUse::busy_ns)},
                    {"idle_ns", measured(&MeasuredUse::idle_ns)},
                    {"explained_idle_ns", measured(&MeasuredUse::explained_ns)},
                    {"unexplained_idle_ns", measured(&MeasuredUse::unexplained_ns)},
                    {"replayed_busy_ns", lane.use.replayed_busy_ns},
                    {"replayed_idle_ns", lane.use.replayed_idle_ns}});
  }
  return json;
}

Json nodes_json(const std::vector<ReplayNode>& nodes) {
  Json json = Json::array();
  for (const ReplayNode& node : nodes)
    json.push_back({{"rank", node.rank},
                    {"node", node.id},
                    {"name", node.name},
                    {"lane", node.lane},
                    {"from_ns", node.from_ns},
                    {"to_ns", node.to_ns}});
  return json;
}

Json path_json(const ReplayPath& path) {
  Json json = Json::object();
  for (std::size_t kind = 0; kind < kPathKindCount; ++kind)
    json[std::string(to_string(static_cast<PathKind>(kind))) + " ns"] = path.by_kind[kind];
  Json kernels = Json::object();
  for (const auto& [name, ns] : path.kernels) kernels[name] = ns;
  json["kernels"] = std::move(kernels);
  return json;
}

}  // namespace

std::string replay_json(const ReplayReport& report, const std::vector<Diagnostic>& diagnostics) {
  Json json;
  if (!report.what_if.empty()) json["what_if"] = report.what_if;
  add_measured(report, report.measured_ns, json);
  json["replayed_ns"] = report.replayed_ns;
  json["error_percent"] = optional_json(report.error_percent());
  json["inferred"] = inferred_json(report.inferred);
  json["idle_ns"] = optional_json(report.idle_ns);
  json["explained_idle_ns"] = optional_json(report.explained_ns);
  json["clock"] = to_string(report.clock);
  json["matched_communications"] = report.comm_instances;
  json["ranks"] = ranks_json(report);
  json["lanes"] = lanes_json(report.lanes);
  json["differences"] = nodes_json(report.differences);
  json["critical_path"] = path_json(report.path);
  if (report.scaled_ns) {
    json["scales"] = report.scales;
    json["scaled_nodes"] = report.scaled_nodes;
    json["scaled_ns"] = *report.scaled_ns;
    json["scaled_differences"] = nodes_json(report.scaled_differences);
    json["scaled_critical_path"] = path_json(*report.scaled_path);
  }
  json["diagnostics"] = diagnostics_json(diagnostics);
  return json_text(json);
}

}  // namespace nadi::cli
