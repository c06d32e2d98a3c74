#include "nadi/input/archive_reader.h"

#include <clocale>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "nadi/base/error.h"

namespace nadi {
namespace {

constexpr std::size_t kBlockBytes = 1 << 16;

/// While it lives, names of this thread are UTF-8: in the "C" locale libarchive gives none for
/// members of zip files whose names are marked as UTF-8.
class Utf8Names {
 public:
  Utf8Names() : before_(utf8() == locale_t{} ? locale_t{} : uselocale(utf8())) {}
  ~Utf8Names() {
    if (before_ != locale_t{}) uselocale(before_);
  }
  Utf8Names(const Utf8Names&) = delete;
  Utf8Names& operator=(const Utf8Names&) = delete;

 private:
  static locale_t utf8() {
    static const locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", locale_t{});
    return locale;
  }

  locale_t before_;
};

}  // namespace

ArchiveReader::ArchiveReader(std::unique_ptr<Stream> source, std::string name,
                             const std::function<void(archive*)>& support)
    : source_(std::move(source)),
      name_(std::move(name)),
      block_(kBlockBytes),
      handle_(archive_read_new()) {
  total = source_->total;
  support(handle_.get());
  is_open_ =
      archive_read_open(handle_.get(), this, nullptr, &ArchiveReader::give, nullptr) == ARCHIVE_OK;
}

la_ssize_t ArchiveReader::give(archive* handle, void* self, const void** data) {
  auto* reader = static_cast<ArchiveReader*>(self);
  Stream& source = *reader->source_;
  std::string problem;
  try {
    const std::size_t got = source.read(reader->block_);
    reader->consumed = source.consumed;
    *data = reader->block_.data();
    if (got > 0) reader->block_size_ = got;
    reader->given_ += got;
    if (got > 0 || source.damage.empty()) return static_cast<la_ssize_t>(got);
    problem = source.damage;
  } catch (const Error& error) {
    problem = error.problem();
  } catch (const std::exception& error) {  // must not pass through C
    problem = error.what();
  }
  archive_set_error(handle, EIO, "%s", problem.c_str());
  return ARCHIVE_FATAL;
}

ArchiveReader::Header ArchiveReader::next_header() {
  const Utf8Names utf8_names;
  rest_ = {};
  damage.clear();
  doubt_.clear();
  Header header;
  header.status = archive_read_next_header(handle_.get(), &header.entry);
  can_go_on_ = header.status >= ARCHIVE_WARN && header.status != ARCHIVE_EOF;
  const char* name = can_go_on_ ? archive_entry_pathname(header.entry) : nullptr;
  if (name != nullptr) header.name = name;
  return header;
}

std::size_t ArchiveReader::read(std::span<char> into) {
  while (rest_.empty()) {
    const void* data = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    const int status = archive_read_data_block(handle_.get(), &data, &size, &offset);
    if (status == ARCHIVE_EOF) {
      damage = behind_gzip();
      return 0;
    }
    if (status < ARCHIVE_WARN) {
      damage = problem();
      can_go_on_ = status != ARCHIVE_FATAL;
      return 0;
    }
    if (status == ARCHIVE_WARN) doubt_ = problem();
    rest_ = {static_cast<const char*>(data), size};
  }
  const std::size_t got = std::min(into.size(), rest_.size());
  std::memcpy(into.data(), rest_.data(), got);
  rest_.remove_prefix(got);
  return got;
}

/// What is wrong with the bytes that libarchive leaves behind the last gzip member without a word,
/// for they are no header of another; empty = there are none, or only padding.
std::string ArchiveReader::behind_gzip() const {
  const int outermost = archive_filter_count(handle_.get()) - 2;
  if (!is_raw() || outermost < 0 ||
      archive_filter_code(handle_.get(), outermost) != ARCHIVE_FILTER_GZIP)
    return {};
  const auto used = static_cast<std::uint64_t>(archive_filter_bytes(handle_.get(), -1));
  const auto left = static_cast<std::size_t>(std::min<std::uint64_t>(given_ - used, block_size_));
  const std::string_view rest(block_.data() + block_size_ - left, left);
  constexpr std::string_view kGzipMagic = "\x1f\x8b", kPadding("\0 \t\r\n", 5);
  if (rest.find_first_not_of(kPadding) == std::string_view::npos) return {};
  return rest.starts_with(kGzipMagic) ? "truncated gzip input"
                                      : "what stands behind its gzip data is no gzip";
}

std::string ArchiveReader::problem() const {
  const char* text = archive_error_string(handle_.get());
  return text != nullptr ? text : "unknown reason";
}

void ArchiveReader::refuse() const {
  // libarchive has no code of its own for it.
  if (archive_errno(handle_.get()) == ENOMEM) throw std::bad_alloc();
  throw Error(ErrorCode::kInput, name_, "cannot be unpacked: " + problem(),
              "Check that the file was copied whole, or unpack it first");
}

int ArchiveReader::format() const {
  return archive_format(handle_.get()) & ARCHIVE_FORMAT_BASE_MASK;
}
bool ArchiveReader::is_raw() const { return format() == ARCHIVE_FORMAT_RAW; }

bool ArchiveReader::lacks_end_mark() const {
  return format() == ARCHIVE_FORMAT_TAR &&
         archive_filter_bytes(handle_.get(), 0) == archive_read_header_position(handle_.get());
}

void ArchiveReader::name_container() {
  for (int i = 0; i + 1 < archive_filter_count(handle_.get()); ++i)
    container +=
        (container.empty() ? "" : ", ") + std::string(archive_filter_name(handle_.get(), i));
  if (!is_raw())
    container += (container.empty() ? "" : ", ") + std::string(archive_format_name(handle_.get()));
}

bool is_apple_double(std::string_view member) {
  const std::size_t slash = member.rfind('/');
  if (slash != std::string_view::npos) member.remove_prefix(slash + 1);
  return member.starts_with("._");
}

}  // namespace nadi
