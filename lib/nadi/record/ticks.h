// A clock that is cheap to read on the op's thread, turned into nanoseconds where events are
// written.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>

#include "nadi/base/time.h"
#include "nadi/record/session.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace nadi::record {

/// Nanoseconds of the machine's monotonic clock.
inline Ns monotonic_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// The processor's counter: a third of the price of the system's clock.
inline std::int64_t read_counter() {
#if defined(__x86_64__)
  return static_cast<std::int64_t>(__rdtsc());
#elif defined(__aarch64__)
  std::int64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  return monotonic_ns();
#endif
}

/// True where the counter runs evenly and alike on all processors: on x86 where the kernel itself
/// keeps time by it.
bool is_counter_steady();

/// Returns what a thread reads: the counter, or a clock in ns.
inline std::int64_t read_ticks(Clock clock) { return clock == nullptr ? read_counter() : clock(); }

/// Turns ticks into ns by readings of both clocks, at most one per millisecond. Between two
/// readings time runs evenly; up to a millisecond behind the last one it runs on as before.
class TickScale {
 public:
  /// clock: as the threads read it; nullptr = the counter.
  explicit TickScale(Clock clock);
  /// ticks: read before this call, on any thread.
  Ns nanoseconds(std::int64_t ticks);

 private:
  struct ClockReading {
    std::int64_t ticks;
    Ns time;
  };
  void add_reading();

  Clock clock_;
  std::deque<ClockReading> readings_;
  std::int64_t next_reading_ = 0;  ///< ticks from which on another reading is needed
};

}  // namespace nadi::record
