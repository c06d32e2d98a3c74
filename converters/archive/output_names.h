// Names of what a conversion of many ranks writes.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace nadi {

/// The prefix of a job's files: PREFIX, or PREFIX.runs--job1 for the folder runs/job1, with at most
/// 100 bytes behind the dot. No two jobs have one; a name that is longer or that other programs
/// would misread is changed and ends in a checksum.
std::string prefix_of_job(const std::string& prefix, const std::string& job);

/// True for the graphs and manifests that conversions to this prefix write, of all jobs.
bool is_output_of(const std::string& prefix, const std::string& path);

/// The folder in which a file, or what has a prefix, lies.
std::filesystem::path folder_of(const std::filesystem::path& path);

/// Where a graph of a prefix lies that somebody may have named from another folder.
std::string beside_prefix(const std::string& prefix, const std::string& graph);

/// PREFIX.manifest.jsonl.
std::string manifest_path(const std::string& prefix);
inline constexpr std::string_view kManifestEnding = ".manifest.jsonl";

}  // namespace nadi
