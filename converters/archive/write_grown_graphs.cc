#include "nadi/converters/archive/write_grown_graphs.h"

#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "et_def.pb.h"
#include "nadi/base/json_document.h"
#include "nadi/base/time.h"
#include "nadi/chakra/attribute_value.h"
#include "nadi/chakra/groups.h"
#include "nadi/chakra/wire_writer.h"
#include "nadi/sim_bridge/job/grow_job.h"
#include "nadi/sim_bridge/job/share_out.h"
#include "nadi/sim_bridge/replay/what_if.h"

namespace nadi {
namespace {

using ChakraProtoMsg::AttributeProto;
using ChakraProtoMsg::GlobalMetadata;
using NodeMessage = ChakraProtoMsg::Node;

/// Sets the number in whatever member it was, of the attributes of that name.
template <class Message>
void set_number(Message& message, std::string_view name, std::int64_t number) {
  for (AttributeProto& attribute : *message.mutable_attr()) {
    if (attribute.name() != name) continue;
    if (attribute.value_case() == AttributeProto::kInt32Val)
      attribute.set_int32_val(static_cast<std::int32_t>(number));
    else if (attribute.value_case() == AttributeProto::kUint64Val)
      attribute.set_uint64_val(static_cast<std::uint64_t>(number));
    else
      attribute.set_int64_val(number);
  }
}

/// The graph of one recorded rank, in pieces: what all copies share, and nodes that differ.
class RecordedRank {
 public:
  RecordedRank(const Job& job, std::size_t rank, const JobCopies& copies)
      : job_(job), rank_(job.ranks[rank]), number_(rank), copies_(copies) {
    const Graph& sketch = job.graph_of(rank);
    for (std::uint32_t node = 0; node < sketch.size(); ++node) node_of_[sketch.id[node]] = node;
    job.recorded.visit(job.recorded_position[rank_.graph],
                       [&](const Graph& graph) { share_out(graph); });
  }

  std::uint64_t shared_nodes() const { return duration_of_.size(); }

  void read() {
    const auto take_metadata = [&](const GlobalMetadata& metadata) {
      metadata_ = metadata;
      groups_ = described_groups(metadata_, job_.graph_of(number_).name);
    };
    job_.recorded.read(job_.recorded_position[rank_.graph],
                       {take_metadata, [&](auto& node, auto bytes) { add(node, bytes); }});
  }

  void write(std::size_t copy, const ByteSink& sink) const {
    constexpr std::size_t kFlushBytes = 1 << 20;
    const auto communications = copies_.of_copy(rank_.communications, copy);
    std::string bytes;
    append_framed(metadata_of(copy, communications), bytes);
    NodeMessage node;
    for (const Piece& piece : pieces_) {
      if (piece.communication == kNoIndex) {
        bytes += piece.bytes;
      } else {
        node = piece.node;
        change(communications[piece.communication], copy, node);
        append_framed(node, bytes);
      }
      if (bytes.size() < kFlushBytes) continue;
      sink(bytes);
      bytes.clear();
    }
    sink(bytes);
  }

 private:
  /// Messages as they are, or one of a node that communicates.
  struct Piece {
    std::string bytes;
    NodeMessage node;
    std::uint32_t communication = kNoIndex;
  };

  void share_out(const Graph& graph) {
    JobRank whole;
    whole.add_recorded(graph);
    if (share_out_optimizer(job_, number_, graph, whole) == 0) return;
    for (std::uint32_t row = 0; row < graph.size(); ++row)
      if (whole.duration_ns[row] != graph.duration_ns[row])
        duration_of_[graph.id[row]] = whole.duration_ns[row];
  }

  void add(NodeMessage& node, std::string_view message) {
    const auto communicating = node_of_.find(node.id());
    if (communicating != node_of_.end()) {
      Piece& piece = pieces_.emplace_back();
      piece.node = node;
      piece.communication = rank_.communication[communicating->second];
      return;
    }
    if (pieces_.empty() || pieces_.back().communication != kNoIndex) pieces_.emplace_back();
    const auto shared = duration_of_.find(node.id());
    if (shared == duration_of_.end() && !message.empty())
      return append_framed(message, pieces_.back().bytes);
    if (shared != duration_of_.end()) share(shared->second, node);
    append_framed(node, pieces_.back().bytes);
  }

  static void share(Ns duration_ns, NodeMessage& node) {
    set_number(node, "duration_ns", duration_ns);
    node.set_duration_micros(static_cast<std::uint64_t>(duration_ns / kNsPerMicro));
  }

  void change(const JobCommunication& c, std::size_t copy, NodeMessage& node) const {
    set_number(node, "comm_size", c.bytes);
    if (node.type() != ChakraProtoMsg::COMM_COLL_NODE) {
      set_number(node, "comm_src", c.src);
      set_number(node, "comm_dst", c.dst);
    }
    for (AttributeProto& attribute : *node.mutable_attr())
      if (attribute.name() == "pg_name")
        attribute.set_string_val(c.job_group != kNoIndex
                                     ? copies_.groups()[c.job_group].name
                                     : copied_name(attribute.string_val(), copy));
  }

  /// Of a group in which the rank has no collectives: of its messages, or unused.
  std::string copied_name(const std::string& name, std::size_t copy) const {
    const auto known = groups_.find(name);
    const bool is_of_all = known == groups_.end() || known->second.ranks.empty();
    return copy == 0 || is_of_all ? name : name + "." + std::to_string(copy);
  }

  GlobalMetadata metadata_of(std::size_t copy,
                             const std::vector<JobCommunication>& communications) const {
    GlobalMetadata metadata = metadata_;
    set_number(metadata, "rank", static_cast<std::int64_t>(copies_.rank_of(number_, copy)));
    for (const char* name : {"world_size", "process_groups"}) remove_attribute(metadata, name);
    add_attribute(metadata, "world_size")->set_int64_val(world());
    add_attribute(metadata, "process_groups")->set_string_val(groups_text(copy, communications));
    if (job_.is_grown()) name_growth(std::ssize(job_.graphs), metadata);
    return metadata;
  }

  std::int64_t world() const { return std::ssize(job_.ranks) * job_.copies; }

  std::string groups_text(std::size_t copy,
                          const std::vector<JobCommunication>& communications) const {
    auto json = nlohmann::ordered_json::object();
    std::vector<bool> is_written(copies_.groups().size(), false);
    std::set<std::string, std::less<>> used_names;
    for (std::size_t i = 0; i < communications.size(); ++i) {
      const std::uint32_t group = communications[i].job_group;
      if (group == kNoIndex || is_written[group]) continue;
      is_written[group] = true;
      used_names.emplace(job_.graph_of(number_).strings[communications[i].group]);
      const JobGroup& used = copies_.groups()[group];
      json[used.name] = group_json(used.desc, used.ranks);
    }
    for (const auto& [name, group] : groups_) {
      if (used_names.contains(name)) continue;
      std::vector<std::int64_t> ranks = group.ranks.get();
      for (std::int64_t& rank : ranks)
        rank = static_cast<std::int64_t>(copies_.rank_of(static_cast<std::size_t>(rank), copy));
      json[copied_name(name, copy)] = group_json(group.desc, ranks);
    }
    return document_text(json);
  }

  /// No ranks: all of the job.
  nlohmann::ordered_json group_json(const std::string& desc,
                                    const std::vector<std::int64_t>& ranks) const {
    constexpr std::size_t kMostListed = 1024;
    const auto size = ranks.empty() ? world() : std::ssize(ranks);
    const bool lists = size < world() && ranks.size() <= kMostListed;
    return {{"desc", desc}, {"ranks", lists ? ranks : std::vector<std::int64_t>{}}, {"size", size}};
  }

  const Job& job_;
  const JobRank& rank_;
  const std::size_t number_;
  const JobCopies& copies_;
  std::unordered_map<std::uint64_t, std::uint32_t> node_of_;  // by id, of those that communicate
  std::unordered_map<std::uint64_t, Ns> duration_of_;         // by id, of those shared out
  GlobalMetadata metadata_;
  DescribedGroups groups_;
  std::vector<Piece> pieces_;
};

}  // namespace

std::uint64_t write_grown_graphs(
    const Job& job,
    const std::function<void(std::size_t rank, std::size_t copy,
                             const std::function<void(const ByteSink&)>& graph)>& write) {
  const JobCopies copies(job);
  std::uint64_t shared_nodes = 0;
  for (std::size_t r = 0; r < job.ranks.size(); ++r) {
    RecordedRank rank(job, r, copies);
    rank.read();
    shared_nodes += rank.shared_nodes();
    for (std::size_t copy = 0; copy < copies.count(); ++copy)
      write(copies.rank_of(r, copy), copy, [&](const ByteSink& sink) { rank.write(copy, sink); });
  }
  return shared_nodes;
}

}  // namespace nadi
