#include "nadi/converters/cli/job_options.h"

#include <fmt/format.h>

#include <map>

#include "nadi/converters/cli/text_table.h"

namespace nadi::cli {

namespace {

constexpr std::size_t kIndent = 2;

/// `choice` by name, for one of the options below.
template <class Choice>
void add_choice_of(Options& options, const std::string& name,
                   const std::map<std::string, Choice>& choices, Choice& target,
                   const std::string& purpose) {
  std::vector<std::string> names;
  names.reserve(choices.size());
  for (const auto& [text, choice] : choices) names.push_back(text);
  options.add_choice(
      name, [&choices, &target](const std::string& text) { target = choices.at(text); }, names,
      purpose);
}

const char* severity_text(astra_sim::RuleSeverity severity) {
  switch (severity) {
    case astra_sim::RuleSeverity::kNote:
      return "note";
    case astra_sim::RuleSeverity::kWarning:
      return "warning";
    case astra_sim::RuleSeverity::kError:
      return "error";
  }
  return "";
}

std::string rewriting_table(const std::vector<Diagnostic>& rows, bool in_detail) {
  TextTable table{{"rewritten", "severity", "count", "first"}, {}, {2}};
  for (const Diagnostic& row : rows) {
    table.rows.push_back({row.kind, std::string(to_string(row.severity)), with_commas(row.count),
                          row.first.empty() ? "" : row.first.front()});
    for (std::size_t i = 1; in_detail && i < row.first.size(); ++i)
      table.rows.push_back({"", "", "", row.first[i]});
  }
  return table.rows.empty() ? "" : "\n" + format_table(table, kIndent);
}

}  // namespace

void add_job_options(Options& options, JobArguments& arguments) {
  static const std::map<std::string, Target> kTargets = {
      {"chakra", Target::kChakra}, {"astra-sim", Target::kAstraSim}, {"goal", Target::kGoal}};
  static const std::map<std::string, goal::Algorithm> kAlgorithms = {
      {"ring", goal::Algorithm::kRing},
      {"doubling", goal::Algorithm::kDoubling},
      {"auto", goal::Algorithm::kAuto}};
  static const std::map<std::string, MissingRanks> kMissing = {{"error", MissingRanks::kRefuse},
                                                               {"drop", MissingRanks::kDrop},
                                                               {"copy", MissingRanks::kCopy}};
  static const std::map<std::string, astra_sim::Unsupported> kUnsupported = {
      {"map", astra_sim::Unsupported::kMap},
      {"replay", astra_sim::Unsupported::kReplay},
      {"error", astra_sim::Unsupported::kError}};
  options.add_text("--traces", arguments.traces, Need::kOptional, "DIR",
                   "Convert the traces of all ranks in a folder, in place of --host and --device");
  options.add_text("--pattern", arguments.pattern, Need::kOptional, "'*.{rank}.json*'",
                   "With --traces: which files, and where the rank stands in their names");
  add_choice_of(options, "--target", kTargets, arguments.target,
                "Rewrite the job for a simulator (default: chakra)");
  add_choice_of(options, "--missing", kMissing, arguments.missing,
                "With --target, ranks nobody recorded: an error, dropped from their groups, or run "
                "a copy of a recorded rank (default: error)");
  add_choice_of(options, "--unsupported", kUnsupported, arguments.rewrite.unsupported,
                "Collectives ASTRA-sim lacks: take the nearest, their measured time, or stop "
                "(default: map)");
  options.add_number("--dataset-splits", arguments.rewrite.dataset_splits, "N",
                     "preferred-dataset-splits of the system file (default: 4)");
  add_choice_of(options, "--collectives", kAlgorithms, arguments.goal.collectives,
                "With --target goal: how collectives become messages; auto goes by size (default: "
                "auto)");
  options.add_number("--ring-from", arguments.goal.ring_from, "BYTES",
                     "With --collectives auto: the ring from this size on (default: 65536)");
}

std::string rule_table(const std::vector<astra_sim::RuleFinding>& findings) {
  TextTable table{{"finding", "severity", "count", "what the simulator would do"}, {}, {2}};
  for (const astra_sim::RuleFinding& finding : findings) {
    table.rows.push_back({finding.rule, severity_text(finding.severity), with_commas(finding.count),
                          finding.consequence});
    for (const std::string& place : finding.first) table.rows.push_back({"", "", "", "  " + place});
  }
  return table.rows.empty() ? "" : format_table(table, kIndent);
}

std::string format_job_summary(const ConvertRanksReport& report, bool in_detail) {
  std::string text = rewriting_table(report.rewritten, in_detail);
  const goal::GoalCounts& schedule = report.schedule;
  if (schedule.calcs > 0)
    text += fmt::format("\n{} ({} ranks): {} calc, {} send, {} recv, {} requires\n",
                        report.outputs.front(), report.job_size, with_commas(schedule.calcs),
                        with_commas(schedule.sends), with_commas(schedule.receives),
                        with_commas(schedule.requires_));
  if (report.command.empty()) return text;
  text += fmt::format(
      "\njob of {} ranks: {} nodes; all run under the simulator's issue rules in {} "
      "(shortest measured communication), at most {} ready at a time\n",
      report.job_size, with_commas(report.check.nodes), duration_text(report.check.makespan_ns),
      with_commas(report.check.most_ready));
  text += rule_table(report.check.findings);
  return text + "\nRun it with\n  " + report.command;
}

}  // namespace nadi::cli
