#include "nadi/sim_bridge/job/match_communications.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "nadi/base/error.h"
#include "nadi/sim_bridge/job/align_sequences.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi {
namespace {

// Communication that one rank's records lack and those of its partners have.

/// A node of the job: its rank and its place in JobRank::nodes.
struct JobNodeOf {
  std::size_t rank = 0;
  std::uint32_t node = kNoIndex;
};

/// What the partner of such a node runs.
NodeType other_end(NodeType type) {
  switch (type) {
    case NodeType::kSend:
      return NodeType::kReceive;
    case NodeType::kReceive:
      return NodeType::kSend;
    default:
      return type;
  }
}

/// Adds to the rank of `own` what `partner` has, on the lane of `own`. It ended when the partner's
/// did; `own` and `own_partner` are one communication, and tell how their clocks differ.
std::uint32_t add_lost(Job& job, const JobNodeOf& partner, const JobNodeOf& own,
                       const JobNodeOf& own_partner) {
  const auto node = [&](const JobNodeOf& of) -> const JobNode& {
    return job.ranks[of.rank].nodes[of.node];
  };
  JobRank& rank = job.ranks[own.rank];
  JobNode lost = node(partner);
  const Ns end = end_of(lost) + end_of(node(own)) - end_of(node(own_partner));
  lost.type = other_end(lost.type);
  lost.row = kNoIndex;
  lost.synthetic_name = "communication restored";
  lost.lane = node(own).lane;
  lost.start_ns = end - lost.duration_ns;
  rank.communications.push_back(job.ranks[partner.rank].communications[lost.communication]);
  lost.communication = static_cast<std::uint32_t>(rank.nodes.size());
  rank.nodes.push_back(lost);
  return lost.communication;
}

using namespace ChakraProtoMsg;

constexpr std::size_t kMostShown = 12;  // rows of the table

std::string rank_text(const Job& job, std::size_t rank) {
  return std::to_string(job.ranks[rank].recorded_rank);
}

/// Uneven splits and gathers of unequal parts are legal in PyTorch.
bool may_differ_in_size(std::int64_t type) {
  return type != ALL_REDUCE && type != REDUCE && type != BROADCAST;
}

/// Lines of text that show what ranks disagree about.
class MismatchTable {
 public:
  void add(std::string row) {
    if (rows_.size() < kMostShown) rows_.push_back(std::move(row));
    ++count_;
  }
  void throw_if_any(const Job& job) const {
    if (count_ == 0) return;
    std::string text = "the ranks do not communicate alike (" + std::to_string(count_) +
                       (count_ == 1 ? " mismatch" : " mismatches") + "):";
    for (const std::string& row : rows_) text += "\n  " + row;
    if (count_ > rows_.size()) text += "\n  …";
    throw Error(ErrorCode::kInput, names_text(job.graphs), text,
                "A simulator would wait for ever. Record the same steps on all ranks, or convert "
                "the steps that all have (`steps=A-B`)");
  }

 private:
  std::vector<std::string> rows_;
  std::uint64_t count_ = 0;
};

class Matcher {
 public:
  Matcher(Job& job, bool drops_lonely, Diagnostics& diagnostics)
      : job_(job), drops_lonely_(drops_lonely), diagnostics_(diagnostics) {
    recorded_clocks_ =
        recorded_clocks(base_times(job.graphs)).value_or(std::vector<RankClock>(job.graphs.size()));
  }

  JobMatches match() {
    collect();
    for (std::uint32_t group = 0; group < job_.groups.size(); ++group) match_group(group);
    match_messages();
    table_.throw_if_any(job_);
    align_clocks();
    return std::move(matches_);
  }

 private:
  using Nodes = std::vector<std::uint32_t>;
  using MessageKey = std::tuple<std::int64_t, std::int64_t, std::string_view>;  // from, to, group

  JobCommunication& communication(std::size_t rank, std::uint32_t node) {
    JobRank& r = job_.ranks[rank];
    return r.communications[r.nodes[node].communication];
  }

  void collect() {
    collectives_.resize(job_.ranks.size());
    for (std::size_t rank = 0; rank < job_.ranks.size(); ++rank)
      for (std::uint32_t node = 0; node < job_.ranks[rank].nodes.size(); ++node) {
        JobNode& n = job_.ranks[rank].nodes[node];
        if (n.is_dropped || n.communication == kNoIndex) continue;
        const JobCommunication& c = communication(rank, node);
        if (n.type == NodeType::kCollective)
          collectives_[rank][c.group].push_back(node);
        else if (c.src == c.dst)
          drop(rank, node, Finding::kMessageToItselfDropped);
        else
          (n.type == NodeType::kSend ? sends_ : receives_)[{c.src, c.dst, c.group_name}].push_back(
              node);
      }
  }

  void drop(std::size_t rank, std::uint32_t node, Finding kind) {
    job_.ranks[rank].nodes[node].is_dropped = true;
    diagnostics_.report(kind, [&] { return job_.place_of(rank, node); });
  }

  Attendance attendance(std::int64_t rank, std::uint32_t node) const {
    const auto of = static_cast<std::uint32_t>(rank);
    const JobNode& n = job_.ranks[of].nodes[node];
    return {of, n.start_ns, end_of(n)};
  }

  void align_clocks() {
    std::vector<std::optional<Ns>> base_ns;
    for (const JobRank& rank : job_.ranks) base_ns.push_back(job_.graphs[rank.graph].base_time_ns);
    std::vector<CommonTimes> communications;
    for (const JobCollective& collective : matches_.collectives) {
      const auto& ranks = job_.groups[collective.group].ranks;
      if (ranks.size() < 2) continue;  // of a group that grows
      const auto first = static_cast<std::size_t>(ranks.front());
      CommonTimes& common = communications.emplace_back();
      common.order = comm_order_of(communication(first, collective.nodes.front()).type, false);
      for (std::size_t i = 0; i < ranks.size(); ++i)
        common.members.push_back(attendance(ranks[i], collective.nodes[i]));
    }
    for (const JobMessage& message : matches_.messages)
      communications.push_back({CommOrder::kSourceBeforeReceiver,
                                {attendance(message.source, message.send),
                                 attendance(message.destination, message.receive)}});
    HostClocks found = align_host_clocks(base_ns, communications);
    if (found.corrected > 0 && found.source == ClockSource::kContradicted)
      diagnostics_.report(Finding::kClocksContradict,
                          "ranks are ordered by the ends of what they communicate",
                          found.corrected);
    matches_.clocks = std::move(found.clocks);
    matches_.clock_source = found.source;
  }

  SequenceEntry entry_of(const JobNodeOf& of) {
    const JobNode& node = job_.ranks[of.rank].nodes[of.node];
    const Ns start = recorded_clocks_[job_.ranks[of.rank].graph].job_ns(node.start_ns);
    return {communication(of.rank, of.node).type, start, start + node.duration_ns};
  }

  /// Whether all members have as many, of equal types and sizes place by place. No simulator can
  /// tell then whether other ones belong together, and a row with damaged times stays harmless.
  bool are_alike_by_place(const std::vector<std::size_t>& ranks,
                          const std::vector<Nodes>& members) {
    for (std::size_t i = 1; i < members.size(); ++i) {
      if (members[i].size() != members[0].size()) return false;
      for (std::size_t place = 0; place < members[0].size(); ++place) {
        const JobCommunication& a = communication(ranks[0], members[0][place]);
        const JobCommunication& b = communication(ranks[i], members[i][place]);
        const bool is_size_free = a.bytes <= 0 || b.bytes <= 0 || may_differ_in_size(a.type);
        if (a.type != b.type || (!is_size_free && a.bytes != b.bytes)) return false;
      }
    }
    return true;
  }

  Sequence sequence_of(const std::vector<std::size_t>& ranks, const std::vector<Nodes>& members,
                       bool is_of_messages) {
    Sequence sequence;
    sequence.is_of_messages = is_of_messages;
    for (std::size_t i = 0; i < members.size(); ++i) {
      auto& entries = sequence.members.emplace_back();
      entries.reserve(members[i].size());
      for (const std::uint32_t node : members[i]) entries.push_back(entry_of({ranks[i], node}));
    }
    return sequence;
  }

  /// By row: each member's node, by place or by time. Few that are lost are restored; where more
  /// are missing, rows are by place, to be refused.
  std::vector<Nodes> align(const std::vector<std::size_t>& ranks, const std::vector<Nodes>& members,
                           bool is_of_messages) {
    std::vector<std::size_t> lengths;
    lengths.reserve(members.size());
    for (const Nodes& nodes : members) lengths.push_back(nodes.size());
    AlignedSequence aligned = by_place(lengths);
    const bool drops_them = is_of_messages && drops_lonely_;
    bool are_few = false;
    if (!are_alike_by_place(ranks, members)) {
      AlignedSequence by_time = align_sequence(sequence_of(ranks, members, is_of_messages));
      are_few = has_few_losses(by_time);
      if (are_few || drops_them) aligned = std::move(by_time);
    }
    std::vector<Nodes> rows(aligned.size(), Nodes(members.size(), kNoIndex));
    for (std::size_t row = 0; row < rows.size(); ++row)
      for (std::size_t i = 0; i < members.size(); ++i)
        if (aligned[row][i] != kNoIndex) rows[row][i] = members[i][aligned[row][i]];
    if (are_few && !drops_them) restore(ranks, aligned, rows);
    return rows;
  }

  void restore(const std::vector<std::size_t>& ranks, const AlignedSequence& aligned,
               std::vector<Nodes>& rows) {
    for (std::size_t row = 0; row < rows.size(); ++row)
      for (std::size_t i = 0; i < ranks.size(); ++i)
        if (aligned[row][i] == kNoIndex) restore(ranks, aligned, row, i, rows);
  }

  void restore(const std::vector<std::size_t>& ranks, const AlignedSequence& aligned,
               std::size_t row, std::size_t lacks, std::vector<Nodes>& rows) {
    std::size_t has = 0;
    while (aligned[row][has] == kNoIndex) ++has;
    const auto common = aligned.nearest_common(row, has, lacks);
    if (!common) return;
    std::uint32_t& node = rows[row][lacks];
    node = add_lost(job_, {ranks[has], rows[row][has]}, {ranks[lacks], rows[*common][lacks]},
                    {ranks[has], rows[*common][has]});
    diagnostics_.report(Finding::kCommunicationRestored,
                        "rank " + rank_text(job_, ranks[lacks]) + ", as " +
                            job_.place_of(ranks[has], rows[row][has]));
  }

  void match_group(std::uint32_t group) {
    std::vector<std::size_t> ranks;
    std::vector<Nodes> members;
    for (const std::int64_t rank : job_.groups[group].ranks) {
      ranks.push_back(static_cast<std::size_t>(rank));
      members.push_back(collectives_[ranks.back()][group]);
    }
    const std::vector<Nodes> rows = align(ranks, members, false);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      JobCollective collective{group, rows[row]};
      if (!agree(collective))
        table_.add(row_of(collective, row));
      else
        matches_.collectives.push_back(std::move(collective));
    }
  }

  /// True where all members have it with one type and, made one here if legal, one size.
  bool agree(const JobCollective& collective) {
    const auto& members = job_.groups[collective.group].ranks;
    if (std::count(collective.nodes.begin(), collective.nodes.end(), kNoIndex) != 0) return false;
    std::int64_t most = 0;
    bool differs = false;
    const auto of = [&](std::size_t i) -> JobCommunication& {
      return communication(static_cast<std::size_t>(members[i]), collective.nodes[i]);
    };
    const std::int64_t type = of(0).type;
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (of(i).type != type) return false;
      const std::int64_t bytes = of(i).bytes;
      if (most > 0 && bytes > 0 && bytes != most) differs = true;
      most = std::max(most, bytes);
    }
    if (differs && !may_differ_in_size(type)) return false;
    if (differs)
      diagnostics_.report(Finding::kUnevenCollective, collective_name(type) + " of \"" +
                                                          job_.groups[collective.group].name +
                                                          "\": the largest size stands for all");
    for (std::size_t i = 0; i < members.size(); ++i) of(i).bytes = most;
    return true;
  }

  /// "group "1" (tp), collective 3: ALL_REDUCE of 4096 bytes on ranks 0, 1; nothing on rank 2".
  std::string row_of(const JobCollective& collective, std::size_t place) {
    const JobGroup& group = job_.groups[collective.group];
    std::map<std::string, std::string> ranks_by_text;
    for (std::size_t i = 0; i < collective.nodes.size(); ++i) {
      const auto rank = static_cast<std::size_t>(group.ranks[i]);
      std::string text = "nothing";
      if (collective.nodes[i] != kNoIndex) {
        const JobCommunication& c = communication(rank, collective.nodes[i]);
        text = collective_name(c.type) + " of " + std::to_string(c.bytes) + " bytes";
      }
      std::string& ranks = ranks_by_text[text];
      if (ranks.size() < 100) ranks += (ranks.empty() ? "" : ", ") + rank_text(job_, rank);
    }
    std::string text = "group \"" + group.name + "\"" +
                       (group.desc.empty() ? "" : " (" + group.desc + ")") + ", collective " +
                       std::to_string(place + 1) + ": ";
    bool is_first = true;
    for (const auto& [what, ranks] : ranks_by_text) {
      const char* where = ranks.find(',') == std::string::npos ? " on rank " : " on ranks ";
      text += (is_first ? "" : "; ") + what + where + ranks;
      is_first = false;
    }
    return text;
  }

  using KeysByPair = std::map<std::pair<std::int64_t, std::int64_t>, std::vector<MessageKey>>;

  static KeysByPair keys_only_in(const std::map<MessageKey, Nodes>& some,
                                 const std::map<MessageKey, Nodes>& others) {
    KeysByPair keys;
    for (const auto& [key, nodes] : some)
      if (!others.contains(key)) keys[{std::get<0>(key), std::get<1>(key)}].push_back(key);
    return keys;
  }

  static void merge(std::map<MessageKey, Nodes>& ends, const std::vector<MessageKey>& keys,
                    const MessageKey& into) {
    Nodes all;
    for (const MessageKey& key : keys) {
      const Nodes nodes = std::move(ends.extract(key).mapped());
      all.insert(all.end(), nodes.begin(), nodes.end());
    }
    std::sort(all.begin(), all.end());
    ends[into] = std::move(all);
  }

  /// Where each end of a pair has names that the other lacks, these stand for each other, and the
  /// order of their messages alone decides. A name that only one end lacks is no such name.
  void merge_differing_names() {
    const KeysByPair of_sends = keys_only_in(sends_, receives_);
    const KeysByPair of_receives = keys_only_in(receives_, sends_);
    for (const auto& [pair, keys] : of_sends) {
      const auto others = of_receives.find(pair);
      if (others == of_receives.end()) continue;
      merge(sends_, keys, keys.front());
      merge(receives_, others->second, keys.front());
    }
  }

  void match_messages() {
    merge_differing_names();
    for (const auto& [key, nodes] : receives_) sends_.try_emplace(key);
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> next_tag;
    for (const auto& [key, sends] : sends_) {
      const auto& [from, to, group] = key;
      const auto source = static_cast<std::size_t>(from),
                 destination = static_cast<std::size_t>(to);
      const std::vector<Nodes> rows =
          align({source, destination}, {by_tag(source, sends), by_tag(destination, receives_[key])},
                true);
      for (std::size_t row = 0; row < rows.size(); ++row) {
        const std::uint32_t send = rows[row][0], receive = rows[row][1];
        if (send == kNoIndex)
          leave_alone(destination, receive, key, row, "received but never sent");
        else if (receive == kNoIndex)
          leave_alone(source, send, key, row, "sent but never received");
        else
          match_message(key, send, receive, row, next_tag[{from, to}]++);
      }
    }
  }

  Nodes by_tag(std::size_t rank, Nodes nodes) {
    std::stable_sort(nodes.begin(), nodes.end(), [&](std::uint32_t a, std::uint32_t b) {
      return communication(rank, a).tag < communication(rank, b).tag;
    });
    return nodes;
  }

  std::string message_text(const MessageKey& key, std::size_t place) const {
    const auto& [from, to, group] = key;
    return "message " + std::to_string(place + 1) + " from rank " +
           rank_text(job_, static_cast<std::size_t>(from)) + " to rank " +
           rank_text(job_, static_cast<std::size_t>(to)) +
           (group.empty() ? "" : " in group \"" + std::string(group) + "\"");
  }

  void leave_alone(std::size_t rank, std::uint32_t node, const MessageKey& key, std::size_t place,
                   const char* what) {
    if (drops_lonely_)
      drop(rank, node, Finding::kMessageWithoutPartnerDropped);
    else
      table_.add(message_text(key, place) + ": " + what);
  }

  void match_message(const MessageKey& key, std::uint32_t send, std::uint32_t receive,
                     std::size_t place, std::int64_t tag) {
    const auto& [from, to, group] = key;
    const auto source = static_cast<std::size_t>(from), destination = static_cast<std::size_t>(to);
    JobCommunication& sent = communication(source, send);
    JobCommunication& received = communication(destination, receive);
    if (sent.bytes > 0 && received.bytes > 0 && sent.bytes != received.bytes)
      table_.add(message_text(key, place) + ": " + std::to_string(sent.bytes) + " bytes sent, " +
                 std::to_string(received.bytes) + " received");
    sent.bytes = received.bytes = std::max(sent.bytes, received.bytes);
    sent.tag = received.tag = tag;
    matches_.messages.push_back({static_cast<std::uint32_t>(source), send,
                                 static_cast<std::uint32_t>(destination), receive});
  }

  Job& job_;
  const bool drops_lonely_;
  Diagnostics& diagnostics_;
  std::vector<std::map<std::uint32_t, Nodes>> collectives_;  // by rank, by group
  std::map<MessageKey, Nodes> sends_, receives_;
  std::vector<RankClock> recorded_clocks_;  // by graph
  MismatchTable table_;
  JobMatches matches_;
};

}  // namespace

JobMatches match_communications(Job& job, bool drops_lonely_messages, Diagnostics& diagnostics) {
  return Matcher(job, drops_lonely_messages, diagnostics).match();
}

}  // namespace nadi
