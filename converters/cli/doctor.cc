#include "nadi/converters/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "nadi/base/utf8.h"
#include "nadi/converters/cli/log.h"
#include "nadi/converters/cli/option_words.h"
#include "nadi/converters/cli/output.h"
#include "nadi/converters/cli/run.h"
#include "nadi/converters/cli/summary.h"
#include "nadi/converters/cli/text_table.h"
#include "nadi/converters/cli/trace_options.h"
#include "nadi/converters/cli/verbs.h"

namespace nadi::cli {

namespace {

using Findings = std::vector<DoctorFinding>;

constexpr std::size_t kFoundWidth = 400;  // names of a trace may stand in it

std::string table_of_all(const Findings& findings) {
  TextTable table{{"what", "health", "found"}, {}, {}};
  for (const DoctorFinding& finding : findings) {
    const std::string of = finding.subject.empty() ? "" : finding.subject + ", ";
    table.rows.push_back(
        {of + finding.topic, std::string(to_string(finding.health)), finding.found});
  }
  return format_table(table);
}

/// The traces of which something was found.
struct Subjects {
  std::string first;
  std::set<std::string> all;
};

/// What was found of one need in such health, of the first trace of which it was, and how many
/// others there are; first what fewest have.
std::string text_of_need(const Findings& found, TraceHealth health) {
  std::map<std::string, Subjects> subjects;  // by topic
  for (const DoctorFinding& finding : found) {
    if (finding.health != health) continue;
    Subjects& of = subjects[finding.topic];
    if (of.all.empty()) of.first = finding.subject;
    of.all.insert(finding.subject);
  }
  std::map<std::pair<std::size_t, std::set<std::string>>, std::string> texts;
  for (const DoctorFinding& finding : found) {
    if (finding.health != health) continue;
    const Subjects& of = subjects.at(finding.topic);
    if (finding.subject != of.first) continue;
    std::string& text = texts[{of.all.size(), of.all}];
    if (!text.empty())
      text += "; ";
    else if (!finding.subject.empty())
      text += finding.subject + ": ";
    if (finding.topic != to_string(finding.need)) text += finding.topic + ": ";
    text += cut_text(finding.found, kFoundWidth);
  }
  std::string all;
  for (const auto& [key, text] : texts) {
    all += (all.empty() ? "" : "; ") + text;
    if (const std::size_t others = key.first - 1; others > 0)
      all += fmt::format("; and so {} {} more", others == 1 ? "is" : "are", others);
  }
  return all;
}

/// What the table says of a need where nothing was found.
const char* text_of_nothing(TraceNeed need) {
  constexpr const char* kTexts[] = {"nothing is recorded", "there are no device rows",
                                    "nothing waits", "no device row communicates",
                                    "none contradicts another"};
  static_assert(std::size(kTexts) == std::size(kTraceNeeds));
  return kTexts[static_cast<std::size_t>(need)];
}

/// A line for each need of a graph.
std::string table_of_needs(const Findings& findings) {
  TextTable table;
  for (const TraceNeed need : kTraceNeeds) {
    Findings found;
    std::copy_if(findings.begin(), findings.end(), std::back_inserter(found),
                 [&](const DoctorFinding& finding) { return finding.need == need; });
    TraceHealth worst = TraceHealth::kGood;
    for (const DoctorFinding& finding : found) worst = std::max(worst, finding.health);
    std::string text = text_of_need(found, worst);
    if (worst == TraceHealth::kLacking)
      if (const std::string partly = text_of_need(found, TraceHealth::kPartly); !partly.empty())
        text += "; " + partly;
    const bool has_health = !found.empty() || need == TraceNeed::kTimes;
    table.rows.push_back({std::string(to_string(need)),
                          has_health ? std::string(to_string(worst)) : "-",
                          text.empty() ? text_of_nothing(need) : text});
  }
  return format_table(table);
}

/// "" where nothing lacks that another recording would have. What several traces lack is said of
/// the first.
std::string remedies_text(const Findings& findings, const std::string& set_up) {
  std::string text;
  std::set<std::string> said;
  for (const TraceHealth health : {TraceHealth::kLacking, TraceHealth::kPartly})
    for (const DoctorFinding& finding : findings)
      if (finding.health == health && !finding.remedy.empty() && said.insert(finding.remedy).second)
        text += fmt::format("  {}: {}\n", finding.topic, finding.remedy);
  if (text.empty()) return "";
  text = "\nWhat to do:\n" + text;
  if (verbosity() == Verbosity::kVerbose)
    return text + "\nA set-up that records all of it:\n" + set_up;
  return text + "\n--verbose shows all that was looked at, and a set-up that records all of it.\n";
}

/// "rank 3, pid 100": names the trace of a finding among others.
std::string subject_of(std::int64_t rank, const std::string& process) {
  return "rank " + std::to_string(rank) + (process.empty() ? "" : ", ") + process;
}

int run_doctor(const std::vector<JobInput>& ranks, bool strict) {
  Findings findings;
  std::string set_up;
  for (const auto& [rank, traces, graph] : ranks) {
    DoctorReport report =
        doctor_report({traces.host, traces.device, traces.other_form, traces.process});
    set_up = report.set_up;
    for (DoctorFinding& finding : report.findings) {
      finding.found = in_option_words(finding.found);
      finding.remedy = in_option_words(finding.remedy);
      if (ranks.size() > 1) finding.subject = subject_of(rank, finding.subject);
      findings.push_back(std::move(finding));
    }
  }
  const std::string table =
      verbosity() == Verbosity::kVerbose ? table_of_all(findings) : table_of_needs(findings);
  write_output("-", (has_colours(stdout) ? with_severities_in_colour(table) : table) +
                        remedies_text(findings, set_up));
  const bool is_lacking = std::any_of(
      findings.begin(), findings.end(),
      [](const DoctorFinding& finding) { return finding.health == TraceHealth::kLacking; });
  return strict && is_lacking ? kCheckFailed : kOk;
}

}  // namespace

RunVerb add_doctor(Options options) {
  struct DoctorArguments {
    std::vector<std::string> named;
    TraceFiles traces;
    WindowChoice window;
    bool strict = false;
  };
  auto arguments = std::make_shared<DoctorArguments>();
  add_trace_arguments(options, arguments->named,
                      "The device traces of one rank or more, their host traces if there are any, "
                      "or a folder of them");
  options.add_text("--host", arguments->traces.host, Need::kOptional, "TRACE",
                   "Host trace (ExecutionTraceObserver), or -");
  add_device_option(options, arguments->traces.device, arguments->traces.other_form);
  add_process_option(options, arguments->traces.process);
  add_window_option(options, arguments->window);
  options.add_flag("--strict", arguments->strict, "Exit 1 if something important is lacking");
  return [arguments, options] {
    return run_doctor(
        take_named_ranks(options, arguments->named, arguments->traces, arguments->window),
        arguments->strict);
  };
}

}  // namespace nadi::cli
