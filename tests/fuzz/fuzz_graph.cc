// Feeds any bytes to all that reads Chakra files: readers may refuse them, but not crash or hang,
// they agree on how many nodes there are, and what they accept runs to its end. What passes `nadi
// check` is fed and replayed, and profiled where it tells its times; the targets take it as the one
// recorded rank of a job, and the job for ASTRA-sim passes its check.
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "nadi/base/error.h"
#include "nadi/chakra/chakra_check.h"
#include "nadi/chakra/load_chakra_graph.h"
#include "nadi/converters/profile/write_profile.h"
#include "nadi/sim_bridge/astra_sim/check.h"
#include "nadi/sim_bridge/astra_sim/rewrite.h"
#include "nadi/sim_bridge/astra_sim/write_files.h"
#include "nadi/sim_bridge/feeder/feeder.h"
#include "nadi/sim_bridge/goal/write_goal.h"
#include "nadi/sim_bridge/job/make_job.h"
#include "nadi/sim_bridge/replay/report.h"
#include "tests/fuzz/input_files.h"
#include "tests/temporary_folder.h"

namespace {

std::optional<std::size_t> nodes_fed(const std::string& path) try {
  nadi::FeederOptions options;
  options.window_bytes = 4096;
  nadi::Feeder feeder(path, options);
  while (const auto id = feeder.next_ready()) {
    feeder.take(*id);
    feeder.lookup(*id);
    feeder.finish(*id);
  }
  if (!feeder.is_done()) __builtin_trap();
  return feeder.size();
} catch (const nadi::Error& error) {
  nadi::require_no_bug(error);
  return {};
}

std::optional<std::size_t> nodes_replayed(const std::string& path) try {
  std::vector<nadi::Graph> graphs;
  graphs.push_back(nadi::load_chakra_graph(path, {.shapes = true}));
  nadi::Diagnostics diagnostics;
  const nadi::ReplayJob job = nadi::make_replay_job(graphs, diagnostics);
  nadi::make_replay_report(job, nadi::measured_times(job), nadi::replay(job), nullptr, {});
  return graphs.front().size();
} catch (const nadi::Error& error) {
  nadi::require_no_bug(error);
  return {};
}

void profile_graph(const std::string& path) try {
  std::vector<nadi::Graph> graphs;
  graphs.push_back(nadi::load_chakra_graph(path, {.shapes = true, .parents = true}));
  nadi::Diagnostics diagnostics;
  nadi::profile_json(nadi::profile_graphs(std::move(graphs), diagnostics));
} catch (const nadi::Error& error) {
  nadi::require_no_bug(error);
}

bool passes_check(const std::string& path) try {
  return !nadi::check_chakra(std::filesystem::path(path)).has_errors();
} catch (const nadi::Error& error) {
  nadi::require_no_bug(error);
  return false;
}

nadi::Job job_of(const std::string& path, nadi::MissingRanks missing,
                 nadi::Diagnostics& diagnostics) {
  std::vector<nadi::Graph> graphs;
  graphs.push_back(nadi::load_chakra_graph(path, {.shapes = true}));
  return nadi::make_job(std::move(graphs), missing, diagnostics);
}

/// Rewrites the job. That of a valid graph breaks no rule of the simulator but that one rank alone,
/// which is all that a graph of this fuzzer may name, is no network; else the fuzzer ends here.
void rewrite_job(nadi::Job& job, bool valid, nadi::Diagnostics& diagnostics) {
  const nadi::TemporaryFolder folder;
  nadi::astra_sim::CheckOptions files;
  const auto write = [&](std::size_t rank, const nadi::Graph& graph, const nadi::JobRank& whole) {
    std::string text;
    nadi::astra_sim::write_rank(job, rank, graph, whole,
                                [&](std::string_view piece) { text += piece; });
    files.files.push_back(folder.write("job." + std::to_string(rank) + ".et", text));
  };
  nadi::astra_sim::rewrite(job, {}, diagnostics, write);
  if (!valid) return;
  files.comm_groups = folder.write("groups.json", nadi::astra_sim::comm_groups_text(job));
  const nadi::astra_sim::JobCheck check = nadi::astra_sim::check_job(files);
  for (const nadi::CheckFinding& finding : check.findings) {
    if (severity_of(finding.rule) != nadi::CheckSeverity::kError) continue;
    if (finding.rule == nadi::CheckRule::kOneRank && job.ranks.size() == 1) continue;
    std::fprintf(stderr, "%s: %s\n", to_string(finding.rule).data(),
                 finding.first.empty() ? "" : finding.first.front().c_str());
    __builtin_trap();
  }
}

void run_targets(const std::string& path, bool valid) {
  const auto nowhere = [](std::string_view) {};
  nadi::Diagnostics diagnostics;
  for (const auto missing : {nadi::MissingRanks::kDrop, nadi::MissingRanks::kCopy}) {
    try {
      nadi::Job job = job_of(path, missing, diagnostics);
      rewrite_job(job, valid, diagnostics);
    } catch (const nadi::Error& error) {
      nadi::require_no_bug(error);
    }
    try {
      nadi::Job job = job_of(path, missing, diagnostics);
      nadi::goal::write_goal(job, {}, nowhere, diagnostics);
    } catch (const nadi::Error& error) {
      nadi::require_no_bug(error);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int file = memfd_create("graph", 0);
  if (file < 0 || write(file, data, size) != static_cast<ssize_t>(size)) __builtin_trap();
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  const auto fed = nodes_fed(path);
  const auto replayed = nodes_replayed(path);
  if (fed && replayed && *fed != *replayed) __builtin_trap();
  const bool valid = passes_check(path);
  if (valid && !(fed && replayed)) __builtin_trap();
  if (replayed) profile_graph(path);
  if (replayed) run_targets(path, valid);
  close(file);
  return 0;
}
