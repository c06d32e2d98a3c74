#include "nadi/converters/html/convert_page.h"

#include <algorithm>
#include <filesystem>

#include "nadi/base/compression.h"
#include "nadi/converters/html/drawn_job.h"
#include "nadi/converters/html/write_page.h"
#include "nadi/converters/load_graph.h"
#include "nadi/converters/profile/step_times.h"
#include "nadi/sim_bridge/replay/measured.h"
#include "nadi/sim_bridge/replay/what_if.h"

namespace nadi::html {
namespace {

constexpr std::size_t kMostRanks = 256, kMostLaneRows = 200, kMostOutputs = 100, kPath = 1000;

Json counts_json(const CountTable& counts) {
  Json json = Json::array();
  for (const auto& [name, count] : counts) json.push_back({name, count});
  return json;
}

/// [[evidence, edges, of them inferred, [[by what, of the inferred]]]].
Json edges_json(const ConvertReport& report) {
  Json json = Json::array();
  for (const auto& edges : report.edges) {
    const auto of_evidence = [&edges](const auto& entry) { return entry.first == edges.first; };
    const auto& inferred = report.inferred_edges;
    const auto found = std::find_if(inferred.begin(), inferred.end(), of_evidence);
    const auto& by = report.inferences;
    const auto inferences = std::find_if(by.begin(), by.end(), of_evidence);
    json.push_back({edges.first, edges.second, found == inferred.end() ? 0 : found->second,
                    counts_json(inferences == by.end() ? CountTable{} : inferences->second)});
  }
  return json;
}

/// [[name, nodes, ns from the trace's start to its end, unexplained ns]].
Json lanes_json(const ConvertReport& report) {
  Json json = Json::array();
  for (const LaneReport& lane : report.lanes) {
    if (json.size() >= kMostLaneRows) break;
    json.push_back({cut_end(lane.name, kPath), lane.nodes, lane.end_ns, lane.unexplained_ns});
  }
  return json;
}

/// [ns of all devices, of these computation, exposed communication, exposed copies, idle].
Json device_time_json(const std::vector<StepTimes>& devices) {
  StepTimes sum;
  Ns idle_ns = 0;
  for (const StepTimes& device : devices) {
    sum.length_ns += device.length_ns;
    sum.computation_ns += device.computation_ns;
    sum.exposed_communication_ns += device.exposed_communication_ns;
    sum.exposed_copies_ns += device.exposed_copies_ns;
    idle_ns += device.sum_of_idle_ns();
  }
  return {sum.length_ns, sum.computation_ns, sum.exposed_communication_ns, sum.exposed_copies_ns,
          idle_ns};
}

bool is_graph_file(const std::string& path) {
  std::error_code is_missing;  // then it is none
  return without_compression(path).ends_with(".et") &&
         std::filesystem::is_regular_file(path, is_missing);
}

/// Sets `drawn` to the lanes of a graph, and `device_time`, if it says times.
void add_times(const Graph& graph, std::size_t graphs, DrawnNames& names, Json& json) {
  Diagnostics ignored;  // the conversion has reported its own
  const ReplayJob job = make_replay_job({&graph, 1}, ignored);
  if (!job.is_measured) return;
  const ReplayTimes measured = measured_times(job);
  json["drawn"] =
      drawn_job(job, std::vector<DrawnTimes>{{"", measured, true}}, 0, {}, graphs, names);
  json["device_time"] = device_time_json(measure_rank(job, 0).devices);
}

Json rank_json(const ConvertReport& report) {
  return {{"rank", report.rank},
          {"host", cut_end(report.host, kPath)},
          {"device", cut_end(report.device, kPath)},
          {"output", cut_end(report.output, kPath)},
          {"has_host_trace", report.has_host_trace},
          {"host_ops", report.host_ops},
          {"matched_host_ops", report.matched_host_ops},
          {"device_rows", report.device_rows},
          {"linked_device_rows", report.linked_device_rows},
          {"unlaunched_device_rows", report.unlaunched_device_rows},
          {"launches_without_row", report.launches_without_row},
          {"device_rows_by_kind", counts_json(report.device_rows_by_kind)},
          {"device_rows_by_evidence", counts_json(report.device_rows_by_evidence)},
          {"nodes", report.nodes},
          {"nodes_by_kind", counts_json(report.nodes_by_kind)},
          {"edges", edges_json(report)},
          {"collectives", counts_json(report.collectives)},
          {"span_ns", report.span_ns},
          {"unexplained_ns", report.unexplained_ns},
          {"lanes", lanes_json(report)},
          {"findings", findings_json(report.diagnostics)}};
}

/// [[ranks, makespan ns, of it without communication, share of communication %, efficiency %]], of
/// the sizes whose makespan is known.
Json scaling_json(const std::vector<ScaledJob>& scaling) {
  Json json = Json::array();
  for (const ScaledJob& job : scaling)
    if (job.run.network_makespan_ns)
      json.push_back({job.world, *job.run.network_makespan_ns, job.run.free_makespan_ns,
                      100 * job.communication_share(), 100 * job.efficiency(scaling.front())});
  return json;
}

/// What was made for a simulator of all ranks together; null for plain graphs.
Json job_json(const ConvertRanksReport& report) {
  if (report.members.empty() && report.rewritten.empty()) return nullptr;
  Json outputs = Json::array();
  for (std::size_t i = 0; i < std::min(kMostOutputs, report.outputs.size()); ++i)
    outputs.push_back(cut_end(report.outputs[i], kPath));
  return {{"ranks", report.members.size()},          {"outputs", std::move(outputs)},
          {"outputs_count", report.outputs.size()},  {"command", report.command},
          {"scaling", scaling_json(report.scaling)}, {"findings", findings_json(report.rewritten)}};
}

}  // namespace

void write_convert_page(const ConvertRanksReport& report, std::span<const Graph> graphs,
                        const ByteSink& sink) {
  DrawnNames names;
  Json ranks = Json::array();
  const std::size_t shown = std::min(kMostRanks, report.ranks.size());
  for (std::size_t i = 0; i < shown; ++i) {
    ranks.push_back(rank_json(report.ranks[i]));
    Json& rank = ranks.back();
    rank["drawn"] = rank["device_time"] = nullptr;
    if (pieces_of(i, report.ranks.size()) == 0) continue;
    if (!graphs.empty())
      add_times(graphs[i], report.ranks.size(), names, rank);
    else if (const std::string& path = report.ranks[i].output; is_graph_file(path))
      add_times(load_graph(path, {.shapes = true, .parents = true}), report.ranks.size(), names,
                rank);
  }
  Json data;
  data["ranks"] = std::move(ranks);
  data["ranks_left_out"] = report.ranks.size() - shown;
  data["names"] = names.json();
  data["job"] = job_json(report);
  data["what_if"] = cut_end(what_if_text(report.scaled.changes()), kPath);
  write_page({"convert.html",
              {"lane_pieces.js", "lane_rows.js", "lane_drawing.js", "lane_node.js", "lanes.js",
               "lane_use.js", "convert.js"},
              std::move(data)},
             sink);
}

}  // namespace nadi::html
