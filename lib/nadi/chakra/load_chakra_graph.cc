#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "nadi/base/error.h"
#include "nadi/chakra/attribute_value.h"
#include "nadi/chakra/chakra_graph.h"
#include "nadi/chakra/chakra_reader.h"
#include "nadi/chakra/wire_node.h"

namespace nadi {

namespace {

constexpr const char* kCheckIt = "See: nadi check";

/// Dependencies as the file has them: ids, in file order.
struct FileDependencies {
  std::vector<std::uint64_t> ids;
  std::vector<std::size_t> ctrl_begin, end;  // by node: data from the last node's end, then ctrl
};

class Loader {
 public:
  Loader(const std::string& name, const LoadOptions& options) : options_(options) {
    graph_.name = name;
  }

  /// What the stream holds: the whole file, or a piece of it.
  void read(MessageStream& stream) {
    if (!has_metadata_) take_metadata(read_metadata(stream));
    for (std::string_view message; stream.next(message);) read_node(stream, message);
  }

  ChakraGraph finish() {
    if (graph_.id.empty())
      throw Error(ErrorCode::kInput, graph_.name, "holds no node", "A simulator would abort on it");
    name_lanes();
    sort_by_id();
    resolve_dependencies();
    require_no_cycle();
    return std::move(graph_);
  }

 private:
  void take_metadata(ChakraProtoMsg::GlobalMetadata metadata) {
    has_metadata_ = true;
    graph_.metadata = std::move(metadata);
    for (const auto& attribute : graph_.metadata.attr()) {
      if (attribute.name() == "rank") graph_.rank = whole_number_of(attribute);
      if (attribute.name() == "base_time_ns") graph_.base_time_ns = whole_number_of(attribute);
    }
  }

  void read_node(const MessageStream& stream, std::string_view message) {
    if (!parse_wire_node(message, node_)) stream.fail("here is no Chakra node", kCheckIt);
    if (graph_.id.size() >= kNoIndex - 1)
      stream.fail("more than 4,294,967,294 nodes", "Convert fewer steps");
    graph_.id.push_back(node_.id);
    graph_.node_name.push_back(graph_.strings.intern(node_.name));
    graph_.type.push_back(static_cast<ChakraProtoMsg::NodeType>(node_.type));
    graph_.kind.push_back(kind_of(node_));
    graph_.tells_starts |= tells_start(node_);
    graph_.start_ns.push_back(start_ns_of(node_));
    graph_.duration_ns.push_back(duration_ns_of(node_));
    graph_.lane.push_back(number_of_lane(lane_of(node_)));
    graph_.correlation.push_back(node_.get(WireNumber::kCorrelation, -1));
    graph_.rf_id.push_back(node_.get(WireNumber::kRfId, 0));
    graph_.step.push_back(static_cast<std::int32_t>(node_.get(WireNumber::kStep, -1)));
    add_communication();
    graph_.comm_unrecorded.push_back(is_unrecorded_communication(node_) ? 1 : 0);
    if (options_.shapes) add_shapes();
    if (options_.parents)
      graph_.edge_evidence.push_back(graph_.strings.intern(node_.edge_evidence));
    dependencies_.ids.insert(dependencies_.ids.end(), node_.data_deps.begin(),
                             node_.data_deps.end());
    dependencies_.ctrl_begin.push_back(dependencies_.ids.size());
    dependencies_.ids.insert(dependencies_.ids.end(), node_.ctrl_deps.begin(),
                             node_.ctrl_deps.end());
    dependencies_.end.push_back(dependencies_.ids.size());
  }

  // Numbers lanes as they come; name_lanes sorts them.
  std::uint32_t number_of_lane(const ChakraLane& lane) {
    if (!graph_.lane.empty() && lane == last_lane_) return graph_.lane.back();
    last_lane_ = lane;
    return lanes_.try_emplace(lane, static_cast<std::uint32_t>(lanes_.size())).first->second;
  }

  void add_communication() {
    if (!is_communication(node_)) return graph_.communication.push_back(kNoIndex);
    ChakraCommunication communication;
    communication.type = node_.get(WireNumber::kCommType, ChakraCommunication::kUnknown);
    communication.bytes = node_.get(WireNumber::kCommSize, 0);
    communication.src = node_.get(WireNumber::kCommSrc, ChakraCommunication::kUnknown);
    communication.dst = node_.get(WireNumber::kCommDst, ChakraCommunication::kUnknown);
    communication.tag = node_.get(WireNumber::kCommTag, ChakraCommunication::kUnknown);
    communication.seq = node_.get(WireNumber::kCommSeq, ChakraCommunication::kUnknown);
    communication.group = graph_.strings.intern(node_.pg_name);
    communication.dtype = graph_.strings.intern(node_.comm_dtype);
    graph_.communication.push_back(static_cast<std::uint32_t>(graph_.communications.size()));
    graph_.communications.push_back(communication);
  }

  void add_shapes() {
    graph_.input_shapes.push_back(graph_.strings.intern(node_.input_shapes));
    graph_.input_types.push_back(graph_.strings.intern(node_.input_types));
    graph_.output_shapes.push_back(graph_.strings.intern(node_.output_shapes));
    graph_.output_types.push_back(graph_.strings.intern(node_.output_types));
  }

  void name_lanes() {
    std::vector<std::uint32_t> place(lanes_.size());
    for (const auto& [lane, number] : lanes_) {
      place[number] = static_cast<std::uint32_t>(graph_.lanes.size());
      graph_.lanes.push_back(lane);
    }
    for (std::uint32_t& lane : graph_.lane) lane = place[lane];
  }

  // Files may hold nodes in any order; most are sorted already.
  void sort_by_id() {
    order_.resize(graph_.size());
    std::iota(order_.begin(), order_.end(), 0U);
    const auto by_id = [&](std::uint32_t a, std::uint32_t b) {
      return graph_.id[a] < graph_.id[b];
    };
    if (!std::is_sorted(order_.begin(), order_.end(), by_id)) {
      std::stable_sort(order_.begin(), order_.end(), by_id);
      reorder_rows(order_, static_cast<ChakraNodes&>(graph_));
    }
    const auto twice = std::adjacent_find(graph_.id.begin(), graph_.id.end());
    if (twice != graph_.id.end())
      throw Error(ErrorCode::kInput, graph_.name,
                  "has the node id " + std::to_string(*twice) + " twice", kCheckIt);
  }

  std::uint32_t row_of(std::uint64_t id, std::size_t node) const {
    const std::uint64_t first = graph_.id.front();
    // Ids without holes, as nadi writes them, need no search.
    if (id >= first && id - first < graph_.size() && graph_.id[id - first] == id)
      return static_cast<std::uint32_t>(id - first);
    const auto found = std::lower_bound(graph_.id.begin(), graph_.id.end(), id);
    if (found == graph_.id.end() || *found != id)
      throw Error(ErrorCode::kInput, graph_.name,
                  "node " + std::to_string(graph_.id[node]) + " depends on node " +
                      std::to_string(id) + ", which the file does not hold",
                  kCheckIt);
    return static_cast<std::uint32_t>(found - graph_.id.begin());
  }

  void resolve_dependencies() {
    graph_.dependency.reserve(dependencies_.ids.size());
    graph_.dependency_begin.reserve(graph_.size() + 1);
    graph_.ctrl_begin.reserve(graph_.size());
    graph_.dependency_begin.push_back(0);
    for (std::size_t node = 0; node < graph_.size(); ++node) {
      const std::size_t in_file = order_[node];
      const std::size_t begin = in_file == 0 ? 0 : dependencies_.end[in_file - 1];
      const std::size_t own = graph_.dependency.size();
      add_dependencies(node, begin, dependencies_.ctrl_begin[in_file], own);
      graph_.ctrl_begin.push_back(static_cast<std::uint32_t>(graph_.dependency.size()));
      add_dependencies(node, dependencies_.ctrl_begin[in_file], dependencies_.end[in_file], own);
      if (options_.parents) {
        const std::size_t ctrl = dependencies_.ctrl_begin[in_file];
        graph_.parent.push_back(
            ctrl < dependencies_.end[in_file] ? row_of(dependencies_.ids[ctrl], node) : kNoIndex);
      }
      if (graph_.dependency.size() >= kNoIndex)
        throw Error(ErrorCode::kInput, graph_.name, "more than 4,294,967,294 dependencies",
                    "Convert fewer steps");
      graph_.dependency_begin.push_back(static_cast<std::uint32_t>(graph_.dependency.size()));
    }
    dependencies_ = {};
  }

  // Appends what is not there yet among the node's own, which begin at own.
  void add_dependencies(std::size_t node, std::size_t begin, std::size_t end, std::size_t own) {
    constexpr std::size_t kFew = 32;
    auto& dependency = graph_.dependency;
    const std::size_t before = dependency.size();
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t row = row_of(dependencies_.ids[i], node);
      const bool is_few = dependency.size() - own < kFew;
      if (is_few && std::find(dependency.begin() + static_cast<std::ptrdiff_t>(own),
                              dependency.end(), row) != dependency.end())
        continue;
      dependency.push_back(row);
    }
    if (dependency.size() - own < kFew) return;
    // Many: sorted, so that a node with very many dependencies costs no square.
    const auto own_begin = dependency.begin() + static_cast<std::ptrdiff_t>(own);
    auto added = dependency.begin() + static_cast<std::ptrdiff_t>(before);
    std::sort(added, dependency.end());
    dependency.erase(std::unique(added, dependency.end()), dependency.end());
    added = dependency.begin() + static_cast<std::ptrdiff_t>(before);
    std::vector<std::uint32_t> earlier(own_begin, added);
    std::sort(earlier.begin(), earlier.end());
    dependency.erase(std::remove_if(added, dependency.end(),
                                    [&](std::uint32_t row) {
                                      return std::binary_search(earlier.begin(), earlier.end(),
                                                                row);
                                    }),
                     dependency.end());
  }

  // Where every dependency has a smaller id there is none.
  void require_no_cycle() const {
    bool is_ascending = true;
    for (std::size_t node = 0; node < graph_.size() && is_ascending; ++node)
      for (const std::uint32_t source : graph_.dependencies(node)) is_ascending &= source < node;
    if (is_ascending) return;
    const BlockedNodes blocked = find_blocked(find_dependents(graph_));
    if (blocked.count == 0) return;
    throw Error(ErrorCode::kInput, graph_.name,
                std::to_string(blocked.count) +
                    " nodes are on a cycle of dependencies or wait for one, the first is node " +
                    std::to_string(graph_.id[blocked.first]),
                "nadi check shows the shortest cycle");
  }

  const LoadOptions options_;
  bool has_metadata_ = false;
  ChakraGraph graph_;
  WireNode node_;
  FileDependencies dependencies_;
  std::map<ChakraLane, std::uint32_t> lanes_;
  ChakraLane last_lane_;
  std::vector<std::uint32_t> order_;  // row -> place in the file
};

}  // namespace

ChakraGraph load_chakra_graph(const std::string& path, const LoadOptions& options) {
  return load_chakra_graph(MessageStream(path), options);
}

ChakraGraph load_chakra_graph(MessageStream stream, const LoadOptions& options) {
  Loader loader(stream.name(), options);
  loader.read(stream);
  return loader.finish();
}

ChakraGraph take_chakra_graph(
    const std::string& name,
    const std::function<void(const std::function<void(std::string_view)>&)>& write,
    const LoadOptions& options) {
  Loader loader(name, options);
  write([&](std::string_view bytes) {
    MessageStream piece = messages_of_bytes(bytes, name);
    loader.read(piece);
  });
  return loader.finish();
}

}  // namespace nadi
