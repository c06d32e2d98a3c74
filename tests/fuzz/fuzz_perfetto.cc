// Feeds packets to the reader of Perfetto traces: their events can be written as JSON, whatever
// they hold. The first byte of an input is the size of the pieces in which it arrives. Half of the
// mutations are of whole packets, the others of the bytes of one.
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "nadi/base/error.h"
#include "nadi/read/perfetto_packets.h"
#include "nadi/read/perfetto_walk.h"
#include "tests/event_json.h"
#include "tests/fuzz/input_files.h"
#include "tests/fuzz/pieces.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

bool is_event(std::string_view object) {
  try {
    return nlohmann::json::parse(object).contains("ph");
  } catch (const nlohmann::json::out_of_range&) {
    return true;  // a number too large for it
  } catch (const nlohmann::json::parse_error&) {
    return false;
  }
}

std::vector<std::string> packets_of(std::string_view bytes) {
  std::vector<std::string> packets;
  for (nadi::WireReader field(bytes); field.next();)
    if (field.tag() == nadi::kPacketTag) packets.emplace_back(field.bytes());
  return packets;
}

std::string bytes_of(const std::vector<std::string>& packets) {
  std::string bytes;
  for (const std::string& packet : packets) {
    bytes += '\x0a';
    std::size_t size = packet.size();
    for (; size >= 0x80; size >>= 7) bytes += static_cast<char>(size | 0x80);
    bytes += static_cast<char>(size);
    bytes += packet;
  }
  return bytes;
}

void mutate_packets(std::vector<std::string>& packets, std::mt19937& random) {
  const auto any = [&] { return packets.begin() + random() % packets.size(); };
  switch (random() % 4) {
    case 0:
      return std::iter_swap(any(), any());
    case 1:
      packets.erase(any());
      return;
    case 2: {
      const std::string copy = *any();
      packets.insert(any(), copy);
      return;
    }
    default: {
      std::string& packet = *any();
      const std::size_t size = packet.size();
      packet.resize(size + 64);
      packet.resize(
          LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(packet.data()), size, packet.size()));
    }
  }
}

/// Throws Error where the bytes are no trace.
void walk(const std::uint8_t* data, std::size_t size) {
  nadi::ByteSource source = nadi::source_in_pieces(data, size);
  const nadi::Progress quiet;
  nadi::Window window(source, quiet);
  nadi::Diagnostics diagnostics;
  nadi::ArgumentKeys keys;
  keys.takes_all = true;
  nadi::DeviceTrace header;
  const auto take = [](const nadi::TraceEvent& event, std::uint32_t) {
    if (!is_event(nadi::test::json_of(event))) __builtin_trap();
  };
  nadi::walk_perfetto_trace(window, {keys, header, take}, diagnostics);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  std::mt19937 random(seed);
  auto packets = packets_of({reinterpret_cast<const char*>(data) + 1, size > 0 ? size - 1 : 0});
  if (packets.empty() || random() % 8 == 0) return LLVMFuzzerMutate(data, size, most);
  mutate_packets(packets, random);
  const std::string bytes = bytes_of(packets);
  if (bytes.size() + 1 > most) return LLVMFuzzerMutate(data, size, most);
  bytes.copy(reinterpret_cast<char*>(data) + 1, bytes.size());
  return bytes.size() + 1;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    walk(data, size);
  } catch (const nadi::Error& error) {
    nadi::require_no_bug(error);
  }
  return 0;
}
