// The packets of a Perfetto trace as bytes: where they begin and end, and what stands in them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace nadi {

/// A field of a protobuf message. Numbers stand in `number`, messages and text in `bytes`.
struct WireField {
  std::uint64_t tag = 0;  ///< field number << 3 | wire type
  std::uint64_t number = 0;
  std::string_view bytes;
};

/// The tag of a field that holds a number, and of one that holds bytes.
constexpr std::uint64_t number_tag(std::uint64_t field) { return field << 3; }
constexpr std::uint64_t bytes_tag(std::uint64_t field) { return field << 3 | 2; }

/// The tag before each packet of a trace.
inline constexpr std::uint64_t kPacketTag = bytes_tag(1);

/// take_varint() of a number that may have more than one byte.
bool take_long_varint(std::string_view& bytes, std::uint64_t& number);
/// Takes a number off the front of `bytes`; false = it is not whole there, or is none.
inline bool take_varint(std::string_view& bytes, std::uint64_t& number) {
  if (bytes.empty() || static_cast<unsigned char>(bytes.front()) >= 0x80)
    return take_long_varint(bytes, number);
  number = static_cast<unsigned char>(bytes.front());
  bytes.remove_prefix(1);
  return true;
}
/// Takes a field off the front of `bytes`; false = it is not whole there, or is none.
bool take_field(std::string_view& bytes, WireField& field);

/// Returns what decides who takes a packet, without parsing the rest.
struct PacketHead {
  std::uint64_t timestamp = 0;
  std::uint32_t sequence = 0;  ///< who wrote it: interned data and some clocks are the writer's own
  std::uint32_t clock = 0;     ///< of the timestamp; 0 = the sequence's default
  std::uint32_t flags = 0;     ///< sequence_flags
  std::uint64_t slice_type = 0;  ///< TrackEvent::Type; 0 = no track event
  std::optional<std::uint64_t> track;
  bool has_tables = false;  ///< clocks, tracks, interned data or defaults
  bool has_render_stage = false;
  std::string_view zlib_packets, zstd_packets;  ///< packets within this one
};

/// Nothing where the bytes are no packet.
std::optional<PacketHead> read_packet_head(std::string_view packet);

/// True where `prefix`, the first bytes of a file, can be those of a Perfetto trace.
bool starts_as_perfetto_trace(std::string_view prefix);

}  // namespace nadi
