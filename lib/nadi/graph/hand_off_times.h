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
/// hold what the hand-off itself takes, and then what the other thread does before it does anything
/// that is recorded, which it does also where it comes too late to wait. No record says how long
/// the hand-off takes: half of the shortest of these times is taken for it, which is wrong by no
/// more than that half. The rest of the time that is usual at a place is the thread's own. What a
/// single time is longer than that is not: what was handed over last may be lost.
class HandOffTimes {
 public:
  void add(const HandOffPlace& place, Ns time);
  /// All were added.
  void finish();
  /// True where the time is no longer than is usual for hand-offs at the place, or by half of the
  /// shortest of the trace: what they take is known no better.
  bool may_take(const HandOffPlace& place, Ns time) const;
  /// Returns what of the time of a hand-off is the own time of the thread that goes on.
  Ns own_time(const HandOffPlace& place, Ns time) const;

 private:
  std::map<HandOffPlace, std::vector<Ns>> times_;
  std::map<HandOffPlace, Ns> usual_;
  Ns shortest_ = std::numeric_limits<Ns>::max();
};

}  // namespace nadi
