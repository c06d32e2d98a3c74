// Which communication of one rank is the same as which of another.
#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "nadi/sim_bridge/replay/common_groups.h"
#include "nadi/sim_bridge/replay/replay_job.h"

namespace nadi {

namespace {

using NodeType = ChakraProtoMsg::NodeType;

/// What has to come in the same order on every rank: collectives of a group (src -1), or messages.
struct Sequence {
  std::string group;
  std::int64_t src = -1, dst = -1, tag = -1;
  friend auto operator<=>(const Sequence&, const Sequence&) = default;
};

/// Who was where in a sequence: graph -> nodes in order.
using Attendance = std::map<std::uint32_t, std::vector<std::uint32_t>>;

class MeetingFinder {
 public:
  MeetingFinder(ReplayJob& job, Diagnostics& diagnostics)
      : job_(job), diagnostics_(diagnostics), groups_(common_groups(job)) {
    for (std::uint32_t of = 0; of < job.graphs.size(); ++of) graph_of_rank_[job.rank[of]] = of;
  }

  void run() {
    for (std::uint32_t of = 0; of < job_.graphs.size(); ++of) collect(of);
    job_.kernel_of.assign(job_.size(), kNoIndex);
    for (auto& [sequence, attendance] : sequences_) {
      for (const std::uint32_t of : absent_members(sequence, attendance)) attendance[of];
      if (attendance.size() > 1) match(sequence, attendance);
    }
    for (const auto& [sequence, attendance] : sequences_)
      for (const auto& [of, nodes] : attendance)
        for (const std::uint32_t node : nodes) join_known_kernel(node);
    if (job_.kernels.empty()) job_.kernel_of.clear();
  }

 private:
  void collect(std::uint32_t of) {
    const SimGraph& graph = job_.graphs[of];
    if (graph.communications.empty()) return;
    for (std::uint32_t row = 0; row < graph.size(); ++row) {
      const std::uint32_t index = graph.communication[row];
      if (index == kNoIndex) continue;
      sequences_[sequence_of(of, graph.type[row], graph.communications[index])][of].push_back(
          job_.first_node[of] + row);
    }
  }

  // Own rank is the default of a message's other end, as simulators have it.
  Sequence sequence_of(std::uint32_t of, NodeType type, const SimCommunication& what) const {
    Sequence sequence;
    sequence.group = groups_[of].at(what.group).name;
    if (type == ChakraProtoMsg::COMM_COLL_NODE) return sequence;
    const bool sends = type == ChakraProtoMsg::COMM_SEND_NODE;
    sequence.src = what.src < 0 && sends ? job_.rank[of] : what.src;
    sequence.dst = what.dst < 0 && !sends ? job_.rank[of] : what.dst;
    sequence.tag = what.tag;
    return sequence;
  }

  /// Graphs of ranks that belong to a sequence and have nothing of it.
  std::vector<std::uint32_t> absent_members(const Sequence& sequence,
                                            const Attendance& attendance) const {
    std::vector<std::uint32_t> absent;
    const auto add = [&](std::int64_t rank) {
      const auto of = graph_of_rank_.find(rank);
      if (of != graph_of_rank_.end() && !attendance.contains(of->second))
        absent.push_back(of->second);
    };
    if (sequence.src >= 0 || sequence.dst >= 0) {
      add(sequence.src);
      add(sequence.dst);
      return absent;
    }
    const auto& [first, nodes] = *attendance.begin();
    for (const std::int64_t rank : groups_[first].at(communication(nodes.front()).group).ranks)
      add(rank);
    return absent;
  }

  const SimCommunication& communication(std::uint32_t node) const {
    const SimGraph& graph = job_.graph(node);
    return graph.communications[graph.communication[job_.row(node)]];
  }

  void match(const Sequence& sequence, const Attendance& attendance) {
    std::size_t most = 0;
    for (const auto& [of, nodes] : attendance) most = std::max(most, nodes.size());
    for (std::size_t place = 0; place < most; ++place) {
      std::vector<std::uint32_t> members;
      for (const auto& [of, nodes] : attendance)
        if (place < nodes.size()) members.push_back(nodes[place]);
      if (members.size() < attendance.size())
        return report_missing(sequence, attendance, place, most);
      if (!has_one_type(members)) return report_types(members, most - place);
      add_meeting(members);
    }
  }

  bool has_one_type(const std::vector<std::uint32_t>& members) const {
    const auto type = communication(members.front()).type;
    return std::all_of(members.begin(), members.end(), [&](std::uint32_t node) {
      return communication(node).type == type || communication(node).type < 0 || type < 0;
    });
  }

  void report_missing(const Sequence& sequence, const Attendance& attendance, std::size_t place,
                      std::size_t most) {
    std::string counts;
    for (const auto& [of, nodes] : attendance)
      counts += (counts.empty() ? "" : ", ") + std::to_string(nodes.size()) + " on rank " +
                std::to_string(job_.rank[of]);
    const std::string what = sequence.src < 0
                                 ? "group \"" + sequence.group + "\""
                                 : "messages from rank " + std::to_string(sequence.src) +
                                       " to rank " + std::to_string(sequence.dst);
    diagnostics_.report("communication-unmatched", Severity::kWarning, what + ": " + counts,
                        most - place);
  }

  void report_types(const std::vector<std::uint32_t>& members, std::size_t left) {
    diagnostics_.report("communication-types-differ", Severity::kWarning,
                        job_.text(members.front()) + " and " + job_.text(members.back()), left);
  }

  void add_meeting(const std::vector<std::uint32_t>& members) {
    const auto index = static_cast<std::uint32_t>(job_.meetings.size());
    Meeting meeting;
    meeting.needs_all = needs_all(members.front());
    for (const std::uint32_t node : members) {
      const std::uint32_t kernel = kernel_of(node);
      auto& meetings = job_.kernels[kernel].meetings;
      if (!meetings.empty() && meetings.back() == index) continue;
      meetings.push_back(index);
      meeting.kernels.push_back(kernel);
    }
    job_.meetings.push_back(std::move(meeting));
  }

  // The numbers are CollectiveCommType's.
  bool needs_all(std::uint32_t node) const {
    switch (communication(node).type) {
      case ChakraProtoMsg::ALL_REDUCE:
      case ChakraProtoMsg::ALL_GATHER:
      case ChakraProtoMsg::ALL_TO_ALL:
      case ChakraProtoMsg::REDUCE_SCATTER:
      case ChakraProtoMsg::REDUCE_SCATTER_BLOCK:
      case ChakraProtoMsg::BARRIER:
        return true;
      default:
        return false;
    }
  }

  /// Nodes of one launch that start together on one lane are one kernel: graph, lane, launch,
  /// start. A node without launch is one by itself: graph, node.
  using KernelKey = std::tuple<std::uint32_t, std::uint32_t, std::int64_t, Ns>;

  KernelKey key_of(std::uint32_t node) const {
    const std::uint32_t of = job_.graph_of[node], row = job_.row(node);
    const SimGraph& graph = job_.graphs[of];
    if (graph.correlation[row] < 0 || !graph.is_device(row)) return {of, node, -1, 0};
    return {of, graph.lane[row], graph.correlation[row], graph.start_ns[row]};
  }

  std::uint32_t kernel_of(std::uint32_t node) {
    const auto next = static_cast<std::uint32_t>(job_.kernels.size());
    const auto [known, is_new] = known_.try_emplace(key_of(node), next);
    if (is_new) job_.kernels.push_back({job_.graph_of[node], {}, {}, {}, 0});
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
  std::map<Sequence, Attendance> sequences_;
  std::map<KernelKey, std::uint32_t> known_;
};

}  // namespace

void find_meetings(ReplayJob& job, Diagnostics& diagnostics) {
  MeetingFinder(job, diagnostics).run();
}

}  // namespace nadi
