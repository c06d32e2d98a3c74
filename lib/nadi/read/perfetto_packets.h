// The packets of a Perfetto trace as bytes: where they begin and end, and what stands in them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "nadi/base/wire_reader.h"

namespace nadi {

/// The tag before each packet of a trace.
inline constexpr std::uint64_t kPacketTag = bytes_tag(1);

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
