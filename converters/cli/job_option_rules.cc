#include "nadi/converters/cli/job_option_rules.h"

#include <fmt/format.h>

#include "nadi/base/error.h"

namespace nadi::cli {

namespace {

struct OptionNeed {
  const char* option;
  bool (*is_met)(const JobArguments& arguments);
  const char* need;
};

bool has_folder(const JobArguments& arguments) { return arguments.archive.is_given(); }
bool has_ranks(const JobArguments& arguments) {
  return has_folder(arguments) || !arguments.graphs.empty();
}
bool has_target(const JobArguments& arguments) { return arguments.target != Target::kChakra; }
bool has_several_ranks(const JobArguments& arguments) { return arguments.is_given(); }
bool has_shard(const JobArguments& arguments) { return !arguments.archive.shard.empty(); }
bool has_auto_shard(const JobArguments& arguments) {
  return arguments.archive.shard.starts_with("auto/");
}
bool is_astra_sim(const JobArguments& arguments) { return arguments.target == Target::kAstraSim; }
bool uses_network(const JobArguments& arguments) {
  return arguments.rewrite.communication != astra_sim::Communication::kReplay;
}
bool has_world(const JobArguments& arguments) { return !arguments.worlds.empty(); }
bool coarsens(const JobArguments& arguments) { return arguments.coarsen_off_ns.has_value(); }
bool is_goal(const JobArguments& arguments) { return arguments.target == Target::kGoal; }
bool goes_by_size(const JobArguments& arguments) {
  return is_goal(arguments) && arguments.goal.collectives == goal::Algorithm::kAuto;
}

constexpr OptionNeed kNeeds[] = {
    {"--pattern", has_folder, "--traces"},
    {"--recursive", has_folder, "--traces"},
    {"--one-job", has_folder, "--traces"},
    {"--window", has_folder, "--traces"},
    {"--jobs", has_folder, "--traces"},
    {"--memory", has_ranks, "--traces, or graphs"},
    {"--spool", has_folder, "--traces"},
    {"--shard", has_folder, "--traces"},
    {"--shard-base", has_auto_shard, "--shard auto/N"},
    {"--finish", has_folder, "--traces"},
    {"--dry-run", has_folder, "--traces"},
    {"--redo", has_folder, "--traces"},
    {"--restart", has_folder, "--traces"},
    {"--verify", has_folder, "--traces"},
    {"--retry-failed", has_folder, "--traces"},
    {"--failed-exit-code", has_folder, "--traces"},
    {"--max-members", has_folder, "--traces"},
    {"--max-ratio", has_folder, "--traces"},
    {"--max-unpacked", has_folder, "--traces"},
    {"--missing", has_several_ranks, "--traces, or --target astra-sim or goal"},
    {"--communication", is_astra_sim, "--target astra-sim"},
    {"--unsupported", is_astra_sim, "--target astra-sim"},
    {"--unsupported", uses_network, "--communication network"},
    {"--backend", is_astra_sim, "--target astra-sim"},
    {"--dataset-splits", is_astra_sim, "--target astra-sim"},
    {"--dataset-splits", uses_network, "--communication network"},
    {"--network", has_target, "--target astra-sim or goal"},
    {"--link-gb-per-s", has_target, "--target astra-sim or goal"},
    {"--latency-ns", has_target, "--target astra-sim or goal"},
    {"--topology", is_astra_sim, "--target astra-sim"},
    {"--dims", is_astra_sim, "--target astra-sim"},
    {"--lanes", is_goal, "--target goal"},
    {"--network", uses_network, "--communication network"},
    {"--link-gb-per-s", uses_network, "--communication network"},
    {"--latency-ns", uses_network, "--communication network"},
    {"--topology", uses_network, "--communication network"},
    {"--dims", uses_network, "--communication network"},
    {"--world", has_ranks, "--traces, or graphs"},
    {"--grow", has_world, "--world"},
    {"--shard-compute", has_world, "--world"},
    {"--world", uses_network, "--communication network"},
    {"--coarsen", is_astra_sim, "--target astra-sim"},
    {"--coarsen-map", is_astra_sim, "--target astra-sim"},
    {"--coarsen-map", coarsens, "--coarsen exact or a time"},
    {"--collectives", is_goal, "--target goal"},
    {"--ring-from", goes_by_size, "--target goal --collectives auto"},
};

}  // namespace

void require_effect(const Options& options, const JobArguments& arguments) {
  constexpr const char* kHelp = "See: nadi convert --help";
  for (const OptionNeed& need : kNeeds)
    if (options.is_given(need.option) && !need.is_met(arguments))
      throw Error(ErrorCode::kUsage, need.option, fmt::format("needs {}", need.need), kHelp);
  if (!has_target(arguments) && !has_world(arguments) && arguments.missing != MissingRanks::kRefuse)
    throw Error(ErrorCode::kUsage, "--missing copy or drop",
                "needs --target astra-sim or goal, or --world", kHelp);
  if (arguments.worlds.size() > 1 && !is_astra_sim(arguments))
    throw Error(ErrorCode::kUsage, "--world of several sizes", "needs --target astra-sim",
                "The table is of its issue rules and network");
  for (const char* option : {"--host", "--device", "--process"})
    if (has_folder(arguments) && options.is_given(option))
      throw Error(ErrorCode::kUsage, "--traces", "excludes --host, --device and --process",
                  "Pass the folder or the files");
  if (has_shard(arguments) && has_standard_input(arguments.archive.collect.sources))
    throw Error(ErrorCode::kUsage, "--shard", "excludes --traces -",
                "A shard reads archives twice: pass files");
  if (arguments.archive.joins_shards && arguments.archive.restarts)
    throw Error(ErrorCode::kUsage, "--finish", "excludes --redo all",
                "Run the shards again with --redo all, then --finish");
  for (const char* option : {"--report", "--html", "--simulate"})
    if (arguments.archive.only_lists && options.is_given(option))
      throw Error(ErrorCode::kUsage, "--dry-run", fmt::format("excludes {}", option),
                  "It converts nothing: its list goes to standard output");
  if (has_shard(arguments) && arguments.archive.joins_shards)
    throw Error(ErrorCode::kUsage, "--shard", "excludes --finish",
                "Run --finish once, when all shards have ended");
  if (has_folder(arguments) && options.is_given("--rank"))
    throw Error(ErrorCode::kUsage, "--traces", "excludes --rank",
                "Files tell their ranks; --pattern 'trace.{rank}.*' says where in their names");
  if (is_goal(arguments) && arguments.network_arguments.network == "fit")
    throw Error(ErrorCode::kUsage, "--network fit", "is for --target astra-sim",
                "Convert with --target astra-sim first, then give --network PREFIX.network.yml");
  if (is_goal(arguments) && options.is_given("--simulate"))
    throw Error(ErrorCode::kUsage, "--target goal", "excludes --simulate",
                "It replays graphs: give --target astra-sim, or none");
  if (has_target(arguments) && options.is_given("--memory-nodes"))
    throw Error(ErrorCode::kUsage, "--target", "excludes --memory-nodes",
                "Copies take their measured time there; convert without --target for loads and "
                "stores, and write the simulator's file of the remote memory yourself");
  if (is_astra_sim(arguments) && options.is_given("--delays"))
    throw Error(ErrorCode::kUsage, "--target astra-sim", "excludes --delays",
                "Its delays are those that its one host slot can carry");
}

void choose_communication(const Options& options, JobArguments& arguments) {
  auto& communication = arguments.rewrite.communication;
  if (communication != astra_sim::Communication::kAuto) return;
  for (const OptionNeed& need : kNeeds)
    if (need.is_met == uses_network && options.is_given(need.option))
      communication = astra_sim::Communication::kNetwork;
}

}  // namespace nadi::cli
