// Typed row numbers: an index into one table cannot be used on another.
#pragma once

#include <cstdint>
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
};

/// An entry for each row of the table Tag names; the number of a row of another table does not
/// compile.
template <class Tag, class T = Tag>
class ByRow : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  using std::vector<T>::operator=;
  using std::vector<T>::operator[];
  decltype(auto) operator[](Index<Tag> row) { return (*this)[row.value]; }
  decltype(auto) operator[](Index<Tag> row) const { return (*this)[row.value]; }
};

}  // namespace nadi
