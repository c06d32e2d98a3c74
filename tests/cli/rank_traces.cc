#include "tests/cli/rank_traces.h"

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "nadi/input/byte_source.h"

namespace nadi {

namespace fs = std::filesystem;

namespace {

constexpr int kSampleRanks = 2;
constexpr int kFirstProcess = 40'000;

std::string sample(const std::string& kind, int rank) {
  const std::string name = kind + "." + std::to_string(rank % kSampleRanks) + ".json.gz";
  return ByteSource::open(NADI_TEST_DATA "/ddp-2rank/" + name).read_up_to(1 << 20);
}

/// `"pid": 2910249` of the host trace of the same rank.
std::string process_of_sample(int rank) {
  const std::string host = sample("host", rank);
  const std::size_t at = host.find("\"pid\": ");
  return host.substr(at, host.find(',', at) - at);
}

std::string of_process(std::string text, int rank) {
  const std::string old = process_of_sample(rank),
                    own = "\"pid\": " + std::to_string(kFirstProcess + rank);
  for (std::size_t at = 0; (at = text.find(old, at)) != std::string::npos; at += own.size())
    text.replace(at, old.size(), own);
  return text;
}

int format_of(const std::string& name) {
  return name.ends_with(".zip") ? ARCHIVE_FORMAT_ZIP : ARCHIVE_FORMAT_TAR_PAX_RESTRICTED;
}

int filter_of(const std::string& name) {
  if (name.ends_with(".gz")) return ARCHIVE_FILTER_GZIP;
  return name.ends_with(".zst") ? ARCHIVE_FILTER_ZSTD : ARCHIVE_FILTER_NONE;
}

void write_member(archive* out, const Member& member) {
  archive_entry* entry = archive_entry_new();
  archive_entry_set_pathname(entry, member.name.c_str());
  archive_entry_set_filetype(entry, member.kind == MemberKind::kFolder         ? AE_IFDIR
                                    : member.kind == MemberKind::kSymbolicLink ? AE_IFLNK
                                                                               : AE_IFREG);
  archive_entry_set_perm(entry, 0644);
  archive_entry_set_mtime(entry, member.modified_s, 0);
  if (member.kind == MemberKind::kSymbolicLink)
    archive_entry_set_symlink(entry, member.bytes.c_str());
  if (member.kind == MemberKind::kHardLink) archive_entry_set_hardlink(entry, member.bytes.c_str());
  const bool is_file = member.kind == MemberKind::kFile;
  archive_entry_set_size(entry, is_file ? static_cast<la_int64_t>(member.bytes.size()) : 0);
  EXPECT_EQ(archive_write_header(out, entry), ARCHIVE_OK) << archive_error_string(out);
  if (is_file) archive_write_data(out, member.bytes.data(), member.bytes.size());
  archive_entry_free(entry);
}

}  // namespace

std::string host_trace(int rank) { return of_process(sample("host", rank), rank); }

std::string device_trace(int rank) {
  std::string text = of_process(sample("device", rank), rank);
  const std::string old = "\"rank\":" + std::to_string(rank % kSampleRanks);
  return text.replace(text.find(old), old.size(), "\"rank\":" + std::to_string(rank));
}

std::vector<Member> traces_of_ranks(int ranks) {
  std::vector<Member> members;
  for (int rank = 0; rank < ranks; ++rank) {
    members.push_back({"host." + std::to_string(rank) + ".json", host_trace(rank)});
    members.push_back({"device." + std::to_string(rank) + ".json", device_trace(rank)});
  }
  return members;
}

std::vector<Member> sorted_by_kind(std::vector<Member> members, std::string_view first) {
  std::stable_partition(members.begin(), members.end(),
                        [&](const Member& member) { return member.name.starts_with(first); });
  return members;
}

std::vector<Member> packed_each(std::vector<Member> members, Compression compression) {
  if (compression == Compression::kNone) return members;
  for (Member& member : members) {
    std::string packed;
    Compressor packer(compression, [&](std::string_view bytes) { packed += bytes; });
    packer.write(member.bytes);
    packer.finish();
    member.name += compression == Compression::kGzip ? ".gz" : ".zst";
    member.bytes = std::move(packed);
  }
  return members;
}

void write_folder(const fs::path& folder, const std::vector<Member>& files) {
  for (const Member& file : files) {
    fs::create_directories((folder / file.name).parent_path());
    std::ofstream(folder / file.name, std::ios::binary) << file.bytes;
  }
}

void write_archive(const fs::path& path, const std::vector<Member>& members) {
  archive* out = archive_write_new();
  archive_write_set_format(out, format_of(path.string()));
  archive_write_add_filter(out, filter_of(path.string()));
  EXPECT_EQ(archive_write_open_filename(out, path.c_str()), ARCHIVE_OK);
  for (const Member& member : members) write_member(out, member);
  EXPECT_EQ(archive_write_close(out), ARCHIVE_OK);
  archive_write_free(out);
}

}  // namespace nadi
