#include "nadi/sim_bridge/goal/write_goal.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string>
#include <utility>

#include "nadi/base/error.h"
#include "nadi/sim_bridge/goal/cpu_choice.h"
#include "nadi/sim_bridge/goal/one_lane.h"
#include "nadi/sim_bridge/goal/schedule_text.h"
#include "nadi/sim_bridge/job/grow_job.h"
#include "nadi/sim_bridge/job/match_communications.h"
#include "nadi/sim_bridge/job/prepare.h"
#include "nadi/sim_bridge/job/share_out.h"
#include "nadi/sim_bridge/job/visit_ranks.h"

namespace nadi::goal {
namespace {

constexpr const char* kBegin = "begin";  // label of the time before a rank begins

/// By rank and communication: which collective of the job it is a member of, else kNoIndex.
std::vector<std::vector<std::uint32_t>> collective_of_communications(const Job& job,
                                                                     const JobMatches& matches) {
  std::vector<std::vector<std::uint32_t>> result;
  for (const JobRank& rank : job.ranks) result.emplace_back(rank.size(), kNoIndex);
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
  for (const JobMessage& message : matches.messages)
    tags = std::max(tags, job.ranks[message.source].communication_of(message.send).tag + 1);
  return tags;
}

/// Collectives of a claimed world of many ranks become more steps than any disk holds.
void require_writable(const Job& job, const JobMatches& matches, const GoalOptions& options) {
  constexpr std::size_t kMostSteps = 1 << 26;  // about 10 GB
  std::size_t steps = 0;
  for (const JobCollective& collective : matches.collectives) {
    const auto& ranks = job.groups[collective.group].ranks;
    const JobRank& rank = job.ranks[static_cast<std::size_t>(ranks.front())];
    const JobCommunication& c = rank.communication_of(collective.nodes.front());
    steps += ranks.size() * static_cast<std::size_t>(job.copies) *
             lower_collective(c.type, c.bytes, job.members_of(job.groups[collective.group]), 0,
                              choose_algorithm(options.collectives, c.bytes, options.ring_from))
                 .size();
    if (steps > kMostSteps)
      throw Error(ErrorCode::kInput, job.graphs[rank.graph].name,
                  "its collectives would become a schedule of over 67 million steps",
                  "Lower them in fewer steps (`collectives=doubling`), or convert fewer ranks "
                  "(`missing=drop`)");
  }
}

/// Labels of lines of an operation. The line `first` waits for what the node waits for; once the
/// line `issued` has started, the operation is under way.
struct WrittenLabels {
  std::string first, issued;
};

class Writer {
 public:
  Writer(const Job& job, const JobMatches& matches, const GoalOptions& options,
         const ByteSink& sink, Diagnostics& diagnostics)
      : job_(job),
        options_(options),
        diagnostics_(diagnostics),
        copies_(job),
        collective_of_(collective_of_communications(job, matches)),
        first_tag_(tags_of_messages(job, matches)),
        text_(sink, job.ranks.size() * copies_.count()) {}

  /// Writes a rank of one copy of the job.
  void write_rank(std::size_t rank, std::size_t copy, const Graph& graph, JobRank& whole) {
    rank_ = rank;
    number_ = copies_.rank_of(rank, copy);
    whole.communications = copies_.of_copy(whole.communications, copy);
    label_.assign(whole.size(), 0);
    for (std::size_t position = 0; position < whole.order.size(); ++position)
      label_[whole.order[position]] = position + 1;
    text_.begin_rank(number_);
    const Adjacency dependencies = dependencies_by_node(whole);
    if (options_.lanes == Lanes::kOne)
      write_line(put_on_one_lane(graph, whole, dependencies), whole, dependencies);
    else
      write_lanes(graph, whole, dependencies);
    text_.end_rank();
  }

  GoalCounts finish() { return text_.finish(); }

 private:
  std::string label_of(std::uint32_t node) const { return "l" + std::to_string(label_[node]); }
  /// Of the part of a node before its tail.
  std::string head_of(std::uint32_t node) const { return label_of(node) + "_h"; }

  void write_lanes(const Graph& graph, const JobRank& r, const Adjacency& dependencies) {
    CpuChoice cpus(graph);
    if (cpus.has_shared_lanes())
      diagnostics_.report(Finding::kLanesShareCpu, "rank " + std::to_string(r.recorded_rank));
    if (r.begins_ns > 0) text_.calc(kBegin, r.begins_ns, cpus.beside_lanes(r.begins_ns, 0));
    const std::vector<Ns> tails = measured_tails(graph, r, dependencies);
    for (const std::uint32_t node : r.order) {
      const Ns tail = tails[node];
      const std::uint32_t cpu = cpus.of_node(r, node, tail, dependencies.of(node));
      std::string first = label_of(node);
      if (tail > 0) {
        first = head_of(node);
        text_.calc(first, r.duration_ns[node] - tail, cpu);
        text_.calc(label_of(node), tail, cpus.beside_lanes(tail, r.end_ns(node)));
        text_.require(label_of(node), first);
      } else {
        first = write_operation(r, node, cpu).first;
      }
      if (r.begins_ns > 0 && dependencies.of(node).empty()) text_.require(first, kBegin);
      for (const std::uint32_t on : dependencies.of(node)) {
        const Ns overlap = overlap_of_job_nodes(graph, r, on, node);
        text_.require(first, overlap > 0 && overlap == tails[on] ? head_of(on) : label_of(on));
      }
    }
    if (r.order.empty()) text_.calc("l1", 1, 0);
  }

  WrittenLabels write_operation(const JobRank& r, std::uint32_t node, std::uint32_t cpu) {
    const std::string label = label_of(node);
    if (r.communication[node] == kNoIndex) {
      text_.calc(label, r.duration_ns[node], cpu);
      return {label, label};
    }
    const JobCommunication& c = r.communication_of(node);
    if (r.type[node] == NodeType::kCollective) return write_collective(label, r, node, cpu);
    const std::int64_t bytes = std::max<std::int64_t>(c.bytes, 1);
    if (r.type[node] == NodeType::kSend)
      text_.send(label, bytes, c.dst, c.tag, cpu);
    else
      text_.receive(label, bytes, c.src, c.tag, cpu);
    return {label, label};
  }

  WrittenLabels write_collective(const std::string& label, const JobRank& r, std::uint32_t node,
                                 std::uint32_t cpu) {
    const std::uint32_t communication = r.communication[node];
    const JobCommunication& c = r.communications[communication];
    const auto& members = copies_.groups()[c.job_group].ranks;
    const auto position = std::lower_bound(members.begin(), members.end(), std::int64_t(number_));
    const std::vector<Step> steps =
        lower_collective(c.type, c.bytes, std::ssize(members), position - members.begin(),
                         choose_algorithm(options_.collectives, c.bytes, options_.ring_from));
    if (steps.empty()) {
      diagnostics_.report(Finding::kCollectiveReplayed, job_.place_of(rank_, communication));
      text_.calc(label, r.duration_ns[node], cpu);
      return {label, label};
    }
    text_.collective(label, steps, members, first_tag_ + collective_of_[rank_][communication], cpu);
    const std::string begin = ScheduleText::begin_of_collective(label);
    return {begin, steps.front().to == Step::kNobody ? begin : ScheduleText::send_of(label, 0)};
  }

  /// The times at which something starts or is needed cut the line into calcs.
  void write_line(const OneLane& line, const JobRank& r, const Adjacency& dependencies) {
    const auto& stops = line.stops;
    const auto needed_ns = [&](std::size_t need) { return stops[line.by_need[need]].needed_ns; };
    std::string passed;  // label of the last calc
    std::size_t calcs = 0, stop = 0, need = 0;
    for (Ns now = 0, next = 0; true; now = next) {
      issued_.clear();
      for (; stop < stops.size() && stops[stop].start_ns == now; ++stop)
        write_stop(line, stops[stop], r, dependencies, passed);
      const std::size_t first_need = need;
      while (need < line.by_need.size() && needed_ns(need) == now) ++need;
      next = stop < stops.size() ? std::min(line.end_ns, stops[stop].start_ns) : line.end_ns;
      if (need < line.by_need.size()) next = std::min(next, needed_ns(need));
      if (next <= now) break;
      const std::string calc = "c" + std::to_string(++calcs);
      text_.calc(calc, next - now, 0);
      if (!passed.empty()) text_.require(calc, passed);
      for (std::size_t i = first_need; i < need; ++i)
        text_.require(calc, label_of(stops[line.by_need[i]].node));
      for (const std::string& issued : issued_) text_.require_start(calc, issued);
      passed = calc;
    }
    if (calcs == 0 && stops.empty()) text_.calc("c1", 1, 0);
  }

  void write_stop(const OneLane& line, const LineStop& stop, const JobRank& r,
                  const Adjacency& dependencies, const std::string& passed) {
    const auto [first, issued] = write_operation(r, stop.node, 0);
    if (!passed.empty()) text_.require(first, passed);
    for (const std::uint32_t on : dependencies.of(stop.node))
      if (line.is_stop[on]) text_.require(first, label_of(on));
    if (!stop.waits_for_stop) issued_.push_back(issued);
  }

  const Job& job_;
  const GoalOptions& options_;
  Diagnostics& diagnostics_;
  const JobCopies copies_;
  const std::vector<std::vector<std::uint32_t>> collective_of_;
  const std::int64_t first_tag_;  ///< of collectives: above all tags of messages
  ScheduleText text_;
  std::size_t rank_ = 0, number_ = 0;  // of the rank being written: recorded, among all copies
  std::vector<std::size_t> label_;     // of the rank's nodes
  std::vector<std::string> issued_;    // of the stops that the line lets start now
};

}  // namespace

GoalCounts write_goal(Job& job, const GoalOptions& options, const ByteSink& sink,
                      Diagnostics& diagnostics) {
  drop_lone_collectives(job, diagnostics);
  const JobMatches matches = match_communications(job, options.drops_lonely_messages, diagnostics);
  require_writable(job, matches, options);
  const auto change = [](const Graph&, JobRank& rank, Diagnostics& said) {
    anchor_unlaunched(rank, said);
    relink_dropped(rank);
  };
  Writer writer(job, matches, options, sink, diagnostics);
  std::size_t taken = 0;
  std::uint64_t shared_nodes = 0;
  visit_ranks(
      job, matches, change, diagnostics,
      [&](std::size_t rank, const Graph& graph, JobRank& whole) {
        const std::size_t copy = taken++ / job.ranks.size();
        const std::uint64_t shared = share_out_optimizer(job, rank, graph, whole);
        writer.write_rank(rank, copy, graph, whole);
        if (copy == 0) shared_nodes += shared;
      },
      static_cast<std::size_t>(job.copies));
  GoalCounts counts = writer.finish();
  counts.shared_nodes = shared_nodes;
  return counts;
}

std::string command_line(const std::string& prefix, Ns latency_ns, double bandwidth_gb_per_s) {
  char ns_per_byte[32];
  const auto end = std::to_chars(std::begin(ns_per_byte), std::end(ns_per_byte),
                                 1 / bandwidth_gb_per_s, std::chars_format::general, 6)
                       .ptr;
  return "txt2bin -i " + prefix + ".goal -o " + prefix + ".bin && \\\n  LogGOPSim -f " + prefix +
         ".bin -L " + std::to_string(latency_ns) + " -o 0 -g 0 -G " +
         std::string(std::begin(ns_per_byte), end) + "\n";
}

}  // namespace nadi::goal
