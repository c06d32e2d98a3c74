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
#include "nadi/base/index.h"
#include "nadi/base/string_table.h"
#include "nadi/base/time.h"
#include "nadi/chakra/adjacency.h"
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

/// Node n is row n of every column; rows are in ascending id order. All times are ns.
struct ChakraGraph {
  std::string name;  ///< of the file, for messages
  ChakraProtoMsg::GlobalMetadata metadata;
  std::optional<std::int64_t> rank, base_time_ns;  ///< attributes of the metadata
  bool tells_starts = false;  ///< a node says when it started; else every start_ns is 0

  StringTable strings;
  std::vector<std::uint64_t> id;
  std::vector<StringId> node_name;
  std::vector<ChakraProtoMsg::NodeType> type;
  std::vector<ChakraNodeKind> kind;
  std::vector<Ns> start_ns, duration_ns;     ///< without the attributes: from the whole µs
  std::vector<std::uint32_t> lane;           ///< into lanes
  std::vector<std::int64_t> correlation;     ///< -1 = none
  std::vector<std::int64_t> rf_id;           ///< 0 = none
  std::vector<std::int32_t> step;            ///< -1 = none
  std::vector<std::uint32_t> communication;  ///< into communications; kNoIndex = none
  std::vector<StringId> input_shapes, input_types, output_shapes,
      output_types;                     ///< with LoadOptions::shapes
  std::vector<std::uint32_t> parent;    ///< with LoadOptions::parents: row of the op around it, the
                                        ///< first ctrl dependency; kNoIndex = none
  std::vector<StringId> edge_evidence;  ///< with LoadOptions::parents: the attribute's text

  std::vector<ChakraLane> lanes;  ///< in ascending order
  std::vector<ChakraCommunication> communications;

  /// Dependencies of node n: dependency[dependency_begin[n]] to [dependency_begin[n + 1]), data
  /// before ctrl, each once (data where it is both).
  std::vector<std::uint32_t> dependency_begin, dependency;
  std::vector<std::uint32_t> ctrl_begin;  ///< by node: where its ctrl dependencies begin

  std::size_t size() const { return id.size(); }
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
};

struct LoadOptions {
  bool shapes = false;   ///< keep the tensors' shapes and types
  bool parents = false;  ///< keep who called whom, and what is told of edges
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

/// Who depends on each node.
Adjacency find_dependents(const ChakraGraph& graph);
/// Who has it among the data dependencies.
Adjacency find_data_dependents(const ChakraGraph& graph);

}  // namespace nadi
