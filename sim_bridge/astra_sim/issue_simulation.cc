#include "nadi/sim_bridge/astra_sim/issue_simulation.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <queue>
#include <tuple>

#include "et_def.pb.h"
#include "nadi/base/error.h"
#include "nadi/chakra/communication_name.h"
#include "nadi/chakra/sum_of_times.h"
#include "nadi/sim_bridge/astra_sim/issue_rules.h"

namespace nadi::astra_sim {
namespace {

using namespace ChakraProtoMsg;

constexpr std::size_t kMostMismatches = 3;

struct IssueState {
  SlotQueue slots[kSlots];
  std::vector<std::uint32_t> waits_for;
  std::vector<bool> is_issued, is_finished;
  std::size_t ready_count = 0, finished = 0;
};

struct Issued {
  std::size_t rank;
  std::uint32_t node;
  Ns time;
};

/// The n-th collective of a group: who has issued it.
struct IssuedCollective {
  std::vector<Issued> issued;
  Ns duration_ns = 0;
};

struct Mailbox {
  std::size_t arrived = 0;                                    // not received yet
  std::queue<std::pair<std::size_t, std::uint32_t>> waiting;  // receives: rank, node
};

class Simulation {
 public:
  Simulation(const std::vector<IssueRank>& ranks, const GroupMembers& groups,
             const CommunicationTime& time, const CollectiveEnds& ends, std::int64_t job_ranks)
      : ranks_(ranks),
        groups_(
            with_all_ranks(groups, std::max(ranks.size(), static_cast<std::size_t>(job_ranks)))),
        time_(time),
        ends_(ends),
        has_copies_(job_ranks > std::ssize(ranks)),
        states_(ranks.size()) {}

  IssueResult run() {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      IssueState& state = states_[rank];
      state.waits_for = count_sources(ranks_[rank].dependents);
      state.is_issued.assign(state.waits_for.size(), false);
      state.is_finished.assign(state.waits_for.size(), false);
      for (std::uint32_t node = 0; node < state.waits_for.size(); ++node)
        if (state.waits_for[node] == 0) make_ready(rank, node);
    }
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) issue(rank);
    while (!ends_of_nodes_.empty()) {
      const auto [time, ended] = ends_of_nodes_.take();
      now_ = time;
      finish(ended.first, ended.second);
    }
    result_.makespan_ns = now_;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) explain(rank);
    return std::move(result_);
  }

 private:
  NodeType type_of(std::size_t rank, std::uint32_t node) const {
    return ranks_[rank].graph.type[node];
  }

  SlotQueue& slot_queue(std::size_t rank, std::uint32_t node) {
    const Slot slot = slot_of(type_of(rank, node), ranks_[rank].is_host(node));
    return states_[rank].slots[static_cast<std::size_t>(slot)];
  }

  void make_ready(std::size_t rank, std::uint32_t node) {
    IssueState& state = states_[rank];
    slot_queue(rank, node).add(node);
    if (++state.ready_count > result_.most_ready) {
      result_.most_ready = state.ready_count;
      result_.most_ready_rank = rank;
    }
  }

  void issue(std::size_t rank) {
    IssueState& state = states_[rank];
    for (SlotQueue& slot : state.slots)
      while (const auto node = slot.begin_next()) {
        if (type_of(rank, *node) == NodeType::kReceive) slot.end();  // it takes none
        --state.ready_count;
        state.is_issued[*node] = true;
        start(rank, *node);
      }
  }

  void start(std::size_t rank, std::uint32_t node) {
    const Graph& graph = ranks_[rank].graph;
    Ns duration = std::max(graph.duration_ns[node], kShortestNode);
    if (graph.communication[node] == kNoIndex) {
      enter(now_ + duration, rank, node);
      return;
    }
    const IssueCommunication c = communication(rank, node);
    if (time_) duration = std::max(time_(graph.type[node], c, duration), kShortestNode);
    if (graph.type[node] == NodeType::kReceive)
      receive(rank, node, c);
    else if (graph.type[node] == NodeType::kSend || c.type == BROADCAST)
      enter(now_ + duration, rank, node);
    else
      join(rank, node, c, duration);
  }

  void enter(Ns time, std::size_t rank, std::uint32_t node) {
    ends_of_nodes_.enter(time, {rank, node});
  }

  void receive(std::size_t rank, std::uint32_t node, const IssueCommunication& c) {
    const auto at = mailboxes_.try_emplace({c.tag, c.src, c.dst, c.bytes}).first;
    if (at->second.arrived == 0) return at->second.waiting.push({rank, node});
    if (--at->second.arrived == 0) mailboxes_.erase(at);
    enter(now_, rank, node);
  }

  void join(std::size_t rank, std::uint32_t node, const IssueCommunication& c, Ns duration) {
    const auto members = groups_.find(c.group_number);
    if (members == groups_.end()) return;  // stuck, and the check says so
    const std::size_t number = issued_[{rank, c.group_number}]++;
    if (!can_meet(rank, members->second)) return;  // stuck, and explain() says why
    IssuedCollective& instance = instances_[{c.group_number, number}];
    if (instance.issued.empty())
      instance.duration_ns = duration;
    else
      compare(instance, rank, node);
    instance.issued.push_back({rank, node, now_});
    instance.duration_ns = std::min(instance.duration_ns, duration);
    if (instance.issued.size() < members_given(members->second)) return;
    finish_all(c, members->second, instance);
    instances_.erase({c.group_number, number});
  }

  /// Those that must issue a collective before it begins.
  std::size_t members_given(const std::vector<std::int64_t>& members) const {
    if (!has_copies_) return members.size();
    return static_cast<std::size_t>(
        std::lower_bound(members.begin(), members.end(), std::ssize(ranks_)) - members.begin());
  }

  void finish_all(const IssueCommunication& c, const std::vector<std::int64_t>& members,
                  IssuedCollective& instance) {
    std::sort(instance.issued.begin(), instance.issued.end(),
              [](const Issued& a, const Issued& b) { return a.rank < b.rank; });
    std::vector<Ns> ends;
    if (ends_) {
      starts_.clear();
      for (const std::int64_t member : members) starts_.push_back(start_of(member, instance));
      ends = ends_(c, members, starts_);
    }
    for (std::size_t i = 0; i < instance.issued.size(); ++i)
      enter(ends.empty() ? now_ + instance.duration_ns : std::max(ends[i], now_ + kShortestNode),
            instance.issued[i].rank, instance.issued[i].node);
  }

  /// A copy of a rank does what that rank does. `instance`: by rank.
  Ns start_of(std::int64_t member, const IssuedCollective& instance) const {
    const std::size_t rank = static_cast<std::size_t>(member) % ranks_.size();
    const auto issued =
        std::lower_bound(instance.issued.begin(), instance.issued.end(), rank,
                         [](const Issued& a, std::size_t wanted) { return a.rank < wanted; });
    return issued == instance.issued.end() ? now_ : issued->time;
  }

  /// A group of one never finishes in the simulator, nor does a rank that is no member.
  static bool can_meet(std::size_t rank, const std::vector<std::int64_t>& members) {
    return members.size() > 1 &&
           std::binary_search(members.begin(), members.end(), static_cast<std::int64_t>(rank));
  }

  IssueCommunication communication(std::size_t rank, std::uint32_t node) const {
    return ranks_[rank].communication_of(node);
  }

  void compare(const IssuedCollective& instance, std::size_t rank, std::uint32_t node) {
    const std::size_t other_rank = instance.issued.front().rank;
    const std::uint32_t other = instance.issued.front().node;
    const IssueCommunication a = communication(other_rank, other), b = communication(rank, node);
    if ((a.type == b.type && a.bytes == b.bytes) || result_.mismatches.size() >= kMostMismatches)
      return;
    result_.mismatches.push_back(group_text(a.group_number) + ", collective " +
                                 std::to_string(issued_.at({rank, b.group_number})) + ": " +
                                 side_text(other_rank, other) + "; " + side_text(rank, node));
  }

  static std::string group_text(std::int64_t group) {
    return group == 0 ? "all ranks" : "group " + std::to_string(group);
  }

  /// "ALL_REDUCE of 4096 bytes on rank 0, node 7 (nccl:all_reduce)"
  std::string side_text(std::size_t rank, std::uint32_t node) const {
    const IssueCommunication c = communication(rank, node);
    return collective_name(c.type) + " of " + std::to_string(c.bytes) + " bytes on rank " +
           std::to_string(rank) + ", " + ranks_[rank].place_of(node);
  }

  void finish(std::size_t rank, std::uint32_t node) {
    IssueState& state = states_[rank];
    state.is_finished[node] = true;
    ++state.finished;
    slot_queue(rank, node).end();
    if (type_of(rank, node) == NodeType::kSend) deliver(communication(rank, node));
    for (const std::uint32_t dependent : ranks_[rank].dependents.of(node))
      if (--state.waits_for[dependent] == 0) make_ready(rank, dependent);
    issue(rank);
  }

  void deliver(const IssueCommunication& c) {
    const auto at = mailboxes_.try_emplace({c.tag, c.src, c.dst, c.bytes}).first;
    Mailbox& mailbox = at->second;
    if (mailbox.waiting.empty()) {
      ++mailbox.arrived;
      return;
    }
    const auto [rank, node] = mailbox.waiting.front();
    mailbox.waiting.pop();
    if (mailbox.waiting.empty()) mailboxes_.erase(at);
    enter(now_, rank, node);
  }

  void explain(std::size_t rank) {
    const IssueState& state = states_[rank];
    const std::size_t nodes = ranks_[rank].graph.size();
    if (state.finished == nodes) return;
    StuckRank stuck{rank, nodes - state.finished, kNoIndex, {}};
    std::uint32_t first = kNoIndex;
    for (std::uint32_t node = 0; node < nodes; ++node) {
      if (state.is_finished[node]) continue;
      if (first == kNoIndex) first = node;
      if (!state.is_issued[node]) continue;
      stuck.first = node;
      break;
    }
    if (stuck.first == kNoIndex) {
      stuck.first = first;
      stuck.why = "never becomes ready";
    } else {
      stuck.why = reason(rank, stuck.first);
    }
    result_.stuck.push_back(std::move(stuck));
  }

  std::string reason(std::size_t rank, std::uint32_t node) const {
    const IssueCommunication c = communication(rank, node);
    if (type_of(rank, node) == NodeType::kReceive)
      return "waits for " + std::to_string(c.bytes) + " bytes with tag " + std::to_string(c.tag) +
             " from rank " + std::to_string(c.src);
    return group_reason(rank, c.group_number);
  }

  std::string group_reason(std::size_t rank, std::int64_t group) const {
    const std::string name =
        group == 0 ? "the group of all ranks" : "group " + std::to_string(group);
    const auto found = groups_.find(group);
    if (found == groups_.end()) return "is in " + name + ", whose ranks are unknown";
    const std::vector<std::int64_t>& members = found->second;
    if (members.size() < 2) return "is in " + name + ": a group of one never ends";
    const auto twice = std::adjacent_find(members.begin(), members.end());
    if (twice != members.end())
      return "is in " + name + ", in which rank " + std::to_string(*twice) + " is listed twice";
    if (!std::binary_search(members.begin(), members.end(), static_cast<std::int64_t>(rank)))
      return "is in " + name + ", of which its rank is no member";
    return "waits in " + name + " for " + absent_text(rank, group, members);
  }

  /// Members that have not issued what the rank waits in: "rank 1, rank 3 (has no nodes)".
  std::string absent_text(std::size_t rank, std::int64_t group,
                          const std::vector<std::int64_t>& members) const {
    std::string text;
    const std::size_t number = issued_.at({rank, group});
    for (const std::int64_t member : members) {
      const auto known = issued_.find({static_cast<std::size_t>(member), group});
      if (known != issued_.end() && known->second >= number) continue;
      const bool is_here = static_cast<std::size_t>(member) < ranks_.size() &&
                           ranks_[static_cast<std::size_t>(member)].graph.size() > 0;
      text += (text.empty() ? "rank " : ", rank ") + std::to_string(member) +
              (is_here ? "" : " (has no nodes)");
      if (text.size() > 60) break;
    }
    return text;
  }

  const std::vector<IssueRank>& ranks_;
  const GroupMembers groups_;
  const CommunicationTime& time_;
  const CollectiveEnds& ends_;
  const bool has_copies_;   // of the ranks given, in all larger ranks
  std::vector<Ns> starts_;  // of the members of a collective
  std::vector<IssueState> states_;
  EndQueue<std::pair<std::size_t, std::uint32_t>> ends_of_nodes_;               // rank, node
  std::map<std::pair<std::size_t, std::int64_t>, std::size_t> issued_;          // rank, group
  std::map<std::pair<std::int64_t, std::size_t>, IssuedCollective> instances_;  // group, number
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>, Mailbox> mailboxes_;
  Ns now_ = 0;
  IssueResult result_;
};

/// The makespan is no longer than all nodes one after the other.
void require_short_times(const std::vector<IssueRank>& ranks) {
  std::vector<double> sums;
  sums.reserve(ranks.size());
  for (const IssueRank& rank : ranks)
    sums.push_back(sum_of_times(rank.graph.duration_ns, kShortestNode));
  if (std::accumulate(sums.begin(), sums.end(), 0.0) <= kLongestSum) return;
  const auto rank = std::max_element(sums.begin(), sums.end()) - sums.begin();
  const IssueRank& of_rank = ranks[static_cast<std::size_t>(rank)];
  const auto& durations = of_rank.graph.duration_ns;
  const auto longest = std::max_element(durations.begin(), durations.end());
  const auto node = static_cast<std::size_t>(longest - durations.begin());
  throw Error(ErrorCode::kInput, place_of(rank, of_rank, node),
              "takes " + std::to_string(*longest / 1000) +
                  " us, and all nodes of the job take more than 30 years",
              "These are no times: write the graphs again");
}

}  // namespace

GroupMembers with_all_ranks(GroupMembers groups, std::size_t ranks) {
  for (auto& [number, members] : groups) std::sort(members.begin(), members.end());
  auto& all = groups[0];
  all.resize(ranks);
  std::iota(all.begin(), all.end(), 0);
  return groups;
}

IssueResult simulate_issue(const std::vector<IssueRank>& ranks, const GroupMembers& groups,
                           const CommunicationTime& time, const CollectiveEnds& ends,
                           std::int64_t job_ranks) {
  require_short_times(ranks);
  return Simulation(ranks, groups, time, ends, job_ranks).run();
}

}  // namespace nadi::astra_sim
