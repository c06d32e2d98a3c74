#include "nadi/read/perfetto_packets.h"

#include <algorithm>
#include <iterator>

#include "nadi/read/json_text.h"

namespace nadi {
namespace {

bool take_bytes(std::string_view& bytes, std::uint64_t size, WireField& field) {
  if (size > bytes.size()) return false;
  field.bytes = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return true;
}

bool read_track_event(std::string_view event, PacketHead& head) {
  for (WireField field; !event.empty();) {
    if (!take_field(event, field)) return false;
    if (field.tag == number_tag(9)) head.slice_type = field.number;
    if (field.tag == number_tag(11)) head.track = field.number;
  }
  return true;
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

bool take_long_varint(std::string_view& bytes, std::uint64_t& number) {
  constexpr std::size_t kMostBytes = 10;
  number = 0;
  for (std::size_t at = 0; at < bytes.size() && at < kMostBytes; ++at) {
    const auto byte = static_cast<unsigned char>(bytes[at]);
    number |= std::uint64_t{byte & 0x7fU} << (7 * at);
    if (byte < 0x80) {
      bytes.remove_prefix(at + 1);
      return true;
    }
  }
  return false;
}

bool take_field(std::string_view& bytes, WireField& field) {
  if (!take_varint(bytes, field.tag) || field.tag >> 3 == 0) return false;
  std::uint64_t size = 0;
  switch (field.tag & 7) {
    case 0:
      return take_varint(bytes, field.number);
    case 1:
      return take_bytes(bytes, 8, field);
    case 2:
      return take_varint(bytes, size) && take_bytes(bytes, size, field);
    case 5:
      return take_bytes(bytes, 4, field);
    default:
      return false;
  }
}

std::optional<PacketHead> read_packet_head(std::string_view packet) {
  PacketHead head;
  for (WireField field; !packet.empty();) {
    if (!take_field(packet, field)) return std::nullopt;
    switch (field.tag) {
      case number_tag(8):
        head.timestamp = field.number;
        break;
      case number_tag(10):
        head.sequence = static_cast<std::uint32_t>(field.number);
        break;
      case bytes_tag(11):
        if (!read_track_event(field.bytes, head)) return std::nullopt;
        break;
      case number_tag(13):
        head.flags = static_cast<std::uint32_t>(field.number);
        break;
      case number_tag(41):  // incremental_state_cleared, as older writers say it
        head.flags |= field.number != 0 ? 1 : 0;
        break;
      case bytes_tag(50):
        head.zlib_packets = field.bytes;
        break;
      case bytes_tag(53):
        head.has_render_stage = true;
        break;
      case number_tag(58):
        head.clock = static_cast<std::uint32_t>(field.number);
        break;
      case bytes_tag(133):
        head.zstd_packets = field.bytes;
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
  return head;
}

bool starts_as_perfetto_trace(std::string_view prefix) {
  std::uint64_t tag = 0, size = 0;
  if (is_text(prefix)) return false;
  if (!take_varint(prefix, tag) || tag != kPacketTag || !take_varint(prefix, size)) return false;
  const bool is_whole = size <= prefix.size();
  if (is_whole && size < prefix.size() && prefix[size] != '\x0a') return false;
  std::string_view packet = prefix.substr(0, size);
  bool is_known = false;
  for (WireField field; !packet.empty();) {
    if (!take_field(packet, field)) return !is_whole && (is_known || is_packet_tag(field.tag));
    is_known = is_known || is_packet_tag(field.tag);
  }
  return is_known;
}

}  // namespace nadi
