#include "nadi/read/perfetto_clocks.h"

#include <algorithm>

namespace nadi {
namespace {

constexpr std::uint32_t kWallClock = 1;  // REALTIME

/// Clocks 64 to 127 are their sequence's own.
std::uint64_t clock_key(std::uint32_t sequence, std::uint32_t clock) {
  return clock >= 64 && clock < 128 ? std::uint64_t{sequence} << 32 | clock : clock;
}

std::uint64_t unit_of(const perfetto::protos::ClockSnapshot::Clock& clock) {
  return std::max<std::uint64_t>(clock.unit_multiplier_ns(), 1);
}

}  // namespace

void PerfettoClocks::add_snapshot(const perfetto::protos::ClockSnapshot& snapshot,
                                  std::uint32_t sequence) {
  last_ = nullptr;
  if (snapshot.has_primary_trace_clock()) primary_ = snapshot.primary_trace_clock();
  const auto has = [&](std::uint64_t key) {
    return std::any_of(snapshot.clocks().begin(), snapshot.clocks().end(), [&](const auto& clock) {
      return clock_key(sequence, clock.clock_id()) == key;
    });
  };
  if (!target_) {
    target_ = has(kWallClock) ? kWallClock : primary_;
    clocks_[*target_];
  }
  // The moment in the target's time, by any clock of which that is known.
  std::optional<std::uint64_t> moment;
  for (const auto& clock : snapshot.clocks()) {
    const auto known = clocks_.find(clock_key(sequence, clock.clock_id()));
    if (known == clocks_.end() || known->second.is_incremental) continue;
    moment = clock.timestamp() * unit_of(clock) + known->second.offset;
    if (known->first == *target_) break;
  }
  if (!moment) return;
  for (const auto& clock : snapshot.clocks()) {
    // What is known stays: a clock that is set would make times jump.
    const auto [entry, is_new] =
        clocks_.try_emplace(clock_key(sequence, clock.clock_id()), Clock{unit_of(clock)});
    const std::uint64_t reading = clock.timestamp() * unit_of(clock);
    entry->second.last = reading;
    if (!is_new) continue;
    entry->second.is_incremental = clock.is_incremental();
    entry->second.offset = *moment - reading;
  }
}

PerfettoClocks::Clock* PerfettoClocks::find(std::uint32_t sequence, std::uint32_t id) {
  if (last_ != nullptr && last_sequence_ == sequence && last_id_ == id) return last_;
  const auto recorded = defaults_.find(sequence);
  const std::uint32_t by_default = recorded != defaults_.end() ? recorded->second : primary_;
  const auto entry = clocks_.find(clock_key(sequence, id == 0 ? by_default : id));
  if (entry == clocks_.end()) return nullptr;
  last_ = &entry->second;
  last_sequence_ = sequence;
  last_id_ = id;
  return last_;
}

std::optional<Ns> PerfettoClocks::time_of(const PacketHead& head) {
  Clock* const clock = find(head.sequence, head.clock);
  if (clock == nullptr) {
    const bool is_default = head.clock == 0 && !defaults_.contains(head.sequence);
    if (target_ || !(is_default || head.clock == primary_)) return std::nullopt;
    return static_cast<Ns>(head.timestamp);  // the one clock of a trace without snapshots
  }
  std::uint64_t reading = head.timestamp * clock->unit_ns;
  if (clock->is_incremental) reading = clock->last += reading;
  return static_cast<Ns>(reading + clock->offset);
}

}  // namespace nadi
