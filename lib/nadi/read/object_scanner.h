// Finds where a JSON object ends: strings and depth only, 64 bytes at a time, resumable.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace nadi {

/// The brackets that count: an object of the event list is balanced by braces alone; a value of
/// unknown kind needs both.
enum class Brackets : std::uint8_t { kBraces, kAll };

/// Looks at one object (or list) from its opening bracket on. Feed it the same text again, longer,
/// until it gives an end; it goes on where it stopped.
template <Brackets brackets>
class ObjectScanner {
 public:
  /// `text` starts with the opening bracket; 64 bytes behind it must be readable. Gives the size of
  /// the object, or nothing if it does not end in `text`.
  std::optional<std::size_t> find_end(std::string_view text);
  /// Bytes at the front of the text that are done with: drop them, then feed the rest.
  std::size_t release() { return std::exchange(done_, 0); }

 private:
  std::size_t done_ = 0;         // bytes looked at for good
  std::uint64_t in_string_ = 0;  // all ones while inside a string
  std::uint64_t escaped_ = 0;    // 1: the next byte is escaped
  std::int64_t depth_ = 0;
};

extern template class ObjectScanner<Brackets::kBraces>;
extern template class ObjectScanner<Brackets::kAll>;

}  // namespace nadi
