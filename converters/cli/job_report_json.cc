#include <nlohmann/json.hpp>

#include "nadi/converters/cli/archive_report.h"
#include "nadi/converters/cli/job_options.h"
#include "nadi/converters/cli/summary.h"
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
    findings.push_back({{"rule", finding.rule},
                        {"severity", to_string(finding.severity)},
                        {"count", finding.count},
                        {"consequence", finding.message},
                        {"first", finding.first}});
  return {{"nodes", check.nodes},           {"is_run", check.is_run},
          {"all_run", check.all_run},       {"makespan_ns", check.makespan_ns},
          {"most_ready", check.most_ready}, {"findings", findings}};
}

Json schedule_json(const goal::GoalCounts& schedule) {
  return {{"calc", schedule.calcs},
          {"send", schedule.sends},
          {"recv", schedule.receives},
          {"requires", schedule.requires_}};
}

/// Calls take for the report of each recorded rank of a job, as the job names it.
void visit_reports(const ConvertRanksReport& job, const ArchiveJobReport* archive, Target target,
                   const std::function<void(const ConvertReport&)>& take) {
  if (archive == nullptr) {
    for (const ConvertReport& rank : job.ranks) take(rank);
    return;
  }
  const auto in_job = job_ranks(job.members);
  Manifest(archive->manifest).visit([&](RankRecord record) {
    if (!record.error.empty()) return;
    name_output(in_job, job.prefix, target, record.report);
    take(record.report);
  });
}

void write_job_report(const ConvertRanksReport& report, const ArchiveJobReport* archive,
                      Target target, const ByteSink& sink) {
  Json json;
  json["target"] = to_string(target);
  json["members"] = members_json(report.members);
  json["recorded_span_ns"] = report.recorded_span_ns;
  if (target == Target::kGoal) json["schedule"] = schedule_json(report.schedule);
  if (target == Target::kAstraSim) json["issue_rules"] = check_json(report.check);
  json["rewritten"] = diagnostics_json(report.rewritten);
  json["files"] = report.outputs;
  json["stale_outputs"] = report.stale_outputs;
  json["command"] = report.command;
  sink(open_object_text(json) + ",\n");
  if (archive != nullptr) {
    write_communication(*archive, sink);
    sink(",\n");
  }
  const auto visit = [&](const std::function<void(const Json&)>& take) {
    visit_reports(report, archive, target,
                  [&](const ConvertReport& rank) { take(report_json(rank)); });
  };
  write_rows("ranks", visit, sink);
  sink("\n}");
}

}  // namespace

void write_job_reports(const std::vector<ConvertRanksReport>& jobs,
                       const ConvertArchiveReport* archive, Target target, const ByteSink& sink) {
  if (jobs.size() > 1) sink("[\n");
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (i > 0) sink(",\n");
    write_job_report(jobs[i], archive == nullptr ? nullptr : &archive->jobs[i], target, sink);
  }
  sink(jobs.size() > 1 ? "\n]\n" : "\n");
}

}  // namespace nadi::cli
