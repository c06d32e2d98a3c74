#include "nadi/converters/html/convert_page.h"

#include <algorithm>
#include <filesystem>
#include <limits>

#include "nadi/converters/html/drawn_job.h"
#include "nadi/converters/html/write_page.h"
#include "nadi/converters/load_graph.h"
#include "nadi/emit/compressor.h"

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

/// The lanes of a graph file; null where it is none, or tells no times.
Json lanes_of_file(const std::string& path, std::int64_t rank, std::size_t most_pieces,
                   DrawnNames& names) {
  std::error_code is_missing;  // then it is no graph either
  if (most_pieces == 0 || !without_compression(path).ends_with(".et") ||
      !std::filesystem::is_regular_file(path, is_missing))
    return nullptr;
  const Graph graph = load_graph(path, {.shapes = true, .parents = true});
  if (!graph.tells_starts) return nullptr;
  std::vector<Ns> ends(graph.size());
  for (std::size_t row = 0; row < ends.size(); ++row)
    if (__builtin_add_overflow(graph.start_ns[row], graph.duration_ns[row], &ends[row]))
      ends[row] = std::numeric_limits<Ns>::max();
  return drawn_graph(graph, rank, {"", graph.start_ns, ends, true}, most_pieces, names);
}

Json rank_json(const ConvertReport& report, std::size_t most_pieces, DrawnNames& names) {
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
          {"findings", findings_json(report.diagnostics)},
          {"drawn", lanes_of_file(report.output, report.rank, most_pieces, names)}};
}

/// [[ranks, makespan ns, of it without communication, share of communication %, efficiency %]], of
/// the sizes whose makespan is known.
Json scaling_json(const std::vector<ScaledJob>& scaling) {
  Json json = Json::array();
  for (const ScaledJob& job : scaling)
    if (job.check.network_makespan_ns)
      json.push_back({job.world, *job.check.network_makespan_ns, job.check.free_makespan_ns,
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

void write_convert_page(const ConvertRanksReport& report, const ByteSink& sink) {
  DrawnNames names;
  Json ranks = Json::array();
  const std::size_t shown = std::min(kMostRanks, report.ranks.size());
  for (std::size_t i = 0; i < shown; ++i)
    ranks.push_back(rank_json(report.ranks[i], pieces_of(i, report.ranks.size()), names));
  Json data;
  data["ranks"] = std::move(ranks);
  data["ranks_left_out"] = report.ranks.size() - shown;
  data["names"] = names.json();
  data["job"] = job_json(report);
  write_page({"convert.html",
              {"lane_pieces.js", "lane_rows.js", "lane_drawing.js", "lane_node.js", "lanes.js",
               "lane_use.js", "convert.js"},
              std::move(data)},
             sink);
}

}  // namespace nadi::html
