#include "nadi/sim_bridge/job/match_communications.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "et_def.pb.h"
#include "nadi/base/error.h"
#include "nadi/chakra/communication_name.h"
#include "nadi/sim_bridge/job/align_sequences.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi {
namespace {

using namespace ChakraProtoMsg;

constexpr std::size_t kMostShown = 12;  // rows of the table

std::string rank_text(const Job& job, std::size_t rank) {
  return std::to_string(job.ranks[rank].recorded_rank);
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
    visit_sequences(
        collect(), [&](std::uint32_t rank, std::uint32_t node) { return entry_of(rank, node); },
        [&](const Sequence& sequence) { match(sequence); });
    table_.throw_if_any(job_);
    align_clocks();
    return std::move(matches_);
  }

 private:
  using Nodes = std::vector<std::uint32_t>;  // by member

  JobCommunication& communication(std::size_t rank, std::uint32_t node) {
    return job_.ranks[rank].communication_of(node);
  }

  SequenceTable collect() {
    SequenceTable table;
    for (std::uint32_t group = 0; group < job_.groups.size(); ++group)
      for (const std::int64_t rank : job_.groups[group].ranks)
        table[{.group = group}][{false, static_cast<std::uint32_t>(rank)}];
    for (std::uint32_t rank = 0; rank < job_.ranks.size(); ++rank) {
      const JobRank& r = job_.ranks[rank];
      for (std::uint32_t node = 0; node < r.size(); ++node) {
        if (r.is_dropped[node] || r.communication[node] == kNoIndex) continue;
        const JobCommunication& c = r.communication_of(node);
        if (r.type[node] == NodeType::kCollective) {
          table[{.group = c.job_group}][{false, rank}].push_back(node);
        } else if (c.src == c.dst) {
          drop(rank, node, Finding::kMessageToItselfDropped);
        } else {
          const std::string_view name = job_.graph_of(rank).strings[c.group];
          auto& members = table[{.src = c.src, .dst = c.dst, .name = name}];
          members[{false, static_cast<std::uint32_t>(c.src)}];
          members[{true, static_cast<std::uint32_t>(c.dst)}];
          members[{r.type[node] == NodeType::kReceive, rank}].push_back(node);
        }
      }
    }
    return table;
  }

  void drop(std::size_t rank, std::uint32_t node, Finding kind) {
    job_.ranks[rank].is_dropped[node] = true;
    diagnostics_.report(kind, [&] { return job_.place_of(rank, node); });
  }

  void align_clocks() {
    std::vector<std::optional<Ns>> base_ns;
    for (const JobRank& rank : job_.ranks) base_ns.push_back(job_.graphs[rank.graph].base_time_ns);
    HostClocks found = align_host_clocks(base_ns, times_);
    if (found.corrected > 0 && found.source == ClockSource::kContradicted)
      diagnostics_.report(Finding::kClocksContradict,
                          "ranks are ordered by the ends of what they communicate",
                          found.corrected);
    matches_.clocks = std::move(found.clocks);
    matches_.clock_source = found.source;
  }

  SequenceEntry entry_of(std::uint32_t rank, std::uint32_t node) {
    const JobRank& r = job_.ranks[rank];
    const JobCommunication& c = r.communication_of(node);
    const Ns start = recorded_clock(rank).job_ns(r.start_ns[node]);
    return {c.type, start, start + r.duration_ns[node], c.bytes, c.tag, node};
  }

  const RankClock& recorded_clock(std::size_t rank) const {
    return recorded_clocks_[job_.ranks[rank].graph];
  }

  void match(const Sequence& sequence) {
    const bool drops = sequence.key.is_of_messages() && drops_lonely_;
    const AlignedSequence aligned =
        align_sequence(sequence, {.trusts_positions = true, .needs_all = !drops});
    auto lost = aligned.lost.begin();
    for (std::size_t row = 0; row < aligned.size(); ++row) {
      Nodes nodes = sequence.nodes(aligned[row]);
      for (; !drops && lost != aligned.lost.end() && lost->row == row; ++lost)
        nodes[lost->member] = restore(sequence, *lost, nodes[lost->partner]);
      if (sequence.key.is_of_messages())
        match_message(sequence, nodes, row);
      else
        match_collective(sequence, nodes, row);
    }
  }

  /// Adds what a member lost to its rank: the partner's node, on the lane of the one like it.
  std::uint32_t restore(const Sequence& sequence, const LostEntry& lost, std::uint32_t copied) {
    const std::size_t on = sequence.ranks[lost.member], partner = sequence.ranks[lost.partner];
    JobRank& rank = job_.ranks[on];
    const std::uint32_t node = rank.add_copy(job_.ranks[partner], copied);
    JobCommunication what = communication(partner, copied);
    StringTable& strings = job_.graphs[rank.graph].strings;
    for (StringId* text : {&what.group, &what.dtype})
      *text = strings.intern(job_.graph_of(partner).strings[*text]);
    rank.add_communication(node, what);
    assert(rank.communication[node] == node);
    if (sequence.key.is_of_messages())
      rank.type[node] = lost.member == 0 ? NodeType::kSend : NodeType::kReceive;
    rank.row[node] = kNoIndex;
    rank.added[node] = AddedNode::kRestored;
    rank.lane[node] = rank.lane[lost.like];
    rank.start_ns[node] = lost.end_ns - recorded_clock(on).shift_ns - rank.duration_ns[node];
    diagnostics_.report(Finding::kCommunicationRestored,
                        "rank " + rank_text(job_, on) + ", as " + job_.place_of(partner, copied));
    return node;
  }

  void match_collective(const Sequence& sequence, const Nodes& nodes, std::size_t position) {
    JobCollective collective{sequence.key.group, nodes};
    if (!agree(collective)) return table_.add(row_of(collective, position));
    matches_.collectives.push_back(std::move(collective));
    if (nodes.size() > 1)  // else of a group that grows
      add_times(sequence, nodes, communication(sequence.ranks.front(), nodes.front()).type);
  }

  void add_times(const Sequence& sequence, const Nodes& nodes, std::int64_t type) {
    CommonTimes& common = times_.emplace_back();
    common.order = comm_order_of(type, sequence.key.is_of_messages());
    for (std::size_t member = 0; member < nodes.size(); ++member) {
      const JobRank& rank = job_.ranks[sequence.ranks[member]];
      common.members.push_back(
          {sequence.ranks[member], rank.start_ns[nodes[member]], rank.end_ns(nodes[member])});
    }
  }

  /// True if all members have the collective, with one type and one size. Where the type allows
  /// different sizes, all get the largest one, which is reported.
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
  std::string row_of(const JobCollective& collective, std::size_t position) {
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
                       std::to_string(position + 1) + ": ";
    bool is_first = true;
    for (const auto& [what, ranks] : ranks_by_text) {
      const char* where = ranks.find(',') == std::string::npos ? " on rank " : " on ranks ";
      text += (is_first ? "" : "; ") + what + where + ranks;
      is_first = false;
    }
    return text;
  }

  std::string message_text(const SequenceKey& key, std::size_t position) const {
    return "message " + std::to_string(position + 1) + " from rank " +
           rank_text(job_, static_cast<std::size_t>(key.src)) + " to rank " +
           rank_text(job_, static_cast<std::size_t>(key.dst)) +
           (key.name.empty() ? "" : " in group \"" + std::string(key.name) + "\"");
  }

  void match_message(const Sequence& sequence, const Nodes& nodes, std::size_t position) {
    const bool is_sent = nodes[0] != kNoIndex;
    if (!is_sent || nodes[1] == kNoIndex) {
      if (drops_lonely_)
        return drop(sequence.ranks[is_sent ? 0 : 1], nodes[is_sent ? 0 : 1],
                    Finding::kMessageWithoutPartnerDropped);
      return table_.add(message_text(sequence.key, position) +
                        (is_sent ? ": sent but never received" : ": received but never sent"));
    }
    const std::uint32_t source = sequence.ranks[0], destination = sequence.ranks[1];
    JobCommunication& sent = communication(source, nodes[0]);
    JobCommunication& received = communication(destination, nodes[1]);
    if (sent.bytes > 0 && received.bytes > 0 && sent.bytes != received.bytes)
      table_.add(message_text(sequence.key, position) + ": " + std::to_string(sent.bytes) +
                 " bytes sent, " + std::to_string(received.bytes) + " received");
    sent.bytes = received.bytes = std::max(sent.bytes, received.bytes);
    sent.tag = received.tag = next_tag_[{source, destination}]++;
    matches_.messages.push_back({source, nodes[0], destination, nodes[1]});
    add_times(sequence, nodes, sent.type);
  }

  Job& job_;
  const bool drops_lonely_;
  Diagnostics& diagnostics_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> next_tag_;  // by source, receiver
  std::vector<RankClock> recorded_clocks_;                                    // by graph
  std::vector<CommonTimes> times_;                                            // of what matched
  MismatchTable table_;
  JobMatches matches_;
};

}  // namespace

JobMatches match_communications(Job& job, bool drops_lonely_messages, Diagnostics& diagnostics) {
  return Matcher(job, drops_lonely_messages, diagnostics).match();
}

}  // namespace nadi
