// Bytes of a trace from a file, gzip, zstd, tar or zip member, or standard input: by content.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace nadi {

/// What unpacking may produce; beyond it input is taken for a bomb.
struct UnpackLimits {
  std::uint64_t most_bytes = 64ULL << 30;  ///< of one member or file, unpacked
  std::uint64_t most_ratio = 1000;         ///< unpacked bytes for each packed one
  /// Bytes that any packed file may give, whatever the ratio: archives of like ranks pack well.
  std::uint64_t bytes_of_any_ratio = 16ULL << 30;
  std::uint64_t most_members = 10'000'000;  ///< of an archive, folders and links among them
  bool throws_beyond_bytes = false;         ///< TooManyBytes, in place of an early end
};

/// A file or member that is unpacked holds more than UnpackLimits::most_bytes.
class TooManyBytes : public std::exception {
 public:
  const char* what() const noexcept override { return "unpacks to more bytes than allowed"; }
};

/// A stream of decompressed bytes. Move-only; reads forward only.
class ByteSource {
 public:
  /// Fills a part of the span and gives its size; 0 = end of data.
  using ReadFunction = std::function<std::size_t(std::span<char>)>;

  /// Opens `path`: "-" is standard input, "archive.tar.gz:member" a member of an archive, which may
  /// be packed itself (but not as an archive). The content, not the name, decides how the bytes are
  /// packed (gzip, zstd, xz, bzip2, lz4, tar, zip, plain). Throws Error(kInput) for what is
  /// missing, unreadable, a directory, empty of members, or an archive of several members of which
  /// none was named.
  static ByteSource open(std::string_view path);
  /// The same of a file that is no archive, within limits; an archive of one file is read without.
  static ByteSource open(const std::string& path, const UnpackLimits& limits);
  /// A source of somebody else's bytes, unpacked if they are gzip, zstd, xz, bzip2 or lz4 by their
  /// content, which ends with damage() beyond the limits. `total` = their number, 0 = not known.
  /// Throws Error(kInput) for an archive (tar, zip) and for what is packed more than once.
  static ByteSource unpack(std::string name, ReadFunction read, std::uint64_t total = 0,
                           const UnpackLimits& limits = {});
  /// The same source, which another thread reads and unpacks a block of 1 MB ahead, where it is a
  /// packed file. Others are given back as they are: plain files gain nothing, and a thread that
  /// waits for a pipe could not be stopped.
  static ByteSource read_ahead(ByteSource source);
  /// A source of somebody else's bytes as they are; `total` = their number, 0 = not known.
  ByteSource(std::string name, ReadFunction read, std::uint64_t total = 0);

  ByteSource(ByteSource&&) noexcept;
  ByteSource& operator=(ByteSource&&) noexcept;
  ~ByteSource();

  /// Reads up to into.size() decompressed bytes; 0 = end. Damaged input ends early: see damage().
  std::size_t read(std::span<char> into);
  /// Reads the next so many bytes; less where the data ends before.
  std::string read_up_to(std::size_t most_bytes);
  /// The name as given to open(), for messages.
  const std::string& name() const { return name_; }
  /// Bytes taken from the file so far (compressed), of total(); total 0 = not known.
  std::uint64_t consumed() const;
  std::uint64_t total() const;
  /// The reason why the data ended before its end ("truncated gzip input"); empty = it did not.
  const std::string& damage() const;
  /// The packings that were undone, outermost first: "gzip", "gzip, tar"; empty = plain.
  const std::string& container() const;

  struct Stream;

 private:
  ByteSource(std::string name, std::unique_ptr<Stream> stream);
  void skip_finder_data();
  std::string_view head() const { return std::string_view(ahead_).substr(ahead_used_); }

  std::string name_;
  std::unique_ptr<Stream> stream_;
  std::string ahead_;  // read from the stream, not yet given
  std::size_t ahead_used_ = 0;
};

/// Looks at the first bytes of standard input as they come, up to so many. Whoever opens "-" next
/// gets them again. Not thread-safe. Throws Error(kInput) where they cannot be read.
std::string_view peek_standard_input(std::size_t most_bytes);

/// Gives bytes in memory, which must outlive it, one after the other.
ByteSource::ReadFunction reader_of(std::string_view bytes);
/// A source of such bytes. name stands in messages.
ByteSource source_of_bytes(std::string_view bytes, std::string name);

}  // namespace nadi
