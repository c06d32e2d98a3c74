#include "nadi/sim_bridge/goal/write_goal.h"

#include <algorithm>
#include <string>

#include "nadi/base/error.h"
#include "nadi/sim_bridge/job/match_communications.h"
#include "nadi/sim_bridge/job/prepare.h"
#include "nadi/sim_bridge/job/visit_ranks.h"

namespace nadi::goal {
namespace {

using namespace ChakraProtoMsg;

constexpr std::size_t kFlushBytes = 1 << 20;

/// By rank and communication: which collective of the job it is a member of, else kNoIndex.
std::vector<std::vector<std::uint32_t>> collective_of_communications(const Job& job,
                                                                     const JobMatches& matches) {
  std::vector<std::vector<std::uint32_t>> result;
  for (const JobRank& rank : job.ranks) result.emplace_back(rank.nodes.size(), kNoIndex);
  for (std::uint32_t c = 0; c < matches.collectives.size(); ++c) {
    const JobCollective& collective = matches.collectives[c];
    const auto& ranks = job.groups[collective.group].ranks;
    for (std::size_t i = 0; i < ranks.size(); ++i)
      result[static_cast<std::size_t>(ranks[i])][collective.nodes[i]] = c;
  }
  return result;
}

std::int64_t tags_of_messages(const Job& job, const JobMatches& matches) {
  std::int64_t tags = 0;
  for (const JobMessage& message : matches.messages) {
    const JobRank& source = job.ranks[message.source];
    const JobNode& send = source.nodes[message.send];
    tags = std::max(tags, source.communications[send.communication].tag + 1);
  }
  return tags;
}

/// Collectives of a claimed world of many ranks become more steps than any disk holds.
void require_writable(const Job& job, const JobMatches& matches, const GoalOptions& options) {
  constexpr std::size_t kMostSteps = 1 << 26;  // about 10 GB
  std::size_t steps = 0;
  for (const JobCollective& collective : matches.collectives) {
    const auto& ranks = job.groups[collective.group].ranks;
    const JobRank& rank = job.ranks[static_cast<std::size_t>(ranks.front())];
    const JobCommunication& c =
        rank.communications[rank.nodes[collective.nodes.front()].communication];
    steps += ranks.size() *
             lower_collective(c.type, c.bytes, std::ssize(ranks), 0,
                              choose_algorithm(options.collectives, c.bytes, options.ring_from))
                 .size();
    if (steps > kMostSteps)
      throw Error(ErrorCode::kInput, job.graphs[rank.graph].name,
                  "its collectives would become a schedule of over 67 million steps",
                  "Lower them in fewer steps (`collectives=doubling`), or convert fewer ranks "
                  "(`missing=drop`)");
  }
}

class Writer {
 public:
  Writer(const Job& job, const JobMatches& matches, const GoalOptions& options,
         const ByteSink& sink, Diagnostics& diagnostics)
      : job_(job),
        options_(options),
        sink_(sink),
        diagnostics_(diagnostics),
        collective_of_(collective_of_communications(job, matches)),
        first_tag_(tags_of_messages(job, matches)) {}

  void begin() { text_ = "num_ranks " + std::to_string(job_.ranks.size()) + "\n"; }
  GoalCounts end() {
    flush();
    return counts_;
  }

  void write_rank(std::size_t rank, const JobRank& r) {
    const Adjacency dependencies = dependencies_by_node(r);
    label_.assign(r.nodes.size(), 0);
    for (std::size_t place = 0; place < r.order.size(); ++place) label_[r.order[place]] = place + 1;
    text_ += "\nrank " + std::to_string(rank) + " {\n";
    for (const std::uint32_t node : r.order) {
      write_node(rank, r, node, dependencies.of(node));
      if (text_.size() >= kFlushBytes) flush();
    }
    if (r.order.empty()) calc("l1", 1, 0);
    text_ += "}\n";
  }

 private:
  void flush() {
    sink_(text_);
    text_.clear();
  }

  void write_node(std::size_t rank, const JobRank& r, std::uint32_t node,
                  std::span<const std::uint32_t> on) {
    const JobNode& n = r.nodes[node];
    const std::string label = label_of(node);
    const std::uint32_t cpu = n.lane == kNoIndex ? 0 : n.lane;
    if (n.communication == kNoIndex) {
      calc(label, n.duration_ns, cpu);
      after(label, on);
      return;
    }
    const JobCommunication& c = r.communications[n.communication];
    if (n.type == COMM_COLL_NODE) return write_collective(rank, label, n, c, on);
    const std::int64_t bytes = std::max<std::int64_t>(c.bytes, 1);
    if (n.type == COMM_SEND_NODE)
      send(label, bytes, c.dst, c.tag, cpu);
    else
      receive(label, bytes, c.src, c.tag, cpu);
    after(label, on);
  }

  void write_collective(std::size_t rank, const std::string& label, const JobNode& n,
                        const JobCommunication& c, std::span<const std::uint32_t> on) {
    const std::uint32_t cpu = n.lane == kNoIndex ? 0 : n.lane;
    const auto& members = job_.groups[c.group].ranks;
    const auto place = std::lower_bound(members.begin(), members.end(), std::int64_t(rank));
    const std::vector<Step> steps =
        lower_collective(c.type, c.bytes, std::ssize(members), place - members.begin(),
                         choose_algorithm(options_.collectives, c.bytes, options_.ring_from));
    if (steps.empty()) {
      diagnostics_.report("collective-replayed", job_.place_of(rank, n.communication));
      calc(label, n.duration_ns, cpu);
      return after(label, on);
    }
    const std::string begin = label + "_0";
    calc(begin, 0, cpu);
    after(begin, on);
    write_steps(steps, members, first_tag_ + collective_of_[rank][n.communication], label, cpu);
  }

  /// A step starts when the one before it has received; the end waits for all that was sent.
  void write_steps(const std::vector<Step>& steps, const std::vector<std::int64_t>& members,
                   std::int64_t tag, const std::string& label, std::uint32_t cpu) {
    std::string before = label + "_0";
    std::vector<std::string> sent;
    for (std::size_t s = 0; s < steps.size(); ++s) {
      const Step& step = steps[s];
      const std::string number = "_" + std::to_string(s + 1);
      if (step.to != Step::kNobody) {
        send(label + number + "s", step.sends, member(members, step.to), tag, cpu);
        require(label + number + "s", before);
        sent.push_back(label + number + "s");
      }
      if (step.from != Step::kNobody) {
        receive(label + number + "r", step.receives, member(members, step.from), tag, cpu);
        require(label + number + "r", before);
        before = label + number + "r";
      }
    }
    calc(label, 0, cpu);
    require(label, before);
    for (const std::string& message : sent) require(label, message);
  }

  static std::int64_t member(const std::vector<std::int64_t>& members, std::int64_t place) {
    return members[static_cast<std::size_t>(place)];
  }

  std::string label_of(std::uint32_t node) const { return "l" + std::to_string(label_[node]); }

  void calc(const std::string& label, Ns ns, std::uint32_t cpu) {
    text_ += label + ": calc " + std::to_string(ns) + on_cpu(cpu);
    ++counts_.calcs;
  }
  void send(const std::string& label, std::int64_t bytes, std::int64_t to, std::int64_t tag,
            std::uint32_t cpu) {
    text_ += label + ": send " + std::to_string(bytes) + "b to " + std::to_string(to) + " tag " +
             std::to_string(tag) + on_cpu(cpu);
    ++counts_.sends;
  }
  void receive(const std::string& label, std::int64_t bytes, std::int64_t from, std::int64_t tag,
               std::uint32_t cpu) {
    text_ += label + ": recv " + std::to_string(bytes) + "b from " + std::to_string(from) +
             " tag " + std::to_string(tag) + on_cpu(cpu);
    ++counts_.receives;
  }
  static std::string on_cpu(std::uint32_t cpu) { return " cpu " + std::to_string(cpu) + "\n"; }

  void require(const std::string& label, const std::string& on) {
    text_ += label + " requires " + on + "\n";
    ++counts_.requires_;
  }
  void after(const std::string& label, std::span<const std::uint32_t> on) {
    for (const std::uint32_t node : on) require(label, label_of(node));
  }

  const Job& job_;
  const GoalOptions& options_;
  const ByteSink& sink_;
  Diagnostics& diagnostics_;
  const std::vector<std::vector<std::uint32_t>> collective_of_;
  const std::int64_t first_tag_;    ///< of collectives: above all tags of messages
  std::vector<std::size_t> label_;  // of the rank's nodes
  std::string text_;
  GoalCounts counts_;
};

}  // namespace

GoalCounts write_goal(Job& job, const GoalOptions& options, const ByteSink& sink,
                      Diagnostics& diagnostics) {
  for (JobRank& rank : job.ranks) drop_lone_collectives(job, rank, diagnostics);
  const JobMatches matches = match_communications(job, options.drops_lonely_messages, diagnostics);
  require_writable(job, matches, options);
  const auto change = [](const ChakraGraph&, JobRank& rank, Diagnostics& said) {
    anchor_unlaunched(rank, said);
    relink_dropped(rank);
  };
  Writer writer(job, matches, options, sink, diagnostics);
  writer.begin();
  visit_ranks(job, matches, change, diagnostics,
              [&](std::size_t rank, const ChakraGraph&, const JobRank& whole) {
                writer.write_rank(rank, whole);
              });
  return writer.end();
}

}  // namespace nadi::goal
