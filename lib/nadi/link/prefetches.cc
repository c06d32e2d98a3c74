#include "nadi/link/prefetches.h"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "nadi/link/inferred_waits.h"

namespace nadi {
namespace {

/// Of one thread.
class Prefetches {
 public:
  Prefetches(const WaitList& waits, const LinkedTrace& linked, const StreamCalls& calls,
             LaneIndex lane)
      : waits_(waits),
        linked_(linked),
        calls_(calls),
        thread_(calls.of_thread(lane)),
        first_(calls.thread_begin[lane]) {}

  void find(CallDecisions& decisions) {
    if (calls_.records.empty()) find_paths();
    std::deque<std::size_t> prefetched;                     // waits for works, not used yet
    std::vector<std::pair<std::size_t, std::size_t>> uses;  // such a wait, and its use
    for (std::size_t i = 0; i < thread_.size(); ++i) {
      if (is_wait_for_gathering(i) && is_of_other_stream(i)) {
        prefetched.push_back(i);
      } else if (!prefetched.empty() && may_be_use(i)) {
        const bool is_last = is_for_record_behind(i, prefetched.back());
        uses.emplace_back(is_last ? prefetched.back() : prefetched.front(), i);
        is_last ? prefetched.pop_back() : prefetched.pop_front();
      }
    }
    const std::size_t unused = prefetched.size() > 1 ? prefetched.size() : 0;  // one at the end
    if (!hold({uses.size() + unused, uses.size()})) return;
    for (const auto& [wait, use] : uses) {
      decisions.prefetches[index_of(wait)] = index_of(use);
      decisions.uses.insert(index_of(use));
    }
    for (const std::size_t wait : prefetched) decisions.prefetches[index_of(wait)] = {};
  }

 private:
  StreamCallIndex index_of(std::size_t i) const { return first_ + i; }

  /// `wait()` right behind the launch of an all-gather.
  bool is_wait_for_gathering(std::size_t wait) const {
    if (wait == 0 || !calls_.is_wait_for_work(index_of(wait))) return false;
    const LinkedOpIndex op = thread_[wait - 1].comm_op;
    for (std::size_t i = wait; op && i > 0 && thread_[i - 1].comm_op == op; --i)
      if (const DeviceRowIndex row = thread_[i - 1].row)
        return linked_.strings[linked_.device.rows.name[row]].find("AllGather") !=
               std::string_view::npos;
    return false;
  }

  /// Where the trace has no records (K26): paths at which nearly every wait for a work is followed
  /// by a possible use before the next.
  void find_paths() {
    std::unordered_map<std::uint64_t, ClassCounts> counts;
    std::unordered_set<std::uint64_t> pending;
    for (std::size_t i = 0; i < thread_.size(); ++i) {
      if (is_wait_for_gathering(i)) {
        ++counts[thread_[i].path].possible;
        pending.insert(thread_[i].path);
      } else if (!pending.empty() && may_be_use(i)) {
        for (const std::uint64_t path : pending) ++counts[path].seen;
        pending.clear();
      }
    }
    for (const auto& [path, count] : counts)
      if (path != 0 && hold(count)) paths_.insert(path);
  }

  bool hold(const ClassCounts& counts) const {
    return linked_.hypotheses.hold(Hypothesis::kPrefetch, counts);
  }

  /// Whoever called the `wait()` of the work has recorded an event right behind it.
  bool is_of_other_stream(std::size_t wait) const {
    const LinkedOpIndex caller = linked_.ops.parent[thread_[wait].comm_op];
    if (calls_.records.empty())
      return paths_.contains(thread_[wait].path) && launches_nothing(caller, wait);
    if (wait + 1 == thread_.size()) return false;
    const StreamCall& record = thread_[wait + 1];
    return record.effect == CallEffect::kEventRecord && !record.comm_op &&
           linked_.calls.parent[record.call] == caller;
  }

  bool is_for_record_behind(std::size_t use, std::size_t prefetch) const {
    return !calls_.records.empty() &&
           calls_.recorded_before(index_of(use)) == thread_[prefetch + 1].call;
  }

  /// Outside communication, in an op that launches nothing else.
  bool may_be_use(std::size_t i) const {
    const StreamCall& wait = thread_[i];
    return wait.effect == CallEffect::kStreamWaitEvent && waits_.is_open(wait.call) &&
           !wait.comm_op &&
           (calls_.is_outside(wait) || launches_nothing(linked_.calls.parent[wait.call], i));
  }

  /// The op around one of the thread's calls launches nothing but communication.
  bool launches_nothing(LinkedOpIndex op, std::size_t at) const {
    if (!op || linked_.ops.is_annotation[op] != 0) return true;
    const std::span<const StreamCall> calls = calls_.of_op(op, thread_, at);
    return std::none_of(calls.begin(), calls.end(), is_launch);
  }

  const WaitList& waits_;
  const LinkedTrace& linked_;
  const StreamCalls& calls_;
  std::span<const StreamCall> thread_;
  StreamCallIndex first_;                    // of the thread
  std::unordered_set<std::uint64_t> paths_;  // see find_paths
};

}  // namespace

void find_prefetches(const WaitList& waits, const LinkedTrace& linked, const StreamCalls& calls,
                     CallDecisions& decisions) {
  for (const LaneIndex lane : rows_of(calls.keeps_current_stream))
    Prefetches(waits, linked, calls, lane).find(decisions);
}

}  // namespace nadi
