#include "nadi/converters/profile/collective_times.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "nadi/chakra/chakra_reader.h"
#include "nadi/chakra/communication_name.h"
#include "nadi/chakra/groups.h"
#include "nadi/converters/profile/step_times.h"

namespace nadi {

namespace {

/// Sizes of the process groups that the graphs describe, by graph and name.
class GroupSizes {
 public:
  explicit GroupSizes(const ReplayJob& job) : world_(declared_world_size(job.graphs, job.rank)) {
    GroupReader reader;
    for (const Graph& graph : job.graphs)
      groups_.push_back(reader.read(metadata_of(graph), graph.name));
  }

  /// 0 = not recorded. Without a name a group is that of all ranks.
  std::int64_t of(std::size_t graph, const std::string& name) const {
    if (name.empty()) return world_.value_or(0);
    const auto group = groups_[graph]->find(name);
    if (group == groups_[graph]->end()) return 0;
    if (group->second.size > 0) return group->second.size;
    if (!group->second.ranks.empty())
      return static_cast<std::int64_t>(group->second.ranks.get().size());
    return world_ && is_of_all_ranks(group->second, *world_) ? *world_ : 0;
  }

 private:
  std::optional<std::int64_t> world_;
  std::vector<std::shared_ptr<const DescribedGroups>> groups_;
};

class CollectiveCollector {
 public:
  CollectiveCollector(const ReplayJob& job, std::optional<StepRange> steps)
      : job_(job), steps_(steps), sizes_(job) {}

  /// Of all instances, and of what met nothing.
  std::vector<CollectiveTimes> run() {
    std::vector<bool> is_met(job_.size());
    for (std::uint32_t instance = 0; instance < job_.comm_instances.size(); ++instance)
      if (const std::vector<std::uint32_t> nodes = nodes_of(instance); !nodes.empty()) {
        for (const std::uint32_t node : nodes) is_met[node] = true;
        add(nodes, instance);
      }
    for (std::uint32_t node = 0; node < job_.size(); ++node)
      if (communicates(node) && !is_met[node]) add({node}, kNoIndex);
    for (std::size_t of = 0; of < job_.graphs.size(); ++of) add_unknown(of);
    std::stable_sort(collectives_.begin(), collectives_.end(),
                     [](const CollectiveTimes& a, const CollectiveTimes& b) {
                       return first_start(a) < first_start(b);
                     });
    return std::move(collectives_);
  }

 private:
  static Ns first_start(const CollectiveTimes& collective) {
    Ns first = collective.members.front().start_ns;
    for (const CollectiveTimes::Member& member : collective.members)
      first = std::min(first, member.start_ns);
    return first;
  }

  bool communicates(std::uint32_t node) const {
    return job_.graph(node).communication[job_.row(node)] != kNoIndex;
  }

  /// The node of each kernel that is of the instance: of one that carries several, in their order.
  std::vector<std::uint32_t> nodes_of(std::uint32_t instance) const {
    std::vector<std::uint32_t> nodes;
    for (const std::uint32_t index : job_.comm_instances[instance].kernels) {
      const CommKernel& kernel = job_.kernels[index];
      if (kernel.stands_for != kNoIndex) continue;  // its row is lost
      const auto place = std::find(kernel.instances.begin(), kernel.instances.end(), instance) -
                         kernel.instances.begin();
      const std::size_t last = kernel.nodes.size() - 1;
      nodes.push_back(kernel.nodes[std::min(static_cast<std::size_t>(place), last)]);
    }
    return nodes;
  }

  /// A kernel ends with the node that has its duration.
  Ns end_ns(std::uint32_t node) const {
    const std::uint32_t kernel = job_.kernel_index(node);
    return kernel == kNoIndex ? job_.end_ns(node) : job_.end_ns(job_.kernels[kernel]);
  }

  const GraphCommunication& communication(std::uint32_t node) const {
    const Graph& graph = job_.graph(node);
    return graph.communications[graph.communication[job_.row(node)]];
  }

  std::int64_t bytes_of_kernel(std::uint32_t node) const {
    const std::uint32_t kernel = job_.kernel_index(node);
    if (kernel == kNoIndex) return communication(node).bytes;
    std::int64_t bytes = 0;
    for (const std::uint32_t other : job_.kernels[kernel].nodes)
      if (communicates(other)) bytes += communication(other).bytes;
    return bytes;
  }

  bool waits(std::uint32_t node, std::uint32_t instance) const {
    if (instance == kNoIndex) return false;
    const std::vector<std::uint32_t>& waits_for = job_.kernels[job_.kernel_of[node]].waits_for;
    return std::find(waits_for.begin(), waits_for.end(), instance) != waits_for.end();
  }

  /// Kernels that communicate, as their names or the trace show, and no more is known.
  void add_unknown(std::size_t of) {
    const Graph& graph = job_.graphs[of];
    DeviceWorks works(graph);
    for (std::uint32_t row = 0; row < graph.size(); ++row) {
      const std::uint32_t node = job_.first_node[of] + row;
      if (!graph.is_device(row) || graph.kind[row] == NodeKind::kDelay || communicates(node) ||
          works.of(row) != DeviceWork::kCommunication || !is_chosen(node))
        continue;
      CollectiveTimes times;
      times.kind = "unknown";
      times.members.push_back({job_.rank[of], job_.start_ns(node), job_.end_ns(node), 0});
      collectives_.push_back(std::move(times));
    }
  }

  bool is_chosen(std::uint32_t node) const {
    return !steps_ || steps_->holds(job_.graph(node).step[job_.row(node)]);
  }

  /// `instance`: kNoIndex = one node that met no other.
  void add(const std::vector<std::uint32_t>& nodes, std::uint32_t instance) {
    if (std::none_of(nodes.begin(), nodes.end(), [&](auto node) { return is_chosen(node); }))
      return;
    const std::uint32_t first = nodes.front();
    const Graph& graph = job_.graph(first);
    const NodeType type = graph.type[job_.row(first)];
    const GraphCommunication& what = communication(first);
    CollectiveTimes times;
    times.is_message = type != NodeType::kCollective;
    times.kind =
        times.is_message && nodes.size() > 1 ? "SEND to RECV" : communication_name(type, what.type);
    times.group = std::string(graph.strings[what.group]);
    times.type = what.type;
    for (const std::uint32_t node : nodes) {
      const std::int64_t bytes = communication(node).bytes;
      times.is_uneven = times.is_uneven || (bytes > 0 && times.bytes > 0 && bytes != times.bytes);
      times.bytes = std::max(times.bytes, bytes);
      times.all_bytes = std::max(times.all_bytes, bytes_of_kernel(node));
    }
    const std::uint32_t last = *std::max_element(
        nodes.begin(), nodes.end(),
        [&](std::uint32_t a, std::uint32_t b) { return job_.start_ns(a) < job_.start_ns(b); });
    if (nodes.size() > 1) times.last_rank = job_.rank[job_.graph_index(last)];
    for (const std::uint32_t node : nodes) {
      const Ns start = job_.start_ns(node), end = end_ns(node);
      const Ns met = std::min(job_.start_ns(last), end);
      times.members.push_back(
          {job_.rank[job_.graph_index(node)], start, end, waits(node, instance) ? met - start : 0});
    }
    std::sort(times.members.begin(), times.members.end(),
              [](const auto& a, const auto& b) { return a.rank < b.rank; });
    const std::int64_t known = std::ssize(nodes) > 1 ? std::ssize(nodes) : 0;
    times.size =
        times.is_message ? 2 : std::max(known, sizes_.of(job_.graph_index(first), times.group));
    collectives_.push_back(std::move(times));
  }

  const ReplayJob& job_;
  const std::optional<StepRange> steps_;
  const GroupSizes sizes_;
  std::vector<CollectiveTimes> collectives_;
};

/// Of the bytes of nccl-tests' algorithm bandwidth what each link of a ring must carry.
double bus_share(const CollectiveTimes& collective) {
  const auto n = static_cast<double>(collective.size);
  if (collective.is_message) return 1;
  if (collective.size == 0) return 0;
  switch (collective.type) {
    case ChakraProtoMsg::ALL_REDUCE:
      return 2 * (n - 1) / n;
    case ChakraProtoMsg::ALL_GATHER:
    case ChakraProtoMsg::GATHER:
    case ChakraProtoMsg::SCATTER:
    case ChakraProtoMsg::REDUCE_SCATTER:
    case ChakraProtoMsg::REDUCE_SCATTER_BLOCK:
      return (n - 1) / n;
    case ChakraProtoMsg::ALL_TO_ALL:
      return collective.is_uneven ? 1 : (n - 1) / n;
    default:
      return 1;
  }
}

}  // namespace

Ns CollectiveTimes::waiting_ns() const {
  Ns sum = 0;
  for (const Member& member : members) sum += member.waiting_ns;
  return sum;
}

Ns CollectiveTimes::transfer_ns() const {
  Ns last_start = members.front().start_ns, end = members.front().end_ns;
  for (const Member& member : members) {
    last_start = std::max(last_start, member.start_ns);
    end = std::max(end, member.end_ns);
  }
  return end - last_start;
}

double CollectiveTimes::algorithm_gb_per_s() const {
  const auto ns = static_cast<double>(transfer_ns());
  auto moved = static_cast<double>(all_bytes);
  if (type == ChakraProtoMsg::ALL_GATHER && !is_message)
    moved *= static_cast<double>(std::max<std::int64_t>(size, 1));  // of one rank
  return ns > 0 ? moved / ns : 0;                                   // bytes per ns are GB/s
}

double CollectiveTimes::bus_gb_per_s() const { return algorithm_gb_per_s() * bus_share(*this); }

std::vector<CollectiveTimes> find_collectives(const ReplayJob& job,
                                              std::optional<StepRange> steps) {
  return CollectiveCollector(job, steps).run();
}

std::vector<RankWaiting> sum_waiting(const std::vector<CollectiveTimes>& collectives) {
  std::map<std::int64_t, RankWaiting> sums;
  for (const CollectiveTimes& collective : collectives) {
    if (!collective.last_rank) continue;
    RankWaiting& last = sums[*collective.last_rank];
    ++last.was_last;
    last.made_others_wait_ns += collective.waiting_ns();
    for (const CollectiveTimes::Member& member : collective.members)
      sums[member.rank].waited_ns += member.waiting_ns;
  }
  std::vector<RankWaiting> waiting;
  for (auto& [rank, sum] : sums) {
    sum.rank = rank;
    waiting.push_back(sum);
  }
  return waiting;
}

}  // namespace nadi
