// Finds how much memory this process may use.
#pragma once

#include <cstdint>
#include <string>

namespace nadi {

/// Bytes that this process may use: of the machine, or less where one of its control groups, or one
/// around these, says so; see cgroups(7).
std::uint64_t memory_limit();

/// The same with /proc/self/cgroup and /sys/fs/cgroup below another root; without the machine's.
std::uint64_t memory_limit_of_groups(const std::string& root);

}  // namespace nadi
