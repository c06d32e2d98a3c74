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
#include "nadi/read/perfetto_text.h"

namespace nadi {

/// PyTorch's profiler writes n begins, then their n ends in the same order (P5); others write an
/// end for the begin last seen on its track. Which of the two a trace is, its first end tells.
///
/// Begins of the former wait as packets, which are smaller than what they become, and those of the
/// latter as the text that they become, since interned data may change before the end.
class PerfettoSlices {
 public:
  /// Takes the JSON of a slice, which may or may not be what was written last.
  using TakeEvent = std::function<void(std::string& text, bool is_last)>;

  PerfettoSlices(PerfettoText& text, Diagnostics& diagnostics, TakeEvent take)
      : text_(text), diagnostics_(diagnostics), take_(std::move(take)) {}

  void begin(const WaitingSlice& slice);
  /// `end`: as begin()'s, with the time of the end.
  void end(const WaitingSlice& end);
  /// To be called before interned data begins anew.
  void before_new_tables();
  /// To be called at the end of the trace, which was cut or not.
  void finish();
  /// The rank of the process, if a slice told it.
  std::optional<std::int64_t> rank() const { return rank_; }

 private:
  enum class Order : std::uint8_t { kUnknown, kRuns, kStacks };
  struct OpenSlice {
    Ns start_ns = 0;
    std::string text;
  };

  Order order_told_by(const WaitingSlice& end) const;
  void move_to_stacks();
  void end_in_run(const WaitingSlice& end);
  void end_in_stack(const WaitingSlice& end);
  void drop_waiting();
  bool write(const WaitingSlice& slice, std::string& text);
  void report_unmatched(std::uint64_t count);

  PerfettoText& text_;
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
  std::string event_;
};

}  // namespace nadi
