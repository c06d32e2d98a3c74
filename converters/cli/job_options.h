// Options of `nadi convert` for several ranks and for simulators, and what it says about them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "nadi/converters/archive/convert_ranks.h"
#include "nadi/converters/cli/archive_options.h"
#include "nadi/converters/cli/network_options.h"
#include "nadi/converters/cli/options.h"
#include "nadi/converters/job_inputs.h"

namespace nadi::cli {

/// --traces and what goes with it, --target, --missing, --world, and those of the targets. No
/// option sets `ranks` and `memory`: they are known when the traces are.
struct JobArguments : ConvertRanksOptions {
  ArchiveArguments archive;
  std::vector<JobInput> graphs;        ///< that it is made of; empty = of traces
  NetworkArguments network_arguments;  ///< become `network`

  /// True where something else than one rank's plain graph is wanted.
  bool is_given() const { return archive.is_given() || target != Target::kChakra; }
  /// True where ranks are looked at together.
  bool makes_job() const { return nadi::makes_job(target, worlds, what_if); }
};

void add_job_options(Options& options, JobArguments& arguments);

/// --scale and --gpu.
void add_what_if_options(Options& options, WhatIf& what_if);

void add_backend_option(Options& options, astra_sim::NetworkBackend& backend);

/// Takes the text of an option that wants a whole number from 1.
std::function<void(const std::string&)> whole_from_1(const char* option, std::int64_t& target);

/// Of --dataset-splits: from 1 to kMostDatasetSplits.
std::function<void(const std::string&)> dataset_splits(std::int64_t& target);

/// Returns what the target's rewriting did, the files written and the command that runs them.
std::string format_job_summary(const ConvertRanksReport& report, bool in_detail);

/// ", and 14.2 ms on the network of FILE", or why that is unknown; empty where none was given.
std::string network_run_text(const astra_sim::JobCheck& check, const std::string& file);

/// A row per rule that is broken, with its first places below it; `what`: the head of the messages.
std::string findings_table(const std::vector<CheckFinding>& findings,
                           const char* what = "what the simulator would do");

}  // namespace nadi::cli
