#include "nadi/converters/cli/job_report_json.h"

#include <nlohmann/json.hpp>

#include "nadi/converters/cli/option_words.h"
#include "nadi/converters/cli/summary.h"
#include "nadi/converters/json_members.h"
#include "nadi/converters/report_json.h"

namespace nadi::cli {

namespace {

using Json = nlohmann::ordered_json;

Json members_json(const std::vector<JobMember>& members) {
  Json json = Json::array();
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    const JobMember& member = members[rank];
    Json row = {{"rank", rank}};
    if (member.recorded_rank < 0)
      row["idle"] = true;
    else if (member.copy_of >= 0)
      row["copy_of_recorded_rank"] = member.copy_of;
    else
      row["recorded_rank"] = member.recorded_rank;
    json.push_back(std::move(row));
  }
  return json;
}

Json check_json(const astra_sim::JobCheck& check) {
  Json findings = Json::array();
  for (const CheckFinding& finding : check.findings)
    findings.push_back({{"rule", to_string(finding.rule)},
                        {"severity", to_string(severity_of(finding.rule))},
                        {"count", finding.count},
                        {"consequence", message_of(finding)},
                        {"first", finding.first}});
  return {{"nodes", check.nodes},
          {"is_run", check.is_run},
          {"unproven", check.unproven},
          {"all_run", check.all_run},
          {"makespan_ns", check.makespan_ns},
          {"network_makespan_ns", optional_json(check.network_makespan_ns)},
          {"network_unknown", check.network_unknown},
          {"most_ready", check.most_ready},
          {"findings", findings}};
}

Json fit_json(const std::optional<astra_sim::NetworkFit>& fit) {
  if (!fit) return {};
  if (!fit->unfitted.empty()) return {{"unfitted", fit->unfitted}};
  const auto speed_json = [](const astra_sim::LinkSpeed& speed) -> Json {
    return {{"bandwidth_gb_per_s", speed.bandwidth_gb_per_s}, {"latency_ns", speed.latency_ns}};
  };
  Json links = Json::array();
  for (const astra_sim::FittedLink& link : fit->links)
    links.push_back({{"bandwidth_gb_per_s", link.bandwidth_gb_per_s},
                     {"latency_ns", link.latency_ns},
                     {"transfers", link.transfers},
                     {"least", speed_json(link.least)},
                     {"most", speed_json(link.most)},
                     {"is_determined", link.is_determined}});
  return {{"links", links},
          {"given_latency_ns", fit->given_latency_ns},
          {"factor", fit->factor},
          {"transfers", fit->transfers},
          {"transfer_ns", fit->transfer_ns},
          {"no_communication_ns", fit->no_communication_ns},
          {"unstretched_makespan_ns", fit->unstretched_ns},
          {"makespan_ns", fit->makespan_ns}};
}

Json scaled_json(const ChangedRun& scaled) {
  Json json = {{"scales", scaled.scales},
               {"scaled_nodes", scaled.nodes},
               {"replayed_ns", scaled.replayed_ns},
               {"scaled_ns", scaled.scaled_ns}};
  if (!scaled.gpu.empty())
    json["gpu"] = {{"name", scaled.gpu},
                   {"kernels_ns", scaled.estimate.kernels_ns},
                   {"from_shapes_ns", scaled.estimate.from_shapes_ns}};
  return json;
}

Json growth_json(const ConvertRanksReport& report) {
  const JobGrowth& growth = report.growth;
  return {{"recorded_ranks", growth.recorded},
          {"ranks", growth.world},
          {"grown", growth.grown},
          {"copied", growth.copied},
          {"groups", growth.groups},
          {"smaller_shards", growth.smaller_shards},
          {"shared_nodes", report.shared_nodes},
          {"recorded_bytes", report.recorded_bytes},
          {"graph_bytes", report.graph_bytes}};
}

/// Shares are null where the makespan is unknown.
Json scaling_json(const std::vector<ScaledJob>& scaling) {
  Json rows = Json::array();
  for (const ScaledJob& job : scaling) {
    const auto& makespan = job.run.network_makespan_ns;
    const auto known = [&](double share) { return makespan ? Json(share) : Json(); };
    rows.push_back({{"ranks", job.world},
                    {"network_makespan_ns", optional_json(makespan)},
                    {"network_unknown", job.run.network_unknown},
                    {"free_makespan_ns", job.run.free_makespan_ns},
                    {"communication_share", known(job.communication_share())},
                    {"efficiency", known(job.efficiency(scaling.front()))}});
  }
  return rows;
}

Json schedule_json(const goal::GoalCounts& schedule) {
  return {{"calc", schedule.calcs},
          {"send", schedule.sends},
          {"recv", schedule.receives},
          {"requires", schedule.requires_}};
}

}  // namespace

nlohmann::ordered_json job_json(const ConvertRanksReport& report, Target target) {
  Json json;
  json["target"] = to_string(target);
  if (!report.error.empty()) {
    json["error"] = in_option_words(report.error);
    return json;
  }
  json["members"] = members_json(report.members);
  json["recorded_span_ns"] = report.recorded_span_ns > 0 ? Json(report.recorded_span_ns) : Json();
  if (report.what_if_span_ns > 0) json["what_if_span_ns"] = report.what_if_span_ns;
  if (report.scaled.is_given()) json["scaled"] = scaled_json(report.scaled);
  if (report.growth.world > 0) json["growth"] = growth_json(report);
  if (!report.scaling.empty()) json["scaling"] = scaling_json(report.scaling);
  if (target == Target::kGoal) json["schedule"] = schedule_json(report.schedule);
  if (target == Target::kAstraSim) {
    json["communication_time"] = to_string(report.communication);
    json["proxy_ranks"] = report.proxy_ranks;
    json["side_ranks"] = report.side_ranks;
    if (report.fine_nodes > 0) json["fine_nodes"] = report.fine_nodes;
    json["issue_rules"] = check_json(report.check);
    json["network_fit"] = fit_json(report.check.fit);
  }
  json["rewritten"] = diagnostics_json(report.rewritten);
  json["files"] = report.outputs;
  json["stale_outputs"] = report.stale_outputs;
  json["command"] = report.command;
  return json;
}

std::string job_report_json(const ConvertRanksReport& report, Target target) {
  Json json = job_json(report, target);
  json["ranks"] = Json::array();
  for (const ConvertReport& rank : report.ranks) json["ranks"].push_back(report_json(rank));
  return json_text(json);
}

}  // namespace nadi::cli
