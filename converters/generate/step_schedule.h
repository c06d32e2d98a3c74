// The order of forward and backward passes of one pipeline stage.
#pragma once

#include <algorithm>
#include <cstdint>

namespace nadi {

struct StageAction {
  bool is_forward = true;
  std::int64_t micro_batch = 0;
};

/// Action `i` of the 2 x micro_batches of a stage under 1F1B: as many forward passes as there are
/// stages behind it, then one forward and one backward in turn, then the backward passes left.
/// D. Narayanan et al.: PipeDream, SOSP 2019; PipeDream-Flush, ICML 2021.
inline StageAction action_of(std::int64_t i, std::int64_t stage, std::int64_t stages,
                             std::int64_t micro_batches) {
  const std::int64_t warm_up = std::min(micro_batches, stages - 1 - stage);
  if (i < warm_up) return {true, i};
  const std::int64_t steady = i - warm_up, pairs = micro_batches - warm_up;
  if (steady >= 2 * pairs) return {false, i - micro_batches};
  return {steady % 2 == 0, steady % 2 == 0 ? warm_up + steady / 2 : steady / 2};
}

}  // namespace nadi
