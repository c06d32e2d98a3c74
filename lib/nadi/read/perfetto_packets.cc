#include "nadi/read/perfetto_packets.h"

#include <algorithm>
#include <iterator>

#include "nadi/read/json_text.h"

namespace nadi {
namespace {

bool read_track_event(std::string_view event, PacketHead& head) {
  WireReader reader(event);
  while (reader.next()) {
    if (reader.tag() == number_tag(9)) head.slice_type = reader.number();
    if (reader.tag() == number_tag(11)) head.track = reader.number();
  }
  return !reader.is_broken();
}

/// True for fields of which the first packet of a trace holds at least one.
bool is_packet_tag(std::uint64_t tag) {
  constexpr std::uint64_t kTags[] = {number_tag(8), number_tag(10), bytes_tag(6),  bytes_tag(11),
                                     bytes_tag(12), bytes_tag(33),  bytes_tag(50), bytes_tag(53),
                                     bytes_tag(59), bytes_tag(60),  bytes_tag(89), bytes_tag(133)};
  return std::find(std::begin(kTags), std::end(kTags), tag) != std::end(kTags);
}

/// Text, too, may begin with a line feed and a character that would be a length.
bool is_text(std::string_view bytes) {
  return std::none_of(bytes.begin(), bytes.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 && !is_space(c); });
}

}  // namespace

std::optional<PacketHead> read_packet_head(std::string_view packet) {
  PacketHead head;
  WireReader field(packet);
  while (field.next()) {
    switch (field.tag()) {
      case number_tag(8):
        head.timestamp = field.number();
        break;
      case number_tag(10):
        head.sequence = static_cast<std::uint32_t>(field.number());
        break;
      case bytes_tag(11):
        if (!read_track_event(field.bytes(), head)) return std::nullopt;
        break;
      case number_tag(13):
        head.flags = static_cast<std::uint32_t>(field.number());
        break;
      case number_tag(41):  // incremental_state_cleared, as older writers say it
        head.flags |= field.number() != 0 ? 1 : 0;
        break;
      case bytes_tag(50):
        head.zlib_packets = field.bytes();
        break;
      case bytes_tag(53):
        head.has_render_stage = true;
        break;
      case number_tag(58):
        head.clock = static_cast<std::uint32_t>(field.number());
        break;
      case bytes_tag(133):
        head.zstd_packets = field.bytes();
        break;
      case bytes_tag(6):
      case bytes_tag(12):
      case bytes_tag(59):
      case bytes_tag(60):
        head.has_tables = true;
        break;
      default:
        break;
    }
  }
  if (field.is_broken()) return std::nullopt;
  return head;
}

bool starts_as_perfetto_trace(std::string_view prefix) {
  std::uint64_t tag = 0, size = 0;
  if (is_text(prefix)) return false;
  if (!take_varint(prefix, tag) || tag != kPacketTag || !take_varint(prefix, size)) return false;
  const bool is_whole = size <= prefix.size();
  if (is_whole && size < prefix.size() && prefix[size] != '\x0a') return false;
  WireReader field(prefix.substr(0, size));
  bool is_known = false;
  while (field.next()) is_known = is_known || is_packet_tag(field.tag());
  return field.is_broken() ? !is_whole && (is_known || is_packet_tag(field.tag())) : is_known;
}

}  // namespace nadi
