// A graph that is handed over in memory is the one that its file would give, column by column.
#include <gtest/gtest.h>

#include <sstream>

#include "et_def.pb.h"
#include "nadi/base/error.h"
#include "nadi/chakra/chakra_reader.h"
#include "nadi/chakra/load_chakra_graph.h"
#include "nadi/converters/read_traces.h"
#include "nadi/emit/chakra_writer.h"
#include "nadi/emit/take_graph.h"
#include "nadi/graph/build.h"
#include "tests/golden/case.h"

namespace nadi {
namespace {

constexpr GraphColumns kAll{.shapes = true, .parents = true};

Graph written_and_loaded(const LinkedTrace& linked, const BuiltGraph& graph) {
  std::string bytes;
  Diagnostics diagnostics;
  write_chakra(
      linked, graph, {}, [&](std::string_view piece) { bytes += piece; }, diagnostics);
  return load_chakra_graph(messages_of_bytes(bytes, "graph"), kAll);
}

std::string communication_text(const Graph& graph, std::size_t node) {
  if (graph.communication[node] == kNoIndex) return "none";
  const GraphCommunication& c = graph.communications[graph.communication[node]];
  std::ostringstream text;
  text << c.type << ' ' << c.bytes << ' ' << c.src << ' ' << c.dst << ' ' << c.tag << ' ' << c.seq
       << ' ' << graph.strings[c.group] << ' ' << graph.strings[c.dtype];
  return text.str();
}

/// All that a graph says of a node, the nodes it depends on last.
std::string node_text(const Graph& graph, std::size_t node) {
  const GraphLane& lane = graph.lanes[graph.lane[node]];
  std::ostringstream text;
  text << graph.id[node] << ' ' << graph.name_of(node) << " type "
       << static_cast<int>(graph.type[node]) << " kind " << static_cast<int>(graph.kind[node])
       << " at " << graph.start_ns[node] << " for " << graph.duration_ns[node] << " lane "
       << graph.lane[node] << ": " << lane.is_device << ' ' << lane.tid << ' ' << lane.device << ' '
       << lane.stream << " correlation " << graph.correlation[node] << " rf_id "
       << graph.rf_id[node] << " step " << graph.step[node] << " communication "
       << communication_text(graph, node) << graph.is_unrecorded_communication(node) << " io";
  for (const auto* column :
       {&graph.input_shapes, &graph.input_types, &graph.output_shapes, &graph.output_types})
    text << ' ' << graph.strings[(*column)[node]];
  text << " inside " << graph.parent[node];
  const Sources sources = graph.dependencies(node);
  for (auto source = sources.begin(); source != sources.end(); ++source)
    text << ", after " << *source << ' ' << to_string(source.edge().evidence) << ' '
         << to_string(source.edge().inferred) << ' ' << source.edge().is_control;
  return text.str();
}

std::string head_text(const Graph& graph) {
  std::ostringstream text;
  text << graph.size() << ' ' << graph.rank.value_or(-1) << ' ' << graph.base_time_ns.value_or(-1)
       << ' ' << graph.device_name << ' ' << graph.tells_starts << ' '
       << graph.communications.size() << ' ' << metadata_of(graph).DebugString();
  return text.str();
}

TEST(TakenGraphs, AreThoseOfTheirFiles) {
  std::size_t compared = 0;
  for (const std::string& name : golden::case_names()) {
    SCOPED_TRACE(name);
    const golden::Case c = golden::load_case(name);
    try {
      Diagnostics diagnostics;
      const LinkedTrace linked = read_and_link(c.traces, c.link, c.strict, diagnostics);
      BuiltGraph built = build_graph(linked, c.graph, diagnostics);
      if (built.size() == 0) continue;
      const Graph loaded = written_and_loaded(linked, built);
      const Graph taken = take_graph(linked, std::move(built), "graph", kAll, diagnostics);
      ASSERT_EQ(head_text(taken), head_text(loaded));
      for (std::size_t node = 0; node < loaded.size(); ++node)
        ASSERT_EQ(node_text(taken, node), node_text(loaded, node));
      ++compared;
    } catch (const Error&) {  // the case expects it
    }
  }
  EXPECT_GE(compared, 80U);
}

}  // namespace
}  // namespace nadi
