// Finds a cycle among nodes, if there is one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nadi {

struct Cycle {
  std::vector<std::uint32_t> rows;  ///< each must finish before the next, the last before the first
  std::size_t blocked = 0;          ///< nodes in cycles or behind one: they could never run
};

/// Rows in cycles: dependents of row r are dependent[begin[r]] to [begin[r + 1]), and it waits for
/// dependency_count[r] others. No rows = no cycle; else the shortest through one of its nodes.
/// Linear in nodes and edges.
Cycle find_cycle(std::span<const std::uint32_t> begin, std::span<const std::uint32_t> dependent,
                 std::span<const std::uint32_t> dependency_count);

}  // namespace nadi
