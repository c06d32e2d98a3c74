// Feeds any bytes to the walk over an archive and unpacks what its members hold: either may be
// refused, but not crash, hang or eat memory, and what is given keeps to the limits.
#include <string>
#include <string_view>

#include "nadi/base/error.h"
#include "nadi/base/utf8.h"
#include "nadi/input/archive_walk.h"
#include "tests/fuzz/input_files.h"
#include "tests/fuzz/pieces.h"

namespace {

const nadi::UnpackLimits kLimits{.most_bytes = 1 << 20,
                                 .most_ratio = 100,
                                 .bytes_of_any_ratio = 64 << 20,
                                 .most_members = 10'000};

/// Gives the number of bytes.
std::uint64_t read_all(nadi::ByteSource& source) {
  std::string buffer(1 << 14, '\0');
  std::uint64_t bytes = 0;
  while (const std::size_t got = source.read(buffer)) bytes += got;
  return bytes;
}

void unpack_member(nadi::ArchiveWalk& walk, const nadi::ArchiveMember& member) try {
  nadi::ByteSource source = nadi::ByteSource::unpack(
      member.name, [&](std::span<char> into) { return walk.read(into); }, member.size, kLimits);
  if (read_all(source) > kLimits.most_bytes) __builtin_trap();
} catch (const nadi::Error& error) {
  nadi::require_no_bug(error);
}

void require_safe(std::string_view name) {
  const bool is_safe = !name.empty() && name.front() != '/' && name.find("//") == name.npos &&
                       name != ".." && !name.starts_with("../") && !name.ends_with("/..") &&
                       name.find("/../") == name.npos && nadi::is_utf8(name);
  if (!is_safe) __builtin_trap();
}

/// Every third member is skipped.
void walk_members(nadi::ByteSource& source) try {
  nadi::Diagnostics diagnostics;
  nadi::ArchiveWalk walk(
      "fuzz", [&](std::span<char> into) { return source.read(into); }, 0, kLimits, diagnostics);
  for (unsigned count = 0; const auto member = walk.next(); ++count) {
    require_safe(member->name);
    if (count % 3 != 2) unpack_member(walk, *member);
  }
} catch (const nadi::Error& error) {
  nadi::require_no_bug(error);
}

void unpack_file(nadi::ByteSource& source) try {
  nadi::ByteSource unpacked = nadi::ByteSource::unpack(
      "fuzz", [&](std::span<char> into) { return source.read(into); }, 0, kLimits);
  read_all(unpacked);
} catch (const nadi::Error& error) {
  nadi::require_no_bug(error);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  nadi::ByteSource archive = nadi::source_in_pieces(data, size);
  walk_members(archive);
  nadi::ByteSource file = nadi::source_in_pieces(data, size);
  unpack_file(file);
  return 0;
}
