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

  /// Returns the row of each lane that ends last, of those the op launched, else of those launched
  /// inside it; ascending by end. Of more than 4,096 rows the later ones count, of more than 16
  /// lanes those that end last.
  const std::vector<std::uint32_t>& last_of(LinkedOpIndex op);
  /// Returns the first row of each lane but `except` that starts at the time or later, of those the
  /// op launched by itself; ascending by start. As many as above.
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
