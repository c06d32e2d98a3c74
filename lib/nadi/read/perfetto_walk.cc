#include "nadi/read/perfetto_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <vector>

#include "nadi/base/error.h"
#include "nadi/read/perfetto_clocks.h"
#include "nadi/read/perfetto_events.h"
#include "nadi/read/perfetto_packets.h"
#include "nadi/read/perfetto_slices.h"
#include "nadi/read/perfetto_tables.h"
#include "nadi/read/time_text.h"
#include "nadi/read/trace_walk.h"
#include "nadi/read/unpack_packets.h"

namespace nadi {
namespace {

using perfetto::protos::TracePacket;
using perfetto::protos::TrackEvent;

constexpr std::size_t kMostPacketBytes = std::size_t{128} << 20;
/// Of a tag and a length.
constexpr std::size_t kMostFrameBytes = 20;
/// Bytes that packed packets may become for each byte of the trace.
constexpr std::uint64_t kMostRatio = 100;
constexpr std::uint32_t kTablesBeginAnew = 1;

/// Start and end of a row, to find those that were cut (P15).
struct SliceTimes {
  std::uint64_t lane = 0;
  Ns start_ns = 0, end_ns = 0;
  friend auto operator<=>(const SliceTimes&, const SliceTimes&) = default;
};

std::uint64_t count_cut_rows(std::vector<SliceTimes>& rows) {
  std::sort(rows.begin(), rows.end());
  std::uint64_t cut = 0;
  for (std::size_t i = 1; i < rows.size(); ++i)
    cut += rows[i - 1].lane == rows[i].lane && rows[i - 1].end_ns == rows[i].start_ns;
  return cut;
}

class PerfettoWalk {
 public:
  PerfettoWalk(Window& window, const EventSubscriber& subscriber, Diagnostics& diagnostics)
      : window_(window),
        subscriber_(subscriber),
        diagnostics_(diagnostics),
        events_(tables_, subscriber.keys, diagnostics),
        slices_(events_, diagnostics, [this](const TraceEvent& event) { hand_on(event); }) {}

  std::uint64_t run() {
    subscriber_.header.is_perfetto = true;
    while (read_field()) {
    }
    slices_.finish();
    if (!events_.has_known_category()) refuse();
    if (slices_.rank()) subscriber_.header.rank = *slices_.rank();
    report_losses();
    return count_;
  }

 private:
  /// One field of the trace, a packet but for those of newer versions; false = there is no further.
  bool read_field() {
    window_.fill_to(kMostFrameBytes);
    std::string_view text = window_.text();
    if (text.empty()) return false;
    std::uint64_t tag = 0, size = 0;
    const bool has_size = take_varint(text, tag) && (tag & 7) == 2 && take_varint(text, size);
    if (!has_size) {
      diagnostics_.report(Finding::kBrokenPacket, place());
      return pass_rest();
    }
    window_.advance(window_.text().size() - text.size());
    if (size > kMostPacketBytes) return skip(size);
    if (!window_.fill_to(size)) return end_early();
    if (tag == kPacketTag) take(window_.text().substr(0, size), true);
    window_.advance(size);
    return true;
  }

  bool end_early() {
    report_cut(place(), diagnostics_);
    return pass_rest();
  }

  /// It is no longer known where packets begin and end.
  bool pass_rest() {
    window_.advance(window_.text().size());
    while (window_.fill()) window_.advance(window_.text().size());
    return false;
  }

  bool skip(std::uint64_t size) {
    diagnostics_.report(Finding::kOversizedEvent, place());
    while (size > 0) {
      if (window_.text().empty() && !window_.fill()) return end_early();
      const std::size_t part = std::min<std::uint64_t>(size, window_.text().size());
      window_.advance(part);
      size -= part;
    }
    return true;
  }

  std::string place() const { return fmt::format("packet at byte {}", window_.position()); }

  void take(std::string_view bytes, bool may_hold_packets) {
    const auto head = read_packet_head(bytes);
    if (!head) return diagnostics_.report(Finding::kBrokenPacket, place());
    if (!head->zlib_packets.empty() || !head->zstd_packets.empty()) {
      if (may_hold_packets) return take_all(*head);
      return diagnostics_.report(Finding::kBrokenPacket, place());
    }
    const bool begins_anew = (head->flags & kTablesBeginAnew) != 0;
    if (head->has_tables || head->has_render_stage || begins_anew) {
      if (!packet_.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
        return diagnostics_.report(Finding::kBrokenPacket, place());
      take_tables(*head);
    }
    if (head->slice_type == 0 && !head->has_render_stage) return;
    const auto time = clocks_.time_of(*head);
    if (!time) return diagnostics_.report(Finding::kPacketClockUnknown, place());
    if (head->has_render_stage) take_row(*time);
    if (head->slice_type != 0) take_slice(bytes, *head, *time);
  }

  void take_all(const PacketHead& head) {
    // Real packets shrink to a tenth.
    if (unpacked_ > window_.position() * kMostRatio + kMostPacketBytes)
      return diagnostics_.report(Finding::kBrokenPacket, place());
    std::string packets;
    const bool is_zlib = !head.zlib_packets.empty();
    const bool is_whole = is_zlib ? unpack_zlib(head.zlib_packets, kMostPacketBytes, packets)
                                  : unpack_zstd(head.zstd_packets, kMostPacketBytes, packets);
    unpacked_ += packets.size();
    if (!is_whole) diagnostics_.report(Finding::kBrokenPacket, place());
    WireReader field(packets);
    while (field.next())
      if (field.tag() == kPacketTag) take(field.bytes(), false);
    if (field.is_broken()) diagnostics_.report(Finding::kBrokenPacket, place());
  }

  void take_tables(const PacketHead& head) {
    if (packet_.has_clock_snapshot()) clocks_.add_snapshot(packet_.clock_snapshot(), head.sequence);
    if (packet_.has_track_descriptor()) {
      const PerfettoTrack& track = tables_.add_track(packet_.track_descriptor());
      if (const TraceEvent* const name = events_.track_name(track)) hand_on(*name);
    }
    PerfettoSequence& sequence = tables_.sequence(head.sequence);
    if ((head.flags & kTablesBeginAnew) != 0) {
      slices_.before_new_tables();
      sequence = {};
    }
    if (packet_.has_trace_packet_defaults()) {
      const auto& defaults = packet_.trace_packet_defaults();
      if (defaults.has_timestamp_clock_id())
        clocks_.set_default(head.sequence, defaults.timestamp_clock_id());
      sequence.default_track = defaults.track_event_defaults().track_uuid();
    }
    if (packet_.has_interned_data()) sequence.add(packet_.interned_data());
  }

  void take_row(Ns start_ns) {
    const auto& row = packet_.gpu_render_stage_event();
    hand_on(events_.row(packet_, start_ns));
    if (events_.row_kind() == EventCategory::kIgnored || row.duration() == 0) return;
    rows_.push_back({std::uint64_t(row.gpu_id()) << 32 ^ row.hw_queue_iid(), start_ns,
                     static_cast<Ns>(static_cast<std::uint64_t>(start_ns) + row.duration())});
  }

  void take_slice(std::string_view bytes, const PacketHead& head, Ns time_ns) {
    const bool is_begin = head.slice_type == TrackEvent::TYPE_SLICE_BEGIN;
    if (!is_begin && head.slice_type != TrackEvent::TYPE_SLICE_END) return;  // instants, counters
    if (time_ns < kEarliestTime || time_ns > kLatestTime)
      return diagnostics_.report(Finding::kGarbageTime, place());
    const std::uint64_t track =
        head.track ? *head.track : tables_.sequence(head.sequence).default_track;
    const WaitingSlice slice{time_ns, track, head.sequence, head.flags, bytes};
    return is_begin ? slices_.begin(slice) : slices_.end(slice);
  }

  void hand_on(const TraceEvent& event) { subscriber_.take(event, event_index(count_++)); }

  void report_losses() {
    diagnostics_.report(Finding::kPerfettoTraceLacksFacts, window_.source().name());
    const std::uint64_t cut = count_cut_rows(rows_);
    if (cut > 0) diagnostics_.report(Finding::kDeviceRowsCut, std::string_view(), cut);
  }

  [[noreturn]] void refuse() const {
    throw Error(ErrorCode::kInput, window_.source().name(),
                "this Perfetto trace holds no slice of a category that "
                "PyTorch's profiler writes "
                "(cpu_op, cuda_runtime, …), and no GPU row of one of its "
                "stages (Kernel, Memcpy, …)",
                "Pass what torch.profiler's export_chrome_trace wrote "
                "(.pftrace or JSON)");
  }

  Window& window_;
  const EventSubscriber& subscriber_;
  Diagnostics& diagnostics_;
  PerfettoClocks clocks_;
  PerfettoTables tables_;
  PerfettoEvents events_;
  PerfettoSlices slices_;
  TracePacket packet_;
  std::vector<SliceTimes> rows_;
  std::uint64_t count_ = 0;     // of events
  std::uint64_t unpacked_ = 0;  // bytes of packets in packets
};

}  // namespace

std::uint64_t walk_perfetto_trace(Window& window, const EventSubscriber& subscriber,
                                  Diagnostics& diagnostics) {
  return PerfettoWalk(window, subscriber, diagnostics).run();
}

}  // namespace nadi
