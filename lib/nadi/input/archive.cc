#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "nadi/base/error.h"
#include "nadi/input/stream.h"

namespace nadi {
namespace {

constexpr std::size_t kBlockBytes = 1 << 16;
constexpr std::size_t kMostMembersListed = 12;

struct FreeArchive {
  void operator()(archive* handle) const { archive_read_free(handle); }
};

std::string reason(archive* handle) {
  const char* text = archive_error_string(handle);
  return text != nullptr ? text : "unknown reason";
}

// macOS puts a "._name" member with Finder data before each file.
bool is_apple_double(std::string_view member) {
  const std::size_t slash = member.rfind('/');
  if (slash != std::string_view::npos) member.remove_prefix(slash + 1);
  return member.starts_with("._");
}

/// One member of an archive, or the one content of a compressed file.
class ArchiveMember : public ByteSource::Stream {
 public:
  ArchiveMember(std::unique_ptr<RawFile> raw, const std::string& name)
      : raw_(std::move(raw)), name_(name), handle_(archive_read_new()), block_(kBlockBytes) {
    total = raw_->total;
    archive_read_support_filter_all(handle_.get());
    archive_read_support_format_tar(handle_.get());
    archive_read_support_format_zip_streamable(handle_.get());
    archive_read_support_format_raw(handle_.get());
    archive_read_support_format_empty(handle_.get());
    const int status =
        archive_read_open(handle_.get(), this, nullptr, &ArchiveMember::give, nullptr);
    if (status != ARCHIVE_OK) refuse();
  }

  /// Goes to the next regular member; false = no more.
  bool next(std::string& member) {
    for (;;) {
      archive_entry* entry = nullptr;
      const int status = archive_read_next_header(handle_.get(), &entry);
      if (status == ARCHIVE_EOF) return false;
      if (status < ARCHIVE_WARN) refuse();
      is_raw_ = archive_format(handle_.get()) == ARCHIVE_FORMAT_RAW;
      const char* path = archive_entry_pathname(entry);
      member = path != nullptr ? path : "";
      if (is_raw_) return true;
      if (archive_entry_filetype(entry) == AE_IFREG && !is_apple_double(member)) return true;
    }
  }

  bool is_raw() const { return is_raw_; }

  std::size_t read(std::span<char> into) override {
    while (rest_.empty()) {
      const void* data = nullptr;
      std::size_t size = 0;
      la_int64_t offset = 0;
      const int status = archive_read_data_block(handle_.get(), &data, &size, &offset);
      if (status == ARCHIVE_EOF) return 0;
      if (status < ARCHIVE_WARN) {
        damage = reason(handle_.get());
        return 0;
      }
      rest_ = {static_cast<const char*>(data), size};
    }
    const std::size_t got = std::min(into.size(), rest_.size());
    std::memcpy(into.data(), rest_.data(), got);
    rest_.remove_prefix(got);
    return got;
  }

  void name_container() {
    for (int i = 0; i + 1 < archive_filter_count(handle_.get()); ++i)
      container +=
          (container.empty() ? "" : ", ") + std::string(archive_filter_name(handle_.get(), i));
    if (!is_raw_)
      container +=
          (container.empty() ? "" : ", ") + std::string(archive_format_name(handle_.get()));
  }

 private:
  static la_ssize_t give(archive* handle, void* self, const void** data) {
    auto* member = static_cast<ArchiveMember*>(self);
    try {
      const std::size_t got = member->raw_->read(member->block_);
      member->consumed += got;
      *data = member->block_.data();
      return static_cast<la_ssize_t>(got);
    } catch (const Error& error) {
      archive_set_error(handle, EIO, "%s", error.problem().c_str());
      return ARCHIVE_FATAL;
    }
  }

  [[noreturn]] void refuse() {
    throw Error(ErrorCode::kInput, name_, "cannot be unpacked: " + reason(handle_.get()),
                "Check that the file was copied whole, or unpack it first");
  }

  std::unique_ptr<RawFile> raw_;
  std::string name_;
  std::unique_ptr<archive, FreeArchive> handle_;
  std::vector<char> block_;
  std::string_view rest_;
  bool is_raw_ = false;
};

std::vector<std::string> list_members(ArchiveMember& archive, std::string first) {
  std::vector<std::string> members{std::move(first)};
  for (std::string member; archive.next(member);) members.push_back(member);
  return members;
}

std::string joined(const std::vector<std::string>& members) {
  std::string text;
  for (std::size_t i = 0; i < std::min(members.size(), kMostMembersListed); ++i)
    text += (i == 0 ? "" : ", ") + members[i];
  if (members.size() > kMostMembersListed)
    text += " and " + std::to_string(members.size() - kMostMembersListed) + " more";
  return text;
}

/// Stands on the named member, or throws the list of those that are there.
void find_member(ArchiveMember& archive, const std::string& name, const std::string& member) {
  std::vector<std::string> seen;
  for (std::string found; archive.next(found);) {
    if (found == member || found == "./" + member) return;
    seen.push_back(found);
  }
  throw Error(ErrorCode::kInput, name + ":" + member,
              archive.is_raw() ? "the file is not an archive, so it has no members"
                               : "no such member; there are " + joined(seen),
              archive.is_raw() ? "Leave out \":" + member + "\"" : "Name one of them");
}

}  // namespace

std::unique_ptr<ByteSource::Stream> open_archive(std::unique_ptr<RawFile> raw,
                                                 const std::string& name,
                                                 const std::string& member) {
  // The members of a tar are known only at its end, so a second pass opens the one wanted.
  const bool can_reopen = name != "-";
  auto archive = std::make_unique<ArchiveMember>(std::move(raw), name);
  if (!member.empty()) {
    find_member(*archive, name, member);
    archive->name_container();
    return archive;
  }
  std::string first;
  if (!archive->next(first))
    throw Error(ErrorCode::kInput, name, "the archive holds no file", "Pass a trace");
  if (!archive->is_raw() && can_reopen) {
    const std::vector<std::string> members = list_members(*archive, first);
    if (members.size() > 1)
      throw Error(ErrorCode::kInput, name, "an archive with several files: " + joined(members),
                  "Name one as " + name + ":" + members.front());
    return open_archive(std::make_unique<RawFile>(name), name, first);
  }
  archive->name_container();
  return archive;
}

}  // namespace nadi
