#include "repeat.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace nadi::vm {

namespace {

constexpr int kRoundsPerWait = 4;  // training loops wait for their loss now and then

/// Makes times a little longer or shorter, the same on every machine.
class Jitter {
 public:
  Jitter(double share, std::uint64_t seed) : share_(share), random_(seed) {}

  Ns of(Ns ns) {
    if (share_ <= 0 || ns <= 0) return ns;
    const double part = static_cast<double>(random_() % 65536) / 32768.0 - 1;
    return std::max<Ns>(1, static_cast<Ns>(static_cast<double>(ns) * (1 + share_ * part)));
  }

 private:
  double share_;
  std::mt19937_64 random_;
};

/// Appends one round of a rank's code to the rank under construction.
class Round {
 public:
  Round(const RankProgram& source, RankProgram& rank, Jitter& jitter)
      : source_(source),
        jitter_(jitter),
        rank_(rank),
        first_op_(static_cast<int>(rank.ops.size())),
        first_call_(static_cast<int>(rank.calls.size())),
        first_event_(rank.events),
        first_token_(rank.tokens) {}

  void append() {
    for (const Op& op : source_.ops) rank_.ops.push_back(moved(op));
    for (const Call& call : source_.calls) rank_.calls.push_back(moved(call));
    rank_.events += source_.events;
    rank_.tokens += source_.tokens;
    for (std::size_t thread = 0; thread < source_.threads.size(); ++thread)
      for (const Instruction& instruction : source_.threads[thread].code)
        rank_.threads[thread].code.push_back(moved(instruction));
  }

  /// Opens an annotation around what the first thread is about to do; to be closed.
  void begin_step(int number) {
    Op step;
    step.name = fmt::format("ProfilerStep#{}", number);
    step.is_annotation = true;
    step_ = static_cast<int>(rank_.ops.size());
    rank_.ops.push_back(std::move(step));
    ++first_op_;
    rank_.threads.front().code.push_back({Action::kOpBegin, step_, 0});
  }
  void end_step() { rank_.threads.front().code.push_back({Action::kOpEnd, step_, 0}); }

  /// The first thread waits for the stream it launched on last, if any.
  void synchronise() {
    constexpr Ns kReturn = 4_us;
    int stream = -1;
    for (const Instruction& instruction : source_.threads.front().code)
      if (instruction.action == Action::kCall && !at(source_.calls, instruction.index).rows.empty())
        stream = at(source_.calls, instruction.index).stream;
    if (stream < 0) return;
    Call call;
    call.kind = CallKind::kStreamSynchronize;
    call.name = "cudaStreamSynchronize";
    call.duration = kReturn;
    call.stream = stream;
    rank_.calls.push_back(call);
    rank_.threads.front().code.push_back(
        {Action::kCall, static_cast<int>(rank_.calls.size()) - 1, 0});
  }

 private:
  static int moved(int index, int by) { return index < 0 ? index : index + by; }

  Op moved(Op op) const {
    op.parent =
        op.parent < 0 && op.thread == 0 && !op.is_host_only ? step_ : moved(op.parent, first_op_);
    op.forward = moved(op.forward, first_op_);
    op.fw_parent = moved(op.fw_parent, first_op_);
    op.work = moved(op.work, first_op_);
    op.end_event = moved(op.end_event, first_event_);
    if (op.seq_id >= 0) op.seq_id += first_op_;  // there are fewer of them than ops
    return op;
  }
  Call moved(Call call) {
    call.event = moved(call.event, first_event_);
    call.loop = moved(call.loop, first_call_);
    // Jitter makes no call a long launch (K27), whose rows come later.
    const bool is_short = call.duration <= 20_us;
    call.duration = jitter_.of(call.duration);
    if (is_short) call.duration = std::min<Ns>(call.duration, 20_us);
    for (Row& row : call.rows) row.duration = jitter_.of(row.duration);
    return call;
  }
  Instruction moved(Instruction instruction) {
    instruction.ns = jitter_.of(instruction.ns);
    switch (instruction.action) {
      case Action::kOpBegin:
      case Action::kOpEnd:
        instruction.index = moved(instruction.index, first_op_);
        break;
      case Action::kCall:
        instruction.index = moved(instruction.index, first_call_);
        break;
      case Action::kSignal:
      case Action::kAwait:
        instruction.index = moved(instruction.index, first_token_);
        break;
      case Action::kWork:
        break;
    }
    return instruction;
  }

  const RankProgram& source_;
  Jitter& jitter_;
  RankProgram& rank_;
  int first_op_;
  int step_ = -1;  // annotation around the round
  const int first_call_, first_event_, first_token_;
};

}  // namespace

Program repeated(const Program& program, int times, const Rounds& rounds) {
  Program result = program;
  result.name = fmt::format("{} x {}", program.name, times);
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    RankProgram& code = result.ranks[rank];
    code = {};
    code.graphs = program.ranks[rank].graphs;
    for (const Thread& thread : program.ranks[rank].threads)
      code.threads.push_back({thread.name, {}});
    Jitter jitter(rounds.jitter, rounds.seed * 1000003 + rank);
    for (int round = 0; round < times; ++round) {
      Round step(program.ranks[rank], code, jitter);
      if (rounds.has_steps) step.begin_step(round + 1);
      step.append();
      if ((round + 1) % kRoundsPerWait == 0) step.synchronise();
      if (rounds.has_steps) step.end_step();
    }
  }
  return result;
}

}  // namespace nadi::vm
