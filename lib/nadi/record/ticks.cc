#include "nadi/record/ticks.h"

#include <algorithm>
#include <fstream>
#include <string>

namespace nadi::record {
namespace {

constexpr std::size_t kMostReadings = 4096;
constexpr Ns kLeastBetweenReadings = 1'000'000;

}  // namespace

bool is_counter_steady() {
#if defined(__x86_64__)
  static const bool is_steady = [] {
    std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    std::string source;
    return file >> source && (source == "tsc" || source == "kvm-clock");
  }();
  return is_steady;
#else
  return true;
#endif
}

TickScale::TickScale(Clock clock) : clock_(clock) {
  // A slope from the start on, however soon the first events are turned.
  while (clock_ == nullptr && readings_.size() < 2) add_reading();
}

/// The counter read around the clock: of some tries the one that took least.
void TickScale::add_reading() {
  ClockReading best{0, 0};
  std::int64_t least = INT64_MAX;
  for (int i = 0; i < 5; ++i) {
    const std::int64_t before = read_counter();
    const Ns time = monotonic_ns();
    const std::int64_t after = read_counter();
    if (after - before >= least) continue;
    least = after - before;
    best = {before + (after - before) / 2, time};
  }
  if (!readings_.empty()) {
    const ClockReading& last = readings_.back();
    const Ns passed = best.time - last.time;
    if (passed < kLeastBetweenReadings || best.ticks <= last.ticks) return;
    const double per_ns =
        static_cast<double>(best.ticks - last.ticks) / static_cast<double>(passed);
    next_reading_ =
        best.ticks + static_cast<std::int64_t>(per_ns * static_cast<double>(kLeastBetweenReadings));
  }
  readings_.push_back(best);
  if (readings_.size() > kMostReadings) readings_.pop_front();
}

Ns TickScale::nanoseconds(std::int64_t ticks) {
  if (clock_ != nullptr) return ticks;
  if (ticks > next_reading_) add_reading();
  const auto after =
      std::lower_bound(readings_.begin() + 1, readings_.end() - 1, ticks,
                       [](const ClockReading& m, std::int64_t t) { return m.ticks < t; });
  const ClockReading &from = *(after - 1), &to = *after;
  const double slope =
      static_cast<double>(to.time - from.time) / static_cast<double>(to.ticks - from.ticks);
  return from.time + static_cast<Ns>(slope * static_cast<double>(ticks - from.ticks));
}

}  // namespace nadi::record
