// Parts of a job that runs on several machines converts without knowing of each other.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "nadi/converters/archive/manifest.h"
#include "nadi/converters/archive/output_names.h"

namespace nadi {

/// Ranks R with R % count == index.
struct Shard {
  std::int64_t index = 0;
  std::int64_t count = 0;  ///< 0 = there are no shards: all ranks
};

/// PREFIX.shard-3-of-16.manifest.jsonl.
std::string shard_manifest_path(const std::string& prefix, const Shard& shard);

/// Throws Error(kUsage) where manifests of another number of shards lie there.
void require_same_shards(const std::string& prefix, const Shard& shard);

/// The manifests of all shards, by index. Throws Error(kUsage) where they are of several numbers of
/// shards, and Error(kInput) where `locks_them` and one of them still runs.
std::vector<std::unique_ptr<Manifest>> open_shards(const std::string& prefix, bool locks_them);

/// The prefixes of jobs (see prefix_of_job) of which a manifest lies there, or one of a shard.
std::set<std::string> find_manifests(const std::string& prefix);

/// Parses "3/16", or "auto/16": the index of a Slurm array (SLURM_ARRAY_TASK_ID) or of a Kubernetes
/// indexed job (JOB_COMPLETION_INDEX), counted from `base`, "auto-1/16" where they begin with 1.
/// Throws Error(kUsage) for anything else.
Shard parse_shard(const std::string& text, std::int64_t base);

}  // namespace nadi
