// A file that appears whole or not at all: written beside its place, renamed at the end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace nadi {

/// Where emitters put their bytes, in order, in pieces of any size. Throws Error when it cannot.
using ByteSink = std::function<void(std::string_view)>;

/// Until commit() the bytes are in a temporary file in the same folder; without commit() it goes
/// away and what was at `path` stays. A path that is no regular file (a pipe, /dev/null) is written
/// directly; a symbolic link keeps pointing, its target is replaced.
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
  /// Bytes written so far.
  std::uint64_t size() const { return size_; }
  ByteSink sink() {
    return [this](std::string_view bytes) { write(bytes); };
  }

 private:
  void open_temporary();
  [[noreturn]] void fail(const char* doing, int error) const;
  void discard() noexcept;

  std::filesystem::path path_;       // as the caller named it: for messages
  std::filesystem::path target_;     // where the file will be, links followed
  std::filesystem::path temporary_;  // empty = writing to target_ directly
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

/// A whole file at once, as AtomicFile writes it.
void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace nadi
