#include "nadi/converters/html/replay_page.h"

#include <algorithm>

#include "nadi/converters/html/drawn_job.h"
#include "nadi/converters/html/write_page.h"
#include "nadi/converters/json_members.h"
#include "nadi/model/edge_counts.h"
#include "nadi/sim_bridge/replay/what_if.h"

namespace nadi::html {
namespace {

constexpr std::size_t kNodeNameBytes = 1000, kMostReplayRanks = 1000, kMostUses = 5000,
                      kMostKernels = 200;

const char* clock_text(ClockSource clock) {
  constexpr const char* kTexts[] = {
      "one rank", "base_time_ns of the graphs", "the communication that ranks share",
      "the communication that ranks share (base_time_ns contradicts)", ""};
  return kTexts[static_cast<std::size_t>(clock)];
}

Json ranks_json(const ReplayReport& report) {
  Json json = Json::array();
  for (std::size_t i = 0; i < std::min(kMostReplayRanks, report.ranks.size()); ++i) {
    const ReplayRank& rank = report.ranks[i];
    json.push_back({rank.rank, cut_end(rank.file, kNodeNameBytes), rank.nodes,
                    optional_json(rank.measured_ns), rank.replayed_ns,
                    optional_json(rank.scaled_ns), rank.clock.shift_ns, rank.clock.drift});
  }
  return json;
}

/// [[rank, lane, step, nodes, busy, explained, unexplained, busy and idle of the replay]], ns; null
/// where nothing was measured.
Json uses_json(const std::vector<ReplayLane>& lanes) {
  Json json = Json::array();
  for (std::size_t i = 0; i < std::min(kMostUses, lanes.size()); ++i) {
    const LaneUse& use = lanes[i].use;
    std::optional<Ns> busy, explained, unexplained;
    if (use.measured) {
      busy = use.measured->busy_ns;
      explained = use.measured->explained_ns;
      unexplained = use.measured->unexplained_ns;
    }
    json.push_back({lanes[i].rank, lanes[i].name, use.step, use.nodes, optional_json(busy),
                    optional_json(explained), optional_json(unexplained), use.replayed_busy_ns,
                    use.replayed_idle_ns});
  }
  return json;
}

Json differences_json(const std::vector<ReplayNode>& nodes) {
  Json json = Json::array();
  for (const ReplayNode& node : nodes)
    json.push_back({node.rank, node.id, cut_end(node.name, kNodeNameBytes), node.lane, node.from_ns,
                    node.to_ns});
  return json;
}

/// [[kind, ns, ns with the scales]].
Json path_json(const ReplayReport& report) {
  Json json = Json::array();
  for (std::size_t kind = 0; kind < kPathKindCount; ++kind)
    json.push_back({to_string(static_cast<PathKind>(kind)), report.path.by_kind[kind],
                    report.scaled_path ? Json(report.scaled_path->by_kind[kind]) : Json()});
  return json;
}

/// [[name, ns, ns with the scales]] of kernels on the path, the longest first.
Json path_kernels_json(const ReplayReport& report) {
  std::vector<std::pair<std::string, Ns>> kernels(report.path.kernels.begin(),
                                                  report.path.kernels.end());
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (kernels.size() > kMostKernels) kernels.resize(kMostKernels);
  Json json = Json::array();
  for (const auto& kernel : kernels) {
    Json scaled;
    if (report.scaled_path) {
      const auto found = report.scaled_path->kernels.find(kernel.first);
      scaled = found == report.scaled_path->kernels.end() ? 0 : found->second;
    }
    json.push_back({cut_end(kernel.first, kNodeNameBytes), kernel.second, std::move(scaled)});
  }
  return json;
}

Json scales_json(const ReplayReport& report) {
  Json json = Json::array();
  for (std::size_t i = 0; i < report.scales.size(); ++i)
    json.push_back({cut_end(report.scales[i], kNodeNameBytes), report.scaled_nodes[i]});
  return json;
}

Json modes_json(const std::vector<DelayModeTime>& modes) {
  Json json = Json::array();
  for (const DelayModeTime& mode : modes) json.push_back({mode.name, mode.replayed_ns});
  return json;
}

/// [[evidence, edges, of them inferred, [[by what, of the inferred]]]].
Json edges_json(const ReplayJob& job) {
  EdgeCounts counts;
  for (const Graph& graph : job.graphs) add_edge_counts(graph, counts);
  Json json = Json::array();
  for (std::size_t i = 0; i < kEvidenceCount; ++i) {
    const EdgeCount& count = counts[i];
    if (count.edges() == 0) continue;
    Json inferences = Json::array();
    for (std::size_t by = 1; by < kInferenceCount; ++by)
      if (count.by_inference[by] > 0)
        inferences.push_back({to_string(static_cast<Inference>(by)), count.by_inference[by]});
    json.push_back({to_string(static_cast<Evidence>(i)), count.edges(), count.inferred(),
                    std::move(inferences)});
  }
  return json;
}

/// All ranks with all runs; the path is that of the replay.
Json drawn_json(const ReplayPage& page, DrawnNames& names) {
  std::vector<DrawnTimes> runs;
  if (page.report.is_measured())
    runs.push_back({measured_word(page.report.what_if), page.measured, true});
  const std::size_t replayed = runs.size();
  runs.push_back({"replayed", page.replayed});
  if (page.scaled != nullptr) runs.push_back({"scaled", *page.scaled});
  return drawn_job(page.job, runs, replayed, page.inputs, page.job.graphs.size(), names);
}

}  // namespace

void write_replay_page(const ReplayPage& page, const ByteSink& sink) {
  const ReplayReport& report = page.report;
  DrawnNames names;
  Json data;
  data["what_if"] = cut_end(what_if_text(report.what_if), kNodeNameBytes);
  data["measured_word"] = measured_word(report.what_if);
  data["measured_ns"] = optional_json(report.measured_ns);
  data["replayed_ns"] = report.replayed_ns;
  data["scaled_ns"] = optional_json(report.scaled_ns);
  data["idle_ns"] = optional_json(report.idle_ns);
  data["explained_ns"] = optional_json(report.explained_ns);
  data["clock"] = clock_text(report.clock);
  data["meetings"] = report.comm_instances;
  data["scales"] = scales_json(report);
  data["ranks"] = ranks_json(report);
  data["ranks_count"] = report.ranks.size();
  data["modes"] = modes_json(page.by_mode);
  data["uses"] = uses_json(report.lanes);
  data["uses_left_out"] = report.lanes.size() - data["uses"].size();
  data["use_sums"] = uses_json(report.lane_sums);
  data["differences"] = differences_json(report.differences);
  data["scaled_differences"] = differences_json(report.scaled_differences);
  data["path"] = path_json(report);
  data["path_kernels"] = path_kernels_json(report);
  data["edges"] = edges_json(page.job);
  data["drawn"] = drawn_json(page, names);
  data["names"] = names.json();
  data["findings"] = findings_json(page.diagnostics);
  write_page({"replay.html",
              {"lane_pieces.js", "lane_rows.js", "lane_drawing.js", "lane_node.js", "lanes.js",
               "lane_use.js", "replay.js"},
              std::move(data)},
             sink);
}

}  // namespace nadi::html
