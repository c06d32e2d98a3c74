// Sweeps over a lane's nodes: when it stood idle, how much of that is explained, when it worked.
#pragma once

#include <algorithm>

#include "nadi/base/time.h"

namespace nadi {

/// What one node adds to the times of its lane: idle until its start, then at work. The five times
/// never decrease; two that are equal enclose a stretch of no length.
struct LaneStretch {
  Ns idle_since, explained_until, start, busy_since, end;

  Ns unexplained_ns() const { return start - explained_until; }
};

/// Takes the nodes of a lane by start, delays left out. Each moment counts once: time in which
/// another node of the lane ran, or that was idle before another, is not counted again.
class LaneSweep {
 public:
  /// origin: from where on the lane counts as idle.
  explicit LaneSweep(Ns origin) : covered_until_(origin) {}

  /// explained_until: when all that the node waits for had ended, whatever its lane did meanwhile.
  LaneStretch next(Ns start, Ns end, Ns explained_until) {
    const Ns covered = covered_until_, since = std::min(covered, start);
    covered_until_ = std::max(covered, end);
    return {since, std::clamp(explained_until, since, start), start,
            std::min(std::max(covered, start), end), end};
  }

 private:
  Ns covered_until_;
};

}  // namespace nadi
