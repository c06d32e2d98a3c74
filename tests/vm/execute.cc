#include "execute.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "device.h"
#include "nadi/base/error.h"
#include "scale.h"

namespace nadi::vm {

const char* to_string(EdgeKind kind) {
  constexpr const char* kNames[] = {"thread order",    "launch",       "stream order",
                                    "graph order",     "event wait",   "synchronisation",
                                    "thread hand-off", "group order",  "queue",
                                    "query loop",      "lane interval"};
  return kNames[static_cast<std::size_t>(kind)];
}

namespace {

struct ThreadState {
  int rank = 0, thread = 0;
  std::size_t next = 0;  // instruction
  Ns now = 0;
  int open = -1;  // innermost op
  enum { kReady, kBlockedOnRows, kBlockedOnToken, kDone } status = kReady;
};

class Machine {
 public:
  Machine(const Program& program, const Scale& scale)
      : program_(program), scaler_(scale), device_(program, scaler_, run_) {
    run_.ranks.resize(program.ranks.size());
    tokens_.resize(program.ranks.size());
    loops_.resize(program.ranks.size());
    for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) prepare(rank);
  }

  Execution run() {
    while (ThreadState* thread = next_thread()) step(*thread);
    for (const ThreadState& thread : threads_)
      if (thread.status != ThreadState::kDone) throw deadlock(thread);
    for (std::size_t rank = 0; rank < run_.ranks.size(); ++rank)
      for (const RowRun& row : run_.ranks[rank].rows)
        if (row.span.end < 0) throw lonely(rank, row);
    return std::move(run_);
  }

 private:
  void prepare(std::size_t rank) {
    const RankProgram& code = program_.ranks[rank];
    RankRun& run = run_.ranks[rank];
    run.ops.resize(code.ops.size());
    run.calls.resize(code.calls.size());
    run.threads.resize(code.threads.size());
    for (std::size_t i = 0; i < code.threads.size(); ++i) {
      run.threads[i].resize(code.threads[i].code.size());
      threads_.push_back({static_cast<int>(rank), static_cast<int>(i)});
    }
    next_rf_id_.push_back(1);
    next_correlation_.push_back(101);
  }

  // The ready thread with the smallest time: API order is the order of begins.
  ThreadState* next_thread() {
    ThreadState* best = nullptr;
    for (ThreadState& thread : threads_) {
      if (thread.status == ThreadState::kBlockedOnRows) unblock_on_rows(thread);
      if (thread.status == ThreadState::kBlockedOnToken) unblock_on_token(thread);
      if (thread.status == ThreadState::kReady && (!best || thread.now < best->now)) best = &thread;
    }
    return best;
  }

  const Instruction& instruction(const ThreadState& thread) const {
    return program_.ranks[u(thread.rank)].threads[u(thread.thread)].code[thread.next];
  }

  void finish(ThreadState& thread, Ns end) {
    run_.ranks[u(thread.rank)].threads[u(thread.thread)][thread.next].end = end;
    run_.makespan = std::max(run_.makespan, end);
    thread.now = end;
    thread.status = ThreadState::kReady;
    ++thread.next;
  }

  void step(ThreadState& thread) {
    const auto& code = program_.ranks[u(thread.rank)].threads[u(thread.thread)].code;
    if (thread.next == code.size()) {
      thread.status = ThreadState::kDone;
      return;
    }
    const Instruction& what = code[thread.next];
    run_.ranks[u(thread.rank)].threads[u(thread.thread)][thread.next].start = thread.now;
    switch (what.action) {
      case Action::kOpBegin:
        return begin_op(thread, what.index);
      case Action::kOpEnd:
        return end_op(thread, what.index);
      case Action::kWork:
        return finish(thread, thread.now + scaler_.work(program_.ranks[u(thread.rank)], thread.open,
                                                        what.ns));
      case Action::kCall:
        return make_call(thread, what.index);
      case Action::kSignal:
        tokens_[u(thread.rank)].emplace(what.index, thread.now);
        return finish(thread, thread.now);
      case Action::kAwait:
        thread.status = ThreadState::kBlockedOnToken;
        return;
    }
  }

  void begin_op(ThreadState& thread, int op) {
    OpRun& run = run_.ranks[u(thread.rank)].ops[u(op)];
    run.span.start = thread.now;
    run.rf_id = next_rf_id_[u(thread.rank)]++;
    thread.open = op;
    finish(thread, thread.now);
  }

  void end_op(ThreadState& thread, int op) {
    const Op& what = program_.ranks[u(thread.rank)].ops[u(op)];
    run_.ranks[u(thread.rank)].ops[u(op)].span.end = thread.now;
    thread.open = what.parent;
    finish(thread, thread.now);
  }

  void make_call(ThreadState& thread, int index) {
    const Call& call = program_.ranks[u(thread.rank)].calls[u(index)];
    CallRun& run = run_.ranks[u(thread.rank)].calls[u(index)];
    run.span = {thread.now, thread.now};
    if (call.loop >= 0 && loops_[u(thread.rank)][call.loop].is_done) {
      run.is_recorded = run.is_sync_recorded = false;
      return finish(thread, thread.now);
    }
    run.thread = thread.thread;
    run.op = thread.open;
    run.correlation = next_correlation_[u(thread.rank)]++;
    switch (call.kind) {
      case CallKind::kWork:
        break;
      case CallKind::kLaunch:
      case CallKind::kGraphLaunch:
        device_.launch(thread.rank, index);
        break;
      case CallKind::kEventRecord:
        device_.record_event(thread.rank, index);
        break;
      case CallKind::kStreamWaitEvent:
        device_.stream_wait_event(thread.rank, index);
        break;
      case CallKind::kEventQuery:
        query(thread, call, run);
        break;
      case CallKind::kBlockingCopy:
        device_.launch(thread.rank, index);
        [[fallthrough]];
      default:
        device_.host_wait(thread.rank, index);
        thread.status = ThreadState::kBlockedOnRows;
        return;
    }
    end_call(thread, thread.now);
  }

  void end_call(ThreadState& thread, Ns begin) {
    const int index = instruction(thread).index;
    const Call& call = program_.ranks[u(thread.rank)].calls[u(index)];
    CallRun& run = run_.ranks[u(thread.rank)].calls[u(index)];
    run.span.end = begin + scaler_.call(call);
    finish(thread, run.span.end + (run.was_done ? 0 : call.pause));
  }

  void query(const ThreadState& thread, const Call& call, CallRun& run) {
    const Frontier work = device_.event_frontier(thread.rank, call.event);
    run.record = device_.last_record(thread.rank, call.event);
    run.was_done =
        device_.all_ended(thread.rank, work) && device_.latest_end(thread.rank, work) <= thread.now;
    if (call.loop < 0) return;
    Loop& loop = loops_[u(thread.rank)][call.loop];
    ++loop.queries;
    if (!run.was_done) return;
    loop.is_done = true;
    for (RowDependency item : work) {
      item.kind = EdgeKind::kQueryLoop;
      item.shown = loop.queries >= kLeastQueriesOfLoop;
      run.waited.push_back(item);
    }
  }

  void unblock_on_rows(ThreadState& thread) {
    const int index = instruction(thread).index;
    const CallRun& run = run_.ranks[u(thread.rank)].calls[u(index)];
    if (!device_.all_ended(thread.rank, run.waited)) return;
    const Ns end = device_.latest_end(thread.rank, run.waited);
    if (end <= thread.now) return end_call(thread, thread.now);
    const bool is_event =
        program_.ranks[u(thread.rank)].calls[u(index)].kind == CallKind::kEventSynchronize;
    end_call(thread, end + (is_event ? program_.late_return : 0));
  }

  void unblock_on_token(ThreadState& thread) {
    const auto& tokens = tokens_[u(thread.rank)];
    auto token = tokens.find(instruction(thread).index);
    if (token == tokens.end()) return;
    finish(thread, std::max(thread.now, token->second + program_.hand_off_latency));
  }

  Error deadlock(const ThreadState& thread) const {
    return Error(ErrorCode::kUsage,
                 fmt::format("{}: rank {} thread {} instruction {}", program_.name, thread.rank,
                             thread.thread, thread.next),
                 "waits for something that never happens",
                 "Check signals, and that all members launch the same communication in one order");
  }

  Error lonely(std::size_t rank, const RowRun& row) const {
    return Error(ErrorCode::kUsage, fmt::format("{}: rank {}", program_.name, rank),
                 row_of(program_.ranks[rank], row).name + " never ends",
                 "Check that all members launch the same communication in one order");
  }

  const Program& program_;
  Scaler scaler_;
  Execution run_;
  Device device_;
  std::vector<ThreadState> threads_;
  std::vector<std::map<int, Ns>> tokens_;  // signalled, with the time
  struct Loop {
    int queries = 0;
    bool is_done = false;
  };
  static constexpr int kLeastQueriesOfLoop = 3;  // fewer tell nobody that they are a loop
  std::vector<std::map<int, Loop>> loops_;       // by first call
  std::vector<std::uint64_t> next_rf_id_;
  std::vector<std::int64_t> next_correlation_;
};

}  // namespace

Execution execute(const Program& program, const Scale& scale) {
  return Machine(program, scale).run();
}

}  // namespace nadi::vm
