#include "nadi/converters/synthetic_graphs.h"

#include "nadi/base/error.h"

namespace nadi {

void require_range(const char* option, std::int64_t value, std::int64_t most) {
  if (value >= 1 && value <= most) return;
  throw Error(ErrorCode::kUsage, std::string(option) + " " + std::to_string(value),
              "must be from 1 to " + std::to_string(most));
}

}  // namespace nadi
