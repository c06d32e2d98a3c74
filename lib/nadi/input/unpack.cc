#include "nadi/input/unpack.h"

#include <algorithm>
#include <memory>
#include <string>

#include "nadi/base/count_text.h"
#include "nadi/input/archive_reader.h"

namespace nadi {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kTarMagicAt = 257;
constexpr std::size_t kFilterMagicBytes = 10;

/// A packing, known by the first bytes.
struct Filter {
  std::string_view magic;
  int code;                 // of libarchive
  std::size_t least_bytes;  // of a whole file
};

// gzip: RFC 1952; bzip2 has a digit after its magic, see filter_of(). libarchive takes less than
// the least bytes of these two for an empty file without a word.
constexpr Filter kFilters[] = {
    {"\x1f\x8b\x08"sv, ARCHIVE_FILTER_GZIP, 18},
    {"\x28\xb5\x2f\xfd"sv, ARCHIVE_FILTER_ZSTD, 0},
    {"\xfd"
     "7zXZ\0"sv,
     ARCHIVE_FILTER_XZ, 0},
    {"BZh"sv, ARCHIVE_FILTER_BZIP2, 14},
    {"\x04\x22\x4d\x18"sv, ARCHIVE_FILTER_LZ4, 0},
};

/// "BZh", a digit, and the mark of a block (the digits of pi) or of the end (of its root).
bool is_bzip2(std::string_view head) {
  if (head.size() < kFilterMagicBytes || head[3] < '1' || head[3] > '9') return false;
  const std::string_view mark = head.substr(4, 6);
  return mark == "\x31\x41\x59\x26\x53\x59"sv || mark == "\x17\x72\x45\x38\x50\x90"sv;
}

const Filter* filter_of(std::string_view head) {
  for (const Filter& filter : kFilters)
    if (head.starts_with(filter.magic) && (filter.code != ARCHIVE_FILTER_BZIP2 || is_bzip2(head)))
      return &filter;
  return nullptr;
}

/// The content of a compressed file. Other than ByteSource::open it lets libarchive find neither
/// filters in filters nor formats, which would unpack without end before anyone counts.
class UnpackedStream : public ByteSource::Stream {
 public:
  UnpackedStream(std::unique_ptr<RawStream> raw, const std::string& name, const Filter& filter,
                 const UnpackLimits& limits)
      : name_(name),
        least_bytes_(filter.least_bytes),
        reader_(std::move(raw), name,
                [&](archive* handle) {
                  archive_read_append_filter(handle, filter.code);
                  archive_read_set_format(handle, ARCHIVE_FORMAT_RAW);
                }),
        guard_(limits) {
    total = reader_.total;
    if (!reader_.is_open() || reader_.next_header().status < ARCHIVE_WARN) reader_.refuse();
    reader_.name_container();
    container = reader_.container;
  }

  std::size_t read(std::span<char> into) override {
    if (!damage.empty()) return 0;
    const std::size_t got = reader_.read(into);
    consumed = reader_.consumed;
    is_empty_ = is_empty_ && got == 0;
    damage = got > 0 ? guard_.add(got, consumed, name_) : reader_.damage;
    if (got == 0 && damage.empty() && is_empty_ && consumed < least_bytes_)
      damage = "truncated " + container + " input";
    return damage.empty() ? got : 0;
  }

 private:
  std::string name_;
  std::size_t least_bytes_;
  ArchiveReader reader_;
  UnpackGuard guard_;
  bool is_empty_ = true;
};

std::string beyond(std::string_view name, const std::string& what, std::string_view setting) {
  return std::string(name) + " " + what + " (taken for a bomb; `" + std::string(setting) +
         "` changes the limit)";
}

}  // namespace

std::string UnpackGuard::begin_file(std::string_view archive) {
  file_bytes_ = 0;
  if (++files_ <= limits_.most_members) return {};
  return beyond(archive, "holds more than " + with_commas(limits_.most_members) + " members",
                "max-members");
}

std::string UnpackGuard::add(std::uint64_t bytes, std::uint64_t packed, std::string_view name) {
  file_bytes_ += bytes;
  bytes_ += bytes;
  if (file_bytes_ > limits_.most_bytes && limits_.throws_beyond_bytes) throw TooManyBytes();
  if (file_bytes_ > limits_.most_bytes)
    return beyond(name, "unpacks to more than " + with_commas(limits_.most_bytes) + " bytes",
                  "max-unpacked");
  const std::uint64_t ratio = std::max<std::uint64_t>(limits_.most_ratio, 1);
  if (bytes_ > limits_.bytes_of_any_ratio && bytes_ / ratio > packed)
    return beyond(name, "unpacks to more than " + with_commas(ratio) + " times its packed size",
                  "max-ratio");
  return {};
}

std::unique_ptr<ByteSource::Stream> unpack_once(std::unique_ptr<RawStream> raw,
                                                const std::string& name,
                                                const UnpackLimits& limits) {
  const Filter* filter = filter_of(raw->peek(kFilterMagicBytes));
  if (filter == nullptr) return raw;
  return std::make_unique<UnpackedStream>(std::move(raw), name, *filter, limits);
}

bool is_archive(std::string_view head) {
  constexpr std::string_view kTarMagic = "ustar";
  const bool is_tar = head.size() >= kTarMagicAt + kTarMagic.size() &&
                      head.substr(kTarMagicAt, kTarMagic.size()) == kTarMagic;
  return is_tar || head.starts_with("PK\x03\x04");
}

bool is_compressed(std::string_view head) { return filter_of(head) != nullptr; }

}  // namespace nadi
