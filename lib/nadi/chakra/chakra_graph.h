// A Chakra graph as plain columns: what replay, comparison, pages and simulator targets work on.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "et_def.pb.h"
#include "nadi/base/adjacency.h"
#include "nadi/base/index.h"
#include "nadi/base/string_table.h"
#include "nadi/base/table.h"
#include "nadi/base/time.h"
#include "nadi/chakra/message_stream.h"
#include "nadi/chakra/wire_node.h"

namespace nadi {

/// A collective, send or receive; ChakraGraph::communications.
struct ChakraCommunication {
  static constexpr std::int64_t kUnknown = -1;
  std::int64_t type = kUnknown;  ///< `comm_type`; sends and receives: kUnknown
  std::int64_t bytes = 0;        ///< `comm_size`
  std::int64_t src = kUnknown, dst = kUnknown, tag = kUnknown;  ///< global ranks
  std::int64_t seq = kUnknown;                                  ///< `comm_seq`
  StringId group{};                                             ///< `pg_name`
  StringId dtype{};                                             ///< `comm_dtype`
};

/// Node n is row n of every column; rows are in ascending id order. All times are ns. A column that
/// is loaded only where LoadOptions ask for it is else without entries.
struct ChakraNodes {
  template <class T, auto absent = T{}>
  using Column = ColumnOf<ChakraNodes, T, absent>;
  Column<std::uint64_t> id;
  Column<StringId> node_name;
  Column<ChakraProtoMsg::NodeType> type;
  Column<ChakraNodeKind> kind;
  Column<Ns> start_ns, duration_ns;               ///< without the attributes: from the whole µs
  Column<std::uint32_t> lane;                     ///< into ChakraGraph::lanes
  Column<std::int64_t, -1> correlation;           ///< -1 = none
  Column<std::int64_t> rf_id;                     ///< 0 = none
  Column<std::int32_t, -1> step;                  ///< -1 = none
  Column<std::uint32_t, kNoIndex> communication;  ///< into ChakraGraph::communications
  Column<std::uint8_t> comm_unrecorded;           ///< `comm_unrecorded`; no entries = of no node
  /// With LoadOptions::shapes.
  Column<StringId> input_shapes, input_types, output_shapes, output_types;
  Column<StringId> edge_evidence;  ///< with LoadOptions::parents: the attribute's text

  static constexpr auto columns() {
    return std::tuple(&ChakraNodes::id, &ChakraNodes::node_name, &ChakraNodes::type,
                      &ChakraNodes::kind, &ChakraNodes::start_ns, &ChakraNodes::duration_ns,
                      &ChakraNodes::lane, &ChakraNodes::correlation, &ChakraNodes::rf_id,
                      &ChakraNodes::step, &ChakraNodes::communication,
                      &ChakraNodes::comm_unrecorded, &ChakraNodes::input_shapes,
                      &ChakraNodes::input_types, &ChakraNodes::output_shapes,
                      &ChakraNodes::output_types, &ChakraNodes::edge_evidence);
  }
  std::size_t size() const { return id.size(); }
};

struct ChakraGraph : ChakraNodes {
  std::string name;  ///< of the file, for messages
  ChakraProtoMsg::GlobalMetadata metadata;
  std::optional<std::int64_t> rank, base_time_ns;  ///< attributes of the metadata
  bool tells_starts = false;  ///< a node says when it started; else every start_ns is 0

  StringTable strings;
  /// With LoadOptions::parents, by node: row of the op around it, the first ctrl dependency;
  /// kNoIndex = none.
  std::vector<std::uint32_t> parent;

  std::vector<ChakraLane> lanes;  ///< in ascending order
  std::vector<ChakraCommunication> communications;

  /// Dependencies of node n: dependency[dependency_begin[n]] to [dependency_begin[n + 1]), data
  /// before ctrl, each once (data where it is both).
  std::vector<std::uint32_t> dependency_begin, dependency;
  std::vector<std::uint32_t> ctrl_begin;  ///< by node: where its ctrl dependencies begin

  std::span<const std::uint32_t> dependencies(std::size_t node) const {
    return {dependency.data() + dependency_begin[node],
            dependency.data() + dependency_begin[node + 1]};
  }
  std::span<const std::uint32_t> data_dependencies(std::size_t node) const {
    return {dependency.data() + dependency_begin[node], dependency.data() + ctrl_begin[node]};
  }
  std::span<const std::uint32_t> ctrl_dependencies(std::size_t node) const {
    return {dependency.data() + ctrl_begin[node], dependency.data() + dependency_begin[node + 1]};
  }
  std::string_view name_of(std::size_t node) const { return strings[node_name[node]]; }
  Ns end_ns(std::size_t node) const { return start_ns[node] + duration_ns[node]; }
  bool is_device(std::size_t node) const { return lanes[lane[node]].is_device; }
  /// Communicates, but nothing tells what and with whom.
  bool is_unrecorded_communication(std::size_t node) const {
    return !comm_unrecorded.empty() && comm_unrecorded[node] != 0;
  }
  bool communicates(std::size_t node) const {
    return communication[node] != kNoIndex || is_unrecorded_communication(node);
  }
};

struct LoadOptions {
  bool shapes = false;   ///< keep the tensors' shapes and types
  bool parents = false;  ///< keep who called whom, and the recorded evidence of edges
};

/// Reads a Chakra file (path, or "-"), plain or gzip, once. Throws Error (kInput) that names file
/// and node where it is cut, holds no node, an id twice, a dependency on no node, or a cycle. About
/// 150 bytes a node without shapes.
ChakraGraph load_chakra_graph(const std::string& path, const LoadOptions& options = {});
ChakraGraph load_chakra_graph(MessageStream stream, const LoadOptions& options = {});

/// The graph that write(take) makes by calling take(bytes), piece by piece, each of whole messages:
/// what writes a file hands its graph over without one.
ChakraGraph take_chakra_graph(
    const std::string& name,
    const std::function<void(const std::function<void(std::string_view)>&)>& write,
    const LoadOptions& options = {});

/// Returns for each node those that depend on it.
Adjacency find_dependents(const ChakraGraph& graph);
/// Returns for each node those that have it among their data dependencies.
Adjacency find_data_dependents(const ChakraGraph& graph);

}  // namespace nadi
