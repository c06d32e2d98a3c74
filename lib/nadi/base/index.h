// Typed row numbers: an index into one table cannot be used on another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <span>
#include <vector>

namespace nadi {

inline constexpr std::uint32_t kNoIndex = 0xffffffffU;

/// Row number in the table Tag names; the default means "none".
template <class Tag>
struct Index {
  std::uint32_t value = kNoIndex;

  constexpr Index() = default;
  constexpr explicit Index(std::size_t v) : value(static_cast<std::uint32_t>(v)) {}
  constexpr explicit operator bool() const { return value != kNoIndex; }
  friend constexpr bool operator==(Index, Index) = default;
  friend constexpr auto operator<=>(Index, Index) = default;

  constexpr Index& operator++() {
    ++value;
    return *this;
  }
  constexpr Index operator++(int) { return Index(std::size_t{value++}); }
  constexpr Index& operator--() {
    --value;
    return *this;
  }
  /// The row so many behind, or before, this one.
  friend constexpr Index operator+(Index row, std::size_t rows) { return Index(row.value + rows); }
  friend constexpr Index operator-(Index row, std::size_t rows) { return Index(row.value - rows); }
  /// How many rows behind `first` the row is.
  friend constexpr std::uint32_t operator-(Index row, Index first) {
    return row.value - first.value;
  }
};

/// Rows that stand behind each other, from the first to before the end.
template <class Tag>
class RowRange {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Index<Tag>;
    using difference_type = std::ptrdiff_t;
    using pointer = const Index<Tag>*;
    using reference = Index<Tag>;

    constexpr explicit Iterator(Index<Tag> row) : row_(row) {}
    constexpr Index<Tag> operator*() const { return row_; }
    constexpr Iterator& operator++() {
      ++row_;
      return *this;
    }
    friend constexpr bool operator==(Iterator, Iterator) = default;

   private:
    Index<Tag> row_;
  };

  /// first must not be behind end.
  constexpr RowRange(Index<Tag> first, Index<Tag> end) : first_(first), end_(end) {}
  constexpr Iterator begin() const { return Iterator(first_); }
  constexpr Iterator end() const { return Iterator(end_); }
  constexpr std::size_t size() const { return end_ - first_; }

 private:
  Index<Tag> first_, end_;
};

/// An entry for each row of the table Tag names; the number of a row of another table does not
/// compile.
template <class Tag, class T = Tag>
class ByRow : public std::vector<T> {
 public:
  using Row = Index<Tag>;
  using std::vector<T>::vector;
  using std::vector<T>::operator=;
  using std::vector<T>::operator[];
  decltype(auto) operator[](Index<Tag> row) { return (*this)[row.value]; }
  decltype(auto) operator[](Index<Tag> row) const { return (*this)[row.value]; }
};

/// A view of such entries, or of those from some row to some other, of which the first is row 0.
template <class Tag, class T>
class RowSpan : public std::span<const T> {
 public:
  using std::span<const T>::span;
  constexpr RowSpan(std::span<const T> entries) : std::span<const T>(entries) {}
  using std::span<const T>::operator[];
  constexpr const T& operator[](Index<Tag> row) const { return (*this)[row.value]; }
  /// The entries from the first row to before the end.
  constexpr RowSpan between(Index<Tag> first, Index<Tag> end) const {
    return this->subspan(first.value, end - first);
  }
};

/// All rows that have an entry, as many as there are now.
template <class Tag, class T>
constexpr RowRange<Tag> rows_of(const ByRow<Tag, T>& entries) {
  return {Index<Tag>(0), Index<Tag>(entries.size())};
}
template <class Tag, class T>
constexpr RowRange<Tag> rows_of(const RowSpan<Tag, T>& entries) {
  return {Index<Tag>(0), Index<Tag>(entries.size())};
}

}  // namespace nadi

template <class Tag>
struct std::hash<nadi::Index<Tag>> {
  std::size_t operator()(nadi::Index<Tag> row) const noexcept { return row.value; }
};
