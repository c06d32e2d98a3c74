#include "nadi/sim_bridge/astra_sim/run_proof.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "nadi/base/error.h"

namespace nadi::astra_sim {

using namespace ChakraProtoMsg;

namespace {

/// The nodes and edges of the graph, as orders of jobs are found from them; times do not count.
JobRank edges_of(const IssueRank& of_rank) {
  const Graph& graph = of_rank.graph;
  JobRank rank;
  append_rows<JobNodes>(rank, graph.size());
  rank.communications.resize(graph.communications.size());
  for (std::uint32_t n = 0; n < graph.size(); ++n) {
    rank.type[n] = graph.type[n];
    rank.communication[n] = graph.communication[n];
    for (const std::uint32_t dependent : of_rank.dependents.of(n))
      rank.dependencies.push_back({dependent, n});
  }
  return rank;
}

/// By vertex: itself behind all that it waits for.
std::vector<std::uint32_t> vertices_in_order(const CommunicationWaits& waits) {
  return topological_order(
      reversed(waits.before.size(), [&](std::size_t vertex) { return waits.before.of(vertex); }));
}

}  // namespace

void RunProof::add(std::size_t rank, const IssueRank& of_rank) {
  const Graph& graph = of_rank.graph;
  if (rank >= ranks_.size()) ranks_.resize(rank + 1);
  Rank& added = ranks_[rank];
  added.waits = find_communication_waits(edges_of(of_rank), {});
  added.communications.resize(graph.communications.size());
  for (std::uint32_t n = 0; n < graph.size(); ++n) {
    if (graph.communication[n] == kNoIndex) continue;
    added.communications[graph.communication[n]] = {graph.type[n], of_rank.communication_of(n)};
    if (of_rank.is_host(n)) added.is_chain = false;  // it takes the slot of host ops
  }
  bool is_in_order = true, has_collectives = false;
  // Of each vertex the last of the chain that is before it, counted from 1.
  std::vector<std::uint32_t> last(added.waits.before.size(), 0);
  for (const std::uint32_t vertex : vertices_in_order(added.waits)) {
    for (const std::uint32_t before : added.waits.before.of(vertex))
      last[vertex] = std::max(last[vertex], last[before]);
    if (vertex >= added.communications.size()) continue;
    const NodeType type = added.communications[vertex].type;
    if (type != NodeType::kCollective && type != NodeType::kSend) continue;
    if (last[vertex] != added.chain.size()) is_in_order = false;
    has_collectives |= type == NodeType::kCollective;
    added.chain.push_back(vertex);
    last[vertex] = static_cast<std::uint32_t>(added.chain.size());
  }
  if (has_collectives && !is_in_order) added.is_chain = false;
}

/// The communications of all ranks, matched as the simulator does.
class ProofJob {
 public:
  ProofJob(const RunProof& proof, GroupMembers groups, std::size_t ranks)
      : proof_(proof), groups_(with_all_ranks(std::move(groups), ranks)) {
    job_.graphs.resize(1);  // for places in messages
    job_.ranks.resize(ranks);
  }

  std::optional<std::string> gap() {
    for (std::size_t r = 0; r < proof_.ranks_.size(); ++r)
      if (!proof_.ranks_[r].is_chain)
        return "communication of rank " + std::to_string(r) + " may be issued in several orders";
    for (std::size_t r = 0; r < proof_.ranks_.size(); ++r) add_rank(r);
    for (const auto& [number, members] : groups_)
      if (auto differs = match_group(number, members)) return differs;
    if (auto lonely = match_messages()) return lonely;
    try {
      order_communications(job_, matches_, waits_);
    } catch (const Error&) {
      return "ranks wait for each other in a cycle";
    }
    return std::nullopt;
  }

 private:
  void add_rank(std::size_t r) {
    const RunProof::Rank& of_rank = proof_.ranks_[r];
    JobRank& rank = job_.ranks[r];
    rank.recorded_rank = static_cast<std::int64_t>(r);
    for (const RunProof::Communication& communication : of_rank.communications) {
      rank.add_communication(rank.add(AddedNode::kNone), {communication.what});
      rank.type.back() = communication.type;
    }
    waits_.resize(r + 1);
    waits_[r] = of_rank.waits;
  }

  /// Of a rank in a group, in the order of issue.
  std::vector<std::uint32_t> collectives_of(std::int64_t rank, std::int64_t group) const {
    std::vector<std::uint32_t> found;
    if (static_cast<std::size_t>(rank) >= proof_.ranks_.size()) return found;
    const RunProof::Rank& of_rank = proof_.ranks_[static_cast<std::size_t>(rank)];
    for (const std::uint32_t c : of_rank.chain) {
      const RunProof::Communication& one = of_rank.communications[c];
      if (one.type == NodeType::kCollective && one.what.group_number == group) found.push_back(c);
    }
    return found;
  }

  std::optional<std::string> match_group(std::int64_t number,
                                         const std::vector<std::int64_t>& members) {
    const auto group = static_cast<std::uint32_t>(job_.groups.size());
    job_.groups.push_back({std::to_string(number), "", members});
    std::vector<std::vector<std::uint32_t>> nodes;
    nodes.reserve(members.size());
    for (const std::int64_t rank : members) nodes.push_back(collectives_of(rank, number));
    for (std::size_t i = 1; i < members.size(); ++i)
      if (nodes[i].size() != nodes[0].size() ||
          !are_alike(members[0], nodes[0], members[i], nodes[i]))
        return "ranks " + std::to_string(members[0]) + " and " + std::to_string(members[i]) +
               " do not issue the same collectives in group " + std::to_string(number);
    for (std::size_t k = 0; !members.empty() && k < nodes[0].size(); ++k) {
      JobCollective& collective = matches_.collectives.emplace_back();
      collective.group = group;
      for (const std::vector<std::uint32_t>& of_rank : nodes)
        collective.nodes.push_back(of_rank[k]);
    }
    return std::nullopt;
  }

  bool are_alike(std::int64_t a, const std::vector<std::uint32_t>& of_a, std::int64_t b,
                 const std::vector<std::uint32_t>& of_b) const {
    const auto what = [&](std::int64_t rank, std::uint32_t c) -> const IssueCommunication& {
      return proof_.ranks_[static_cast<std::size_t>(rank)].communications[c].what;
    };
    return std::equal(
        of_a.begin(), of_a.end(), of_b.begin(), [&](std::uint32_t x, std::uint32_t y) {
          return what(a, x).type == what(b, y).type && what(a, x).bytes == what(b, y).bytes;
        });
  }

  /// Each must be the only one from its source to its destination with its tag and size.
  std::optional<std::string> match_messages() {
    using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
    std::map<Key, JobMessage> messages;
    const auto is_whole = [](const JobMessage& message) {
      return message.send != kNoIndex && message.receive != kNoIndex;
    };
    for (std::uint32_t r = 0; r < proof_.ranks_.size(); ++r)
      for (std::uint32_t c = 0; c < proof_.ranks_[r].communications.size(); ++c) {
        const auto& [type, what] = proof_.ranks_[r].communications[c];
        if (type != NodeType::kSend && type != NodeType::kReceive) continue;
        JobMessage& message = messages[{what.src, what.dst, what.tag, what.bytes}];
        std::uint32_t& end = type == NodeType::kSend ? message.send : message.receive;
        if (end != kNoIndex) return "two messages are " + text_of(what);
        end = c;
        (type == NodeType::kSend ? message.source : message.destination) = r;
      }
    for (const auto& [key, message] : messages) {
      const auto& [src, dst, tag, bytes] = key;
      if (!is_whole(message))
        return "one end is missing of the message " + text_of({{-1, bytes, src, dst, tag}});
      matches_.messages.push_back(message);
    }
    return std::nullopt;
  }

  static std::string text_of(const IssueCommunication& message) {
    return "from rank " + std::to_string(message.src) + " to rank " + std::to_string(message.dst) +
           " with tag " + std::to_string(message.tag);
  }

  const RunProof& proof_;
  const GroupMembers groups_;
  Job job_;
  JobMatches matches_;
  std::vector<CommunicationWaits> waits_;
};

std::optional<std::string> RunProof::gap(GroupMembers groups, std::size_t ranks) const {
  return ProofJob(*this, std::move(groups), std::max(ranks, ranks_.size())).gap();
}

}  // namespace nadi::astra_sim
