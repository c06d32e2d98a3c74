// The running recording, as the recording functions see it: a log per thread, and counters.
#pragma once

#include <atomic>
#include <cstdint>

#include "nadi/record/event_bytes.h"
#include "nadi/record/session.h"
#include "nadi/record/thread_log.h"
#include "nadi/record/ticks.h"

namespace nadi::record {

/// Ids of ops and of thread roots: one counter for the process's life, so that an id of an earlier
/// recording is never taken for one of this. 1 is the process root's.
extern std::atomic<std::uint64_t> next_op_id;
extern std::atomic<std::uint64_t> next_correlation;

/// The number of the recording that runs: 1, 2, …; 0 = none.
extern std::atomic<std::uint64_t> running_generation;

/// The log of this thread. Its TLS model is the compiler's own: initial-exec would keep a shared
/// object with the recorder from being loaded by dlopen where static TLS is used up. In a program
/// the linker makes it as fast.
extern constinit thread_local ThreadLog* log_of_thread;

/// Gives the calling thread a log in the running recording; nullptr = there is none, or no memory.
ThreadLog* attach_thread() noexcept;

/// Out of memory: ends the recording that runs, if one does. stop() says so.
void fail_recording() noexcept;

inline ThreadLog* thread_log() {
  ThreadLog* const log = log_of_thread;
  const std::uint64_t running = running_generation.load(std::memory_order_relaxed);
  if (log != nullptr && log->recording() == running) [[likely]]
    return log;
  return attach_thread();
}

/// Logs an event whose content is put by fill(writer); head.size is found out. bound: bytes the
/// content may need. False = nothing is recorded (any more).
template <class Fill>
bool log_event(EventHead head, std::size_t bound, const Fill& fill) {
  ThreadLog* const log = thread_log();
  if (log == nullptr) return false;
  std::byte* const begin = log->reserve(sizeof(EventHead) + bound);
  if (begin == nullptr) return false;
  EventWriter writer(begin + sizeof(EventHead));
  fill(writer);
  head.size = static_cast<std::uint32_t>(writer.at() - begin);
  EventWriter(begin).put(head);
  log->commit(writer.at());
  return true;
}

/// Logs an event of an id and the time.
inline void log_time(EventKind kind, std::uint64_t id) {
  ThreadLog* const log = thread_log();
  if (log == nullptr) return;
  const std::int64_t ticks = read_ticks(log->tick_clock());
  constexpr std::size_t kBytes = sizeof(EventHead) + sizeof ticks;
  std::byte* const begin = log->reserve(kBytes);
  if (begin == nullptr) return;
  EventWriter writer(begin);
  writer.put(EventHead{kBytes, kind, 0, 0, id});
  writer.put(ticks);
  log->commit(writer.at());
}

}  // namespace nadi::record
