#include "nadi/converters/diff/chakra_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "nadi/base/busy_times.h"
#include "nadi/base/error.h"
#include "nadi/chakra/chakra_reader.h"
#include "nadi/chakra/communication_name.h"
#include "nadi/chakra/groups.h"
#include "nadi/converters/archive/peek_trace.h"
#include "nadi/converters/load_graph.h"
#include "nadi/diff/kernel_family.h"
#include "nadi/diff/row_keys.h"
#include "nadi/diff/short_name.h"
#include "nadi/model/edge_counts.h"
#include "nadi/sim_bridge/replay/what_if.h"

namespace nadi {
namespace {

using Groups = std::map<std::string, DescribedGroup>;

/// What the metadata says of the process groups; none where it cannot be read.
Groups groups_of(const Graph& graph) {
  try {
    return described_groups(metadata_of(graph), graph.name);
  } catch (const Error&) {
    return {};
  }
}

/// "ALL_REDUCE, 4096 bytes, 8 ranks, tp"; empty = no communication. Names of groups differ from run
/// to run; what the metadata says of a group does not.
std::string communication_of(const Graph& graph, std::uint32_t node, const Groups& groups) {
  if (graph.communication[node] == kNoIndex) return "";
  const GraphCommunication& communication = graph.communications[graph.communication[node]];
  std::string kind =
      fmt::format("{}, {} bytes", communication_name(graph.type[node], communication.type),
                  communication.bytes);
  const std::string name(graph.strings[communication.group]);
  const auto group = groups.find(name);
  if (group == groups.end()) return name.empty() ? kind : kind + ", group " + name;
  if (group->second.size >= 0) kind += fmt::format(", {} ranks", group->second.size);
  if (!group->second.desc.empty()) kind += ", " + group->second.desc;
  return kind;
}

/// The key of a node; false: it is not compared.
bool key_of(const Graph& graph, std::uint32_t node, DiffBy by, const Groups& groups,
            std::string& key) {
  switch (by) {
    case DiffBy::kStream:
      key = fmt::format("stream {}", graph.lanes[graph.lane[node]].stream);
      return graph.is_device(node);
    case DiffBy::kCollective:
      key = communication_of(graph, node, groups);
      return !key.empty();
    case DiffBy::kKernelFamily:
      key = kernel_family_of(graph.name_of(node));
      return graph.is_device(node);
    case DiffBy::kShortName:
      key = short_name_of(graph.name_of(node));
      return true;
    default:
      key = graph.name_of(node);
      return true;
  }
}

/// The nodes that are compared; a graph's nodes hold no other node's time.
void add_rows(const Graph& graph, const DiffChoice& choice, SideSummary& side) {
  const Groups groups = groups_of(graph);
  KeyFilter filter(choice, side.rows.keys);
  SampleSums rows;
  AllRowsSums all;
  const bool is_any = choice.device == DiffDevice::kAll || choice.by == DiffBy::kCollective;
  std::string key;
  for (std::uint32_t node = 0; node < graph.size(); ++node) {
    if (graph.kind[node] == NodeKind::kDelay) continue;
    if (!is_any && graph.is_device(node) != (choice.device == DiffDevice::kDevice)) continue;
    if (!key_of(graph, node, choice.by, groups, key)) continue;
    const StringId id = side.rows.keys.intern(key);
    if (!filter.keeps(id)) continue;
    const Ns duration_ns = graph.duration_ns[node];
    rows.add(id, duration_ns);
    all.add(duration_ns, duration_ns);
  }
  rows.fold_into(side.rows);
  side.rows.own = side.rows.totals;
  all.fold_into(side.all);
}

void add_edges(const Graph& graph, DiffSummary& summary) {
  SampleSums sums;
  const auto add = [&](const std::string& key, std::uint64_t edges) {
    if (edges > 0) sums.add(summary.keys.intern(key), 0, edges);
  };
  EdgeCounts counts;
  add_edge_counts(graph, counts);
  counts[static_cast<std::size_t>(Evidence::kNesting)].by_inference.front() +=
      graph.ctrl_beside_data;
  for (std::size_t i = 0; i < kEvidenceCount; ++i) {
    const std::string evidence(to_string(static_cast<Evidence>(i)));
    add(evidence, counts[i].by_inference.front());
    add(evidence + " (inferred)", counts[i].inferred());
  }
  add("to no node", graph.dependencies_dropped);
  sums.fold_into(summary);
}

/// How long the devices of a graph work and stand idle, from its first start to its last end.
void add_devices(const Graph& graph, LaneSummaries& summaries) {
  if (!graph.tells_starts) return;
  constexpr Ns kFar = Ns{1} << 60;                              // starts come from strangers
  std::map<std::int64_t, std::vector<std::pair<Ns, Ns>>> rows;  // by device
  Ns first = std::numeric_limits<Ns>::max(), last = std::numeric_limits<Ns>::min();
  for (std::uint32_t node = 0; node < graph.size(); ++node) {
    if (graph.kind[node] == NodeKind::kDelay) continue;
    const Ns start = std::clamp(graph.start_ns[node], -kFar, kFar);
    const Ns end = start + std::min(graph.duration_ns[node], kFar);
    first = std::min(first, start);
    last = std::max(last, end);
    if (graph.is_device(node)) rows[graph.lanes[graph.lane[node]].device].emplace_back(start, end);
  }
  DiffSummary& busy_summary = summaries[static_cast<std::size_t>(LaneMeasure::kDeviceBusy)];
  DiffSummary& idle_summary = summaries[static_cast<std::size_t>(LaneMeasure::kDeviceIdle)];
  SampleSums busy_sums, idle_sums;
  for (auto& [device, times] : rows) {
    const std::string name = rows.size() > 1 ? fmt::format("device {}", device) : "device";
    const Ns busy = BusyTimes(std::move(times)).busy_ns();
    busy_sums.add(busy_summary.keys.intern(name), busy);
    idle_sums.add(idle_summary.keys.intern(name), last - first - busy);
  }
  busy_sums.fold_into(busy_summary);
  idle_sums.fold_into(idle_summary);
}

}  // namespace

bool is_chakra_file(const std::string& path) {
  return path != "-" && peek_trace(path).type == TraceType::kChakra;
}

void add_chakra_file(const std::string& path, std::int64_t rank, const DiffChoice& choice,
                     SideSummary& side, const Progress& progress) {
  if (choice.by == DiffBy::kCallPath)
    throw Error(ErrorCode::kUsage, path, "a Chakra graph is not compared by call path",
                "Choose name, short-name, stream, collective or kernel-family");
  if (choice.iterations.kind == IterationChoice::Kind::kListed)
    throw Error(ErrorCode::kUsage, path, "iterations of a Chakra graph cannot be chosen",
                "Compare whole graphs, or convert with `steps`");
  const Graph graph = load_chakra_graph(messages_of(ByteSource::open(path), progress), {},
                                        BadDependencies::kDropAndKeepCycles);
  add_what_if(metadata_of(graph), side.what_if);
  add_rows(graph, choice, side);
  add_edges(graph, side.edges);
  add_devices(graph, side.lanes);
  side.samples.push_back({rank, -1});
}

}  // namespace nadi
