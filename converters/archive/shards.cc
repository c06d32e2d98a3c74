#include "nadi/converters/archive/shards.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <vector>

#include "nadi/base/error.h"
#include "nadi/base/number_text.h"

namespace nadi {
namespace {

namespace fs = std::filesystem;

struct ShardManifest {
  std::string path;
  Shard shard;
};

/// "3-of-16" as a shard.
std::optional<Shard> shard_of_name(std::string_view name) {
  constexpr std::string_view kOf = "-of-";
  const std::size_t of = name.find(kOf);
  if (of == std::string_view::npos) return std::nullopt;
  const auto index = number_of_text<std::int64_t>(name.substr(0, of)),
             count = number_of_text<std::int64_t>(name.substr(of + kOf.size()));
  if (!index || !count) return std::nullopt;
  return Shard{*index, *count};
}

/// The names of all manifests beside a prefix that begin with its own name, without their ending.
std::vector<std::string> names_of_manifests(const fs::path& prefix) {
  const std::string beginning = prefix.filename().string();
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder_of(prefix), error), end; !error && entry != end;
       entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (!name.starts_with(beginning) || !name.ends_with(kManifestEnding)) continue;
    name.resize(name.size() - kManifestEnding.size());
    names.push_back(std::move(name));
  }
  return names;
}

constexpr std::string_view kShard = ".shard-";

/// By index.
std::vector<ShardManifest> find_shards(const std::string& prefix) {
  const std::string beginning = fs::path(prefix).filename().string() + std::string(kShard);
  std::vector<ShardManifest> found;
  for (const std::string& name : names_of_manifests(prefix)) {
    if (!name.starts_with(beginning)) continue;
    const auto shard = shard_of_name(std::string_view(name).substr(beginning.size()));
    if (shard) found.push_back({manifest_path(beside_prefix(prefix, name)), *shard});
  }
  std::sort(found.begin(), found.end(), [](const ShardManifest& a, const ShardManifest& b) {
    return a.shard.index < b.shard.index;
  });
  return found;
}

}  // namespace

std::string shard_manifest_path(const std::string& prefix, const Shard& shard) {
  return manifest_path(prefix + ".shard-" + std::to_string(shard.index) + "-of-" +
                       std::to_string(shard.count));
}

void require_same_shards(const std::string& prefix, const Shard& shard) {
  for (const ShardManifest& other : find_shards(prefix))
    if (other.shard.count != shard.count)
      throw Error(ErrorCode::kUsage, other.path,
                  "is of " + std::to_string(other.shard.count) + " shards, not of " +
                      std::to_string(shard.count),
                  "Go on with as many, or remove the manifests of the others");
}

std::vector<std::unique_ptr<Manifest>> open_shards(const std::string& prefix, bool locks_them) {
  const std::vector<ShardManifest> shards = find_shards(prefix);
  if (!shards.empty()) require_same_shards(prefix, shards.front().shard);
  std::vector<std::unique_ptr<Manifest>> manifests;
  for (const ShardManifest& shard : shards) {
    manifests.push_back(std::make_unique<Manifest>(shard.path));
    if (locks_them && !manifests.back()->try_lock())
      throw Error(ErrorCode::kInput, shard.path,
                  "shard " + std::to_string(shard.shard.index) + " of " +
                      std::to_string(shard.shard.count) + " still runs",
                  "Run the same command again when all shards have ended");
  }
  return manifests;
}

std::set<std::string> find_manifests(const std::string& prefix) {
  std::set<std::string> found;
  for (const std::string& name : names_of_manifests(prefix)) {
    const std::size_t shard = name.rfind(kShard);
    const bool is_shard = shard != std::string::npos &&
                          shard_of_name(std::string_view(name).substr(shard + kShard.size()));
    found.insert(beside_prefix(prefix, is_shard ? name.substr(0, shard) : name));
  }
  return found;
}

namespace {

/// The index of the first shard in "auto" or "auto-1"; nothing of all else.
std::optional<std::int64_t> first_of_auto(std::string_view index) {
  constexpr std::string_view kAuto = "auto";
  if (index == kAuto) return 0;
  if (!index.starts_with("auto-")) return std::nullopt;
  return number_of_text<std::int64_t>(index.substr(kAuto.size() + 1));
}

}  // namespace

Shard parse_shard(const std::string& text, std::int64_t base) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::string index_text = text.substr(0, slash);
  const auto count =
      number_of_text<std::int64_t>(std::string_view(text).substr(std::min(slash + 1, text.size())));
  const auto fail = [&](const std::string& what) {
    throw Error(ErrorCode::kUsage, "`shard` " + text, what,
                "Pass the index, from 0, and the number of shards: 3/16 or auto/16");
  };
  if (!count || *count < 1) fail("names no number of shards");
  std::optional<std::int64_t> index;
  if (const auto begin = first_of_auto(index_text)) {
    for (const char* variable : {"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"})
      if (const char* const value = std::getenv(variable); !index && value != nullptr)
        index = number_of_text<std::int64_t>(value);
    if (!index) fail("finds no index in SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX");
    *index -= *begin + base;
  } else {
    index = number_of_text<std::int64_t>(index_text);
  }
  if (!index || *index < 0 || *index >= *count)
    fail("has no index from 0 to " + std::to_string(*count - 1));
  return {*index, *count};
}

}  // namespace nadi
