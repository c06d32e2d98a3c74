#include "nadi/converters/archive/scaled_graphs.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "et_def.pb.h"
#include "nadi/chakra/chakra_reader.h"
#include "nadi/chakra/node_ids.h"
#include "nadi/chakra/number_attributes.h"
#include "nadi/chakra/whole_micros.h"
#include "nadi/sim_bridge/replay/what_if.h"

namespace nadi {
namespace {

using NodeMessage = ChakraProtoMsg::Node;

void set_times(Ns start_ns, Ns duration_ns, WholeMicros& lane, NodeMessage& node) {
  node.set_start_time_micros(static_cast<std::uint64_t>(std::max<Ns>(start_ns, 0) / kNsPerMicro));
  node.set_duration_micros(lane.take(std::max<Ns>(duration_ns, 0)));
  auto& rows = *node.mutable_attr();
  for (int i = rows.size() - 1; i >= 0; --i) {
    const std::string_view name = rows[i].name();
    if (name == row_of(WireNumber::kStartNs).name) rows[i].set_int64_val(start_ns);
    if (name == row_of(WireNumber::kDurationNs).name) rows[i].set_int64_val(duration_ns);
    if (name == row_of(WireNumber::kInclusiveNs).name) rows.DeleteSubrange(i, 1);
  }
}

/// The messages of the graph's recorded form, with the graph's own metadata and times.
void read_with_times(const RecordedGraphs& recorded, std::size_t position, const Graph& graph,
                     const MessageTakers& take) {
  std::vector<WholeMicros> lanes(graph.lanes.size());
  const auto take_node = [&](NodeMessage& node, std::string_view) {
    const std::uint32_t row = find_id(graph.id, {}, node.id());
    set_times(graph.start_ns[row], graph.duration_ns[row], lanes[graph.lane[row]], node);
    take.node(node, {});
  };
  recorded.read(position, {[&](const auto&) { take.metadata(metadata_of(graph)); }, take_node});
}

}  // namespace

std::vector<std::string> ChangedRun::changes() const {
  std::vector<std::string> all = scales;
  if (!gpu.empty()) all.push_back(device_change(gpu));
  return all;
}

RecordedGraphs scale_recorded(const RecordedGraphs& recorded, const WhatIf& what_if,
                              ChangedRun& run, Diagnostics& diagnostics) {
  auto graphs = std::make_shared<std::vector<Graph>>();
  graphs->reserve(recorded.size());
  for (std::size_t i = 0; i < recorded.size(); ++i)
    recorded.visit(i, [&](const Graph& graph) { graphs->push_back(graph); });
  ReplayOptions options{.scales = what_if.scales};
  if (what_if.gpu) {
    run.gpu = what_if.gpu->name;
    for (const Graph& graph : *graphs)
      options.row_factors.push_back(astra_sim::factors_on(*what_if.gpu, graph, run.estimate));
  }
  static_cast<ScaledRun&>(run) = scale_graphs(*graphs, options, diagnostics);
  if (what_if.gpu)
    for (Graph& graph : *graphs) name_device(run.gpu, graph);
  RecordedGraphs::Read read;
  if (recorded.have_messages())
    read = [graphs, recorded](std::size_t i, const MessageTakers& take) {
      read_with_times(recorded, i, (*graphs)[i], take);
    };
  return {graphs->size(),
          [graphs](std::size_t i, const RecordedGraphs::Take& take) { take((*graphs)[i]); },
          std::move(read)};
}

}  // namespace nadi
