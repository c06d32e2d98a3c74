// JSON text of the traces as Python prints it, remembered where it repeats.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/base/string_table.h"

namespace nadi {

/// JSON text of the traces as Python prints it. Remembers short texts it met lately where `repeats`
/// is set, as shapes and types do.
class ReprCache {
 public:
  explicit ReprCache(const StringTable& strings);
  /// Makes `out` the text as Python prints it. What is no JSON stays as it is, in UTF-8, and counts
  /// as `io-text-not-json`.
  void print(StringId json, bool repeats, std::string& out, Diagnostics& diagnostics);

 private:
  void convert(StringId json, std::string& out, Diagnostics& diagnostics) const;

  struct Slot {
    StringId json = StringId::kEmpty;
    std::string repr;
  };
  const StringTable& strings_;
  std::vector<Slot> slots_;  // by the lower bits of the id
};

}  // namespace nadi
