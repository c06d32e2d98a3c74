#include "nadi/input/archive_walk.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

#include "nadi/base/error.h"
#include "nadi/base/utf8.h"
#include "nadi/input/archive_reader.h"
#include "nadi/input/unpack.h"

namespace nadi {
namespace {

constexpr std::size_t kMostNameCharacters = 4000;
constexpr std::size_t kMostShownBytes = 200;
constexpr std::size_t kDiscardBytes = 1 << 16;

void support_members(archive* handle) {
  archive_read_support_format_tar(handle);
  archive_read_support_format_zip_streamable(handle);
}

/// The limits of the bytes around the members, which may be many more than those of one.
UnpackLimits limits_of_all(UnpackLimits limits) {
  limits.most_bytes = std::numeric_limits<std::uint64_t>::max();
  return limits;
}

std::unique_ptr<ByteSource::Stream> unpack_around(std::unique_ptr<RawStream> raw,
                                                  const std::string& name,
                                                  const UnpackLimits& limits) {
  return unpack_once(std::move(raw), name, limits_of_all(limits));
}

/// True for control characters (of ASCII, Unicode and "delete"), which steer terminals.
bool is_control(std::uint32_t character) {
  return character < 0x20 || (character >= 0x7f && character < 0xa0);
}

void append_escaped(std::string_view bytes, std::string& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    out.append("\\x").append(1, kDigits[value >> 4U]).append(1, kDigits[value & 15U]);
  }
}

/// A name for people: one line of UTF-8, of a bearable length.
std::string shown(std::string_view name) {
  std::string text;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t before = at;
    const std::uint32_t character = next_character(name, at);
    const std::string_view bytes = name.substr(before, at - before);
    const bool is_broken = character == kReplacementCharacter && bytes.size() == 1;
    if (is_broken || is_control(character))
      append_escaped(bytes, text);
    else
      text += bytes;
  }
  return cut_text(text, kMostShownBytes);
}

std::size_t count_characters(std::string_view utf8) {
  return static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80;
  }));
}

bool holds_control(std::string_view utf8) {
  for (std::size_t at = 0; at < utf8.size();)
    if (is_control(next_character(utf8, at))) return true;
  return false;
}

std::vector<std::string_view> components_of(std::string_view name) {
  std::vector<std::string_view> components;
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find('/', at), name.size());
    const std::string_view component = name.substr(at, end - at);
    if (!component.empty() && component != ".") components.push_back(component);
    at = end + 1;
  }
  return components;
}

std::string joined_path(const std::vector<std::string_view>& components) {
  std::string path;
  for (const std::string_view component : components)
    path.append(path.empty() ? "" : "/").append(component);
  return path;
}

/// Why a member is no plain file; empty = it is one.
std::string_view fault_of_kind(archive_entry* entry) {
  if (archive_entry_hardlink(entry) != nullptr) return "a hard link";
  switch (archive_entry_filetype(entry)) {
    case AE_IFREG:
      break;
    case AE_IFLNK:
      return "a symbolic link";
    case AE_IFCHR:
    case AE_IFBLK:
      return "a device";
    case AE_IFIFO:
      return "a FIFO";
    case AE_IFSOCK:
      return "a socket";
    default:
      return "of an unknown kind";
  }
  if (archive_entry_is_encrypted(entry) != 0) return "an encrypted file";
  if (archive_entry_sparse_count(entry) > 0) return "a sparse file";
  return {};
}

/// Why a name is not safe; empty = it is.
std::string_view fault_of_name(std::string_view name,
                               const std::vector<std::string_view>& components) {
  if (components.empty()) return "no name that can be read";
  if (!is_utf8(name)) return "a name that is not UTF-8";
  if (holds_control(name)) return "a name with control characters";
  if (count_characters(name) > kMostNameCharacters) return "a name of more than 4,000 characters";
  if (name.front() == '/') return "an absolute name";
  if (std::find(components.begin(), components.end(), "..") != components.end())
    return "a name with \"..\"";
  return {};
}

std::int64_t modified_ns_of(archive_entry* entry) {
  constexpr std::int64_t kNsPerSecond = 1'000'000'000;
  constexpr std::int64_t kMostSeconds = std::numeric_limits<std::int64_t>::max() / kNsPerSecond - 1;
  if (archive_entry_mtime_is_set(entry) == 0) return 0;
  const std::int64_t seconds =
      std::clamp<std::int64_t>(archive_entry_mtime(entry), -kMostSeconds, kMostSeconds);
  return seconds * kNsPerSecond + archive_entry_mtime_nsec(entry) % kNsPerSecond;
}

std::uint64_t size_of(archive_entry* entry) {
  if (archive_entry_size_is_set(entry) == 0) return 0;
  return static_cast<std::uint64_t>(std::max<la_int64_t>(archive_entry_size(entry), 0));
}

/// Remembers names by their hashes, in 11 to 27 bytes each.
class SeenNames {
 public:
  /// False where it was there before.
  bool add(std::string_view name) {
    if (3 * slots_.size() <= 4 * (count_ + 1)) grow();
    const bool is_new = place(std::hash<std::string_view>{}(name) | 1);  // 0 = a free slot
    count_ += is_new ? 1 : 0;
    return is_new;
  }

 private:
  bool place(std::size_t hash) {
    std::size_t at = hash >> 1U & (slots_.size() - 1);
    while (slots_[at] != 0 && slots_[at] != hash) at = (at + 1) & (slots_.size() - 1);
    const bool is_new = slots_[at] == 0;
    slots_[at] = hash;
    return is_new;
  }

  void grow() {
    constexpr std::size_t kFewest = 64;
    std::vector<std::size_t> before(std::max(kFewest, 2 * slots_.size()), 0);
    before.swap(slots_);
    for (const std::size_t hash : before)
      if (hash != 0) place(hash);
  }

  std::vector<std::size_t> slots_;  // a power of two
  std::size_t count_ = 0;
};

}  // namespace

bool begins_as_archive(const std::string& path) {
  constexpr std::size_t kHeadBytes = 512;
  auto stream = unpack_once(std::make_unique<RawFile>(path), path, {});
  std::string head(kHeadBytes, '\0');
  head.resize(stream->fill(head));
  return is_archive(head);
}

class ArchiveWalk::Walk {
 public:
  Walk(const std::string& name, std::unique_ptr<ByteSource::Stream> unpacked,
       const UnpackLimits& limits, Diagnostics& diagnostics)
      : archive_(name),
        reader_(std::move(unpacked), name, support_members),
        guard_(limits),
        diagnostics_(&diagnostics) {
    if (!reader_.is_open())
      throw Error(ErrorCode::kInput, name, "is no archive that can be read: " + reader_.problem(),
                  "Pass a tar or zip archive");
  }

  std::optional<ArchiveMember> next() {
    while (leave_member() && enter_member()) {
      ArchiveMember found;
      if (!accept_member(found)) continue;
      name_ = shown(found.name);
      return found;
    }
    return std::nullopt;
  }

  std::size_t read(std::span<char> into) {
    if (!is_inside_ || into.empty()) return 0;
    const std::size_t got = reader_.read(into);
    if (got == 0) {
      end_member();
      return 0;
    }
    member_bytes_ += got;
    const std::string limit = guard_.add(got, reader_.consumed, name_);
    if (limit.empty()) return got;
    end_walk(limit);
    return 0;
  }

  const std::string& damage() const { return damage_; }
  std::uint64_t consumed() const { return reader_.consumed; }
  std::uint64_t total() const { return reader_.total; }

 private:
  /// Reads what is left of the current member, so that its bytes are counted, too; false = the walk
  /// has ended.
  bool leave_member() {
    if (is_inside_ && discard_.empty()) discard_.resize(kDiscardBytes);
    while (is_inside_) read(discard_);
    return !has_ended_;
  }

  /// Goes to the next header; false = the walk has ended.
  bool enter_member() {
    damage_.clear();
    header_ = reader_.next_header();
    if (header_.status == ARCHIVE_EOF) {
      end_walk(reader_.lacks_end_mark() ? archive_ + ": the end mark is missing" : "");
      return false;
    }
    if (header_.status != ARCHIVE_OK && header_.status != ARCHIVE_WARN) {
      end_walk(after_member(reader_.problem()));
      return false;
    }
    name_ = shown(header_.name);
    const std::string limit = guard_.begin_file(archive_);
    if (!limit.empty()) {
      end_walk(limit);
      return false;
    }
    member_bytes_ = 0;
    claimed_bytes_ = size_of(header_.entry);
    is_inside_ = true;
    return true;
  }

  /// Fills in the member of the header; false = it is none to be given.
  bool accept_member(ArchiveMember& member) {
    if (archive_entry_filetype(header_.entry) == AE_IFDIR || is_apple_double(header_.name))
      return false;
    const auto components = components_of(header_.name);
    std::string_view fault = fault_of_kind(header_.entry);
    if (fault.empty()) fault = fault_of_name(header_.name, components);
    if (fault.empty()) {
      member = {joined_path(components), claimed_bytes_, modified_ns_of(header_.entry)};
      if (!names_.add(member.name)) fault = "a name that came before";
    }
    if (!fault.empty())
      diagnostics_->report(Finding::kMemberRefused,
                           [&] { return name_ + ": " + std::string(fault); });
    return fault.empty();
  }

  void end_member() {
    is_inside_ = false;
    if (!reader_.damage.empty()) {
      damage_ = name_ + ": " + reader_.damage;
      has_ended_ = !reader_.can_go_on();
    } else if (!reader_.doubt().empty()) {
      damage_ = name_ + ": " + reader_.doubt();
    } else if (member_bytes_ < claimed_bytes_) {
      damage_ = name_ + ": holds " + std::to_string(member_bytes_) + " of the " +
                std::to_string(claimed_bytes_) + " bytes that it claims";
    }
  }

  std::string after_member(const std::string& problem) const {
    return (name_.empty() ? archive_ : "after " + name_) + ": " + problem;
  }

  void end_walk(std::string damage) {
    is_inside_ = false;
    has_ended_ = true;
    damage_ = std::move(damage);
  }

  std::string archive_;
  ArchiveReader reader_;
  UnpackGuard guard_;
  Diagnostics* diagnostics_;
  SeenNames names_;               // of members given
  ArchiveReader::Header header_;  // of the current member
  std::string name_, damage_;     // of the current member, for people
  std::uint64_t member_bytes_ = 0, claimed_bytes_ = 0;
  bool is_inside_ = false, has_ended_ = false;
  std::vector<char> discard_;
};

ArchiveWalk::ArchiveWalk(const std::string& path, const UnpackLimits& limits,
                         Diagnostics& diagnostics) {
  const std::string name = path == "-" ? "standard input" : path;
  auto unpacked = unpack_around(std::make_unique<RawFile>(path), name, limits);
  walk_ = std::make_unique<Walk>(name, std::move(unpacked), limits, diagnostics);
}

ArchiveWalk::ArchiveWalk(std::string name, ByteSource::ReadFunction read, std::uint64_t total,
                         const UnpackLimits& limits, Diagnostics& diagnostics) {
  auto raw = std::make_unique<RawFunction>(std::move(read), total);
  auto unpacked = unpack_around(std::move(raw), name, limits);
  walk_ = std::make_unique<Walk>(name, std::move(unpacked), limits, diagnostics);
}

ArchiveWalk::ArchiveWalk(ArchiveWalk&&) noexcept = default;
ArchiveWalk& ArchiveWalk::operator=(ArchiveWalk&&) noexcept = default;
ArchiveWalk::~ArchiveWalk() = default;

std::optional<ArchiveMember> ArchiveWalk::next() { return walk_->next(); }
std::size_t ArchiveWalk::read(std::span<char> into) { return walk_->read(into); }
const std::string& ArchiveWalk::damage() const { return walk_->damage(); }
std::uint64_t ArchiveWalk::consumed() const { return walk_->consumed(); }
std::uint64_t ArchiveWalk::total() const { return walk_->total(); }

}  // namespace nadi
