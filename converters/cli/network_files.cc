#include "nadi/converters/cli/network_files.h"

#include <algorithm>

#include "nadi/converters/cli/settings_reader.h"
#include "nadi/sim_bridge/astra_sim/network_choice.h"

namespace nadi::cli {

namespace {

using astra_sim::CollectiveSystem;
using astra_sim::JobNetwork;
using astra_sim::NetworkDimension;

constexpr double kMostNpus = 1e9;
constexpr const char* kNetworkRemedy =
    "Write, for example: topology: [ Switch ], npus_count: [ 8 ], bandwidth: [ 400 ], latency: [ "
    "936 ], each on a line of its own";
constexpr const char* kSystemRemedy =
    "Write the file that `nadi convert --target astra-sim` writes, or remove it";
constexpr const char* kMemoryRemedy =
    "Write, for example: { \"memory-type\": \"NO_MEMORY_EXPANSION\" }, or remove it";

void read_dimensions(const SettingsReader& file, JobNetwork& result) {
  const auto topologies = file.texts("topology");
  const auto npus = file.whole_numbers("npus_count");
  const auto bandwidths = file.numbers("bandwidth"), latencies = file.numbers("latency");
  const auto is_within = [](double least, double most) {
    return [=](auto number) {
      const auto value = static_cast<double>(number);
      return value >= least && value <= most;
    };
  };
  if (!std::all_of(npus.begin(), npus.end(), is_within(1, kMostNpus)))
    file.fail("npus_count", "is no number of NPUs, from 1 to a billion");
  if (!std::all_of(bandwidths.begin(), bandwidths.end(),
                   is_within(astra_sim::kLeastBandwidth, astra_sim::kMostBandwidth)))
    file.fail("bandwidth", "is no machine's: it must be from 0.000001 to a billion GB/s");
  if (!std::all_of(latencies.begin(), latencies.end(), is_within(0, astra_sim::kMostLatency)))
    file.fail("latency", "is no machine's: it must be from 0 to a billion ns");
  if (npus.size() != topologies.size() || bandwidths.size() != topologies.size() ||
      latencies.size() != topologies.size())
    file.fail("", "has lists of different lengths");
  for (std::size_t i = 0; i < topologies.size(); ++i) {
    const auto topology = astra_sim::topology_named(topologies[i]);
    if (!topology) result.unmeasured = "topology " + topologies[i] + " was not measured";
    result.network.dimensions.push_back(
        {topology.value_or(astra_sim::Topology::kSwitch), npus[i], bandwidths[i], latencies[i]});
  }
}

/// Collectives that the file does not name have no implementation.
void read_implementations(const SettingsReader& file, JobNetwork& result) {
  for (const astra_sim::ImplementationSetting& row : astra_sim::implementation_settings()) {
    const std::string name(row.name);
    if (!file.has(name)) {
      if (!file.has(name + "-custom") && !file.has("per-node-custom-implementation"))
        result.missing.push_back(name);
      continue;
    }
    for (const std::string& text : file.texts(name)) {
      (result.system.*row.list).push_back(astra_sim::implementation_named(text));
      if (!astra_sim::is_implementation_name(text)) result.unknown.push_back(name + ": " + text);
    }
  }
}

/// Settings that the file lacks stay as they are, and the time is unknown.
void read_system(const SettingsReader& file, JobNetwork& result) {
  CollectiveSystem& system = result.system;
  const auto has = [&](const char* name) {
    if (file.has(name)) return true;
    result.missing.emplace_back(name);
    return false;
  };
  const auto read = [&](const char* name, std::int64_t least, std::int64_t& to) {
    if (!has(name)) return;
    to = file.whole_number(name);
    if (to < least) file.fail(name, "is no whole number from " + std::to_string(least));
  };
  read("preferred-dataset-splits", 1, system.dataset_splits);
  read("active-chunks-per-dimension", 1, system.active_chunks);
  read("endpoint-delay", 0, system.endpoint_delay_ns);
  if (has("local-mem-bw")) system.memory_gb_per_s = file.number("local-mem-bw");
  if (result.network.dimensions.size() > 1) has("collective-optimization");
  if (!result.missing.empty())
    result.unmeasured = "the system file has no " + result.missing.front();
  read_implementations(file, result);
}

/// Settings that let nodes or collectives take other times than those measured.
void find_unmeasured(const SettingsReader& file, JobNetwork& result) {
  const bool is_flat = result.network.dimensions.size() == 1;
  file.for_each_name([&](const std::string& name) {
    const bool is_usual =
        name == "collective-optimization"      ? is_flat || !file.is_set(name, "localBWAware")
        : name == "inter-dimension-scheduling" ? is_flat || !file.is_set(name, "baseline")
        : name == "roofline-enabled" || name == "replay-only" ||
                name.find("custom") != std::string::npos
            ? !file.is_set(name)
            : true;
    if (!is_usual) result.unmeasured = "the system file's " + name + " was not measured";
  });
}

}  // namespace

astra_sim::Network read_network(const std::string& network_file) {
  const SettingsReader network(network_file, kNetworkRemedy);
  JobNetwork result;
  read_dimensions(network, result);
  if (!result.unmeasured.empty())
    network.fail("topology", "names another than Switch, FullyConnected and Ring");
  for (const NetworkDimension& dimension : result.network.dimensions)
    if (dimension.npus < 2)
      network.fail("npus_count", "has a dimension of one NPU, which the simulator refuses");
  return std::move(result.network);
}

bool tracks_local_memory(const std::string& system_file) {
  return SettingsReader(system_file, kSystemRemedy).is_set("track-local-mem");
}

bool has_remote_memory(const std::string& memory_file) {
  return SettingsReader(memory_file, kMemoryRemedy).is_set("memory-type", "NO_MEMORY_EXPANSION");
}

JobNetwork read_job_network(const std::string& network_file, const std::string& system_file) {
  const SettingsReader network(network_file, kNetworkRemedy);
  const SettingsReader system(system_file, kSystemRemedy);
  JobNetwork result;
  read_dimensions(network, result);
  read_system(system, result);
  find_unmeasured(system, result);
  return result;
}

}  // namespace nadi::cli
