// Recognises communication kernels by their names: one table for linking, comparison and advice.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "nadi/base/string_table.h"

namespace nadi {

/// Who launches a communication kernel, and so whether PyTorch records what it does.
enum class CommKernelOrigin : std::uint8_t {
  kNone,          ///< it computes, as far as its name shows
  kProcessGroup,  ///< a backend of process groups, which records each operation
  kUnrecorded,    ///< another library: what it does is recorded only where an op around it records
};

/// Returns it by the name as profilers write it: "void deep_ep::intranode::dispatch<8, 768>(…)".
CommKernelOrigin comm_kernel_of(std::string_view name);

/// The same by ids of a string table, which must outlive it: each name is looked at once.
class CommKernelNames {
 public:
  explicit CommKernelNames(const StringTable& strings) : strings_(strings) {}

  CommKernelOrigin of(StringId name);

 private:
  static constexpr std::int8_t kNotLookedAt = -1;

  const StringTable& strings_;
  std::vector<std::int8_t> known_;  // by id of the name
};

}  // namespace nadi
