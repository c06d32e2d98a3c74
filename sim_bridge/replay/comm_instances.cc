// Finds the communications of different ranks that are the same.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "nadi/chakra/chakra_reader.h"
#include "nadi/chakra/groups.h"
#include "nadi/sim_bridge/job/align_sequences.h"
#include "nadi/sim_bridge/replay/replay_job.h"

namespace nadi {

namespace {

// Finds the groups of different ranks' graphs that are the same.

/// A group by the name that all ranks share.
struct CommonGroup {
  std::string name;
  RankList ranks;  ///< empty = not told
};

constexpr std::int64_t kMostListed = 1 << 20;  // ranks

/// Names of the groups that a graph communicates in, in the order of first use.
std::vector<StringId> names_in_use(const Graph& graph) {
  std::vector<StringId> names;
  std::vector<bool> is_known(graph.strings.size(), false);
  for (std::size_t row = 0; row < graph.size(); ++row) {
    if (graph.communication[row] == kNoIndex) continue;
    const StringId name = graph.communications[graph.communication[row]].group;
    if (is_known[static_cast<std::uint32_t>(name)]) continue;
    is_known[static_cast<std::uint32_t>(name)] = true;
    names.push_back(name);
  }
  return names;
}

/// Groups of one name but of other ranks are not the same: they get a number each, in the order of
/// their ranks.
void number_groups_of_one_name(std::vector<std::vector<UsedGroup>>& used) {
  std::vector<UsedGroup*> groups;
  for (auto& of_graph : used)
    for (UsedGroup& group : of_graph) groups.push_back(&group);
  std::sort(groups.begin(), groups.end(), [](const UsedGroup* a, const UsedGroup* b) {
    return std::tie(a->name, a->ranks) < std::tie(b->name, b->ranks);
  });
  for (std::size_t begin = 0, end = 0; begin < groups.size(); begin = end) {
    std::vector<std::size_t> number;  // from 1
    for (; end < groups.size() && groups[end]->name == groups[begin]->name; ++end)
      number.push_back(number.empty()                                 ? 1
                       : groups[end]->ranks == groups[end - 1]->ranks ? number.back()
                                                                      : number.back() + 1);
    if (number.back() == 1) continue;
    for (std::size_t i = begin; i < end; ++i)
      groups[i]->name += " (" + std::to_string(number[i - begin]) + " of the " +
                         std::to_string(number.back()) + " of this name)";
  }
}

/// By graph and the graph's own name. Throws Error (kInput) where the graphs' metadata speak of
/// jobs of different sizes.
std::vector<std::map<StringId, CommonGroup>> common_groups(const ReplayJob& job) {
  const std::optional<std::int64_t> world = declared_world_size(job.graphs, job.rank);
  const bool is_listed = world && *world > 0 && *world <= kMostListed;
  const RankList all = all_ranks(is_listed ? *world : 0);
  std::vector<std::map<StringId, CommonGroup>> groups(job.graphs.size());
  std::vector<std::vector<UsedGroup>> used(job.graphs.size());
  std::vector<std::vector<StringId>> own_name(job.graphs.size());  // of used
  for (std::size_t of = 0; of < job.graphs.size(); ++of) {
    const Graph& graph = job.graphs[of];
    const auto described = described_groups(metadata_of(graph), graph.name);
    for (const StringId id : names_in_use(graph)) {
      const std::string name(graph.strings[id]);
      CommonGroup& group = groups[of][id] = {name, {}};
      const auto known = described.find(name);
      if (known == described.end()) continue;
      const bool has_all = is_listed && is_of_all_ranks(known->second, *world);
      group.ranks = has_all ? all : known->second.ranks;
      if (group.ranks.empty()) continue;
      used[of].push_back({group.ranks, name});
      own_name[of].push_back(id);
    }
  }
  merge_group_names(used);
  number_groups_of_one_name(used);
  for (std::size_t of = 0; of < used.size(); ++of)
    for (std::size_t place = 0; place < used[of].size(); ++place)
      groups[of].at(own_name[of][place]).name = used[of][place].name;
  return groups;
}

/// What comes in the same order on every rank: collectives of a group (src -1), or messages.
struct SequenceKey {
  std::string group;
  std::int64_t src = -1, dst = -1;

  bool is_of_messages() const { return src >= 0 || dst >= 0; }
  friend auto operator<=>(const SequenceKey&, const SequenceKey&) = default;
};

/// Who has what of a sequence: graph -> nodes in order.
using NodesByGraph = std::map<std::uint32_t, std::vector<std::uint32_t>>;

class CommInstanceFinder {
 public:
  CommInstanceFinder(ReplayJob& job, Diagnostics& diagnostics)
      : job_(job), diagnostics_(diagnostics), groups_(common_groups(job)) {
    for (std::uint32_t of = 0; of < job.graphs.size(); ++of) graph_of_rank_[job.rank[of]] = of;
  }

  void run() {
    for (std::uint32_t of = 0; of < job_.graphs.size(); ++of) collect(of);
    job_.kernel_of.assign(job_.size(), kNoIndex);
    for (auto& [key, nodes_of] : sequences_) {
      for (const std::uint32_t of : absent_members(key, nodes_of)) nodes_of[of];
      if (nodes_of.size() > 1) match(key, nodes_of);
    }
    for (const auto& [key, nodes_of] : sequences_)
      for (const auto& [of, nodes] : nodes_of)
        for (const std::uint32_t node : nodes) join_known_kernel(node);
    if (job_.kernels.empty()) job_.kernel_of.clear();
  }

 private:
  void collect(std::uint32_t of) {
    const Graph& graph = job_.graphs[of];
    if (graph.communications.empty()) return;
    for (std::uint32_t row = 0; row < graph.size(); ++row) {
      const std::uint32_t index = graph.communication[row];
      if (index == kNoIndex) continue;
      sequences_[key_of(of, graph.type[row], graph.communications[index])][of].push_back(
          job_.first_node[of] + row);
    }
  }

  // Own rank is the default of a message's other end, as simulators have it.
  SequenceKey key_of(std::uint32_t of, NodeType type, const GraphCommunication& what) const {
    SequenceKey key;
    key.group = groups_[of].at(what.group).name;
    if (type == NodeType::kCollective) return key;
    const bool sends = type == NodeType::kSend;
    key.src = what.src < 0 && sends ? job_.rank[of] : what.src;
    key.dst = what.dst < 0 && !sends ? job_.rank[of] : what.dst;
    return key;
  }

  /// Graphs of ranks that belong to a sequence and have nothing of it.
  std::vector<std::uint32_t> absent_members(const SequenceKey& key,
                                            const NodesByGraph& nodes_of) const {
    std::vector<std::uint32_t> absent;
    const auto add = [&](std::uint32_t of) {
      if (!nodes_of.contains(of)) absent.push_back(of);
    };
    if (key.is_of_messages()) {
      for (const std::int64_t rank : {key.src, key.dst})
        if (const auto of = graph_of_rank_.find(rank); of != graph_of_rank_.end()) add(of->second);
      return absent;
    }
    const auto& [first, nodes] = *nodes_of.begin();
    const RankList& members = groups_[first].at(communication(nodes.front()).group).ranks;
    for (const auto& [rank, of] : graph_of_rank_)
      if (members.holds(rank)) add(of);
    return absent;
  }

  const GraphCommunication& communication(std::uint32_t node) const {
    const Graph& graph = job_.graph(node);
    return graph.communications[graph.communication[job_.row(node)]];
  }

  /// Of messages the source's nodes come first, each end's in the order of tags.
  std::vector<std::vector<std::uint32_t>> members_in_order(const SequenceKey& key,
                                                           const NodesByGraph& nodes_of) const {
    std::vector<std::vector<std::uint32_t>> members;
    for (const auto& [of, nodes] : nodes_of) members.push_back(nodes);
    if (!key.is_of_messages()) return members;
    const auto source = graph_of_rank_.find(key.src);
    if (source != graph_of_rank_.end() && nodes_of.begin()->first != source->second)
      std::swap(members.front(), members.back());
    for (auto& nodes : members)
      std::stable_sort(nodes.begin(), nodes.end(), [&](std::uint32_t a, std::uint32_t b) {
        return communication(a).tag < communication(b).tag;
      });
    return members;
  }

  void match(const SequenceKey& key, const NodesByGraph& nodes_of) {
    const auto members = members_in_order(key, nodes_of);
    Sequence sequence;
    sequence.is_of_messages = key.is_of_messages();
    for (const auto& nodes : members) {
      auto& entries = sequence.members.emplace_back();
      entries.reserve(nodes.size());
      for (const std::uint32_t node : nodes)
        entries.push_back({communication(node).type, job_.start_ns(node), job_.end_ns(node)});
    }
    const AlignedSequence aligned = align_sequence(sequence);
    const bool are_lost = has_few_losses(aligned);
    std::uint64_t incomplete = 0;
    std::string first;
    for (std::size_t row = 0; row < aligned.size(); ++row) {
      std::vector<std::uint32_t> nodes(members.size(), kNoIndex);
      for (std::size_t member = 0; member < members.size(); ++member)
        if (aligned[row][member] != kNoIndex) nodes[member] = members[member][aligned[row][member]];
      const std::uint32_t known = *std::find_if(nodes.begin(), nodes.end(), is_there);
      const CommOrder order = comm_order_of(communication(known).type, sequence.is_of_messages);
      if (std::count(nodes.begin(), nodes.end(), kNoIndex) > 0) {
        if (incomplete++ == 0) first = job_.text(known);
        if (are_lost) find_stand_ins(members, aligned, row, nodes);
      }
      if (std::count_if(nodes.begin(), nodes.end(), is_there) > 1)
        add_instance(nodes, known, order);
    }
    if (incomplete > 0)
      report_incomplete(key,
                        counts_text(nodes_of) + "; " + std::to_string(incomplete) + " of " +
                            std::to_string(aligned.size()) + " not on all, first " + first +
                            ": rows were lost or damaged, or other steps recorded",
                        incomplete);
  }

  static bool is_there(std::uint32_t node) { return node != kNoIndex; }

  /// A lost row leaves a delay of the device that ends right behind it.
  void find_stand_ins(const std::vector<std::vector<std::uint32_t>>& members,
                      const AlignedSequence& aligned, std::size_t row,
                      std::vector<std::uint32_t>& nodes) {
    std::size_t has = 0;
    while (aligned[row][has] == kNoIndex) ++has;
    for (std::size_t lacks = 0; lacks < members.size(); ++lacks) {
      if (aligned[row][lacks] != kNoIndex) continue;
      const auto common = aligned.nearest_common(row, has, lacks);
      if (!common) continue;
      const std::uint32_t own = members[lacks][aligned[*common][lacks]];
      const std::uint32_t partner = members[has][aligned[*common][has]];
      const Ns end = job_.end_ns(nodes[has]) + job_.end_ns(own) - job_.end_ns(partner);
      nodes[lacks] = delay_that_ends_behind(job_.graph_of[own], end);
    }
  }

  std::uint32_t delay_that_ends_behind(std::uint32_t of, Ns end) {
    constexpr Ns kLatest = 50'000;
    const auto ends_before = [&](std::uint32_t node, Ns time) { return job_.end_ns(node) < time; };
    const std::vector<std::uint32_t>& delays = device_delays(of);
    for (auto delay =
             std::lower_bound(delays.begin(), delays.end(), end - kClockResolution, ends_before);
         delay != delays.end() && job_.end_ns(*delay) <= end + kLatest; ++delay)
      if (job_.start_ns(*delay) < end && !known_.contains(key_of(*delay))) return *delay;
    return kNoIndex;
  }

  /// Of a graph, in the order of their ends.
  const std::vector<std::uint32_t>& device_delays(std::uint32_t of) {
    const auto [known, is_new] = device_delays_.try_emplace(of);
    std::vector<std::uint32_t>& delays = known->second;
    if (!is_new) return delays;
    const Graph& graph = job_.graphs[of];
    for (std::uint32_t row = 0; row < graph.size(); ++row)
      if (graph.kind[row] == NodeKind::kDelay && graph.is_device(row))
        delays.push_back(job_.first_node[of] + row);
    std::stable_sort(delays.begin(), delays.end(), [&](std::uint32_t a, std::uint32_t b) {
      return job_.end_ns(a) < job_.end_ns(b);
    });
    return delays;
  }

  std::string counts_text(const NodesByGraph& nodes_of) const {
    std::string counts;
    for (const auto& [of, nodes] : nodes_of)
      counts += (counts.empty() ? "" : ", ") + std::to_string(nodes.size()) + " on rank " +
                std::to_string(job_.rank[of]);
    return counts;
  }

  void report_incomplete(const SequenceKey& key, const std::string& text,
                         std::uint64_t incomplete) {
    const std::string what = key.is_of_messages()
                                 ? "messages from rank " + std::to_string(key.src) + " to rank " +
                                       std::to_string(key.dst)
                                 : "group \"" + key.group + "\"";
    diagnostics_.report(Finding::kCommunicationUnmatched, what + ": " + text, incomplete);
  }

  /// `known` is one of the nodes that carry the communication.
  void add_instance(const std::vector<std::uint32_t>& nodes, std::uint32_t known, CommOrder order) {
    const auto index = static_cast<std::uint32_t>(job_.comm_instances.size());
    CommInstance instance;
    instance.order = order;
    for (const std::uint32_t node : nodes) {
      if (node == kNoIndex) continue;
      const std::uint32_t kernel = kernel_of(node);
      auto& instances = job_.kernels[kernel].instances;
      if (!instances.empty() && instances.back() == index) continue;
      instances.push_back(index);
      instance.kernels.push_back(kernel);
      if (!communicates(node)) {
        job_.kernels[kernel].stands_for = known;
        join_known_kernel(node);
      }
    }
    job_.comm_instances.push_back(std::move(instance));
  }

  bool communicates(std::uint32_t node) const {
    return job_.graph(node).communication[job_.row(node)] != kNoIndex;
  }

  /// Nodes of one launch that start together on one lane are one kernel: graph, lane, launch,
  /// start. A node without launch is one by itself: graph, node.
  using KernelKey = std::tuple<std::uint32_t, std::uint32_t, std::int64_t, Ns>;

  KernelKey key_of(std::uint32_t node) const {
    const std::uint32_t of = job_.graph_of[node], row = job_.row(node);
    const Graph& graph = job_.graphs[of];
    if (graph.correlation[row] < 0 || !graph.is_device(row)) return {of, node, -1, 0};
    return {of, graph.lane[row], graph.correlation[row], graph.start_ns[row]};
  }

  std::uint32_t kernel_of(std::uint32_t node) {
    const auto next = static_cast<std::uint32_t>(job_.kernels.size());
    const auto [known, is_new] = known_.try_emplace(key_of(node), next);
    if (is_new) job_.kernels.push_back({job_.graph_of[node], {}, {}, {}, kNoIndex, 0});
    return known->second;
  }

  // What a kernel carries belongs to it, matched or not: one node has the duration of all.
  void join_known_kernel(std::uint32_t node) {
    const auto known = known_.find(key_of(node));
    if (known == known_.end()) return;
    job_.kernel_of[node] = known->second;
    auto& nodes = job_.kernels[known->second].nodes;
    nodes.insert(std::lower_bound(nodes.begin(), nodes.end(), node), node);
  }

  ReplayJob& job_;
  Diagnostics& diagnostics_;
  std::vector<std::map<StringId, CommonGroup>> groups_;  // by graph
  std::map<std::int64_t, std::uint32_t> graph_of_rank_;
  std::map<SequenceKey, NodesByGraph> sequences_;
  std::map<KernelKey, std::uint32_t> known_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> device_delays_;  // by graph
};

}  // namespace

void find_comm_instances(ReplayJob& job, Diagnostics& diagnostics) {
  CommInstanceFinder(job, diagnostics).run();
}

}  // namespace nadi
