#include "nadi/chakra/chakra_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "nadi/base/error.h"
#include "nadi/chakra/rank_name.h"
#include "nadi/converters/archive/memory_limit.h"
#include "nadi/converters/cli/for_program.h"
#include "nadi/converters/cli/job_options.h"
#include "nadi/converters/cli/log.h"
#include "nadi/converters/cli/network_files.h"
#include "nadi/converters/cli/output.h"
#include "nadi/converters/cli/run.h"
#include "nadi/converters/cli/text_table.h"
#include "nadi/converters/cli/verbs.h"
#include "nadi/converters/cli/watched_source.h"
#include "nadi/converters/load_graph.h"
#include "nadi/read/trace_start.h"

namespace nadi::cli {

namespace {

constexpr std::size_t kMostToldEach = 16;

struct CheckArguments {
  std::vector<std::string> inputs;
  bool strict = false;
  bool for_astra_sim = false;
  astra_sim::NetworkBackend backend = astra_sim::NetworkBackend::kUnaware;
  astra_sim::CheckOptions job;
};

bool fails(const CheckFinding& finding, bool strict) {
  return severity_of(finding.rule) >= (strict ? CheckSeverity::kWarning : CheckSeverity::kError);
}

bool has_failed(const std::vector<CheckFinding>& findings, bool strict) {
  return std::any_of(findings.begin(), findings.end(),
                     [&](const CheckFinding& finding) { return fails(finding, strict); });
}

ChakraCheck check_graph(const std::string& input) {
  refuse_trace_as_graph(input);
  ProgressBar bar;
  return check_chakra(messages_of(open_watched(input, bar)));
}

/// Of many graphs that have nothing to say.
struct GoodGraphs {
  std::uint64_t graphs = 0, nodes = 0, data_edges = 0, ctrl_edges = 0;
};

/// True if the graph failed. A graph without findings is added to `good` and not printed, unless
/// `good` is null.
bool check_one(const std::string& input, bool strict, GoodGraphs* good) {
  const ChakraCheck check = check_graph(input);
  const bool failed = has_failed(check.findings, strict);
  if (good != nullptr && check.findings.empty()) {
    ++good->graphs;
    good->nodes += check.nodes;
    good->data_edges += check.data_edges;
    good->ctrl_edges += check.ctrl_edges;
    return failed;
  }
  write_output("-", fmt::format("{}: {}: {}, {} data and {} ctrl dependencies\n{}", input,
                                failed ? "failed" : "ok", counted(check.nodes, "node"),
                                with_commas(check.data_edges), with_commas(check.ctrl_edges),
                                findings_table(check.findings, "what")));
  return failed;
}

/// Of "2 ranks, 10 nodes; ": whether all nodes would run.
std::string run_text(const astra_sim::JobCheck& check, const std::string& network_file) {
  if (!check.is_run)
    return check.unproven.empty()
               ? "all run under its issue rules, at whatever times (for a run there is too little "
                 "memory)"
               : "not known to run: " + check.unproven + " (for a run there is too little memory)";
  const char* const all = check.all_run        ? "all run"
                          : check.all_read_ran ? "what could be read ran, but not as it stands,"
                                               : "not all run";
  return fmt::format(
      "{} under its issue rules, at most {} ready at a time; the run takes {} with the shortest "
      "communication that the files have{}",
      all, with_commas(check.most_ready), duration_text(check.makespan_ns),
      network_run_text(check, network_file));
}

/// What the run under the issue rules did where files say something else.
std::string assumptions(const astra_sim::JobCheck& check) {
  TextTable table;
  for (const CheckFinding& finding : check.findings)
    if (const CheckRuleInfo& rule = info_of(finding.rule); !rule.assumed.empty())
      table.rows.push_back({std::string(rule.name), std::string(rule.assumed)});
  if (table.rows.empty()) return "";
  return "not simulated as it stands:\n" + format_table(table, 2);
}

/// Reads what of the memory and the system file beside the graphs bears on single nodes.
void take_memory(astra_sim::CheckOptions& options) {
  const std::string memory = file_beside(options.files.front(), ".memory.json");
  const std::string system = file_beside(options.files.front(), ".system.json");
  if (!memory.empty()) options.has_remote_memory = has_remote_memory(memory);
  options.tracks_local_memory = !system.empty() && tracks_local_memory(system);
}

/// Reads the network and system files beside the graphs, where both are there; returns the path of
/// the network file. Splits that an option gives count more than the file's.
std::string take_network(bool are_splits_given, astra_sim::CheckOptions& options) {
  const std::string network = file_beside(options.files.front(), ".network.yml");
  const std::string system = file_beside(options.files.front(), ".system.json");
  if (network.empty() || system.empty()) return "";
  options.network = read_job_network(network, system);
  std::int64_t& splits = options.network->system.dataset_splits;
  if (are_splits_given)
    splits = options.dataset_splits;
  else
    options.dataset_splits = splits;
  return network;
}

constexpr const char* kFilesThatRun =
    "Files that run are what `nadi convert TRACES --target astra-sim --output PREFIX` makes of the "
    "ranks' traces\n";

struct CheckedJob {
  std::string groups, network_file;  ///< empty = none
  astra_sim::JobCheck check;
};

/// What the simulator demands of all ranks together.
CheckedJob check_for_astra_sim(const CheckArguments& arguments, const Options& given) {
  astra_sim::CheckOptions options = arguments.job;
  options.files = arguments.inputs;
  for (const std::string& file : options.files) refuse_trace_as_graph(file);
  if (options.comm_groups.empty())
    options.comm_groups = file_beside(options.files.front(), ".comm_groups.json");
  const std::string network_file = take_network(given.is_given("--dataset-splits"), options);
  if (options.network) options.network->network.backend = arguments.backend;
  take_memory(options);
  options.memory = default_memory();
  return {options.comm_groups, network_file, astra_sim::check_job(options)};
}

/// True if the job failed.
bool print_job(const CheckedJob& job, const CheckArguments& arguments) {
  const astra_sim::JobCheck& check = job.check;
  const bool failed = has_failed(check.findings, arguments.strict);
  write_output("-", fmt::format("astra-sim: {}: {}, {}; {}\n{}{}{}{}", failed ? "failed" : "ok",
                                counted(arguments.inputs.size(), "rank"),
                                counted(check.nodes, "node"), run_text(check, job.network_file),
                                job.groups.empty() ? "" : fmt::format("  groups: {}\n", job.groups),
                                findings_table(check.findings), assumptions(check),
                                check.has_errors() ? kFilesThatRun : ""));
  return failed;
}

void require_profile(const CheckArguments& arguments, const Options& options) {
  if (arguments.for_astra_sim) return;
  for (const char* option : {"--comm-groups", "--dataset-splits", "--backend"})
    if (options.is_given(option))
      throw Error(ErrorCode::kUsage, option, "needs --profile astra-sim", "See: nadi check --help");
}

/// Graphs of one job in order of rank, which a shell's x.*.et is not; others as they were given.
void sort_by_rank(std::vector<std::string>& files) {
  for (const std::string& file : files)
    if (!rank_name_of_graph(file) ||
        rank_name_of_graph(file)->prefix != rank_name_of_graph(files.front())->prefix)
      return;
  std::stable_sort(files.begin(), files.end(), [&](const std::string& a, const std::string& b) {
    return rank_name_of_graph(a)->rank < rank_name_of_graph(b)->rank;
  });
}

int run_check(CheckArguments& arguments, const Options& options) {
  require_profile(arguments, options);
  sort_by_rank(arguments.inputs);
  if (arguments.for_astra_sim)
    return print_job(check_for_astra_sim(arguments, options), arguments) ? kCheckFailed : kOk;
  bool any_failed = false;
  GoodGraphs good;
  const bool are_many =
      arguments.inputs.size() > kMostToldEach && verbosity() != Verbosity::kVerbose;
  for (const std::string& input : arguments.inputs)
    any_failed = check_one(input, arguments.strict, are_many ? &good : nullptr) || any_failed;
  if (good.graphs > 0)
    write_output("-",
                 fmt::format("{} of {} ok, without findings: {}, {} data and {} ctrl "
                             "dependencies (--verbose tells each)\n",
                             with_commas(good.graphs), counted(arguments.inputs.size(), "graph"),
                             counted(good.nodes, "node"), with_commas(good.data_edges),
                             with_commas(good.ctrl_edges)));
  return any_failed ? kCheckFailed : kOk;
}

struct BrokenRule {
  std::string graph;  // empty = all of the job
  CheckFinding finding;
};

std::vector<BrokenRule> broken_rules(CheckArguments& arguments, const Options& options) {
  require_profile(arguments, options);
  sort_by_rank(arguments.inputs);
  std::vector<BrokenRule> broken;
  const auto add = [&](const std::string& graph, const std::vector<CheckFinding>& findings) {
    for (const CheckFinding& finding : findings) broken.push_back({graph, finding});
  };
  if (arguments.for_astra_sim)
    add("", check_for_astra_sim(arguments, options).check.findings);
  else
    for (const std::string& input : arguments.inputs) add(input, check_graph(input).findings);
  return broken;
}

nadi::ColumnTable table_of(const std::vector<BrokenRule>& broken, bool strict) {
  nadi::ColumnTable table;
  const auto add = [&](const char* name, const auto& value_of) {
    table.add(name, broken, [&](const BrokenRule& rule) { return value_of(rule.finding); });
  };
  table.add("graph", broken, &BrokenRule::graph);
  add("rule", [](const CheckFinding& found) { return to_string(found.rule); });
  add("severity", [](const CheckFinding& found) { return to_string(severity_of(found.rule)); });
  add("fails", [&](const CheckFinding& found) { return fails(found, strict); });
  add("count", [](const CheckFinding& found) { return found.count; });
  add("message", [](const CheckFinding& found) { return message_of(found); });
  add("first",
      [](const CheckFinding& found) { return fmt::format("{}", fmt::join(found.first, "; ")); });
  return table;
}

std::shared_ptr<CheckArguments> add_check_arguments(Options& options) {
  auto arguments = std::make_shared<CheckArguments>();
  options.add_texts("graphs", arguments->inputs, "Chakra graphs (.et), or -");
  options.add_flag("--strict", arguments->strict, "Warnings fail too");
  options.add_choice<bool>("--profile", arguments->for_astra_sim, {{"astra-sim", true}},
                           "Check all ranks of a job against what this simulator demands");
  options.add_text("--comm-groups", arguments->job.comm_groups, Need::kOptional, "G.json",
                   "With --profile: the simulator's group file (default: PREFIX.comm_groups.json "
                   "beside PREFIX.<rank>.et, if there)");
  options.add_parsed(
      "--dataset-splits", dataset_splits(arguments->job.dataset_splits), "N",
      "With --profile: preferred-dataset-splits of the system file (default: that of "
      "PREFIX.system.json beside PREFIX.<rank>.et and PREFIX.network.yml, else 4)");
  add_backend_option(options, arguments->backend);
  return arguments;
}

}  // namespace

RunVerb add_check(Options options) {
  const auto arguments = add_check_arguments(options);
  return [arguments, options] { return run_check(*arguments, options); };
}

nadi::ColumnTable check_graphs(const std::vector<std::string>& words) {
  nadi::ColumnTable table;
  run_as(words, [&table](Options options) -> RunVerb {
    const auto arguments = add_check_arguments(options);
    return [&table, arguments, options] {
      table = table_of(broken_rules(*arguments, options), arguments->strict);
      return kOk;
    };
  });
  return table;
}

}  // namespace nadi::cli
