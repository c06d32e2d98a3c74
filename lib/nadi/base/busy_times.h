// The times in which at least one of many stretches lasts, and how long that is until any time.
#pragma once

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "nadi/base/time.h"

namespace nadi {

class BusyTimes {
 public:
  /// stretches: begin and end, in any order.
  explicit BusyTimes(std::vector<std::pair<Ns, Ns>> stretches) {
    std::sort(stretches.begin(), stretches.end());
    for (const auto& [begin, end] : stretches)
      if (!times_.empty() && begin <= times_.back().end)
        times_.back().end = std::max(times_.back().end, end);
      else
        times_.push_back({begin, end, busy_ns()});
  }

  Ns busy_ns() const {
    return times_.empty()
               ? 0
               : saturated_sum(times_.back().before, times_.back().end - times_.back().begin);
  }

  /// Of the times before `time`.
  Ns until(Ns time) const {
    const auto behind = std::partition_point(times_.begin(), times_.end(),
                                             [=](const Busy& one) { return one.begin < time; });
    if (behind == times_.begin()) return 0;
    const Busy& last = *std::prev(behind);
    return saturated_sum(last.before, std::min(time, last.end) - last.begin);
  }

 private:
  /// They do not touch.
  struct Busy {
    Ns begin, end, before;  ///< before: how long the times before this one are together
  };
  std::vector<Busy> times_;  // ascending
};

}  // namespace nadi
