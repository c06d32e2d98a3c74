#include "nadi/graph/hand_off_times.h"

#include <algorithm>

#include "nadi/base/median.h"

namespace nadi {

void HandOffTimes::add(const HandOffPlace& place, Ns time) {
  times_[place].push_back(time);
  shortest_ = std::min(shortest_, time);
}

void HandOffTimes::finish() {
  for (auto& [place, times] : times_) usual_[place] = upper_median(times);
  times_.clear();
}

bool HandOffTimes::may_take(const HandOffPlace& place, Ns time) const {
  const auto usual = usual_.find(place);
  return usual != usual_.end() && time <= usual->second + shortest_ / 2;
}

Ns HandOffTimes::own_time(const HandOffPlace& place, Ns time) const {
  const auto usual = usual_.find(place);
  if (usual == usual_.end()) return 0;
  return std::max<Ns>(std::min(time, usual->second) - shortest_ / 2, 0);
}

}  // namespace nadi
