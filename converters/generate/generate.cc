#include "nadi/converters/generate/generate.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include "nadi/base/count_text.h"
#include "nadi/base/error.h"
#include "nadi/base/number_text.h"
#include "nadi/chakra/groups.h"
#include "nadi/converters/generate/pattern_options.h"
#include "nadi/converters/simulator_files.h"
#include "nadi/converters/synthetic_graphs.h"
#include "nadi/sim_bridge/astra_sim/choose_network.h"
#include "nadi/sim_bridge/astra_sim/stream_overflow.h"
#include "nadi/sim_bridge/astra_sim/write_files.h"

namespace nadi {
namespace {

constexpr const char* kWholeSet = "mlcommons";
constexpr std::int64_t kMostBytes = 1'000'000'000'000'000;

std::string prefix_of(const GenerateOptions& options, std::string_view name, bool is_one_of_many) {
  if (options.output.empty()) return std::string(name);
  if (options.output.back() == '/') return options.output + std::string(name);
  return is_one_of_many ? options.output + "." + std::string(name) : options.output;
}

/// The uses of a rank, whose groups are those of `groups` and all ranks.
std::set<astra_sim::GroupUse> uses_of(const SyntheticRank& rank, std::span<const RankGroup> groups,
                                      std::int64_t npus) {
  std::set<astra_sim::GroupUse> uses;
  for (const auto& [collective, bytes] : rank.collectives) {
    const auto& [type, name] = collective;
    astra_sim::GroupUse use{type, number_of_text<std::int64_t>(name).value_or(0), npus, bytes};
    for (const RankGroup& group : groups)
      if (group.number > 0 && group.number == use.group) use.members = group.size;
    uses.insert(use);
  }
  return uses;
}

/// Adds what ASTRA-sim needs beside the graphs of two ranks or more.
GeneratedJob finish_job(const GenerateOptions& options, std::string prefix,
                        const astra_sim::CollectiveUse& use, SimulatorConfiguration configuration,
                        FileSet& files, Diagnostics& diagnostics) {
  GeneratedJob job{std::move(prefix), {}, {}};
  if (options.npus < 2) return job;
  const DeviceModel& device = options.device;
  astra_sim::JobNetwork plain = chosen_network(options.network, options.backend, options.npus);
  plain.system.memory_gb_per_s = device.memory_gb_per_s;
  job.network = astra_sim::choose_network(use, std::move(plain), diagnostics);
  configuration.network = job.network;
  configuration.peak_tflops = device.peak_tflops;
  add_idle_npus(job.network.network, options.npus, files);
  add_configuration(configuration, files);
  job.command = astra_sim::command_line(job.prefix, options.backend);
  return job;
}

GeneratedJob generate_single(const GenerateOptions& options, const SingleNodeKind& kind,
                             FileSet& files, GenerateReport& report) {
  astra_sim::CollectiveUse use(options.npus);
  for (std::int64_t rank = 0; rank < options.npus; ++rank) {
    const SyntheticRank written =
        write_synthetic_graph({"generated", rank, options.npus, {}}, files, [&](NodeStream& nodes) {
          kind.append(options.sizes, {rank, options.npus}, nodes);
        });
    report.nodes += written.nodes;
    use.add_rank(rank, uses_of(written, {}, options.npus));
  }
  std::string prefix = prefix_of(options, kind.name, options.kind == kWholeSet);
  if (!kind.is_run) return {std::move(prefix), {}, {}};
  SimulatorConfiguration configuration;
  configuration.comm_groups = comm_groups_json({});
  configuration.has_remote_memory = kind.needs_remote_memory;
  return finish_job(options, std::move(prefix), use, std::move(configuration), files,
                    report.diagnostics);
}

void generate_singles(const GenerateOptions& options, std::span<const SingleNodeKind> kinds,
                      GenerateReport& report) {
  if (options.sizes.runtime_us != 0)
    require_range("`runtime`", options.sizes.runtime_us, 1'000'000'000'000);
  require_range("`tensor_size`", options.sizes.tensor_bytes, kMostBytes);
  require_range("`comm_size`", options.sizes.comm_bytes, kMostBytes);
  require_device(options.device);
  std::vector<std::unique_ptr<FileSet>> sets;
  sets.reserve(kinds.size());
  std::int64_t done = 0;
  for (const SingleNodeKind& kind : kinds) {
    sets.push_back(std::make_unique<FileSet>(prefix_of(options, kind.name, kinds.size() > 1)));
    report.jobs.push_back(generate_single(options, kind, *sets.back(), report));
    done += options.npus;
    if (options.on_rank) options.on_rank(done / std::ssize(kinds));
  }
  const RemovalHeldBack held_back;  // of all kinds or of none
  for (const auto& files : sets) files->commit();
}

std::string groups_text(const JobLayout& layout) {
  std::map<std::int64_t, std::vector<std::int64_t>> groups;
  layout.for_each_group([&](const RankGroup& group) {
    auto& members = groups[group.number];
    for (std::int64_t i = 0; i < group.size; ++i) members.push_back(group.first + i * group.stride);
  });
  return comm_groups_json(groups);
}

/// What keeps ASTRA-sim from running the job.
void report_limits(GeneratedJob& job, GenerateReport& report) {
  if (report.groups > astra_sim::kMostGroups) {
    report.diagnostics.report(Finding::kManyGroups, std::to_string(report.groups) + " groups");
    job.command.clear();
  }
  if (report.groups > 0 && job.prefix.find("empty") != std::string::npos) {
    report.diagnostics.report(Finding::kGroupFileName,
                              job.prefix + ": ASTRA-sim reads no group file named \"empty\"");
    job.command.clear();
  }
}

void generate_pattern(const GenerateOptions& options, GenerateReport& report) {
  const auto [pattern, degrees] = resolve_pattern(options);
  const JobLayout layout(degrees);
  const std::string prefix = prefix_of(options, options.kind, false);
  FileSet files(prefix);
  astra_sim::CollectiveUse use(options.npus);
  for (std::int64_t rank = 0; rank < options.npus; ++rank) {
    const RankPlace place = layout.place_of(rank);
    const SyntheticGraph graph{"generated", rank, options.npus, layout.groups_json(place)};
    const SyntheticRank written =
        write_synthetic_graph(graph, files, [&, &pattern = pattern](NodeStream& nodes) {
          append_steps(pattern, layout, place, nodes);
        });
    report.nodes += written.nodes;
    use.add_rank(rank, uses_of(written, layout.groups_of(place), options.npus));
    if (options.on_rank) options.on_rank(rank + 1);
  }
  SimulatorConfiguration configuration;
  configuration.comm_groups = groups_text(layout);
  report.degrees = degrees;
  report.groups = layout.group_count();
  report.jobs.push_back(
      finish_job(options, prefix, use, std::move(configuration), files, report.diagnostics));
  files.commit();
  report_limits(report.jobs.back(), report);
}

[[noreturn]] void fail_on_kind(const std::string& kind) {
  throw Error(ErrorCode::kUsage, "KIND", "nothing is named " + kind,
              "There are " + list_of(generator_kinds()));
}

}  // namespace

std::vector<std::string> generator_kinds() {
  std::vector<std::string> names(pattern_kinds().begin(), pattern_kinds().end());
  names.emplace_back(kWholeSet);
  for (const SingleNodeKind& kind : single_node_kinds()) names.emplace_back(kind.name);
  return names;
}

GenerateReport generate(const GenerateOptions& given) {
  GenerateOptions options = given;
  options.device.link_gb_per_s = options.network.link.bandwidth_gb_per_s;
  options.device.link_latency_ns = options.network.link.latency_ns;
  require_range("`npus`", options.npus, kMostSyntheticRanks);
  chosen_network(options.network, options.backend, options.npus);  // throws before the work
  GenerateReport report;
  const auto singles = single_node_kinds();
  const auto single = std::find_if(singles.begin(), singles.end(), [&](const auto& kind) {
    return kind.name == options.kind || (!kind.alias.empty() && kind.alias == options.kind);
  });
  const auto patterns = pattern_kinds();
  if (options.kind == kWholeSet)
    generate_singles(options, singles, report);
  else if (single != singles.end())
    generate_singles(options, {&*single, 1}, report);
  else if (std::find(patterns.begin(), patterns.end(), options.kind) != patterns.end())
    generate_pattern(options, report);
  else
    fail_on_kind(options.kind);
  return report;
}

}  // namespace nadi
