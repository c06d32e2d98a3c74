// Finds how much memory this process may use, and shares it out.
#pragma once

#include <cstdint>
#include <string>

namespace nadi {

/// Bytes that this process may use: of the machine, or less where one of its control groups, or one
/// around these, says so; see cgroups(7).
std::uint64_t memory_limit();

/// 80 % of that: what a run stays within where it is not told.
std::uint64_t default_memory();

/// The same with /proc/self/cgroup and /sys/fs/cgroup below another root; without the machine's.
std::uint64_t memory_limit_of_groups(const std::string& root);

/// Bytes that a conversion of many ranks may hold, by what holds them.
struct MemoryShares {
  std::uint64_t lists = 0;        ///< of the traces that were found
  std::uint64_t store = 0;        ///< of members of archives that wait
  std::uint64_t conversions = 0;  ///< of all that run at a time
};

/// Shares out so many bytes, less what the process takes without any trace.
MemoryShares share_memory(std::uint64_t bytes);

/// The bytes as messages show them, rounded up: "12 MiB".
std::string megabytes(std::uint64_t bytes);

/// Lets this process open as many files as the system allows: a manifest of each of thousands of
/// jobs is open as long as a run lasts.
void allow_many_open_files();

}  // namespace nadi
