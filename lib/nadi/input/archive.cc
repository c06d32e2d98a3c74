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

std::vector<std::string> list_members(ArchiveReader& archive, std::string first) {
  std::vector<std::string> members{std::move(first)};
  for (std::string member; next_member(archive, member);) members.push_back(member);
  return members;
}

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
  // The members of a tar are known only at its end, so a second pass opens the one wanted.
  const bool can_reopen = name != "-";
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
  if (!archive->is_raw() && can_reopen) {
    const std::vector<std::string> members = list_members(*archive, first);
    if (members.size() > 1)
      throw Error(ErrorCode::kInput, name,
                  "an archive with several files: " + first_of_list(members, kMostMembersListed),
                  "Name one as " + name + ":" + members.front());
    return open_archive(std::make_unique<RawFile>(name), name, first);
  }
  archive->name_container();
  return archive;
}

}  // namespace nadi
