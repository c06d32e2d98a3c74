#include "nadi/converters/generate/generate.h"

#include <algorithm>
#include <map>
#include <memory>

#include "nadi/base/error.h"
#include "nadi/chakra/groups.h"
#include "nadi/converters/generate/pattern_options.h"
#include "nadi/converters/synthetic_graphs.h"
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

void generate_singles(const GenerateOptions& options, std::span<const SingleNodeKind> kinds,
                      GenerateReport& report) {
  if (options.sizes.runtime_us != 0)
    require_range("`runtime`", options.sizes.runtime_us, 1'000'000'000'000);
  require_range("`tensor_size`", options.sizes.tensor_bytes, kMostBytes);
  require_range("`comm_size`", options.sizes.comm_bytes, kMostBytes);
  std::vector<std::unique_ptr<FileSet>> sets;
  std::int64_t done = 0;
  for (const SingleNodeKind& kind : kinds) {
    report.prefixes.push_back(prefix_of(options, kind.name, kinds.size() > 1));
    sets.push_back(std::make_unique<FileSet>(report.prefixes.back()));
    for (std::int64_t rank = 0; rank < options.npus; ++rank) {
      report.nodes += write_synthetic_graph(
          {"generated", rank, options.npus, {}}, *sets.back(), [&](NodeStream& nodes) {
            kind.append(options.sizes, {rank, options.npus}, nodes);
          });
      if (options.on_rank) options.on_rank(++done / std::ssize(kinds));
    }
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

void write_machine(const GenerateOptions& options, const JobLayout& layout, FileSet& files) {
  const DeviceModel& device = options.device;
  astra_sim::JobNetwork job = astra_sim::switch_network(options.npus);
  job.system.memory_gb_per_s = device.memory_gb_per_s;
  job.network.dimensions.front().bandwidth_gb_per_s = device.link_gb_per_s;
  job.network.dimensions.front().latency_ns = device.link_latency_ns;
  write_file(files.add("comm_groups.json"), groups_text(layout));
  write_file(files.add("system.json"), astra_sim::system_text(job.system, device.peak_tflops));
  write_file(files.add("network.yml"), astra_sim::network_text(job.network));
  write_file(files.add("memory.json"), astra_sim::memory_text());
}

void report_limits(const std::string& prefix, GenerateReport& report) {
  if (report.groups > astra_sim::kMostGroups)
    report.diagnostics.report("many-groups",
                              std::to_string(report.groups) + ": ASTRA-sim keeps 499 apart");
  if (report.groups > 0 && prefix.find("empty") != std::string::npos)
    report.diagnostics.report("group-file-name",
                              prefix + ": ASTRA-sim reads no group file named \"empty\"");
}

void generate_pattern(const GenerateOptions& options, GenerateReport& report) {
  const auto [pattern, degrees] = resolve_pattern(options);
  const JobLayout layout(degrees);
  const std::string prefix = prefix_of(options, options.kind, false);
  FileSet files(prefix);
  for (std::int64_t rank = 0; rank < options.npus; ++rank) {
    const RankPlace place = layout.place_of(rank);
    const SyntheticGraph graph{"generated", rank, options.npus, layout.groups_json(place)};
    report.nodes += write_synthetic_graph(graph, files, [&, &pattern = pattern](NodeStream& nodes) {
      append_steps(pattern, layout, place, nodes);
    });
    if (options.on_rank) options.on_rank(rank + 1);
  }
  write_machine(options, layout, files);
  files.commit();
  report.prefixes.push_back(prefix);
  report.degrees = degrees;
  report.groups = layout.group_count();
  if (options.npus > 1) report.command = astra_sim::command_line(prefix);
  report_limits(prefix, report);
}

[[noreturn]] void fail_on_kind(const std::string& kind) {
  std::string names;
  for (const std::string& name : generator_kinds()) names += (names.empty() ? "" : ", ") + name;
  throw Error(ErrorCode::kUsage, "KIND", "nothing is named " + kind, "There are " + names);
}

}  // namespace

std::vector<std::string> generator_kinds() {
  std::vector<std::string> names(pattern_kinds().begin(), pattern_kinds().end());
  names.emplace_back(kWholeSet);
  for (const SingleNodeKind& kind : single_node_kinds()) names.emplace_back(kind.name);
  return names;
}

GenerateReport generate(const GenerateOptions& options) {
  require_range("`npus`", options.npus, kMostSyntheticRanks);
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
