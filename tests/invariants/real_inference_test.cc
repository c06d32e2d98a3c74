// What is inferred of waits that real traces do not record; skipped where there are no real traces.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

#include "nadi/graph/build.h"
#include "nadi/input/byte_source.h"
#include "nadi/link/link.h"
#include "nadi/read/device_trace_reader.h"
#include "nadi/read/host_trace_reader.h"
#include "tests/readme_text.h"

namespace nadi {
namespace {

const std::filesystem::path kTraceFolder = NADI_SHARED_TRACES;

struct ReadOptions {
  std::string host;                      ///< "" = the device trace alone
  bool drops_syncs_and_records = false;  ///< as if the profiler had recorded neither
};

struct Converted {
  LinkedTrace linked;
  BuiltGraph graph;
};

Converted convert(const std::string& device_file, const ReadOptions& options = {}) {
  Diagnostics diagnostics;
  ByteSource device_source = ByteSource::open((kTraceFolder / device_file).string());
  DeviceTrace device = read_device_trace(device_source, diagnostics);
  if (options.drops_syncs_and_records) {
    device.syncs = {};
    device.event_records = {};
  }
  std::optional<HostTrace> host;
  if (!options.host.empty()) {
    ByteSource host_source = ByteSource::open((kTraceFolder / options.host).string());
    host = read_host_trace(host_source, diagnostics);
  }
  Converted result;
  result.linked = link_traces(std::move(host), std::move(device), {}, diagnostics);
  GraphOptions graph_options;
  graph_options.delays = Delays::kNone;
  result.graph = build_graph(result.linked, graph_options, diagnostics);
  return result;
}

/// By vertex: whether it must wait for `from`, by data edges; edges lead to larger vertices.
std::vector<bool> reached_from(const GraphStructure& graph, std::uint32_t from) {
  std::vector<bool> reached(num_vertices(graph), false);
  reached[from] = true;
  for (std::uint32_t v = from; v < num_vertices(graph); ++v) {
    if (!reached[v]) continue;
    for (auto [edge, end] = out_edges(v, graph); edge != end; ++edge)
      if (graph[*edge].evidence != Evidence::kNesting) reached[target(*edge, graph)] = true;
  }
  return reached;
}

bool is_collective(const BuiltGraph& graph, std::uint32_t node) {
  return graph.kind[node] == NodeKind::kDeviceRow &&
         graph.name_of(node).find("ncclKernel") != std::string_view::npos;
}

/// True where work of another stream must wait for the node, by way of streams alone.
bool has_successor_on_another_stream(const BuiltGraph& graph, std::uint32_t from) {
  const std::vector<bool> reached = reached_from(graph.structure, from);
  for (std::uint32_t v = from; v < reached.size(); ++v)
    if (reached[v] && graph.kind[v] == NodeKind::kDeviceRow && graph.lane[v] != graph.lane[from])
      return true;
  return false;
}

TEST(RealInference, FindsWhatWaitsForEveryCollectiveOfDlrm) {
  if (!std::filesystem::exists(kTraceFolder / "dlrm-8gpu"))
    GTEST_SKIP() << "no real traces beside this repository: dlrm-8gpu";
  for (const std::string rank : {"0", "1", "2", "3"})
    for (const bool has_host : {false, true}) {
      const std::string host = has_host ? "dlrm-8gpu/host." + rank + ".json.gz" : "";
      const BuiltGraph graph = convert("dlrm-8gpu/device." + rank + ".json.gz", {host}).graph;
      int collectives = 0;
      for (std::uint32_t v = 0; v < graph.size(); ++v) {
        if (!is_collective(graph, v)) continue;
        ++collectives;
        EXPECT_TRUE(has_successor_on_another_stream(graph, v))
            << "rank " << rank << ": " << graph.name_of(v) << " at " << graph.trace_ns(v);
      }
      EXPECT_EQ(collectives, 8) << "rank " << rank;
    }
}

/// A node by what it was made of: the same in both conversions of a trace.
using Source = std::tuple<NodeKind, RowOfKindIndex, Ns>;
Source source_of(const BuiltGraph& graph, std::uint32_t node) {
  return {graph.kind[node], graph.row[node], graph.start_ns[node]};
}

std::map<Source, std::uint32_t> nodes_by_source(const BuiltGraph& graph) {
  std::map<Source, std::uint32_t> nodes;
  for (std::uint32_t node = 0; node < graph.size(); ++node) nodes[source_of(graph, node)] = node;
  return nodes;
}

struct Agreement {
  int waits = 0;                     ///< edges of event waits and synchronisations looked at
  std::vector<std::string> missing;  ///< those that do not follow in the other graph
};

/// Edges of waits of `from`, all or the guesses only, that follow in `in`.
Agreement agreement(const Converted& from, const Converted& in, bool guesses_only) {
  const std::map<Source, std::uint32_t> nodes = nodes_by_source(in.graph);
  const GraphStructure& structure = from.graph.structure;
  const auto node_of = [&](std::uint32_t node) {
    const auto found = nodes.find(source_of(from.graph, node));
    return found == nodes.end() ? kNoIndex : found->second;
  };
  Agreement result;
  for (auto [edge, end] = edges(structure); edge != end; ++edge) {
    const Evidence evidence = structure[*edge].evidence;
    if (evidence != Evidence::kEventWait && evidence != Evidence::kSynchronisation) continue;
    if (guesses_only && !is_guess(structure[*edge].inferred)) continue;
    ++result.waits;
    const auto before = source(*edge, structure);
    const auto after = target(*edge, structure);
    const std::uint32_t first = node_of(before), second = node_of(after);
    if (first == kNoIndex || second == kNoIndex || !reached_from(in.graph.structure, first)[second])
      result.missing.push_back(fmt::format("{} ({}): {} at {} -> {} at {}", to_string(evidence),
                                           to_string(structure[*edge].inferred),
                                           from.graph.name_of(before), from.graph.start_ns[before],
                                           from.graph.name_of(after), from.graph.start_ns[after]));
  }
  return result;
}

struct RecordedTrace {
  const char* file;
  double least_found;  ///< share of the recorded waits
};

TEST(RealInference, AgreesWithWhatSyncRowsTellWhereTheyAreDropped) {
  for (const RecordedTrace& trace : {RecordedTrace{"event-sync/device.json.gz", 1},
                                     {"wait-without-record/device.json.gz", 0.84}}) {
    if (!std::filesystem::exists(kTraceFolder / trace.file))
      GTEST_SKIP() << "no real traces beside this repository: " << trace.file;
    ReadOptions dropped;
    dropped.drops_syncs_and_records = true;
    const Converted recorded = convert(trace.file), inferred = convert(trace.file, dropped);
    const Agreement found = agreement(recorded, inferred, false);
    const Agreement told = agreement(inferred, recorded, true);
    EXPECT_GT(found.waits, 0) << trace.file;
    EXPECT_GE(static_cast<double>(found.waits) - static_cast<double>(found.missing.size()),
              trace.least_found * found.waits)
        << trace.file << "\n"
        << fmt::format("{}", fmt::join(found.missing, "\n"));
    EXPECT_TRUE(told.missing.empty()) << trace.file << ", of " << told.waits << "\n"
                                      << fmt::format("{}", fmt::join(told.missing, "\n"));
    fmt::print("{}: {} of {} recorded waits found, {} inferred, {} of them false\n", trace.file,
               found.waits - static_cast<int>(found.missing.size()), found.waits, told.waits,
               told.missing.size());
    const std::string file = trace.file;
    test::expect_readme_says(
        "tests/vm/README.md",
        fmt::format("{} {} of {}", file.substr(0, file.find('/')),
                    found.waits - static_cast<int>(found.missing.size()), found.waits));
  }
}

}  // namespace
}  // namespace nadi
