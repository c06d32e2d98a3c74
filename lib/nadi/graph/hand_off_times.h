// How long hand-offs between threads take, and how much of it is the own time of the thread that
// goes on.
#pragma once

#include <compare>
#include <limits>
#include <map>
#include <vector>

#include "nadi/graph/graph_draft.h"

namespace nadi {

/// Hand-offs from one thread to nodes of one name of another.
struct HandOffPlace {
  LaneIndex from, to;
  StringId name{};
  auto operator<=>(const HandOffPlace&) const = default;
};

/// Times from the end of what one thread did until another, which had waited for it, goes on. They
/// hold what the hand-off itself takes, and what the other thread does before it does anything that
/// is recorded, which it does also where it comes too late to wait. No record says where the one
/// ends: a hand-off is taken to take half of the shortest time of all, so that it is wrong by half
/// of that at most, and the rest of what is usual at a place for the thread's own. What one time is
/// longer than the usual one is not: it may be that what was handed over is lost.
class HandOffTimes {
 public:
  void add(const HandOffPlace& place, Ns time);
  /// All were added.
  void finish();
  /// Returns what of the time of a hand-off is the own time of the thread that goes on.
  Ns own_time(const HandOffPlace& place, Ns time) const;

 private:
  std::map<HandOffPlace, std::vector<Ns>> times_;
  std::map<HandOffPlace, Ns> usual_;
  Ns shortest_ = std::numeric_limits<Ns>::max();
};

}  // namespace nadi
