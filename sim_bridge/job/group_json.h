// Process groups as JSON: what nadi writes into a graph's metadata, and ASTRA-sim's group file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nadi {

/// A group as one rank's trace describes it (schema/chakra.md, `process_groups`).
struct DescribedGroup {
  std::string desc;
  std::vector<std::int64_t> ranks;  ///< empty = all ranks, or not all are known
  std::int64_t size = -1;           ///< -1 = not told
};

/// By name. Throws Error(kInput) that names `where` for text of another form.
std::map<std::string, DescribedGroup> parse_process_groups(const std::string& text,
                                                           const std::string& where);

/// ASTRA-sim's communicator groups: {"1": [0, 1]}, by key as written. Throws Error(kInput) that
/// names `where` for text of another form.
std::map<std::string, std::vector<std::int64_t>> parse_comm_groups(const std::string& text,
                                                                   const std::string& where);

/// The text of such a file; keys in numeric order, a line each.
std::string comm_groups_json(const std::map<std::int64_t, std::vector<std::int64_t>>& groups);

}  // namespace nadi
