// The clocks of a Perfetto trace: brings the time of a packet to one clock, the wall clock if
// recorded.
#pragma once

#include <cstdint>
#include <optional>

#include "nadi/base/id_map.h"
#include "nadi/base/time.h"
#include "nadi/read/perfetto_packets.h"
#include "perfetto_trace.pb.h"

namespace nadi {

class PerfettoClocks {
 public:
  /// Takes clocks that were read at one moment.
  void add_snapshot(const perfetto::protos::ClockSnapshot& snapshot, std::uint32_t sequence);
  /// The clock of those packets of a sequence that name none.
  void set_default(std::uint32_t sequence, std::uint32_t clock) {
    defaults_[sequence] = clock;
    last_ = nullptr;
  }
  /// Nanoseconds since the epoch, or since boot where no snapshot has the wall clock. Nothing
  /// where no snapshot relates the packet's clock to others. To be asked once for each packet, in
  /// file order: some clocks count from packet to packet.
  std::optional<Ns> time_of(const PacketHead& head);

 private:
  struct Clock;
  Clock* find(std::uint32_t sequence, std::uint32_t id);

  /// Time = timestamp * unit_ns + offset, of which incremental clocks keep the sum.
  struct Clock {
    std::uint64_t unit_ns = 1, offset = 0, last = 0;
    bool is_incremental = false;
  };

  std::uint32_t primary_ = 6;            // BOOTTIME
  std::optional<std::uint64_t> target_;  // the clock of the times that are given
  IdMap<std::uint64_t, Clock> clocks_;
  IdMap<std::uint64_t, std::uint32_t> defaults_;
  // Most packets are of the clock and the sequence of the one before.
  Clock* last_ = nullptr;
  std::uint32_t last_sequence_ = 0, last_id_ = 0;
};

}  // namespace nadi
