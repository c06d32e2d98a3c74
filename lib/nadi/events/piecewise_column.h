// A column of a table that grows in pieces: no row is ever copied, and memory is what rows need.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace nadi {

/// Rows that are not set have the fallback.
template <class Value>
class PiecewiseColumn {
 public:
  static constexpr std::size_t kPieceRows = 4096;

  explicit PiecewiseColumn(Value fallback = Value{}) : fallback_(fallback) {}

  Value operator[](std::size_t row) const { return pieces_[row / kPieceRows][row % kPieceRows]; }
  void set(std::size_t row, Value value) { pieces_[row / kPieceRows][row % kPieceRows] = value; }

  /// Makes rows up to `rows`.
  void grow_to(std::size_t rows) {
    while (pieces_.size() * kPieceRows < rows) {
      pieces_.push_back(std::make_unique_for_overwrite<Value[]>(kPieceRows));
      std::fill_n(pieces_.back().get(), kPieceRows, fallback_);
    }
  }
  /// Gives back what rows from `rows` on needed.
  void shrink_to(std::size_t rows) {
    pieces_.resize(std::min(pieces_.size(), (rows + kPieceRows - 1) / kPieceRows));
  }
  std::size_t memory_bytes() const {
    return pieces_.size() * kPieceRows * sizeof(Value) + pieces_.capacity() * sizeof(pieces_[0]);
  }

 private:
  Value fallback_;
  std::vector<std::unique_ptr<Value[]>> pieces_;
};

}  // namespace nadi
