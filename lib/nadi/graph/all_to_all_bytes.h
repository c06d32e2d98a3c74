// Computes the size of an all-to-all whose members get parts of different sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi {

/// What a rank puts into an all-to-all, and how it shares that out.
struct AllToAllInput {
  std::vector<std::int64_t> splits;  ///< by member: elements, or rows of so many elements
  std::size_t own = 0;               ///< the rank's position among the members: its part stays
  std::int64_t elements = -1;        ///< of the whole input; -1 = not recorded
  std::int64_t element_bytes = 0;    ///< 0 = not known
  std::int64_t bytes = -1;           ///< of the whole input; -1 = not known
};

/// Returns the bytes that leave the rank: all parts but its own. Even splits are as no splits: the
/// whole input. 0 where nothing leaves it; -1 where the size of a split is not known.
std::int64_t all_to_all_bytes(const AllToAllInput& input);

}  // namespace nadi
