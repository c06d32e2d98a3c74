// Reads what libarchive can unpack: header by header, and the bytes behind each.
#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/input/raw_stream.h"

namespace nadi {

/// The members of an archive, or the one content of a compressed file. As a stream it gives the
/// bytes of the current member, and damage is why they ended early.
class ArchiveReader : public ByteSource::Stream {
 public:
  /// A header, which lives until the next one is asked for, and libarchive's verdict on it:
  /// ARCHIVE_EOF = there are no more; below ARCHIVE_WARN = problem() says why.
  struct Header {
    int status = 0;
    archive_entry* entry = nullptr;
    std::string_view name;  ///< as written; empty where it cannot be read
  };

  /// support() tells libarchive what the bytes may be. `name` is for messages.
  ArchiveReader(std::unique_ptr<Stream> source, std::string name,
                const std::function<void(archive*)>& support);
  ArchiveReader(const ArchiveReader&) = delete;
  ArchiveReader& operator=(const ArchiveReader&) = delete;

  /// False where the bytes are nothing that is supported: there is nothing to be read.
  bool is_open() const { return is_open_; }
  Header next_header();
  std::size_t read(std::span<char> into) override;

  /// The latest complaint of libarchive.
  std::string problem() const;
  [[noreturn]] void refuse() const;
  /// Why the bytes of the current member, which came whole, may be wrong; empty = they are right.
  const std::string& doubt() const { return doubt_; }
  /// False after damage beyond which nothing can be read.
  bool can_go_on() const { return can_go_on_; }
  /// True for a compressed file that is no archive.
  bool is_raw() const;
  /// True where the headers have ended, but a tar's end mark (two blocks of zeros) is missing.
  bool lacks_end_mark() const;
  /// Fills in `container`.
  void name_container();

 private:
  struct Free {
    void operator()(archive* handle) const { archive_read_free(handle); }
  };

  static la_ssize_t give(archive* handle, void* self, const void** data);
  int format() const;
  std::string behind_gzip() const;

  std::unique_ptr<Stream> source_;
  std::string name_;
  std::vector<char> block_;
  std::size_t block_size_ = 0;  // of the block given last
  std::uint64_t given_ = 0;     // bytes of all blocks
  std::unique_ptr<archive, Free> handle_;
  std::string_view rest_;  // of libarchive's block, not yet given
  std::string doubt_;
  bool is_open_ = false, can_go_on_ = true;
};

/// True for the "._name" members with Finder data that macOS puts before each file.
bool is_apple_double(std::string_view member);

}  // namespace nadi
