#include "nadi/sim_bridge/replay/comm_instances.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "nadi/chakra/chakra_reader.h"
#include "nadi/chakra/groups.h"
#include "nadi/sim_bridge/job/align_sequences.h"
#include "nadi/sim_bridge/job/recorded_groups.h"

namespace nadi {

namespace {

constexpr std::int64_t kMostListed = 1 << 20;  // ranks

/// Groups of one name but of other ranks are not the same: they get a number each, in the order of
/// their ranks.
void number_namesakes(std::vector<UsedGroups>& used) {
  std::map<std::string, std::set<RankList>> lists;
  for (const UsedGroups& of_graph : used)
    for (const auto& [name, group] : of_graph)
      if (!group.ranks.empty()) lists[group.name].insert(group.ranks);
  for (UsedGroups& of_graph : used)
    for (auto& [name, group] : of_graph) {
      if (group.ranks.empty()) continue;
      const std::set<RankList>& namesakes = lists.at(group.name);
      if (namesakes.size() == 1) continue;
      const auto number = std::distance(namesakes.begin(), namesakes.find(group.ranks)) + 1;
      group.name += " (" + std::to_string(number) + " of the " + std::to_string(namesakes.size()) +
                    " of this name)";
    }
}

/// By graph. Groups whose ranks are not recorded have none. Throws Error (kInput) where the graphs'
/// metadata speak of jobs of different sizes.
std::vector<UsedGroups> groups_of(const ReplayJob& job) {
  const std::optional<std::int64_t> world = declared_world_size(job.graphs, job.rank);
  const bool is_listed = world && *world > 0 && *world <= kMostListed;
  const RankList all = all_ranks(is_listed ? *world : 0);
  std::vector<std::shared_ptr<const DescribedGroups>> described;
  GroupReader reader;
  for (const Graph& graph : job.graphs)
    described.push_back(reader.read(metadata_of(graph), graph.name));
  std::vector<UsedGroups> used =
      unite_groups(job.graphs, true, [&](std::size_t of, const std::string& name) {
        RecordedGroup group{name, {}, {}};
        const auto known = described[of]->find(name);
        if (known == described[of]->end()) return group;
        const bool has_all = is_listed && is_of_all_ranks(known->second, *world);
        group.ranks = has_all ? all : known->second.ranks;
        return group;
      });
  number_namesakes(used);
  return used;
}

class CommInstanceFinder {
 public:
  CommInstanceFinder(ReplayJob& job, Diagnostics& diagnostics)
      : job_(job), diagnostics_(diagnostics), groups_(groups_of(job)) {
    for (std::uint32_t of = 0; of < job.graphs.size(); ++of) graph_of_rank_[job.rank[of]] = of;
    for (const UsedGroups& of_graph : groups_)
      for (const auto& [name, group] : of_graph) position_of_group_[group.name] = 0;
    std::uint32_t position = 0;
    for (auto& [name, own] : position_of_group_) own = position++;
  }

  void run() {
    job_.kernel_of.assign(job_.size(), kNoIndex);
    visit_sequences(
        collect(), [&](std::uint32_t /*of*/, std::uint32_t node) { return entry_of(node); },
        [&](const Sequence& sequence) {
          if (sequence.members.size() > 1) match(sequence);
        });
    for (std::uint32_t node = 0; node < job_.size(); ++node)
      if (communicates(node)) join_known_kernel(node);
    if (job_.kernels.empty()) job_.kernel_of.clear();
  }

 private:
  SequenceTable collect() const {
    SequenceTable table;
    for (std::uint32_t of = 0; of < job_.graphs.size(); ++of) {
      const Graph& graph = job_.graphs[of];
      for (std::uint32_t row = 0; row < graph.size(); ++row) {
        if (graph.communication[row] == kNoIndex) continue;
        const GraphCommunication& what = graph.communications[graph.communication[row]];
        const RecordedGroup& group = groups_[of].at(what.group);
        const SequenceKey key = key_of(of, graph.type[row], what, group);
        const auto [members, is_new] = table.try_emplace(key);
        if (is_new) add_members(key, group, members->second);
        const bool receives = graph.type[row] == NodeType::kReceive && key.src != key.dst;
        members->second[{receives, of}].push_back(job_.first_node[of] + row);
      }
    }
    return table;
  }

  // The end that is not the own one stays unknown where it is not recorded.
  SequenceKey key_of(std::uint32_t of, NodeType type, const GraphCommunication& what,
                     const RecordedGroup& group) const {
    SequenceKey key{.group = position_of_group_.at(group.name), .name = group.name};
    if (type == NodeType::kCollective) return key;
    const bool sends = type == NodeType::kSend;
    key.src = sends ? source_of(what, job_.rank[of]) : what.src;
    key.dst = sends ? what.dst : destination_of(what, job_.rank[of]);
    return key;
  }

  /// Graphs of ranks that belong to a sequence, also where they have nothing of it.
  void add_members(const SequenceKey& key, const RecordedGroup& group,
                   SequenceTable::mapped_type& members) const {
    for (const auto& [rank, of] : graph_of_rank_) {
      const bool sends = rank == key.src, receives = rank == key.dst && !sends;
      if (sends || receives || (!key.is_of_messages() && group.ranks.holds(rank)))
        members[{receives, of}];
    }
  }

  const GraphCommunication& communication(std::uint32_t node) const {
    const Graph& graph = job_.graph(node);
    return graph.communications[graph.communication[job_.row(node)]];
  }

  SequenceEntry entry_of(std::uint32_t node) const {
    const GraphCommunication& what = communication(node);
    return {what.type, job_.start_ns(node), job_.end_ns(node), what.bytes, what.tag, node};
  }

  void match(const Sequence& sequence) {
    const AlignedSequence aligned = align_sequence(sequence);
    std::uint64_t incomplete = 0;
    std::string first;
    auto lost = aligned.lost.begin();
    for (std::size_t row = 0; row < aligned.size(); ++row) {
      std::vector<std::uint32_t> nodes = sequence.nodes(aligned[row]);
      const std::uint32_t known = *std::find_if(nodes.begin(), nodes.end(), is_there);
      const CommOrder order =
          comm_order_of(communication(known).type, sequence.key.is_of_messages());
      if (std::count(nodes.begin(), nodes.end(), kNoIndex) > 0 && incomplete++ == 0)
        first = job_.text(known);
      for (; lost != aligned.lost.end() && lost->row == row; ++lost)
        nodes[lost->member] = delay_that_ends_behind(sequence.ranks[lost->member], lost->end_ns);
      if (std::count_if(nodes.begin(), nodes.end(), is_there) > 1)
        add_instance(nodes, known, order);
    }
    if (incomplete > 0)
      report_incomplete(sequence,
                        std::to_string(incomplete) + " of " + std::to_string(aligned.size()) +
                            " not on all, first " + first +
                            ": rows were lost or damaged, or other steps recorded",
                        incomplete);
  }

  static bool is_there(std::uint32_t node) { return node != kNoIndex; }

  /// A lost row leaves a delay of the device that ends right behind it.
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

  void report_incomplete(const Sequence& sequence, const std::string& text,
                         std::uint64_t incomplete) {
    std::map<std::uint32_t, std::string> counts;
    for (std::size_t member = 0; member < sequence.ranks.size(); ++member)
      counts[sequence.ranks[member]] = std::to_string(sequence.members[member].size());
    const SequenceKey& key = sequence.key;
    std::string what = key.is_of_messages() ? "messages from rank " + std::to_string(key.src) +
                                                  " to rank " + std::to_string(key.dst)
                                            : "group \"" + std::string(key.name) + "\"";
    for (const auto& [of, count] : counts)
      what += (of == counts.begin()->first ? ": " : ", ") + count + " on rank " +
              std::to_string(job_.rank[of]);
    diagnostics_.report(Finding::kCommunicationUnmatched, what + "; " + text, incomplete);
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
  std::vector<UsedGroups> groups_;  // by graph
  std::map<std::string_view, std::uint32_t> position_of_group_;
  std::map<std::int64_t, std::uint32_t> graph_of_rank_;
  std::map<KernelKey, std::uint32_t> known_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> device_delays_;  // by graph
};

}  // namespace

void find_comm_instances(ReplayJob& job, Diagnostics& diagnostics) {
  CommInstanceFinder(job, diagnostics).run();
}

}  // namespace nadi
