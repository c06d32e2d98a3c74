// Pairs the packets that begin slices of a Perfetto trace with those that end them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/base/id_map.h"
#include "nadi/read/packet_queue.h"
#include "nadi/read/perfetto_events.h"

namespace nadi {

/// PyTorch's profiler writes n begins, then their n ends in the same order (P5); others write an
/// end for the begin last seen on its track. Its first end shows which of the two a trace is.
///
/// Begins that the profiler wrote wait as packets, which are smaller than events. Others wait as
/// events, since the interned data that their packets refer to may change before the end.
class PerfettoSlices {
 public:
  using TakeEvent = std::function<void(const TraceEvent& event)>;

  PerfettoSlices(PerfettoEvents& events, Diagnostics& diagnostics, TakeEvent take)
      : events_(events), diagnostics_(diagnostics), take_(std::move(take)) {}

  void begin(const WaitingSlice& slice);
  /// `end`: as begin()'s, with the time of the end.
  void end(const WaitingSlice& end);
  /// To be called before interned data begins anew.
  void before_new_tables();
  /// To be called at the end of the trace, which was cut or not.
  void finish();
  /// The rank of the process, if a slice has it.
  std::optional<std::int64_t> rank() const { return rank_; }

 private:
  enum class Order : std::uint8_t { kUnknown, kRuns, kStacks };
  struct OpenSlice {
    Ns start_ns = 0;
    TraceEvent event;
    std::vector<char> texts;  // of the event

    std::size_t bytes() const {
      return sizeof *this + texts.size() + event.arguments().size() * sizeof(EventArgument);
    }
  };

  Order order_by(const WaitingSlice& end) const;
  void move_to_stacks();
  void end_in_run(const WaitingSlice& end);
  void end_in_stack(const WaitingSlice& end);
  void drop_waiting();
  void hand_on(TraceEvent& event, Ns start_ns, Ns end_ns);
  /// nullptr = its packet is broken. Valid until the next.
  TraceEvent* event_of(const WaitingSlice& slice);
  void report_unmatched(std::uint64_t count);

  PerfettoEvents& events_;
  Diagnostics& diagnostics_;
  TakeEvent take_;
  Order order_ = Order::kUnknown;
  PacketQueue waiting_;
  Ns last_begin_ns_ = 0;
  bool run_has_ended_ = false;  // ends were seen since the last begin
  IdMap<std::uint64_t, std::vector<OpenSlice>> stacks_;
  std::uint64_t open_ = 0, open_bytes_ = 0;
  std::optional<std::int64_t> rank_;
  perfetto::protos::TracePacket packet_;
};

}  // namespace nadi
