#include "nadi/sim_bridge/astra_sim/network_run.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "nadi/chakra/communication_name.h"

namespace nadi::astra_sim {
namespace {

using namespace ChakraProtoMsg;

bool takes_network_time(NodeType type, const IssueCommunication& c) {
  return type == NodeType::kSend || (type == NodeType::kCollective && c.type != BROADCAST);
}

/// std::nullopt = the members of its group are not known.
std::optional<Collective> collective_of(const Transfer& transfer, const GroupMembers& groups) {
  if (transfer.group == 0) return Collective{transfer.type, transfer.bytes, {}};
  const auto group = groups.find(transfer.group);
  if (group == groups.end() || group->second.size() < 2) return std::nullopt;
  return Collective{transfer.type, transfer.bytes, group->second};
}

/// The times of a job's communications, each computed once.
class NetworkTimes {
 public:
  NetworkTimes(const GroupMembers& groups, const JobNetwork& network)
      : groups_(groups), network_(network) {}

  std::optional<Ns> of(NodeType type, const IssueCommunication& c) {
    const auto [known, is_new] = times_.try_emplace(transfer_of(type, c));
    if (is_new)
      known->second = transfer_time(known->first, groups_, network_.network, network_.system);
    return known->second;
  }

  std::string unmeasured_setting_of(NodeType type, const IssueCommunication& c) const {
    if (type == NodeType::kSend)
      return unmeasured_setting(nullptr, network_.network, network_.system);
    const auto collective = collective_of(transfer_of(type, c), groups_);
    return collective ? unmeasured_setting(&*collective, network_.network, network_.system) : "";
  }

  /// `members`, ascending, and `starts_ns` belong together. Its time is known.
  std::vector<Ns> ends(const IssueCommunication& c, const std::vector<std::int64_t>& members,
                       const std::vector<Ns>& starts_ns) const {
    const Collective collective = *collective_of(transfer_of(NodeType::kCollective, c), groups_);
    if (collective.members.empty() || collective.members == members)
      return *collective_ends(collective, starts_ns, network_.network, network_.system);
    std::vector<Ns> listed, ends;
    listed.reserve(members.size());
    for (const std::int64_t member : collective.members)
      listed.push_back(starts_ns[position_of(member, members)]);
    listed = *collective_ends(collective, listed, network_.network, network_.system);
    ends.resize(members.size());
    for (std::size_t i = 0; i < listed.size(); ++i)
      ends[position_of(collective.members[i], members)] = listed[i];
    return ends;
  }

 private:
  static std::size_t position_of(std::int64_t member, const std::vector<std::int64_t>& ascending) {
    return static_cast<std::size_t>(std::lower_bound(ascending.begin(), ascending.end(), member) -
                                    ascending.begin());
  }

  const GroupMembers& groups_;
  const JobNetwork& network_;
  std::map<Transfer, std::optional<Ns>> times_;
};

/// The cause is reported of the network or of the system file where it lies there.
std::string unknown_text(NodeType type, const IssueCommunication& c, std::string setting) {
  if (!setting.empty()) return setting;
  const std::string bytes = std::to_string(c.bytes) + " bytes";
  const std::string what =
      type == NodeType::kSend
          ? "a message of " + bytes + " from rank " + std::to_string(c.src) + " to " +
                std::to_string(c.dst)
          : collective_name(c.type) + " of " + bytes + " among " +
                (c.group_number == 0 ? "all ranks" : "group " + std::to_string(c.group_number));
  return what + " was not measured";
}

/// What keeps the job from being run; empty = nothing.
std::string obstacle(const std::vector<IssueRank>& ranks, std::int64_t job_ranks,
                     const JobNetwork& network, NetworkTimes& times) {
  if (!network.unmeasured.empty()) return network.unmeasured;
  const std::int64_t npus = npus_of(network.network);
  if (npus != job_ranks)
    return "it has " + npus_text(npus) + ", and the job " + std::to_string(job_ranks) + " ranks";
  double sum = 0;
  for (const IssueRank& rank : ranks)
    for (std::uint32_t node = 0; node < rank.graph.size(); ++node) {
      const NodeType type = rank.graph.type[node];
      if (is_memory_access(type)) return "memory nodes take what the memory file says";
      if (!is_communication(type)) continue;
      const IssueCommunication c = rank.communication_of(node);
      if (!takes_network_time(type, c)) continue;
      const auto time = times.of(type, c);
      if (!time) return unknown_text(type, c, times.unmeasured_setting_of(type, c));
      sum += static_cast<double>(*time);
    }
  return sum > kLongestSum ? "communication takes more than 30 years" : "";
}

}  // namespace

Transfer transfer_of(NodeType type, const IssueCommunication& c) {
  if (type == NodeType::kCollective) return {type, c.type, c.bytes, c.group_number, 0, 0};
  return {NodeType::kSend, 0, c.bytes, 0, c.src, c.dst};
}

std::optional<Ns> transfer_time(const Transfer& transfer, const GroupMembers& groups,
                                const Network& network, const CollectiveSystem& system) {
  if (transfer.node_type == NodeType::kSend)
    return message_time(transfer.src, transfer.dst, transfer.bytes, network);
  const auto collective = collective_of(transfer, groups);
  return collective ? collective_time(*collective, network, system) : std::nullopt;
}

NetworkRun run_on_network(const std::vector<IssueRank>& ranks, const GroupMembers& groups,
                          const JobNetwork& network, std::int64_t job_ranks) {
  job_ranks = std::max<std::int64_t>(job_ranks, std::ssize(ranks));
  NetworkTimes times(groups, network);
  const std::string reason = obstacle(ranks, job_ranks, network, times);
  if (!reason.empty()) return {std::nullopt, reason};
  const CommunicationTime time = [&](NodeType type, const IssueCommunication& c, Ns measured) {
    return takes_network_time(type, c) ? *times.of(type, c) : measured;
  };
  const CollectiveEnds ends = [&](const IssueCommunication& c, const auto& members,
                                  const auto& starts_ns) {
    return times.ends(c, members, starts_ns);
  };
  const IssueResult result = simulate_issue(ranks, groups, time, ends, job_ranks);
  if (result.stuck.empty()) return {result.makespan_ns, ""};
  const StuckRank& stuck = result.stuck.front();
  return {std::nullopt, place_of(stuck.rank, ranks[stuck.rank], stuck.first) + " " + stuck.why};
}

Ns makespan_without_communication(const std::vector<IssueRank>& ranks, const GroupMembers& groups,
                                  std::int64_t job_ranks) {
  const CommunicationTime nothing = [](NodeType, const IssueCommunication&, Ns) { return Ns{0}; };
  return simulate_issue(ranks, groups, nothing, {}, job_ranks).makespan_ns;
}

}  // namespace nadi::astra_sim
