#include "nadi/sim_bridge/astra_sim/proxy_ranks.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "et_def.pb.h"
#include "nadi/base/count_text.h"
#include "nadi/base/error.h"
#include "nadi/base/range_text.h"
#include "nadi/sim_bridge/job/align_sequences.h"

namespace nadi::astra_sim {
namespace {

using namespace ChakraProtoMsg;

/// Nodes of one rank that start together on one lane are operations of one kernel.
bool are_of_one_kernel(const JobRank& rank, std::uint32_t a, std::uint32_t b) {
  return rank.has_row(a) && rank.has_row(b) && rank.lane[a] == rank.lane[b] &&
         rank.start_ns[a] == rank.start_ns[b];
}

/// By communicating node: the duration of its kernel, which one of the kernel's nodes has; 0 = the
/// rank's records do not say.
std::vector<Ns> kernel_durations(const JobRank& rank) {
  std::map<std::pair<std::uint32_t, Ns>, Ns> longest;  // by lane and start
  const auto of_kernel = [&](std::uint32_t n) -> Ns& {
    return longest[{rank.lane[n], rank.start_ns[n]}];
  };
  for (std::uint32_t n = 0; n < rank.size(); ++n)
    if (rank.has_row(n)) of_kernel(n) = std::max(of_kernel(n), rank.duration_ns[n]);
  std::vector<Ns> durations;
  durations.reserve(rank.size());
  for (std::uint32_t n = 0; n < rank.size(); ++n)
    durations.push_back(rank.has_row(n) ? of_kernel(n) : 0);
  return durations;
}

class ProxyMaker {
 public:
  ProxyMaker(Job& job, JobMatches& matches) : job_(job), matches_(matches) {
    kernel_ns_.reserve(job.ranks.size());
    for (const JobRank& rank : job.ranks) kernel_ns_.push_back(kernel_durations(rank));
  }

  std::vector<ProxyRank> make() {
    sender_.resize(matches_.collectives.size(), kNoIndex);
    make_pairs();
    proxy_of_group_.assign(job_.groups.size(), kNoIndex);
    for (std::uint32_t i = 0; i < matches_.collectives.size(); ++i) add(i);
    choose_leads();
    order_early();
    return std::move(proxies_);
  }

 private:
  struct EarlyNode {
    std::uint32_t proxy, collective, member, node;
  };

  /// Messages become collectives of a sender and its receiver.
  void make_pairs() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> group_of_pair;
    for (const JobMessage& message : std::exchange(matches_.messages, {})) {
      const auto group = static_cast<std::uint32_t>(job_.groups.size());
      const auto [known, is_new] =
          group_of_pair.try_emplace({message.source, message.destination}, group);
      if (is_new)
        job_.groups.push_back({"rank " + std::to_string(message.source) + " to rank " +
                                   std::to_string(message.destination),
                               "",
                               {std::min(message.source, message.destination),
                                std::max(message.source, message.destination)}});
      const bool is_source_first = message.source < message.destination;
      sender_.push_back(is_source_first ? 0 : 1);
      JobCollective& pair = matches_.collectives.emplace_back();
      pair.group = known->second;
      pair.nodes = {message.send, message.receive};
      if (!is_source_first) std::swap(pair.nodes.front(), pair.nodes.back());
    }
  }

  void add(std::uint32_t index) {
    const JobCollective& collective = matches_.collectives[index];
    const std::uint32_t number = proxy_of(collective.group);
    ProxyRank& proxy = proxies_[number];
    const auto position = static_cast<std::uint32_t>(proxy.transfer_ns.size());
    const std::vector<std::uint32_t> early = early_members(index);
    for (const std::uint32_t member : early) {
      proxy.early.push_back({position, member, kernel_ns(collective, member)});
      early_.push_back({number, index, member, kNoIndex});
    }
    const std::uint32_t before = std::exchange(last_of_proxy_[number], index);
    const bool is_carried = before != kNoIndex && share_kernel(before, index);
    proxy.transfer_ns.push_back(is_carried ? 0 : transfer_time(collective, early));
    for (std::size_t i = 0; i < collective.nodes.size(); ++i) {
      JobRank& rank = rank_of(collective, i);
      rank.type[collective.nodes[i]] = NodeType::kCollective;
      JobCommunication& what = rank.communication_of(collective.nodes[i]);
      what.type = BARRIER;
      what.job_group = collective.group;
      what.bytes = 1;
      what.dst = std::ssize(job_.ranks) + number;
      what.tag = position;
    }
  }

  std::uint32_t proxy_of(std::uint32_t group) {
    std::uint32_t& proxy = proxy_of_group_[group];
    if (proxy == kNoIndex) {
      proxy = static_cast<std::uint32_t>(proxies_.size());
      proxies_.emplace_back().members = job_.groups[group].ranks;
      last_of_proxy_.push_back(kNoIndex);
    }
    return proxy;
  }

  std::size_t rank_number(const JobCollective& collective, std::size_t member) const {
    return static_cast<std::size_t>(job_.groups[collective.group].ranks[member]);
  }
  JobRank& rank_of(const JobCollective& collective, std::size_t member) {
    return job_.ranks[rank_number(collective, member)];
  }
  Ns kernel_ns(const JobCollective& collective, std::size_t member) const {
    return kernel_ns_[rank_number(collective, member)][collective.nodes[member]];
  }
  Ns start_ns(const JobCollective& collective, std::size_t member) {
    return matches_.clocks[rank_number(collective, member)].job_ns(
        rank_of(collective, member).start_ns[collective.nodes[member]]);
  }

  /// Members that had ended before the last one started, where that can be.
  std::vector<std::uint32_t> early_members(std::uint32_t index) {
    const JobCollective& collective = matches_.collectives[index];
    const bool is_message = sender_[index] != kNoIndex;
    const std::int64_t type = rank_of(collective, 0).communication_of(collective.nodes[0]).type;
    if (!is_message && comm_order_of(type, false) == CommOrder::kAllBeforeAny) return {};
    const auto members = static_cast<std::uint32_t>(collective.nodes.size());
    Ns last = kNoTime;
    for (std::uint32_t i = 0; i < members; ++i)
      if (kernel_ns(collective, i) > 0) last = std::max(last, start_ns(collective, i));
    std::vector<std::uint32_t> early;
    for (std::uint32_t i = 0; i < members; ++i) {
      const Ns duration = kernel_ns(collective, i);
      if (duration == 0 || (is_message && i != sender_[index])) continue;
      if (start_ns(collective, i) + duration + kClockResolution < last) early.push_back(i);
    }
    return early;
  }

  /// ns; 0 where no member's records say it.
  Ns transfer_time(const JobCollective& collective, const std::vector<std::uint32_t>& early) const {
    Ns shortest = 0;
    for (std::uint32_t i = 0; i < collective.nodes.size(); ++i) {
      const Ns duration = kernel_ns(collective, i);
      if (duration == 0 || std::binary_search(early.begin(), early.end(), i)) continue;
      shortest = shortest == 0 ? duration : std::min(shortest, duration);
    }
    return shortest;
  }

  /// True where a kernel of a member carries both, which are of one group.
  bool share_kernel(std::uint32_t before, std::uint32_t index) {
    const JobCollective& a = matches_.collectives[before];
    const JobCollective& b = matches_.collectives[index];
    for (std::size_t i = 0; i < a.nodes.size(); ++i)
      if (are_of_one_kernel(rank_of(a, i), a.nodes[i], b.nodes[i])) return true;
    return false;
  }

  /// Where each member of a group was early at some time, none can lead: all are taken to have
  /// waited, each time.
  void choose_leads() {
    for (ProxyRank& proxy : proxies_) {
      std::vector<bool> is_early(proxy.members.size(), false);
      for (const ProxyRank::EarlyMember& early : proxy.early) is_early[early.member] = true;
      const auto lead = std::find(is_early.begin(), is_early.end(), false);
      if (lead == is_early.end())
        proxy.early.clear();
      else
        proxy.lead = static_cast<std::uint32_t>(lead - is_early.begin());
    }
    std::erase_if(early_,
                  [&](const EarlyNode& early) { return proxies_[early.proxy].early.empty(); });
  }

  /// In the order of the job, members that waited come after those that left early; the early ones
  /// are not ordered among each other.
  void order_early() {
    for (EarlyNode& early : early_)
      early.node =
          std::exchange(matches_.collectives[early.collective].nodes[early.member], kNoIndex);
    for (const EarlyNode& early : early_) {
      const JobCollective& rest = matches_.collectives[early.collective];
      const auto waits = std::find_if(rest.nodes.begin(), rest.nodes.end(),
                                      [](std::uint32_t node) { return node != kNoIndex; });
      const std::size_t member = static_cast<std::size_t>(waits - rest.nodes.begin());
      matches_.messages.push_back({static_cast<std::uint32_t>(rank_number(rest, early.member)),
                                   early.node,
                                   static_cast<std::uint32_t>(rank_number(rest, member)), *waits});
    }
  }

  Job& job_;
  JobMatches& matches_;
  std::vector<std::vector<Ns>> kernel_ns_;     // by rank and node
  std::vector<std::uint32_t> sender_;          // by collective: of a message the member that sends
  std::vector<std::uint32_t> proxy_of_group_;  // into proxies_
  std::vector<std::uint32_t> last_of_proxy_;   // its last collective
  std::vector<EarlyNode> early_;
  std::vector<ProxyRank> proxies_;
};

/// The graph of one rank with sends before what become its receives.
class Splitter {
 public:
  Splitter(std::size_t rank, std::size_t first_proxy, JobRank& whole)
      : rank_(static_cast<std::int64_t>(rank)), first_proxy_(first_proxy), whole_(whole) {
    send_of_.assign(whole.size(), kNoIndex);
  }

  void run(std::vector<ProxyRank>& proxies) {
    std::vector<std::uint32_t> order;
    order.reserve(whole_.order.size() + whole_.communications.size());
    for (const std::uint32_t node : whole_.order) {
      if (whole_.communication[node] != kNoIndex) {
        note_order(whole_.communication_of(node), proxies);
        order.push_back(split(node));
      }
      order.push_back(node);
    }
    whole_.order = std::move(order);
    for (JobDependency& dependency : whole_.dependencies)
      if (dependency.node < send_of_.size() && send_of_[dependency.node] != kNoIndex)
        dependency.node = send_of_[dependency.node];
    for (std::uint32_t node = 0; node < send_of_.size(); ++node)
      if (send_of_[node] != kNoIndex) whole_.dependencies.push_back({node, send_of_[node]});
  }

 private:
  void note_order(const JobCommunication& what, std::vector<ProxyRank>& proxies) const {
    const std::size_t number = static_cast<std::size_t>(what.dst) - first_proxy_;
    if (number >= proxies.size()) return;
    ProxyRank& proxy = proxies[number];
    if (proxy.members[proxy.lead] == rank_)
      proxy.order.push_back(static_cast<std::uint32_t>(what.tag));
  }

  /// Returns the send.
  std::uint32_t split(std::uint32_t node) {
    whole_.duration_ns[node] = 0;
    const std::uint32_t send = whole_.add_copy(whole_, node);
    whole_.type[send] = NodeType::kSend;
    whole_.type[node] = NodeType::kReceive;
    JobCommunication& received = whole_.communication_of(node);
    JobCommunication sent = received;
    sent.src = rank_;
    received.src = std::exchange(received.dst, rank_);
    whole_.add_communication(send, sent);
    return send_of_[node] = send;
  }

  const std::int64_t rank_;
  const std::size_t first_proxy_;
  JobRank& whole_;
  std::vector<std::uint32_t> send_of_;  // by node
};

}  // namespace

void require_simulated(const Job& job, std::size_t ranks) {
  constexpr std::size_t kMost = 1 << 16;
  if (ranks <= kMost) return;
  throw Error(
      ErrorCode::kInput, job.graphs.front().name,
      "the job has " + count_text(job.ranks.size(), "rank") + ", and needs " +
          std::to_string(ranks - job.ranks.size()) +
          " more for groups, pairs, and what streams, threads and delays of these do side by "
          "side; more than 65,536 are not simulated",
      "Choose `communication=network`, or convert fewer ranks (`missing=drop`)");
}

std::vector<ProxyRank> make_proxy_ranks(Job& job, JobMatches& matches, Diagnostics& diagnostics) {
  std::vector<ProxyRank> proxies = ProxyMaker(job, matches).make();
  require_simulated(job, job.ranks.size() + proxies.size());
  std::size_t rank = job.ranks.size();
  for (const ProxyRank& proxy : proxies)
    diagnostics.report(Finding::kCommunicationReplayed,
                       "rank " + std::to_string(rank++) + " for what ranks " +
                           range_text(proxy.members) + " communicate",
                       proxy.transfer_ns.size());
  return proxies;
}

void send_to_proxies(std::size_t r, JobRank& whole, std::size_t first_proxy,
                     std::vector<ProxyRank>& proxies) {
  Splitter(r, first_proxy, whole).run(proxies);
}

}  // namespace nadi::astra_sim
