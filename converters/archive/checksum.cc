#include "nadi/converters/archive/checksum.h"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include "nadi/input/byte_source.h"
#include "nadi/input/raw_stream.h"

namespace nadi {

struct Checksum::State {
  XXH3_state_t xxh;
};

Checksum::Checksum() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->xxh); }
Checksum::~Checksum() = default;

void Checksum::add(std::string_view bytes) {
  XXH3_128bits_update(&state_->xxh, bytes.data(), bytes.size());
}

std::string Checksum::text() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(&state_->xxh);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string checksum_of_file(const std::string& path) {
  RawFile file(path);
  Checksum checksum;
  std::string piece(1 << 18, '\0');
  while (const std::size_t count = file.read(piece))
    checksum.add(std::string_view(piece).substr(0, count));
  return checksum.text();
}

}  // namespace nadi
