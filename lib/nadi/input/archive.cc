#include "nadi/input/archive.h"

#include <algorithm>
#include <vector>

#include "nadi/base/count_text.h"
#include "nadi/base/error.h"
#include "nadi/input/archive_reader.h"

namespace nadi {
namespace {

constexpr std::size_t kMostMembersListed = 12;

void support_anything(archive* handle) {
  archive_read_support_filter_all(handle);
  archive_read_support_format_tar(handle);
  archive_read_support_format_zip_streamable(handle);
  archive_read_support_format_raw(handle);
  archive_read_support_format_empty(handle);
}

/// Goes to the next regular member; false = no more.
bool next_member(ArchiveReader& archive, std::string& member) {
  for (;;) {
    const ArchiveReader::Header header = archive.next_header();
    if (header.status == ARCHIVE_EOF) return false;
    if (header.status < ARCHIVE_WARN) archive.refuse();
    member = header.name;
    if (archive.is_raw()) return true;
    if (archive_entry_filetype(header.entry) == AE_IFREG && !is_apple_double(member)) return true;
  }
}

/// Throws where further members follow the one that the archive stands on. `remedy` ends in a
/// colon, behind which that one's name is to stand.
void require_last_member(ArchiveReader& archive, const std::string& name,
                         const std::string& current, const std::string& remedy) {
  std::vector<std::string> members{current};
  for (std::string member; next_member(archive, member);) members.push_back(member);
  if (members.size() > 1)
    throw Error(ErrorCode::kInput, name,
                "an archive with several files: " + first_of_list(members, kMostMembersListed),
                remedy + current);
}

/// The only member of an archive that can be read once: that it is the only one shows at its end.
class OnlyMember : public ByteSource::Stream {
 public:
  OnlyMember(std::unique_ptr<ArchiveReader> archive, std::string name, std::string member)
      : archive_(std::move(archive)), name_(std::move(name)), member_(std::move(member)) {
    container = archive_->container;
  }

  std::size_t read(std::span<char> into) override {
    if (has_ended_) return 0;
    const std::size_t got = archive_->read(into);
    consumed = archive_->consumed;
    damage = archive_->damage;
    has_ended_ = got == 0;
    if (has_ended_ && damage.empty())
      require_last_member(*archive_, name_ == "-" ? "standard input" : name_, member_,
                          "Pass the archive as a file, and name one as FILE:");
    return got;
  }

 private:
  std::unique_ptr<ArchiveReader> archive_;
  std::string name_, member_;
  bool has_ended_ = false;
};

/// Stands on the named member, or throws the list of those that are there.
void find_member(ArchiveReader& archive, const std::string& name, const std::string& member) {
  std::vector<std::string> seen;
  for (std::string found; next_member(archive, found);) {
    if (found == member || found == "./" + member) return;
    seen.push_back(found);
  }
  throw Error(ErrorCode::kInput, name + ":" + member,
              archive.is_raw()
                  ? "the file is not an archive, so it has no members"
                  : "no such member; there are " + first_of_list(seen, kMostMembersListed),
              archive.is_raw() ? "Leave out \":" + member + "\"" : "Name one of them");
}

}  // namespace

std::unique_ptr<ByteSource::Stream> open_archive(std::unique_ptr<RawFile> raw,
                                                 const std::string& name,
                                                 const std::string& member) {
  // The members of a tar are known only at its end, so a second pass opens the one wanted. What
  // comes through a pipe, whose size is not known, can be read once.
  const bool can_reopen = name != "-" && raw->total > 0;
  auto archive = std::make_unique<ArchiveReader>(std::move(raw), name, support_anything);
  if (!archive->is_open()) archive->refuse();
  if (!member.empty()) {
    find_member(*archive, name, member);
    archive->name_container();
    return archive;
  }
  std::string first;
  if (!next_member(*archive, first))
    throw Error(ErrorCode::kInput, name, "the archive holds no file", "Pass a trace");
  archive->name_container();
  if (archive->is_raw()) return archive;
  if (!can_reopen) return std::make_unique<OnlyMember>(std::move(archive), name, first);
  require_last_member(*archive, name, first, "Name one as " + name + ":");
  return open_archive(std::make_unique<RawFile>(name), name, first);
}

}  // namespace nadi
