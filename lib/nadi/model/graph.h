// The dependency graph of one rank: a Boost.Graph with columns by node. build_graph makes it of
// traces, load_chakra_graph of a file; what writes, replays, draws or simulates looks at it.
#pragma once

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <compare>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "nadi/base/evidence.h"
#include "nadi/base/index.h"
#include "nadi/base/string_table.h"
#include "nadi/base/table.h"
#include "nadi/base/time.h"

namespace ChakraProtoMsg {
class GlobalMetadata;
}

namespace nadi {

/// The type of a node for simulators; the numbers are those of Chakra's NodeType. Another writer's
/// file may hold numbers of no type; those up to 255 stay as they are.
enum class NodeType : std::uint8_t {
  kInvalid = 0,
  kMetadata,
  kMemoryLoad,
  kMemoryStore,
  kCompute,
  kSend,
  kReceive,
  kCollective,
};

constexpr bool is_communication(NodeType type) {
  return type == NodeType::kSend || type == NodeType::kReceive || type == NodeType::kCollective;
}
constexpr bool is_memory_access(NodeType type) {
  return type == NodeType::kMemoryLoad || type == NodeType::kMemoryStore;
}

/// What a node stands for (schema/chakra.md, "Nodes").
enum class NodeKind : std::uint8_t {
  kOp,
  kPart,
  kCall,
  kDeviceRow,
  kDelay,
  kHostOther,  ///< another writer's node with `is_cpu_op` true
};
/// "op", "device row", …
constexpr std::string_view to_string(NodeKind kind) {
  constexpr std::string_view kNames[] = {"op", "part", "call", "device row", "delay", "host other"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(NodeKind::kHostOther) + 1);
  return kNames[static_cast<std::size_t>(kind)];
}

/// The lane of all nodes with equal lane attributes. Other writers' host nodes have tid 0, device
/// nodes stream -1.
struct GraphLane {
  bool is_device = false;
  std::int64_t tid = -1;                  ///< of host lanes
  std::int64_t device = -1, stream = -1;  ///< of device lanes; -1 = not recorded
  friend auto operator<=>(const GraphLane&, const GraphLane&) = default;
};

/// A collective, send or receive; Graph::communications.
struct GraphCommunication {
  static constexpr std::int64_t kUnknown = -1;
  std::int64_t type = kUnknown;  ///< `comm_type`; sends and receives: kUnknown
  std::int64_t bytes = 0;        ///< `comm_size`
  std::int64_t src = kUnknown, dst = kUnknown, tag = kUnknown;  ///< global ranks
  std::int64_t seq = kUnknown;                                  ///< `comm_seq`
  StringId group{};                                             ///< `pg_name`
  StringId dtype{};                                             ///< `comm_dtype`
};

/// Node n is row n of every column; rows are in ascending id order. All times are ns. A column may
/// be without entries: `id`, `correlation` and `rf_id` in a BuiltGraph, shapes and types where they
/// were not asked for.
struct GraphNodes {
  template <class T, auto absent = T{}>
  using Column = ColumnOf<GraphNodes, T, absent>;
  Column<std::uint64_t> id;
  Column<StringId> node_name;  ///< UTF-8
  Column<NodeType, NodeType::kCompute> type;
  Column<NodeKind> kind;
  Column<Ns> start_ns;                            ///< since the begin of the trace
  Column<Ns> duration_ns;                         ///< without the attributes: from the whole µs
  Column<std::uint32_t> lane;                     ///< into Graph::lanes
  Column<std::int64_t, -1> correlation;           ///< -1 = none
  Column<std::int64_t> rf_id;                     ///< 0 = none
  Column<std::int32_t, -1> step;                  ///< -1 = none
  Column<std::uint32_t, kNoIndex> communication;  ///< into Graph::communications
  Column<std::uint8_t> comm_unrecorded;           ///< `comm_unrecorded`; no entries = of no node
  Column<Ns> inclusive_ns;  ///< of ops, with GraphColumns::parents; 0 = not recorded
  /// As Python prints them; with GraphColumns::shapes.
  Column<StringId> input_shapes, input_types, output_shapes, output_types;
  Column<StringId> input_values;  ///< the same, where no output_shapes are recorded

  static constexpr auto columns() {
    return std::tuple(&GraphNodes::id, &GraphNodes::node_name, &GraphNodes::type, &GraphNodes::kind,
                      &GraphNodes::start_ns, &GraphNodes::duration_ns, &GraphNodes::lane,
                      &GraphNodes::correlation, &GraphNodes::rf_id, &GraphNodes::step,
                      &GraphNodes::communication, &GraphNodes::comm_unrecorded,
                      &GraphNodes::inclusive_ns, &GraphNodes::input_shapes,
                      &GraphNodes::input_types, &GraphNodes::output_shapes,
                      &GraphNodes::output_types, &GraphNodes::input_values);
  }
  std::size_t size() const { return kind.size(); }
};

/// The columns that are filled where they are asked for.
struct GraphColumns {
  bool shapes = false;   ///< the tensors' shapes and types, and what gives them of outputs
  bool parents = false;  ///< who called whom: Graph::parent, and ops' times with all they call
};

/// Vertex n is node n; an edge goes from what must have finished, or from the caller, to what
/// waits.
using GraphStructure =
    boost::compressed_sparse_row_graph<boost::bidirectionalS, boost::no_property, Edge,
                                       boost::no_property, std::uint32_t, std::uint32_t>;
using Vertex = boost::graph_traits<GraphStructure>::vertex_descriptor;

/// Boost's functions of a vertex take any integer: they have a template for Vertex alone.
template <class T>
concept OtherInteger = std::integral<T> && !std::same_as<T, Vertex>;
auto in_edges(OtherInteger auto vertex, const GraphStructure& graph) {
  return in_edges(static_cast<Vertex>(vertex), graph);
}
auto out_edges(OtherInteger auto vertex, const GraphStructure& graph) {
  return out_edges(static_cast<Vertex>(vertex), graph);
}
auto adjacent_vertices(OtherInteger auto vertex, const GraphStructure& graph) {
  return adjacent_vertices(static_cast<Vertex>(vertex), graph);
}
auto in_degree(OtherInteger auto vertex, const GraphStructure& graph) {
  return in_degree(static_cast<Vertex>(vertex), graph);
}
auto out_degree(OtherInteger auto vertex, const GraphStructure& graph) {
  return out_degree(static_cast<Vertex>(vertex), graph);
}

/// The nodes at the other ends of edges into a node, ascending: of all of them, or of one kind.
class Sources {
  using InEdge = boost::graph_traits<GraphStructure>::in_edge_iterator;

 public:
  enum class Kind : std::uint8_t { kData, kControl, kAny };

  class Iterator {
   public:
    using value_type = std::uint32_t;
    using reference = std::uint32_t;
    using pointer = void;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;

    Iterator(const Sources& sources, InEdge at) : sources_(&sources), at_(at) { skip(); }
    std::uint32_t operator*() const { return source(*at_, *sources_->structure_); }
    /// Why the edge exists.
    const Edge& edge() const { return (*sources_->structure_)[*at_]; }
    Iterator& operator++() {
      ++at_;
      skip();
      return *this;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    void skip() {
      if (sources_->kind_ == Kind::kAny) return;
      while (at_ != sources_->last_ && edge().is_control != (sources_->kind_ == Kind::kControl))
        ++at_;
    }

    const Sources* sources_;
    InEdge at_;
  };

  Sources(const GraphStructure& structure, std::size_t node, Kind kind)
      : structure_(&structure), kind_(kind) {
    std::tie(first_, last_) = in_edges(node, structure);
  }
  Iterator begin() const { return {*this, first_}; }
  Iterator end() const { return {*this, last_}; }
  bool empty() const { return begin() == end(); }
  std::size_t size() const { return static_cast<std::size_t>(std::distance(begin(), end())); }

 private:
  const GraphStructure* structure_;
  Kind kind_;
  InEdge first_, last_;
};

struct Graph : GraphNodes {
  std::string name;  ///< of the file, for messages
  /// The file's whole metadata, kept to be copied into files that are made of this graph
  /// (chakra/attribute_value.h); null = none
  std::shared_ptr<const ChakraProtoMsg::GlobalMetadata> metadata;
  std::optional<std::int64_t> rank, base_time_ns;  ///< of the metadata
  std::string device_name;    ///< of the metadata: "NVIDIA H100 80GB HBM3"; empty = not recorded
  bool tells_starts = false;  ///< a node says when it started; else every start_ns is 0
  std::uint64_t dependencies_dropped = 0;  ///< on nodes that its file does not hold
  /// Control dependencies of the file on what the node has a data dependency on, too: no edges.
  std::uint64_t ctrl_beside_data = 0;
  /// Nodes on cycles of dependencies, or behind one; 0 unless they were asked for.
  std::uint64_t nodes_on_cycles = 0;

  StringTable strings;
  /// With GraphColumns::parents, by node: row of the op around it; kNoIndex = none.
  std::vector<std::uint32_t> parent;

  std::vector<GraphLane> lanes;                    ///< in ascending order
  std::vector<GraphCommunication> communications;  ///< in the order of their nodes

  /// At most one edge from a node to another: of a data and a control edge the data edge. Only a
  /// BuiltGraph has several, one for each reason.
  GraphStructure structure;

  /// What a node depends on.
  Sources dependencies(std::size_t node) const { return {structure, node, Sources::Kind::kAny}; }
  Sources data_dependencies(std::size_t node) const {
    return {structure, node, Sources::Kind::kData};
  }
  Sources ctrl_dependencies(std::size_t node) const {
    return {structure, node, Sources::Kind::kControl};
  }
  /// The nodes that depend on a node, ascending.
  std::span<const std::uint32_t> dependents(std::size_t node) const {
    const auto [first, last] = adjacent_vertices(node, structure);
    return {first, last};
  }
  std::string_view name_of(std::size_t node) const { return strings[node_name[node]]; }
  Ns end_ns(std::size_t node) const { return start_ns[node] + duration_ns[node]; }
  bool is_device(std::size_t node) const { return lanes[lane[node]].is_device; }
  /// Communicates, but it is not recorded what and with whom.
  bool is_unrecorded_communication(std::size_t node) const {
    return !comm_unrecorded.empty() && comm_unrecorded[node] != 0;
  }
  bool communicates(std::size_t node) const {
    return communication[node] != kNoIndex || is_unrecorded_communication(node);
  }
};

/// The edges of a graph as the searches of nadi/base/adjacency.h take them.
struct DependentsOf {
  const Graph& graph;
  std::size_t size() const { return graph.size(); }
  std::span<const std::uint32_t> of(std::size_t node) const { return graph.dependents(node); }
};

}  // namespace nadi
