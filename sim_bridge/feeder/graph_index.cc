#include "nadi/sim_bridge/feeder/graph_index.h"

#include <algorithm>
#include <deque>
#include <system_error>
#include <utility>

#include "nadi/base/error.h"
#include "nadi/base/index.h"
#include "nadi/base/wire_reader.h"
#include "nadi/chakra/chakra_reader.h"
#include "nadi/chakra/node_ids.h"

namespace nadi {

using ChakraProtoMsg::Node;

namespace {

constexpr std::size_t kMaxExamples = 3;
constexpr const char* kSimulatorsFail =
    "Simulators abort, hang or lose nodes on it; see: nadi check";

/// Nodes in file order.
struct FileNodes {
  std::vector<std::uint64_t> id, offset;
  std::vector<std::uint32_t> bytes, dependency_count;
  std::deque<std::uint64_t> dependencies;  // ids of all nodes, each node's once; later their rows
  bool is_ascending = true;
};

/// At most three, then the number of the others.
std::string examples(const std::vector<std::string>& first, std::size_t count) {
  std::string text;
  for (const std::string& example : first) text += (text.empty() ? "" : ", ") + example;
  if (count > first.size()) text += ", and " + std::to_string(count - first.size()) + " more";
  return text;
}

class Indexer {
 public:
  Indexer(const std::string& path, const FeederOptions& options)
      : options_(options), stream_(path), nodes_(open_nodes(path)) {}

  GraphIndex index() && {
    GraphIndex index;
    index.name = stream_.name();
    index.nodes = std::move(nodes_);
    read_file(index);
    order_rows(index);
    resolve(index);
    if (has_forward_) require_no_cycle(index);
    return index;
  }

 private:
  // What cannot be read at any place is copied while it is read.
  NodeFile open_nodes(const std::string& path) {
    std::error_code none;
    is_spilled_ =
        path == "-" || !stream_.is_plain() || !std::filesystem::is_regular_file(path, none);
    return is_spilled_ ? NodeFile::temporary(options_.tmp) : NodeFile::open(path);
  }

  void read_file(GraphIndex& index) {
    index.metadata = read_metadata(stream_);
    for (std::string_view message; stream_.next(message);) read_node(message, index.nodes);
    if (is_spilled_) index.nodes.flush();
    if (!is_spilled_ && index.nodes.size() != stream_.end())
      throw Error(ErrorCode::kInput, index.name, "has changed while it was read",
                  "Let nobody write the file while it is read");
    if (file_.id.empty())
      throw Error(ErrorCode::kInput, index.name, "holds no node", kSimulatorsFail);
  }

  void read_node(std::string_view message, NodeFile& nodes) {
    if (file_.id.size() >= kNoIndex - 1)
      stream_.fail("more than 4,294,967,294 nodes", "Cut the graph");
    const std::uint64_t id = read_dependencies(message);
    file_.is_ascending &= file_.id.empty() || file_.id.back() < id;
    file_.id.push_back(id);
    file_.bytes.push_back(static_cast<std::uint32_t>(message.size()));
    file_.offset.push_back(is_spilled_ ? spilled_ : stream_.end() - message.size());
    file_.dependency_count.push_back(static_cast<std::uint32_t>(node_.size()));
    file_.dependencies.insert(file_.dependencies.end(), node_.begin(), node_.end());
    if (file_.dependencies.size() >= kNoIndex)
      stream_.fail("more than 4,294,967,294 dependencies", "Cut the graph");
    if (!is_spilled_) return;
    nodes.append(message);
    spilled_ += message.size();
  }

  // Returns the id; node_ holds what the node depends on, each once.
  std::uint64_t read_dependencies(std::string_view message) {
    std::uint64_t id = 0;
    node_.clear();
    WireReader reader(message);
    while (reader.next()) {
      if (reader.tag() == number_tag(Node::kIdFieldNumber)) id = reader.number();
      if ((reader.field() == Node::kDataDepsFieldNumber && options_.data_deps) ||
          (reader.field() == Node::kCtrlDepsFieldNumber && options_.ctrl_deps))
        reader.each_number([&](std::uint64_t dependency) { node_.push_back(dependency); });
    }
    if (reader.is_broken()) stream_.fail("here is no Chakra node", kSimulatorsFail);
    if (node_.size() > 1) {
      std::sort(node_.begin(), node_.end());
      node_.erase(std::unique(node_.begin(), node_.end()), node_.end());
    }
    return id;
  }

  // Fills the columns by row, and row_ by position in the file where that differs.
  void order_rows(GraphIndex& index) {
    if (file_.is_ascending) {
      index.offset = std::move(file_.offset);
      index.bytes = std::move(file_.bytes);
      index.dependency_count = file_.dependency_count;
      index.ids = IdTable(std::move(file_.id));
      return;
    }
    const std::vector<std::uint32_t> order = order_by_id(file_.id);
    require_ids_once(index.name, order);
    row_.resize(file_.id.size());
    std::vector<std::uint64_t> ids;
    ids.reserve(file_.id.size());
    for (std::size_t i = 0; i < file_.id.size(); ++i) {
      const std::uint32_t position = position_by_id(order, i);
      row_[position] = static_cast<std::uint32_t>(ids.size());
      ids.push_back(file_.id[position]);
      index.offset.push_back(file_.offset[position]);
      index.bytes.push_back(file_.bytes[position]);
      index.dependency_count.push_back(file_.dependency_count[position]);
    }
    index.ids = IdTable(std::move(ids));
  }

  void require_ids_once(const std::string& name, const std::vector<std::uint32_t>& order) const {
    std::vector<std::string> first;
    std::size_t count = 0;
    for_each_repeated_id(file_.id, order, [&](std::uint32_t position, std::uint32_t again) {
      if (++count <= kMaxExamples)
        first.push_back("node " + std::to_string(file_.id[position]) + " (nodes number " +
                        std::to_string(position + 1) + " and " + std::to_string(again + 1) +
                        " of the file)");
    });
    if (count > 0)
      throw Error(ErrorCode::kInput, name, "has an id twice: " + examples(first, count),
                  kSimulatorsFail);
  }

  std::uint32_t row_of_position(std::size_t position) const {
    return row_.empty() ? static_cast<std::uint32_t>(position) : row_[position];
  }

  // Dependencies become rows, then the rows that wait for each row.
  void resolve(GraphIndex& index) {
    auto& [begin, dependent] = index.dependents;
    begin.assign(index.ids.size() + 1, 0);
    find_rows(index);
    std::uint32_t sum = 0;
    for (std::uint32_t& of_row : begin) sum += std::exchange(of_row, sum);
    dependent.resize(file_.dependencies.size());
    for (std::size_t position = 0; position < file_.dependency_count.size(); ++position)
      for (std::uint32_t i = 0; i < file_.dependency_count[position]; ++i) {
        dependent[begin[file_.dependencies.front()]++] = row_of_position(position);
        file_.dependencies.pop_front();
      }
    // Each begin has become its row's end, which is the next row's begin.
    for (std::size_t row = index.ids.size(); row > 0; --row) begin[row] = begin[row - 1];
    begin[0] = 0;
  }

  // Puts rows in the place of ids and counts the dependents of each row.
  void find_rows(GraphIndex& index) {
    std::vector<std::string> first;
    std::size_t dangling = 0;
    auto dependency = file_.dependencies.begin();
    for (std::size_t position = 0; position < file_.dependency_count.size(); ++position) {
      const std::uint32_t own_row = row_of_position(position);
      for (std::uint32_t i = 0; i < file_.dependency_count[position]; ++i, ++dependency) {
        const std::uint32_t row = index.ids.row(*dependency);
        if (row == kNoIndex) {
          if (++dangling <= kMaxExamples) first.push_back(describe(index, own_row, *dependency));
          continue;
        }
        has_forward_ |= row >= own_row;
        ++index.dependents.begin[row];
        *dependency = row;
      }
    }
    if (dangling > 0)
      throw Error(ErrorCode::kInput, index.name,
                  "has dependencies on nodes that are not in it: " + examples(first, dangling),
                  kSimulatorsFail);
  }

  // "node 7 waits for 99 (ctrl_deps)": the node is read again to see which.
  static std::string describe(const GraphIndex& index, std::uint32_t row, std::uint64_t missing) {
    std::string message(index.bytes[row], '\0');
    message.resize(index.nodes.read_at(index.offset[row], message.data(), message.size()));
    bool is_data = false;
    for (WireReader reader(message); reader.next();)
      if (reader.field() == Node::kDataDepsFieldNumber)
        reader.each_number([&](std::uint64_t id) { is_data |= id == missing; });
    return "node " + std::to_string(index.ids.id(row)) + " waits for " + std::to_string(missing) +
           (is_data ? " (data_deps)" : " (ctrl_deps)");
  }

  static void require_no_cycle(const GraphIndex& index) {
    const Cycle cycle = find_shortest_cycle(index.dependents);
    if (cycle.nodes.empty()) return;
    std::vector<std::uint64_t> ids;  // each depends on the next
    for (auto node = cycle.nodes.rbegin(); node != cycle.nodes.rend(); ++node)
      ids.push_back(index.ids.id(*node));
    throw Error(ErrorCode::kInput, index.name,
                "has a cycle: " + cycle_text(ids) + "; " +
                    std::to_string(find_blocked(index.dependents).size()) +
                    " nodes could never run",
                kSimulatorsFail);
  }

  const FeederOptions& options_;
  MessageStream stream_;
  bool is_spilled_ = false;
  NodeFile nodes_;
  std::uint64_t spilled_ = 0;  // bytes
  FileNodes file_;
  std::vector<std::uint64_t> node_;  // dependencies of the current node
  std::vector<std::uint32_t> row_;   // by position in the file; empty = the same
  bool has_forward_ = false;         // some node depends on itself or a later row
};

}  // namespace

GraphIndex index_graph(const std::string& path, const FeederOptions& options) {
  return Indexer(path, options).index();
}

}  // namespace nadi
