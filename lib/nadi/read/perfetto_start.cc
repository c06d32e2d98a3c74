#include "nadi/read/perfetto_start.h"

#include "nadi/read/json_text.h"
#include "nadi/read/perfetto_packets.h"

namespace nadi {
namespace {

using perfetto::protos::TracePacket;
using perfetto::protos::TrackEvent;

void look_at_process(const perfetto::protos::TrackDescriptor& track, PerfettoStart& start) {
  if (start.pid >= 0 || !track.has_process()) return;
  const std::string_view name = track.process().process_name();
  if (!name.starts_with("GPU ") && name != "Overhead") start.pid = track.process().pid();
}

}  // namespace

std::optional<std::int64_t> rank_of_slice(const TrackEvent& slice) {
  std::int64_t position = -1;
  std::string_view ranks;
  for (const auto& annotation : slice.debug_annotations()) {
    const std::string_view name = annotation.name();
    if (name == "Src Rank" || name == "Dst Rank") return std::nullopt;  // of a peer, as is Rank
    if (name == "Rank" && annotation.has_int_value()) position = annotation.int_value();
    if (name == "Process Group Ranks") ranks = annotation.string_value();
  }
  if (position < 0 || ranks.empty()) return std::nullopt;
  const auto elements = elements_of(ranks);
  if (static_cast<std::size_t>(position) >= elements.size()) return std::nullopt;
  const auto rank = integer_of(elements[static_cast<std::size_t>(position)]);
  return rank && *rank >= 0 ? rank : std::nullopt;
}

PerfettoStart look_at_perfetto_start(std::string_view bytes) {
  PerfettoStart start;
  TracePacket packet;
  std::uint64_t ends = 0, rows = 0, begins = 0;
  for (WireReader field(bytes); field.next();) {
    const auto head = field.tag() == kPacketTag ? read_packet_head(field.bytes()) : std::nullopt;
    if (!head) continue;
    rows += head->has_render_stage;
    ends += head->slice_type == TrackEvent::TYPE_SLICE_END;
    const bool is_begin = head->slice_type == TrackEvent::TYPE_SLICE_BEGIN;
    begins += is_begin;
    const bool may_say = (is_begin && start.rank < 0) || (head->has_tables && start.pid < 0);
    if (!may_say ||
        !packet.ParseFromArray(field.bytes().data(), static_cast<int>(field.bytes().size())))
      continue;
    look_at_process(packet.track_descriptor(), start);
    if (is_begin && start.rank < 0) start.rank = rank_of_slice(packet.track_event()).value_or(-1);
  }
  // A begin and its end are one event, and in a part of a trace may be none of the other.
  start.events = rows + (begins + ends + 1) / 2;
  return start;
}

}  // namespace nadi
