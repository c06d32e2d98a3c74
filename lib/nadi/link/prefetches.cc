#include <deque>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "nadi/link/inferred_waits.h"

namespace nadi {
namespace {

/// Of a path so many waits, and of a hundred so many, tell that parameters are gathered ahead.
constexpr std::size_t kLeastPrefetches = 4, kLeastUsed = 85;

/// Of one thread.
class Prefetches {
 public:
  Prefetches(const LinkedTrace& linked, StreamCalls& calls, std::size_t lane)
      : linked_(linked),
        calls_(calls),
        thread_(calls.of_thread(lane)),
        first_(calls.thread_begin[lane]) {}

  void find() {
    if (calls_.records.empty()) find_paths();
    std::deque<std::size_t> prefetched;  // waits for works
    bool has_uses = false;
    for (std::size_t i = 0; i < thread_.size(); ++i) {
      if (is_wait_for_work(i) && is_of_other_stream(i)) {
        prefetched.push_back(i);
      } else if (!prefetched.empty() && may_be_use(i)) {
        const bool is_last = is_for_record_behind(i, prefetched.back());
        StreamCall& wait = thread_[is_last ? prefetched.back() : prefetched.front()];
        is_last ? prefetched.pop_back() : prefetched.pop_front();
        wait.is_prefetch = true;
        wait.used_at = place_of(i);
        thread_[i].is_use = true;
        has_uses = true;
      }
    }
    if (has_uses)
      for (const std::size_t wait : prefetched) thread_[wait].is_prefetch = true;
  }

 private:
  std::uint32_t place_of(std::size_t i) const { return first_ + static_cast<std::uint32_t>(i); }
  bool is_wait_for_work(std::size_t i) const { return calls_.is_wait_for_work(place_of(i)); }

  /// Where the trace has no records (K26): paths at which nearly every wait for a work is followed
  /// by a possible use before the next.
  void find_paths() {
    struct Count {
      std::size_t all = 0, used = 0;
    };
    std::unordered_map<std::uint64_t, Count> counts;
    std::unordered_set<std::uint64_t> pending;
    for (std::size_t i = 0; i < thread_.size(); ++i) {
      if (is_wait_for_work(i)) {
        ++counts[thread_[i].path].all;
        pending.insert(thread_[i].path);
      } else if (!pending.empty() && may_be_use(i)) {
        for (const std::uint64_t path : pending) ++counts[path].used;
        pending.clear();
      }
    }
    for (const auto& [path, count] : counts)
      if (path != 0 && count.all >= kLeastPrefetches && count.used * 100 >= count.all * kLeastUsed)
        paths_.insert(path);
  }

  /// Whoever called the `wait()` of the work has recorded an event right behind it.
  bool is_of_other_stream(std::size_t wait) const {
    const std::uint32_t caller = linked_.ops.parent[thread_[wait].comm_op];
    if (calls_.records.empty())
      return paths_.contains(thread_[wait].path) && launches_nothing(caller, wait);
    if (wait + 1 == thread_.size()) return false;
    const StreamCall& record = thread_[wait + 1];
    return record.kind == CallKind::kEventRecord && record.comm_op == kNoIndex &&
           linked_.calls.parent[record.call] == caller;
  }

  bool is_for_record_behind(std::size_t use, std::size_t prefetch) const {
    return !calls_.records.empty() &&
           calls_.recorded_before(place_of(use)) == thread_[prefetch + 1].call;
  }

  /// Outside communication, in an op that launches nothing else.
  bool may_be_use(std::size_t i) const {
    const StreamCall& wait = thread_[i];
    return wait.kind == CallKind::kStreamWaitEvent && wait.is_open && wait.comm_op == kNoIndex &&
           (calls_.is_outside(wait) || launches_nothing(linked_.calls.parent[wait.call], i));
  }

  /// The op around one of the thread's calls launches nothing but communication.
  bool launches_nothing(std::uint32_t op, std::size_t call) const {
    return op == kNoIndex || linked_.ops.is_annotation[op] != 0 ||
           calls_.streams_of(calls_.of_op(op, thread_, call)).empty();
  }

  const LinkedTrace& linked_;
  StreamCalls& calls_;
  std::span<StreamCall> thread_;
  std::uint32_t first_;                      // place of the thread's first call
  std::unordered_set<std::uint64_t> paths_;  // see find_paths
};

}  // namespace

void find_prefetches(const LinkedTrace& linked, StreamCalls& calls) {
  for (std::size_t lane = 0; lane < linked.lanes.size(); ++lane)
    Prefetches(linked, calls, lane).find();
}

}  // namespace nadi
