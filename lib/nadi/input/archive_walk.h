// Walks over all members of an archive in one pass, from a file, standard input or a function.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "nadi/base/diagnostics.h"
#include "nadi/input/byte_source.h"

namespace nadi {

/// A regular file in an archive.
struct ArchiveMember {
  std::string name;              ///< relative and safe: "./a//b" is "a/b"; UTF-8
  std::uint64_t size = 0;        ///< bytes, as the header says; 0 = not known
  std::int64_t modified_ns = 0;  ///< since 1970, UTC; 0 = not known
};

/// The regular files of a tar or zip, which may itself be packed by gzip, zstd, xz, bzip2 or lz4.
/// Whatever the archive holds, a walk ends, with little memory. Not thread-safe; move-only.
class ArchiveWalk {
 public:
  /// "-" is standard input. The diagnostics must outlive the walk. Throws Error(kInput) where the
  /// file is missing, unreadable or no archive; a compressed file alone is none.
  ArchiveWalk(const std::string& path, const UnpackLimits& limits, Diagnostics& diagnostics);
  /// The same for somebody else's bytes; `total` = their number, 0 = not known.
  ArchiveWalk(std::string name, ByteSource::ReadFunction read, std::uint64_t total,
              const UnpackLimits& limits, Diagnostics& diagnostics);
  ArchiveWalk(ArchiveWalk&&) noexcept;
  ArchiveWalk& operator=(ArchiveWalk&&) noexcept;
  ~ArchiveWalk();

  /// Goes to the next regular file whose name is safe; nullopt = there are no more. Folders and
  /// Finder data ("._name") are passed; all else is counted as "member-refused", "NAME: reason". A
  /// zip read in one pass does not show which members are symbolic links: they look like files that
  /// hold a path.
  std::optional<ArchiveMember> next();
  /// Fills a part of the span with bytes of the current member and gives its size; 0 = its end.
  std::size_t read(std::span<char> into);
  /// Why the current member ended early or, once next() gave nullopt, why the archive did; empty =
  /// it did not. Says where.
  const std::string& damage() const;
  /// Bytes taken from the packed file so far, of total(); total 0 = not known.
  std::uint64_t consumed() const;
  std::uint64_t total() const;

 private:
  class Walk;
  std::unique_ptr<Walk> walk_;
};

/// True where a file begins as a tar or zip does, packed or not; it is read no further. Throws
/// Error(kInput) where it cannot be read.
bool begins_as_archive(const std::string& path);

}  // namespace nadi
