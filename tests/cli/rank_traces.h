// Traces of any number of ranks, in folders and archives: those of tests/data/ddp-2rank as other
// ranks and processes would have recorded them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/emit/compressor.h"

namespace nadi {

enum class MemberKind { kFile, kFolder, kSymbolicLink, kHardLink };

/// A file of a folder, or a member of an archive.
struct Member {
  std::string name, bytes;  ///< of a link: the path that it leads to
  std::int64_t modified_s = 1'700'000'000;
  MemberKind kind = MemberKind::kFile;
};

/// JSON of a rank from 0 on, whose process is 40,000 + rank.
std::string host_trace(int rank);
std::string device_trace(int rank);

/// "host.0.json", "device.0.json", "host.1.json", …
std::vector<Member> traces_of_ranks(int ranks);
/// The same members, those of which the name begins with `first` before all others.
std::vector<Member> sorted_by_kind(std::vector<Member> members, std::string_view first);
/// Each packed, and named so.
std::vector<Member> packed_each(std::vector<Member> members, Compression compression);

void write_folder(const std::filesystem::path& folder, const std::vector<Member>& files);
/// In the format that its name tells: .tar, .tar.gz, .tar.zst, .zip.
void write_archive(const std::filesystem::path& path, const std::vector<Member>& members);

}  // namespace nadi
