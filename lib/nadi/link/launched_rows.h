// Finds the last device row of each stream that an op of a linked JSON launched: a wait for the op
// means these.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "nadi/model/linked_trace.h"

namespace nadi {

class LaunchedRows {
 public:
  /// Rows know their parents already.
  explicit LaunchedRows(const LinkedTrace& linked);

  /// Of the rows the op launched, else of those launched inside it, the one of each lane that ends
  /// last, ascending by end; of more than 4,096 rows the later ones count, of more than 16 lanes
  /// those that end last.
  const std::vector<std::uint32_t>& last_of(LinkedOpIndex op);
  /// Of the rows the op launched by itself the first of each lane that starts at the time or later,
  /// ascending by start; the lane `except` left out. As many as above.
  std::vector<std::uint32_t> first_from(LinkedOpIndex op, Ns time, LaneIndex except) const;

 private:
  using Row = std::pair<std::uint32_t, std::uint32_t>;  // op, row
  using Rows = std::vector<Row>::const_iterator;
  std::pair<Rows, Rows> rows_of(std::uint32_t first_op, std::uint32_t end_op) const;
  std::uint32_t end_of_subtree(LinkedOpIndex op) const;

  const LinkedTrace& linked_;
  std::vector<Row> rows_;  // ascending
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> last_;
};

}  // namespace nadi
