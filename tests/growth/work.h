// Counts what a piece of the library does: comparisons made and bytes allocated.
#pragma once

#include <cstdint>
#include <functional>

namespace nadi::test {

struct Work {
  std::uint64_t steps = 0;  ///< comparisons of integers, switches included
  std::uint64_t bytes = 0;  ///< allocated in all, whether freed or not
};

Work work_of(const std::function<void()>& piece);

}  // namespace nadi::test
