#include "nadi/sim_bridge/job/order_job.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "et_def.pb.h"
#include "nadi/base/error.h"
#include "nadi/base/visit_by_key.h"

namespace nadi {
namespace {

using namespace ChakraProtoMsg;

/// Sets of vertices that nodes wait for, each once; many nodes wait for the same.
class VertexSets {
 public:
  /// With no more vertices than are left where one of the set is before another.
  static constexpr std::size_t kMostVertices = 8;

  explicit VertexSets(std::size_t communications) : before_(communications) {}

  /// The set of nothing.
  static constexpr std::uint32_t kNone = 0;

  std::uint32_t of_vertex(std::uint32_t vertex, std::uint32_t waits_for) {
    before_[vertex] = sets_[waits_for];
    return add({vertex});
  }

  std::uint32_t united(std::uint32_t a, std::uint32_t b) {
    if (a == b || b == kNone) return a;
    if (a == kNone) return b;
    if (a > b) std::swap(a, b);
    const auto [known, is_new] = united_.try_emplace(std::uint64_t{a} << 32U | b, 0U);
    if (is_new) known->second = unite(a, b);
    return known->second;
  }

  /// By vertex: those before it.
  Adjacency before() const {
    Adjacency table;
    for (const std::vector<std::uint32_t>& vertices : before_) {
      table.node.insert(table.node.end(), vertices.begin(), vertices.end());
      table.begin.push_back(static_cast<std::uint32_t>(table.node.size()));
    }
    return table;
  }
  std::size_t vertices() const { return before_.size(); }

 private:
  std::uint32_t add(std::vector<std::uint32_t> vertices) {
    sets_.push_back(std::move(vertices));
    return static_cast<std::uint32_t>(sets_.size() - 1);
  }

  std::uint32_t unite(std::uint32_t a, std::uint32_t b) {
    std::vector<std::uint32_t> all;
    std::set_union(sets_[a].begin(), sets_[a].end(), sets_[b].begin(), sets_[b].end(),
                   std::back_inserter(all));
    std::vector<std::uint32_t> last;
    std::copy_if(all.begin(), all.end(), std::back_inserter(last),
                 [&](std::uint32_t vertex) { return !is_before_another(vertex, all); });
    if (last == sets_[a]) return a;
    if (last == sets_[b]) return b;
    if (last.size() <= kMostVertices) return add(std::move(last));
    const auto vertex = static_cast<std::uint32_t>(before_.size());
    before_.push_back(std::move(last));
    return add({vertex});
  }

  bool is_before_another(std::uint32_t vertex, const std::vector<std::uint32_t>& others) const {
    return std::any_of(others.begin(), others.end(), [&](std::uint32_t other) {
      return std::binary_search(before_[other].begin(), before_[other].end(), vertex);
    });
  }

  std::vector<std::vector<std::uint32_t>> sets_{{}};         // each ascending
  std::vector<std::vector<std::uint32_t>> before_;           // by vertex, ascending
  std::unordered_map<std::uint64_t, std::uint32_t> united_;  // by two sets
};

/// The communications of all ranks as one graph.
class MergedOrder {
 public:
  MergedOrder(const Job& job, const JobMatches& matches,
              const std::vector<CommunicationWaits>& waits)
      : job_(job), matches_(matches) {
    std::size_t vertices = 0;
    for (const CommunicationWaits& of_rank : waits) {
      first_.push_back(static_cast<std::uint32_t>(vertices));
      vertices += of_rank.start_ns.size();
    }
    if (vertices >= kNoIndex)
      throw Error(ErrorCode::kInput, job.graphs.front().name,
                  "the job has more than 4,294,967,294 communications",
                  "Convert fewer steps or ranks");
    rank_.reserve(vertices);
    turns_.reserve(vertices);
    for (std::uint32_t r = 0; r < waits.size(); ++r) {
      rank_.resize(rank_.size() + waits[r].start_ns.size(), r);
      for (const Ns start : waits[r].start_ns) turns_.push_back({start, kNoIndex});
    }
    merge_collectives();
    add_edges(waits);
  }

  std::vector<std::vector<CommunicationTurn>> sort() {
    const auto key_of = [&](std::uint32_t vertex) {
      return std::pair(turns_[vertex].start_ns, rank_[vertex]);
    };
    std::uint32_t turn = 0;
    visit_by_key(behind_, key_of, [&](std::uint32_t vertex) {
      if (merged_[vertex] != vertex) return;
      turns_[vertex].turn = ++turn;
      for (const std::uint32_t behind : behind_.of(vertex))
        turns_[behind].start_ns = std::max(turns_[behind].start_ns, turns_[vertex].start_ns);
    });
    require_all();
    std::vector<std::vector<CommunicationTurn>> by_rank(job_.ranks.size());
    for (std::size_t r = 0; r < by_rank.size(); ++r)
      for (std::uint32_t n = 0; n < job_.ranks[r].size(); ++n)
        by_rank[r].push_back(turns_[merged_[first_[r] + n]]);
    return by_rank;
  }

 private:
  bool is_merged(const JobCollective& collective, std::size_t member) const {
    const auto number = static_cast<std::size_t>(job_.groups[collective.group].ranks[member]);
    const JobRank& rank = job_.ranks[number];
    const std::uint32_t node = collective.nodes[member];
    return rank.type[node] == NodeType::kCollective &&
           rank.communication_of(node).type != BROADCAST;
  }

  /// A collective stands at the vertex of its first member, at its last member's start.
  void merge_collectives() {
    merged_.resize(rank_.size());
    std::iota(merged_.begin(), merged_.end(), 0U);
    for (const JobCollective& collective : matches_.collectives) {
      std::size_t first = 0;
      while (collective.nodes[first] == kNoIndex) ++first;
      if (!is_merged(collective, first)) continue;
      const auto& ranks = job_.groups[collective.group].ranks;
      const std::uint32_t lead = vertex_of(ranks[first], collective.nodes[first]);
      for (std::size_t i = first; i < ranks.size(); ++i) {
        if (collective.nodes[i] == kNoIndex) continue;
        const std::uint32_t member = vertex_of(ranks[i], collective.nodes[i]);
        merged_[member] = lead;
        turns_[lead].start_ns = std::max(turns_[lead].start_ns, turns_[member].start_ns);
      }
    }
  }

  std::uint32_t vertex_of(std::int64_t rank, std::uint32_t node) const {
    return first_[static_cast<std::size_t>(rank)] + node;
  }

  void add_edges(const std::vector<CommunicationWaits>& waits) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;  // before, behind
    for (std::size_t r = 0; r < waits.size(); ++r)
      for (std::uint32_t vertex = 0; vertex < waits[r].start_ns.size(); ++vertex)
        for (const std::uint32_t before : waits[r].before.of(vertex))
          edges.emplace_back(merged_[first_[r] + before], merged_[first_[r] + vertex]);
    for (const JobMessage& message : matches_.messages)
      edges.emplace_back(merged_[vertex_of(message.source, message.send)],
                         merged_[vertex_of(message.destination, message.receive)]);
    behind_ = grouped_by_node(
        rank_.size(), edges.size(), [&](std::size_t i) { return edges[i].first; },
        [&](std::size_t i) { return edges[i].second; });
  }

  /// Names for each rank that is stuck its first communication that is.
  void require_all() const {
    std::string stuck;
    for (std::size_t r = 0; r < job_.ranks.size(); ++r) {
      const JobRank& rank = job_.ranks[r];
      for (std::uint32_t node = 0; node < rank.size(); ++node)
        if (turns_[merged_[first_[r] + node]].turn == kNoIndex) {
          stuck += "\n  " + job_.place_of(r, node) + group_text(rank, node);
          break;
        }
    }
    if (stuck.empty()) return;
    throw Error(ErrorCode::kInput, job_.graphs.front().name,
                "ranks would wait for each other in a cycle; the first that wait:" + stuck,
                "Their collectives are in different orders, or traces of different runs were "
                "given");
  }

  std::string group_text(const JobRank& rank, std::uint32_t node) const {
    const JobCommunication& c = rank.communications[node];
    if (c.job_group == kNoIndex)
      return " from rank " + recorded_text(c.src) + " to rank " + recorded_text(c.dst);
    return " in group \"" + job_.groups[c.job_group].name + "\"";
  }

  std::string recorded_text(std::int64_t rank) const {
    return std::to_string(job_.ranks[static_cast<std::size_t>(rank)].recorded_rank);
  }

  const Job& job_;
  const JobMatches& matches_;
  std::vector<std::uint32_t> first_;          // vertex of a rank's first communication
  std::vector<std::uint32_t> rank_, merged_;  // by vertex
  std::vector<CommunicationTurn> turns_;      // by vertex
  Adjacency behind_;
};

}  // namespace

CommunicationWaits find_communication_waits(const JobRank& rank, const RankClock& clock) {
  constexpr Ns kBeforeAll = std::numeric_limits<Ns>::min();
  VertexSets sets(rank.communications.size());
  CommunicationWaits waits;
  waits.start_ns.assign(rank.communications.size(), kBeforeAll);
  const Adjacency dependencies = dependencies_by_node(rank);
  std::vector<std::uint32_t> set(rank.size(), VertexSets::kNone);
  std::vector<Ns> start_ns(rank.size(), kBeforeAll);
  const std::vector<std::uint32_t> order = topological_order(dependents_by_node(dependencies));
  waits.has_cycle = order.size() < rank.size();
  for (const std::uint32_t n : order) {
    if (rank.is_dropped[n]) continue;
    start_ns[n] = clock.job_ns(rank.start_ns[n]);
    for (const std::uint32_t on : dependencies.of(n)) {
      set[n] = sets.united(set[n], set[on]);
      start_ns[n] = std::max(start_ns[n], start_ns[on]);
    }
    const std::uint32_t vertex = rank.communication[n];
    if (vertex == kNoIndex) continue;
    set[n] = sets.of_vertex(vertex, set[n]);
    waits.start_ns[vertex] = start_ns[n];
  }
  waits.start_ns.resize(sets.vertices(), kBeforeAll);
  waits.before = sets.before();
  return waits;
}

std::vector<std::vector<CommunicationTurn>> order_communications(
    const Job& job, const JobMatches& matches, const std::vector<CommunicationWaits>& waits) {
  return MergedOrder(job, matches, waits).sort();
}

void order_nodes(JobRank& rank, const RankClock& clock,
                 const std::vector<CommunicationTurn>& turns) {
  const Adjacency dependents = dependents_by_node(dependencies_by_node(rank));
  // Of what each waits for: the latest start, and the last turn. Along an edge neither decreases,
  // and the turn of a communication is larger than those of all before it.
  std::vector<CommunicationTurn> place(rank.size(), {std::numeric_limits<Ns>::min(), 0});
  const auto key_of = [&](std::uint32_t n) {
    const Ns start = clock.job_ns(rank.start_ns[n]);
    if (rank.communication[n] != kNoIndex) place[n] = turns[rank.communication[n]];
    place[n].start_ns = std::max(place[n].start_ns, start);
    return std::tuple(place[n].start_ns, place[n].turn, start);
  };
  rank.order.clear();
  visit_by_key(dependents, key_of, [&](std::uint32_t n) {
    if (!rank.is_dropped[n]) rank.order.push_back(n);
    for (const std::uint32_t behind : dependents.of(n)) {
      place[behind].start_ns = std::max(place[behind].start_ns, place[n].start_ns);
      place[behind].turn = std::max(place[behind].turn, place[n].turn);
    }
  });
}

void chain_communications(JobRank& rank) {
  std::uint32_t last = kNoIndex;
  for (const std::uint32_t node : rank.order) {
    const NodeType type = rank.type[node];
    if (type != NodeType::kCollective && type != NodeType::kSend) continue;
    if (last != kNoIndex) rank.dependencies.push_back({node, last});
    last = node;
  }
}

}  // namespace nadi
