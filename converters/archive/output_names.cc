#include "nadi/converters/archive/output_names.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "nadi/base/utf8.h"
#include "nadi/chakra/rank_name.h"
#include "nadi/converters/archive/checksum.h"

namespace nadi {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBetweenFolders = "--";
constexpr std::size_t kChecksumDigits = 16;

/// Letters, digits and what shells and terminals take as it is; of other languages all but broken
/// bytes, spaces and marks that are not seen or turn text around.
bool is_plain(std::uint32_t character) {
  constexpr std::string_view kMarks = "._+=@%,-";
  if (character < 0x80) {
    const char c = static_cast<char>(character);
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kMarks.find(c) != std::string_view::npos;
  }
  return character > 0xa0 && (character < 0x2000 || character > 0x206f) && character != 0xfeff &&
         character != kReplacementCharacter;
}

/// The name of a folder; false = another one might give the same.
bool append_folder(std::string_view folder, std::string& name) {
  const std::size_t begin = name.size();
  bool is_own = true;
  for (std::size_t at = 0; at < folder.size();) {
    const std::size_t before = at;
    if (is_plain(next_character(folder, at))) {
      name += folder.substr(before, at - before);
    } else {
      name += '_';
      is_own = false;
    }
  }
  const std::string_view added = std::string_view(name).substr(begin);
  return is_own && !added.starts_with('-') && !added.ends_with('-') &&
         added.find(kBetweenFolders) == std::string_view::npos;
}

/// As a name that was changed ends.
bool ends_in_checksum(std::string_view name) {
  if (name.size() <= kChecksumDigits || name[name.size() - kChecksumDigits - 1] != '-')
    return false;
  return name.substr(name.size() - kChecksumDigits).find_first_not_of("0123456789abcdef") ==
         std::string_view::npos;
}

/// As the manifests of shards are named.
bool names_shard(std::string_view job) {
  return job.starts_with("shard-") || job.find(".shard-") != std::string_view::npos;
}

}  // namespace

std::string prefix_of_job(const std::string& prefix, const std::string& job) {
  if (job.empty()) return prefix;
  std::string name;
  bool is_own = !names_shard(job);
  for (std::size_t begin = 0; begin <= job.size();) {
    const std::size_t end = std::min(job.find('/', begin), job.size());
    if (begin > 0) name += kBetweenFolders;
    is_own = append_folder(std::string_view(job).substr(begin, end - begin), name) && is_own;
    begin = end + 1;
  }
  constexpr std::size_t kLongest = 100;
  if (is_own && name.size() <= kLongest && !ends_in_checksum(name)) return prefix + "." + name;
  name.resize(whole_prefix(name, kLongest - 1 - kChecksumDigits).size());
  Checksum checksum;
  checksum.add(job);
  return prefix + "." + name + "-" + checksum.text().substr(0, kChecksumDigits);
}

bool is_output_of(const std::string& prefix, const std::string& path) {
  const fs::path of_prefix = prefix, file = path;
  const std::string name = file.filename().string(), stem = of_prefix.filename().string() + ".";
  if (!name.starts_with(stem)) return false;
  std::error_code is_missing;
  if (!fs::equivalent(folder_of(of_prefix), folder_of(file), is_missing)) return false;
  return name.ends_with(kManifestEnding) || rank_name_of_graph(name).has_value();
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

std::string beside_prefix(const std::string& prefix, const std::string& graph) {
  return prefix.substr(0, prefix.rfind('/') + 1) + fs::path(graph).filename().string();
}

std::string manifest_path(const std::string& prefix) {
  return prefix + std::string(kManifestEnding);
}

}  // namespace nadi
