// A file that appears whole or not at all: written beside its place, renamed at the end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "nadi/base/byte_sink.h"
#include "nadi/emit/compressor.h"
#include "nadi/emit/temporary_path.h"

namespace nadi {

/// Until commit() the bytes are in a temporary file in the same folder, which is made if it is
/// missing; without commit() it goes away and what was at `path` stays. A path that is no regular
/// file (a pipe, /dev/null) is written directly; a symbolic link keeps pointing, its target is
/// replaced. Where the name ends in .gz or .zst the bytes are packed.
class AtomicFile {
 public:
  /// Throws Error (kInput) if the temporary file cannot be created.
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Throws Error (kInput), for example when the disk is full.
  void write(std::string_view bytes);
  /// Puts the file in its place. Throws Error (kInput) if that fails. Call once, last.
  void commit();
  /// Bytes given to write() so far.
  std::uint64_t size() const { return size_; }
  ByteSink sink() {
    return [this](std::string_view bytes) { write(bytes); };
  }

 private:
  void open_temporary();
  void write_plain(std::string_view bytes);
  [[noreturn]] void fail(const char* doing, int error) const;
  void discard() noexcept;

  std::filesystem::path path_;              // as the caller named it: for messages
  std::filesystem::path target_;            // where the file will be, links followed
  std::optional<TemporaryPath> temporary_;  // none = writing to target_ directly
  int descriptor_ = -1;
  std::uint64_t size_ = 0, written_ = 0;  // bytes given, and in the file
  std::optional<Compressor> compressor_;
};

/// A whole file at once, as AtomicFile writes it.
void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace nadi
