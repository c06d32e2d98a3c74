#include "repeat.h"

#include <fmt/format.h>

namespace nadi::vm {

namespace {

constexpr int kRoundsPerWait = 4;  // training loops wait for their loss now and then

/// Appends one round of a rank's code to the rank under construction.
class Round {
 public:
  Round(const RankProgram& source, RankProgram& rank)
      : source_(source),
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
    op.parent = moved(op.parent, first_op_);
    op.forward = moved(op.forward, first_op_);
    op.fw_parent = moved(op.fw_parent, first_op_);
    op.work = moved(op.work, first_op_);
    op.end_event = moved(op.end_event, first_event_);
    if (op.seq_id >= 0) op.seq_id += first_op_;  // there are fewer of them than ops
    return op;
  }
  Call moved(Call call) const {
    call.event = moved(call.event, first_event_);
    return call;
  }
  Instruction moved(Instruction instruction) const {
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
  RankProgram& rank_;
  const int first_op_, first_call_, first_event_, first_token_;
};

}  // namespace

Program repeated(const Program& program, int times) {
  Program result = program;
  result.name = fmt::format("{} x {}", program.name, times);
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    RankProgram& code = result.ranks[rank];
    code = {};
    for (const Thread& thread : program.ranks[rank].threads)
      code.threads.push_back({thread.name, {}});
    for (int round = 0; round < times; ++round) {
      Round step(program.ranks[rank], code);
      step.append();
      if ((round + 1) % kRoundsPerWait == 0) step.synchronise();
    }
  }
  return result;
}

}  // namespace nadi::vm
