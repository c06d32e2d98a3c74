// Keeps traces that wait for their partner or for a worker: packed, in memory up to a limit, then
// in files.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/converters/archive/file_set.h"
#include "nadi/input/archive_walk.h"
#include "nadi/input/byte_source.h"

namespace nadi {

/// The bytes of a trace; they go when it goes. May be opened and destroyed on any thread.
class KeptTrace {
 public:
  ~KeptTrace();
  KeptTrace(const KeptTrace&) = delete;
  KeptTrace& operator=(const KeptTrace&) = delete;

  /// Unpacks the bytes as they came; this must outlive the source.
  ByteSource open(std::string name, const UnpackLimits& limits) const;
  /// Gives the bytes as they are kept: packed, if not as they came.
  ByteSource::ReadFunction packed() const;
  /// Bytes as they came.
  std::uint64_t size() const { return size_; }
  /// The number of bytes that reading it gives, or a guess.
  std::uint64_t unpacked_bytes() const { return unpacked_bytes_; }
  /// Of the bytes as they came, as `xxh128sum` prints it.
  const std::string& checksum() const { return checksum_; }

 private:
  friend class TraceStore;
  KeptTrace() = default;

  std::vector<std::string> pieces_;  // where it is in memory
  std::string file_;                 // else
  std::uint64_t size_ = 0, unpacked_bytes_ = 0, held_ = 0;
  std::string checksum_;
  std::atomic<std::uint64_t>* bytes_held_ = nullptr;  // of the store
};

class TraceStore {
 public:
  /// Holds at most so many bytes in memory. What is more goes to a folder beside `spool`, which is
  /// made at once and goes with the store; what a killed run left of it is removed. Empty = nothing
  /// will be kept.
  TraceStore(std::uint64_t most_bytes, const std::string& spool);
  TraceStore(const TraceStore&) = delete;
  TraceStore& operator=(const TraceStore&) = delete;

  /// Reads `head`, then all that read() gives. make_room(), if given, is called before a piece goes
  /// to a file and may free others; true = it did, so that memory is looked at again. Not
  /// thread-safe. Throws Error(kInput) where the file cannot be written.
  std::shared_ptr<const KeptTrace> keep(std::string_view head, const ByteSource::ReadFunction& read,
                                        const std::function<bool()>& make_room = {});
  /// Takes over what another store kept: bytes from KeptTrace::packed(), and its other facts.
  std::shared_ptr<const KeptTrace> keep_packed(const ByteSource::ReadFunction& read,
                                               std::uint64_t size, std::uint64_t unpacked_bytes);
  /// Bytes held in memory now, and all that ever went to files.
  std::uint64_t bytes_held() const { return bytes_held_; }
  std::uint64_t bytes_spooled() const { return bytes_spooled_; }

 private:
  class Filling;

  std::uint64_t most_bytes_;
  std::optional<FileSet> folder_;  // none = keep() is not called
  std::atomic<std::uint64_t> bytes_held_ = 0;
  std::uint64_t bytes_spooled_ = 0, files_ = 0;
};

/// Bytes that unpacking a trace gives, known from its first bytes, last bytes and size; a guess
/// where the packing does not say.
std::uint64_t guess_unpacked_bytes(std::string_view first, std::string_view last,
                                   std::uint64_t size);
/// The same of a file; 0 where it cannot be read.
std::uint64_t guess_unpacked_bytes(const std::string& path);

}  // namespace nadi
