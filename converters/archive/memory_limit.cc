#include "nadi/converters/archive/memory_limit.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "nadi/base/number_text.h"

namespace nadi {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

/// "max" and a missing file are no limit.
std::uint64_t limit_in(const std::string& file) {
  std::ifstream stream(file);
  std::string text;
  stream >> text;
  return number_of_text<std::uint64_t>(text).value_or(kUnlimited);
}

}  // namespace

std::uint64_t memory_limit_of_groups(const std::string& root) {
  const std::string groups_of_all = root + "/sys/fs/cgroup";
  std::uint64_t limit = kUnlimited;
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    std::size_t colon = line.find(':');
    colon = colon == std::string::npos ? colon : line.find(':', colon + 1);
    if (colon == std::string::npos) continue;
    std::string group = line.substr(colon + 1);
    for (bool is_top = false; !is_top;) {
      if (group == "/") group.clear();
      is_top = group.empty();
      limit = std::min(limit, limit_in(groups_of_all + group + "/memory.max"));
      limit =
          std::min(limit, limit_in(groups_of_all + "/memory" + group + "/memory.limit_in_bytes"));
      group.erase(std::min(group.rfind('/'), group.size()));
    }
  }
  return limit;
}

std::uint64_t default_memory() { return memory_limit() / 10 * 8; }

std::uint64_t memory_limit() {
  const std::uint64_t machine = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                                static_cast<std::uint64_t>(::sysconf(_SC_PAGE_SIZE));
  return std::min(machine, memory_limit_of_groups(""));
}

MemoryShares share_memory(std::uint64_t bytes) {
  constexpr std::uint64_t kOwnBytes = 32 << 20;
  const std::uint64_t all = bytes - std::min(bytes / 2, kOwnBytes);
  return {all / 8, all / 4, all - all / 8 - all / 4};
}

std::string megabytes(std::uint64_t bytes) {
  constexpr std::uint64_t kMiB = 1 << 20;
  return std::to_string((bytes + kMiB - 1) / kMiB) + " MiB";
}

void allow_many_open_files() {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace nadi
