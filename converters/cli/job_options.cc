#include "nadi/converters/cli/job_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "nadi/base/count_text.h"
#include "nadi/base/error.h"
#include "nadi/base/number_text.h"
#include "nadi/converters/cli/device_choice.h"
#include "nadi/converters/cli/replay_text.h"
#include "nadi/converters/cli/summary.h"
#include "nadi/converters/cli/text_table.h"
#include "nadi/converters/cli/trace_options.h"
#include "nadi/sim_bridge/replay/what_if.h"

namespace nadi::cli {

namespace {

/// "-3.4 %"
std::string miss_text(Ns makespan_ns, Ns recorded_ns) {
  return fmt::format(
      "{:+.1f} %", 100 * (static_cast<double>(makespan_ns) / static_cast<double>(recorded_ns) - 1));
}

/// "400 GB/s"
std::string bandwidth_text(double gb_per_s) {
  return gb_per_s >= astra_sim::kWidestBandwidth ? "endless bandwidth"
                                                 : fmt::format("{:.4g} GB/s", gb_per_s);
}

constexpr const char* kFitIsNoPrediction =
    "  The fit repeats what was measured and predicts nothing; --network FILE takes the network "
    "that "
    "another run was fitted to.\n";
constexpr const char* kFitToWhatIf =
    "  The fit repeats the times of the what-if, which nobody measured; --network FILE takes the "
    "network that the recorded job was fitted to.\n";
constexpr const char* kFitOfFewerRanks =
    "  Warning: the fit is to the ranks recorded. What a collective took there beside its bytes "
    "counts as latency, which rings of more ranks pay more often; --network h100 or FILE names a "
    "network for all sizes.\n";

/// Warns where the last step of the fit changed more than it does where communication is the cause.
std::string factor_text(double factor) {
  if (factor <= astra_sim::kMostUsualFactor && factor >= 1 / astra_sim::kMostUsualFactor) return "";
  return fmt::format(
      "  Warning: {:.4g} is far from 1; training jobs whose dependencies are known have 1.0 to {}. "
      "The links make up for time that is not the network's, such as waits that the graphs lack: "
      "take them neither for a machine's nor for other jobs.\n",
      factor, astra_sim::kMostUsualFactor);
}

/// "50 GB/s and 900 ns"
std::string speed_text(double gb_per_s, double latency_ns) {
  return fmt::format("{} and {:.0f} ns", bandwidth_text(gb_per_s), latency_ns);
}

/// "its links have 50 GB/s and 900 ns"
std::string links_text(const astra_sim::JobCheck& check) {
  const auto& links = check.fit->links;
  const auto text = [](const astra_sim::FittedLink& link) {
    return speed_text(link.bandwidth_gb_per_s, link.latency_ns);
  };
  if (links.size() < 2 || !check.network) return "its links have " + text(links.front());
  return fmt::format(
      "links in nodes of {}, which carried {}, have {}, links between nodes, which carried {}, {}",
      counted(static_cast<std::uint64_t>(check.network->network.dimensions.front().npus), "rank"),
      with_commas(links[0].transfers), text(links[0]), with_commas(links[1].transfers),
      text(links[1]));
}

/// A sentence for each link: how sure its latency and bandwidth are.
std::string sureness_text(const astra_sim::NetworkFit& fit) {
  std::string text;
  for (const astra_sim::FittedLink& link : fit.links) {
    const char* const place = fit.links.size() < 2          ? ""
                              : &link == &fit.links.front() ? " in nodes"
                                                            : " between nodes";
    text += fmt::format("  The times{} fit links from {} to {} (more latency with more bandwidth)",
                        place, speed_text(link.least.bandwidth_gb_per_s, link.least.latency_ns),
                        speed_text(link.most.bandwidth_gb_per_s, link.most.latency_ns));
    if (!link.is_determined)
      text += fmt::format(
          "; they do not show where in between, so the latency nearest to {:.0f} ns with {:.0f} "
          "GB/s or more was chosen",
          fit.given_latency_ns, astra_sim::kSlowestLikelyBandwidth);
    text += ".\n";
  }
  return text;
}

/// What the graphs say that the job takes, and whose times these and those of their nodes are.
struct TimeOfGraphs {
  Ns span_ns = 0;  ///< 0 = they do not say it
  const char* of_job = "";
  const char* of_nodes = "given";
};

TimeOfGraphs time_of_graphs(const ConvertRanksReport& report) {
  if (report.what_if_span_ns > 0) return {report.what_if_span_ns, "what-if", "what-if"};
  if (report.recorded_span_ns > 0) return {report.recorded_span_ns, "recorded", "measured"};
  return {};
}

/// How the network came to its links, and how far the job is off with them.
std::string fit_text(const ConvertRanksReport& report) {
  const astra_sim::JobCheck& check = report.check;
  const astra_sim::NetworkFit& fit = *check.fit;
  const TimeOfGraphs time = time_of_graphs(report);
  const bool is_grown = report.growth.world > report.growth.recorded;
  if (!fit.unfitted.empty() && check.network) {
    const astra_sim::NetworkDimension& link = check.network->network.dimensions.front();
    return fmt::format(
        "\nThe network is not fitted: {}. The files have links of {} (--network chooses "
        "others{}).\n",
        fit.unfitted, speed_text(link.bandwidth_gb_per_s, link.latency_ns),
        check.network_makespan_ns
            ? ""
            : fmt::format("; --communication replay keeps the {} times", time.of_nodes));
  }
  return fmt::format(
             "\nThe network is fitted to {}, which took {} in all: {}.\n{}"
             "  With links that keep this sum the job takes {} ({} against the {} time), with "
             "communication {:.4g} times as long {} ({}).\n"
             "  Without communication it takes {}: it waits for communication for {} of its "
             "time.\n",
             counted(fit.transfers, "transfer"), duration_text(fit.transfer_ns), links_text(check),
             sureness_text(fit), duration_text(fit.unstretched_ns),
             miss_text(fit.unstretched_ns, time.span_ns), time.of_job, fit.factor,
             duration_text(fit.makespan_ns), miss_text(fit.makespan_ns, time.span_ns),
             duration_text(fit.no_communication_ns),
             time_share_text(fit.makespan_ns - fit.no_communication_ns, fit.makespan_ns)) +
         factor_text(fit.factor) +
         (is_grown                     ? kFitOfFewerRanks
          : report.what_if_span_ns > 0 ? kFitToWhatIf
                                       : kFitIsNoPrediction);
}

/// "4 ranks, 7 more that replay what they communicate, 8 more for work that ran side by side (the
/// simulator runs one host node and one device node of a rank at a time)"
std::string ranks_text(const ConvertRanksReport& report) {
  std::string text = counted(report.members.size(), "rank");
  if (report.proxy_ranks > 0)
    text += fmt::format(", {} more that replay{} what they communicate",
                        with_commas(report.proxy_ranks), report.proxy_ranks == 1 ? "s" : "");
  if (report.side_ranks > 0)
    text += fmt::format(
        ", {} more for work that ran side by side (the simulator runs one host node and one device "
        "node of a rank at a time)",
        with_commas(report.side_ranks));
  return text;
}

/// ", made of 23,416"
std::string coarse_text(const ConvertRanksReport& report) {
  return report.fine_nodes <= report.check.nodes
             ? ""
             : fmt::format(", made of {}", with_commas(report.fine_nodes));
}

/// Said first of files that take another time than the graphs, on a network that nobody chose:
/// one slot for all threads and one for all streams is not what the machine had.
std::string far_text(const ConvertRanksReport& report) {
  constexpr double kFar = 0.02;
  const bool is_larger = report.growth.world > report.growth.recorded;
  const TimeOfGraphs time = time_of_graphs(report);
  if (!report.check.fit || !report.check.network_makespan_ns || is_larger || time.span_ns <= 0)
    return "";
  const Ns makespan = *report.check.network_makespan_ns;
  const double off = static_cast<double>(makespan) / static_cast<double>(time.span_ns) - 1;
  if (std::abs(off) <= kFar) return "";
  return fmt::format(
      "\nThe files take {}, {} against the {} time; those of --communication replay take "
      "that, but on any network.\n",
      duration_text(makespan), miss_text(makespan, time.span_ns), time.of_job);
}

/// "The recorded time is 20.000 ms. The run takes 19.000 ms (95.0 %)"
std::string run_text(const ConvertRanksReport& report) {
  const TimeOfGraphs time = time_of_graphs(report);
  const Ns run_ns = report.check.makespan_ns;
  if (time.span_ns <= 0)
    return fmt::format(
        "The graphs do not say when their nodes started, so that there is no recorded time. "
        "The run takes {}",
        duration_text(run_ns));
  return fmt::format("The {} time is {}. The run takes {} ({})", time.of_job,
                     duration_text(time.span_ns), duration_text(run_ns),
                     time_share_text(run_ns, time.span_ns));
}

std::string issue_text(const ConvertRanksReport& report) {
  const astra_sim::JobCheck& check = report.check;
  const TimeOfGraphs time = time_of_graphs(report);
  std::string text = far_text(report);
  text += fmt::format("\nThe job has {}, and {} in all{}. ", ranks_text(report),
                      counted(check.nodes, "node"), coarse_text(report));
  if (report.communication == astra_sim::Communication::kReplay && report.proxy_ranks == 0)
    text += fmt::format(
        "No rank communicates, so all take their {} times, as with --communication replay, and no "
        "network changes them. ",
        time.of_nodes);
  if (!check.is_run)
    return text +
           (check.unproven.empty()
                ? "All are proven to run under the simulator's issue rules"
                : "That all run under the simulator's issue rules is not proven (" +
                      check.unproven + ")") +
           "; to compute how long they take, allow more --memory.\n" +
           findings_table(check.findings);
  text += fmt::format(
      "All run under the simulator's issue rules, at most {} ready at a time.\n"
      "  {} with the shortest {} communication{}.\n",
      with_commas(check.most_ready), run_text(report), time.of_nodes,
      network_run_text(check, report.prefix + ".network.yml"));
  if (check.fit) text += fit_text(report);
  return text + findings_table(check.findings);
}

/// Ranks in a row that idle, run copies of one rank, or run what as many ranks in a row recorded.
struct MemberRow {
  std::int64_t first = 0, ranks = 0;
  JobMember member;        ///< of the first
  bool counts_up = false;  ///< each next one runs what the next rank recorded
};

std::int64_t recorded_by(const JobMember& member) {
  return member.copy_of < 0 ? member.recorded_rank : member.copy_of;
}

/// Lengthens the row where the member goes on with it.
bool take_next(std::int64_t rank, const JobMember& member, MemberRow& row) {
  const bool is_copy = member.copy_of >= 0, is_idle = member.recorded_rank < 0;
  if (rank != row.first + row.ranks || is_copy != (row.member.copy_of >= 0) ||
      is_idle != (row.member.recorded_rank < 0))
    return false;
  const std::int64_t ahead = recorded_by(member) - recorded_by(row.member);
  const bool is_next = ahead == row.ranks;
  if (row.ranks > 1 ? (row.counts_up ? !is_next : ahead != 0) : !is_next && ahead != 0)
    return false;
  if (row.ranks == 1) row.counts_up = is_next;
  ++row.ranks;
  return true;
}

/// "ranks 4-7 run copies of recorded ranks 0-3"
std::string row_text(const MemberRow& row) {
  const auto ranks_from = [](std::int64_t first, std::int64_t count) {
    return count == 1 ? fmt::format("rank {}", first)
                      : fmt::format("ranks {}-{}", first, first + count - 1);
  };
  const bool is_one = row.ranks == 1;
  const std::string who = ranks_from(row.first, row.ranks);
  if (row.member.recorded_rank < 0) return who + (is_one ? " idles" : " idle");
  const std::string recorded = ranks_from(recorded_by(row.member), row.counts_up ? row.ranks : 1);
  if (row.member.copy_of < 0)
    return who + (is_one ? " was recorded as " : " were recorded as ") + recorded;
  return who + (is_one ? " runs a copy of recorded " : " run copies of recorded ") + recorded;
}

/// Nothing where every rank runs its own traces under its own number.
std::string members_text(std::span<const JobMember> members) {
  constexpr std::size_t kMostShown = 16;
  std::vector<MemberRow> rows;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const JobMember& member = members[i];
    const auto rank = static_cast<std::int64_t>(i);
    if (member.copy_of < 0 && member.recorded_rank == rank) continue;
    if (rows.empty() || !take_next(rank, member, rows.back()))
      rows.push_back({rank, 1, member, false});
  }
  if (rows.empty()) return "";
  const std::size_t shown = std::min(rows.size(), kMostShown);
  std::string text = "\nIn the job, " + list_of(std::span(rows).first(shown), row_text);
  if (rows.size() > shown)
    text += fmt::format(", and {} more differ (--report lists all)", rows.size() - shown);
  return text + ".\n";
}

std::string stale_outputs_text(const std::vector<std::string>& files) {
  constexpr std::size_t kMostShown = 8;
  if (files.empty()) return "";
  return "\nWarning: an earlier job left graphs that are no part of this one: " +
         first_of_list(files, kMostShown) +
         ".\n  Remove them, or name another --output: file patterns would take them in.\n";
}

}  // namespace

std::function<void(const std::string&)> whole_from_1(const char* option, std::int64_t& target) {
  return [option, &target](const std::string& text) {
    target = number_of_text<std::int64_t>(text).value_or(0);
    if (target < 1)
      throw Error(ErrorCode::kUsage, option, "'" + text + "' is no whole number from 1");
  };
}

std::function<void(const std::string&)> dataset_splits(std::int64_t& target) {
  return [&target](const std::string& text) {
    constexpr const char* kOption = "--dataset-splits";
    whole_from_1(kOption, target)(text);
    if (target > astra_sim::kMostDatasetSplits)
      throw Error(ErrorCode::kUsage, kOption,
                  fmt::format("{} are more than {}: the simulator sends each split of each "
                              "collective on its own, and its time would not be known",
                              with_commas(static_cast<std::uint64_t>(target)),
                              with_commas(astra_sim::kMostDatasetSplits)),
                  "Give a few, such as 1 to 16");
  };
}

void add_target_options(Options& options, JobArguments& arguments) {
  std::vector<std::pair<std::string, Target>> targets;
  for (const Target target : {Target::kAstraSim, Target::kChakra, Target::kGoal})
    targets.emplace_back(to_string(target), target);
  options.add_choice("--target", arguments.target, targets,
                     "Rewrite the job for a simulator (default: chakra)");
  options.begin_group("Many ranks");
  const auto set_missing = [&arguments](const std::string& name) {
    arguments.missing = name == "copy"   ? MissingRanks::kCopy
                        : name == "drop" ? MissingRanks::kDrop
                                         : MissingRanks::kRefuse;
    arguments.archive.collect.needs_hosts = name != "alone";
  };
  options.add_choice("--missing", set_missing, {"alone", "copy", "drop", "error"},
                     "A rank without host trace: an error, or its device trace alone; with "
                     "--target, ranks nobody recorded: an error, dropped from their groups, or run "
                     "a copy of a recorded rank (default: error)");
}

void add_backend_option(Options& options, astra_sim::NetworkBackend& backend) {
  using astra_sim::NetworkBackend;
  options.add_choice<NetworkBackend>(
      "--backend", backend,
      {{"aware", NetworkBackend::kAware}, {"unaware", NetworkBackend::kUnaware}},
      "ASTRA-sim's analytical program that the files are for: messages queue for links, or do not "
      "(default: unaware)");
}

void add_astra_sim_options(Options& options, JobArguments& arguments) {
  using astra_sim::Communication;
  using astra_sim::Unsupported;
  options.add_choice<Communication>(
      "--communication", arguments.rewrite.communication,
      {{"auto", Communication::kAuto},
       {"network", Communication::kNetwork},
       {"replay", Communication::kReplay}},
      "Time of communication in ASTRA-sim: what its network makes of types and bytes, or the "
      "measured one on any network; auto replays a job whose ranks do not communicate "
      "(default: auto)");
  options.add_choice<Unsupported>(
      "--unsupported", arguments.rewrite.unsupported,
      {{"error", Unsupported::kError},
       {"map", Unsupported::kMap},
       {"replay", Unsupported::kReplay}},
      "Collectives ASTRA-sim lacks: take the nearest, their measured time, or stop "
      "(default: map)");
  arguments.coarsen_off_ns = Ns{0};  // exact
  options.add_parsed(
      "--coarsen",
      [&off_ns = arguments.coarsen_off_ns](const std::string& text) {
        off_ns.reset();
        if (text == "none") return;
        off_ns = text == "exact" ? Ns{0} : parse_duration(text);
        if (!off_ns)
          throw Error(ErrorCode::kUsage, "--coarsen",
                      "'" + text + "' is neither exact, none nor a time like 5us");
      },
      "exact|5us|none",
      "Nodes that follow each other become one: where nothing else depends on when one of them "
      "starts or ends, or what does may start that much earlier or later (default: exact)");
  options.add_file("--coarsen-map", arguments.coarsen_map, "M.csv",
                   "With --coarsen, also write which node went into which; of a larger job for the "
                   "recorded ranks, whose nodes all copies have");
  add_backend_option(options, arguments.rewrite.backend);
  options.add_parsed("--dataset-splits", dataset_splits(arguments.rewrite.dataset_splits), "N",
                     "preferred-dataset-splits of the system file (default: 2)");
}

void add_goal_options(Options& options, JobArguments& arguments) {
  using goal::Algorithm, goal::Lanes;
  options.add_choice<Lanes>(
      "--lanes", arguments.goal.lanes, {{"all", Lanes::kAll}, {"one", Lanes::kOne}},
      "With --target goal: a processor for each lane, or one in all, for simulators that let "
      "processors of a rank run on without each other, as spcl's LogGOPSim (default: all)");
  options.add_choice<Algorithm>(
      "--collectives", arguments.goal.collectives,
      {{"auto", Algorithm::kAuto}, {"doubling", Algorithm::kDoubling}, {"ring", Algorithm::kRing}},
      "With --target goal: how collectives become messages; auto goes by size (default: "
      "auto)");
  options.add_parsed("--ring-from", whole_from_1("--ring-from", arguments.goal.ring_from), "BYTES",
                     "With --collectives auto: the ring from this size on (default: 65536)");
}

void add_growth_options(Options& options, JobArguments& arguments) {
  const auto set_worlds = [&worlds = arguments.worlds](const std::string& text) {
    for (const std::string& part : split_at_commas(text))
      whole_from_1("--world", worlds.emplace_back())(part);
  };
  options.add_parsed("--world", set_worlds, "N[,N...]",
                     "A larger job of N ranks of the recorded one; of several sizes a table, and "
                     "the graphs of the last");
  const auto set_groups = [&groups = arguments.growth.groups](const std::string& text) {
    for (std::string& part : split_at_commas(text)) groups.push_back(std::move(part));
  };
  options.add_parsed("--grow", set_groups, "GROUP|DESC,...",
                     "With --world: groups that grow, by name or description; the others are "
                     "copied (default: the data-parallel ones)");
  options.add_choice<bool>("--shard-compute", arguments.growth.shares_optimizer,
                           {{"none", false}, {"optimizer", true}},
                           "With --world: what becomes shorter as the shards of growing groups "
                           "become smaller (default: optimizer)");
}

void add_what_if_options(Options& options, WhatIf& what_if) {
  add_scale_option(options, what_if.scales);
  options.add_parsed(
      "--gpu", [&what_if](const std::string& text) { what_if.gpu = device_choice(text); },
      "NAME|FILE",
      "What if the kernels ran on another device: an estimate from operations, bytes and the peaks "
      "of both. A name like MI300X, or a JSON file with tflops_of_16_bits, tflops_of_32_bits and "
      "memory_gb_per_s");
}

void add_job_options(Options& options, JobArguments& arguments) {
  add_archive_options(options, arguments.archive);
  add_target_options(options, arguments);
  options.begin_group("Jobs for simulators (--target)");
  add_astra_sim_options(options, arguments);
  add_network_options(options, arguments.network_arguments);
  add_goal_options(options, arguments);
  options.begin_group("Larger jobs");
  add_growth_options(options, arguments);
  options.begin_group(kShownOptions);
}

std::string network_run_text(const astra_sim::JobCheck& check, const std::string& file) {
  if (check.network_makespan_ns)
    return fmt::format(", and {} on the network of {}", duration_text(*check.network_makespan_ns),
                       file);
  if (check.network_unknown.empty()) return "";
  return fmt::format(", and an unknown time on the network of {} ({})", file,
                     check.network_unknown);
}

std::string findings_table(const std::vector<CheckFinding>& findings, const char* what) {
  TextTable table{{"finding", "severity", "count", what}, {}, {2}};
  for (const CheckFinding& finding : findings) {
    table.rows.push_back({std::string(to_string(finding.rule)),
                          std::string(to_string(severity_of(finding.rule))),
                          with_commas(finding.count), message_of(finding)});
    for (const std::string& place : finding.first) table.rows.push_back({"", "", "", "  " + place});
  }
  return table.rows.empty() ? "" : format_table(table, kIndent);
}

namespace {

std::string list_text(const std::vector<std::string>& words) {
  constexpr std::size_t kMostShown = 8;
  return words.empty() ? "none" : first_of_list(words, kMostShown);
}

std::string scaled_text(const ChangedRun& scaled) {
  if (!scaled.is_given()) return "";
  const std::string scales = scales_text(scaled.scales, scaled.nodes);
  std::string text = fmt::format(
      "\nWith {}{}{} a replay takes {} ({} of {}): the graphs have its times.\n", scales,
      scales.empty() || scaled.gpu.empty() ? "" : " and ",
      scaled.gpu.empty() ? "" : device_change(scaled.gpu), duration_text(scaled.scaled_ns),
      change_text(scaled.replayed_ns, scaled.scaled_ns), duration_text(scaled.replayed_ns));
  if (!scaled.gpu.empty())
    text += fmt::format(
        "  Warning: the times on {} are an estimate, by the rooflines of both devices. Shapes tell "
        "operations and bytes of {} of the kernels' time; the others count as bound by memory.\n",
        scaled.gpu, time_share_text(scaled.estimate.from_shapes_ns, scaled.estimate.kernels_ns));
  return text;
}

std::string growth_text(const ConvertRanksReport& report) {
  const JobGrowth& growth = report.growth;
  if (growth.world == 0) return "";
  const std::int64_t copies = growth.world / growth.recorded;
  std::string text = fmt::format(
      "\nThe job of {} is grown to {}: each of them runs {} times, rank r of copy c as rank {} c + "
      "r. "
      "Groups "
      "that grow: {}. Groups that are copied: {}.\n",
      counted(static_cast<std::uint64_t>(growth.recorded), "rank"),
      with_commas(static_cast<std::uint64_t>(growth.world)), copies, growth.recorded,
      list_text(growth.grown), list_text(growth.copied));
  if (growth.smaller_shards > 0)
    text += fmt::format("  Shards have 1/{1} of the size in {0} of the recorded ranks.\n",
                        counted(growth.smaller_shards, "collective"), copies);
  if (report.shared_nodes > 0)
    text += fmt::format(
        "  The optimizer's shards take 1/{1} of the time in {0} of the recorded ranks "
        "(--shard-compute).\n",
        counted(report.shared_nodes, "kernel"), copies);
  if (report.graph_bytes > 0 && report.recorded_bytes == 0)
    text += fmt::format("  The schedule takes {} on disk.\n", size_text(report.graph_bytes));
  else if (report.graph_bytes > 0)
    text += fmt::format(
        "  The graphs, from {} on, take {} on disk, of which those of the recorded ranks take "
        "{}.\n",
        report.outputs.front(), size_text(report.graph_bytes), size_text(report.recorded_bytes));
  return text;
}

std::string scaling_text(const ConvertRanksReport& report) {
  if (report.scaling.empty()) return "";
  TextTable table{{"ranks", "makespan", "communication", "efficiency"}, {}, {0, 1, 2, 3}};
  std::string unknown;
  for (const ScaledJob& job : report.scaling) {
    const auto& makespan = job.run.network_makespan_ns;
    table.rows.push_back(
        {with_commas(static_cast<std::uint64_t>(job.world)),
         makespan ? duration_text(*makespan) : "unknown",
         makespan ? fmt::format("{:.1f} %", 100 * job.communication_share()) : "",
         makespan ? fmt::format("{:.1f} %", 100 * job.efficiency(report.scaling.front())) : ""});
    if (!makespan)
      unknown +=
          fmt::format("  {} ranks: {}\n", job.world,
                      job.run.is_run ? job.run.network_unknown : "its run needs more --memory");
  }
  return "\n" + format_table(table, kIndent) + unknown +
         "  Communication is the part of the makespan that would go if it took no time. Efficiency "
         "is the makespan at the first size over that at this one.\n";
}

}  // namespace

std::string format_job_summary(const ConvertRanksReport& report, bool in_detail) {
  std::string text = diagnostics_table(report.rewritten, in_detail, "rewritten");
  if (!text.empty()) text = "\n" + text;
  text += scaled_text(report.scaled) + growth_text(report) + scaling_text(report);
  const goal::GoalCounts& schedule = report.schedule;
  if (schedule.calcs > 0)
    text += fmt::format("\n{} ({}): {} calc, {} send, {} recv, {} requires\n",
                        report.outputs.front(), counted(report.members.size(), "rank"),
                        with_commas(schedule.calcs), with_commas(schedule.sends),
                        with_commas(schedule.receives), with_commas(schedule.requires_));
  if (report.check.nodes > 0) text += issue_text(report);
  const auto recorded = static_cast<std::size_t>(report.growth.recorded);  // others are copies
  text += members_text(
              std::span(report.members).first(recorded > 0 ? recorded : report.members.size())) +
          stale_outputs_text(report.stale_outputs);
  if (!report.command.empty())
    text += fmt::format("\nRun it with{}\n  {}", schedule.calcs > 0 ? " ATLAHS' LogGOPSim" : "",
                        report.command);
  return text;
}

}  // namespace nadi::cli
