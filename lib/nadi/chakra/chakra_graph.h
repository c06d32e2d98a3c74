// A Chakra graph as a Boost.Graph with columns by node: what replay, pages and simulator targets
// work on.
#pragma once

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "et_def.pb.h"
#include "nadi/base/evidence.h"
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

  static constexpr auto columns() {
    return std::tuple(
        &ChakraNodes::id, &ChakraNodes::node_name, &ChakraNodes::type, &ChakraNodes::kind,
        &ChakraNodes::start_ns, &ChakraNodes::duration_ns, &ChakraNodes::lane,
        &ChakraNodes::correlation, &ChakraNodes::rf_id, &ChakraNodes::step,
        &ChakraNodes::communication, &ChakraNodes::comm_unrecorded, &ChakraNodes::input_shapes,
        &ChakraNodes::input_types, &ChakraNodes::output_shapes, &ChakraNodes::output_types);
  }
  std::size_t size() const { return id.size(); }
};

/// Vertex n is node n; an edge goes from what must have finished, or from the caller, to what
/// waits.
using ChakraStructure =
    boost::compressed_sparse_row_graph<boost::bidirectionalS, boost::no_property, Edge,
                                       boost::no_property, std::uint32_t, std::uint32_t>;

/// The nodes at the other ends of edges into a node, ascending: of all of them, or of one kind.
class Sources {
  using InEdge = boost::graph_traits<ChakraStructure>::in_edge_iterator;

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
    /// What the edge tells of itself.
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

  Sources(const ChakraStructure& structure, std::size_t node, Kind kind)
      : structure_(&structure), kind_(kind) {
    std::tie(first_, last_) = in_edges(static_cast<std::uint32_t>(node), structure);
  }
  Iterator begin() const { return {*this, first_}; }
  Iterator end() const { return {*this, last_}; }
  bool empty() const { return begin() == end(); }
  std::size_t size() const { return static_cast<std::size_t>(std::distance(begin(), end())); }

 private:
  const ChakraStructure* structure_;
  Kind kind_;
  InEdge first_, last_;
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

  /// One edge from a node to another, a data edge where the file has it as both; why it exists
  /// tells the file, else its ends (edge_evidence.h).
  ChakraStructure structure;

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
    const auto [first, last] = adjacent_vertices(static_cast<std::uint32_t>(node), structure);
    return {first, last};
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

/// The edges of a graph as the searches of nadi/base/adjacency.h take them.
struct DependentsOf {
  const ChakraGraph& graph;
  std::size_t size() const { return graph.size(); }
  std::span<const std::uint32_t> of(std::size_t node) const { return graph.dependents(node); }
};

struct LoadOptions {
  bool shapes = false;   ///< keep the tensors' shapes and types
  bool parents = false;  ///< keep who called whom
};

/// Reads a Chakra file (path, or "-"), plain or gzip, once. Throws Error (kInput) that names file
/// and node where it is cut, holds no node, an id twice, a dependency on no node, or a cycle. About
/// 150 bytes a node without shapes, and 15 a dependency.
ChakraGraph load_chakra_graph(const std::string& path, const LoadOptions& options = {});
ChakraGraph load_chakra_graph(MessageStream stream, const LoadOptions& options = {});

/// The graph that write(take) makes by calling take(bytes), piece by piece, each of whole messages:
/// what writes a file hands its graph over without one.
ChakraGraph take_chakra_graph(
    const std::string& name,
    const std::function<void(const std::function<void(std::string_view)>&)>& write,
    const LoadOptions& options = {});

}  // namespace nadi
