#include "nadi/converters/archive/trace_store.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include "nadi/base/error.h"
#include "nadi/converters/archive/checksum.h"
#include "nadi/emit/atomic_file.h"
#include "nadi/emit/compressor.h"
#include "nadi/input/unpack.h"

namespace nadi {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPieceBytes = 256 << 10;
constexpr std::uint64_t kGuessedRatio = 15;  // where the packing does not say

/// The size that the first frame of zstd says it holds; RFC 8878, 3.1.1.1.
std::optional<std::uint64_t> zstd_content_bytes(std::string_view first) {
  constexpr std::size_t kMagicBytes = 4, kDictionaryBytes[] = {0, 1, 2, 4},
                        kSizeBytes[] = {0, 2, 4, 8};
  if (!first.starts_with("\x28\xb5\x2f\xfd") || first.size() <= kMagicBytes) return std::nullopt;
  const auto descriptor = static_cast<unsigned char>(first[kMagicBytes]);
  const bool is_single_segment = (descriptor & 0x20) != 0;
  std::size_t size_bytes = kSizeBytes[descriptor >> 6];
  if (size_bytes == 0 && is_single_segment) size_bytes = 1;
  const std::size_t begin =
      kMagicBytes + 1 + (is_single_segment ? 0 : 1) + kDictionaryBytes[descriptor & 3];
  if (size_bytes == 0 || first.size() < begin + size_bytes) return std::nullopt;
  std::uint64_t size = size_bytes == 2 ? 256 : 0;
  for (std::size_t i = 0; i < size_bytes; ++i)
    size += std::uint64_t{static_cast<unsigned char>(first[begin + i])} << (8 * i);
  return size;
}

/// Gives the pieces in order.
class PieceReader {
 public:
  explicit PieceReader(const std::vector<std::string>& pieces) : pieces_(pieces) {}
  std::size_t operator()(std::span<char> into) {
    while (piece_ < pieces_.size() && at_ == pieces_[piece_].size()) {
      ++piece_;
      at_ = 0;
    }
    if (piece_ == pieces_.size()) return 0;
    const std::size_t count = std::min(into.size(), pieces_[piece_].size() - at_);
    std::copy_n(pieces_[piece_].data() + at_, count, into.data());
    at_ += count;
    return count;
  }

 private:
  const std::vector<std::string>& pieces_;
  std::size_t piece_ = 0, at_ = 0;
};

}  // namespace

KeptTrace::~KeptTrace() {
  if (bytes_held_ != nullptr) *bytes_held_ -= held_;
  std::error_code ignored;
  if (!file_.empty()) fs::remove(file_, ignored);
}

ByteSource KeptTrace::open(std::string name, const UnpackLimits& limits) const {
  return ByteSource::unpack(std::move(name), packed(), size_, limits);
}

ByteSource::ReadFunction KeptTrace::packed() const {
  if (file_.empty()) return PieceReader(pieces_);
  auto file = std::make_shared<std::ifstream>(file_, std::ios::binary);
  return [file](std::span<char> into) {
    file->read(into.data(), static_cast<std::streamsize>(into.size()));
    return static_cast<std::size_t>(file->gcount());
  };
}

TraceStore::TraceStore(std::uint64_t most_bytes, const std::string& spool)
    : most_bytes_(most_bytes) {
  if (!spool.empty()) folder_.emplace(spool, "");
}

/// Bytes on their way into a trace: into memory, or from where that is full into a file.
class TraceStore::Filling {
 public:
  Filling(TraceStore& store, const std::function<bool()>& make_room)
      : store_(store), make_room_(make_room), trace_(new KeptTrace) {
    trace_->bytes_held_ = &store.bytes_held_;
  }

  void append(std::string_view bytes) {
    while (!file_ && store_.bytes_held_ + bytes.size() > store_.most_bytes_)
      if (!make_room_ || !make_room_()) move_to_file();
    if (file_) {
      file_->write(bytes);
      store_.bytes_spooled_ += bytes.size();
      return;
    }
    trace_->pieces_.emplace_back(bytes);
    trace_->held_ += bytes.size();
    store_.bytes_held_ += bytes.size();
  }

  std::shared_ptr<KeptTrace> finish() {
    if (file_) file_->commit();
    return std::move(trace_);
  }

 private:
  void move_to_file() {
    trace_->file_ = store_.folder_->add(std::to_string(store_.files_++)).string();
    file_.emplace(trace_->file_);
    for (const std::string& piece : trace_->pieces_) file_->write(piece);
    trace_->pieces_.clear();
    store_.bytes_held_ -= trace_->held_;
    store_.bytes_spooled_ += trace_->held_;
    trace_->held_ = 0;
  }

  TraceStore& store_;
  const std::function<bool()>& make_room_;
  std::shared_ptr<KeptTrace> trace_;
  std::optional<AtomicFile> file_;
};

std::shared_ptr<const KeptTrace> TraceStore::keep(std::string_view head,
                                                  const ByteSource::ReadFunction& read,
                                                  const std::function<bool()>& make_room) {
  Filling filling(*this, make_room);
  std::string piece(kPieceBytes, '\0');
  std::string first(head);
  if (first.empty()) first = piece.substr(0, read(piece));
  std::optional<Compressor> packer;
  if (!is_compressed(first))
    packer.emplace(Compression::kZstd, [&](std::string_view bytes) { filling.append(bytes); });
  Checksum checksum;
  std::string last;
  std::uint64_t size = 0;
  const auto take = [&](std::string_view bytes) {
    checksum.add(bytes);
    size += bytes.size();
    last.append(bytes.substr(bytes.size() - std::min<std::size_t>(bytes.size(), 4)));
    last.erase(0, last.size() - std::min<std::size_t>(last.size(), 4));
    packer ? packer->write(bytes) : filling.append(bytes);
  };
  take(first);
  while (const std::size_t count = read(piece)) take(std::string_view(piece).substr(0, count));
  if (packer) packer->finish();
  auto trace = filling.finish();
  trace->size_ = size;
  trace->checksum_ = checksum.text();
  trace->unpacked_bytes_ = guess_unpacked_bytes(first, last, size);
  return trace;
}

std::shared_ptr<const KeptTrace> TraceStore::keep_packed(const ByteSource::ReadFunction& read,
                                                         std::uint64_t size,
                                                         std::uint64_t unpacked_bytes) {
  const std::function<bool()> no_room;
  Filling filling(*this, no_room);
  std::string piece(kPieceBytes, '\0');
  while (const std::size_t count = read(piece))
    filling.append(std::string_view(piece).substr(0, count));
  auto trace = filling.finish();
  trace->size_ = size;
  trace->unpacked_bytes_ = unpacked_bytes;
  return trace;
}

std::uint64_t guess_unpacked_bytes(std::string_view first, std::string_view last,
                                   std::uint64_t size) {
  if (first.starts_with("PK\x03\x04")) return size * kGuessedRatio;  // zip
  if (!is_compressed(first)) return size;
  if (const auto bytes = zstd_content_bytes(first)) return *bytes;
  if (!first.starts_with("\x1f\x8b") || last.size() < 4) return size * kGuessedRatio;
  std::uint64_t bytes = 0;  // RFC 1952: the size modulo 2^32
  for (std::size_t i = 4; i > 0; --i)
    bytes = bytes << 8 | static_cast<unsigned char>(last[last.size() - 5 + i]);
  constexpr std::uint64_t kModulus = std::uint64_t{1} << 32;
  if (bytes >= size) return bytes;
  if (size * kGuessedRatio < kModulus) return size * kGuessedRatio;  // of several parts
  while (bytes < size) bytes += kModulus;
  return bytes;
}

std::uint64_t guess_unpacked_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file.tellg();
  if (size < 32) return size < 0 ? 0 : static_cast<std::uint64_t>(size);
  std::string first(32, '\0'), last(4, '\0');
  file.seekg(0);
  file.read(first.data(), 32);
  file.seekg(size - 4);
  file.read(last.data(), 4);
  return guess_unpacked_bytes(first, last, static_cast<std::uint64_t>(size));
}

}  // namespace nadi
