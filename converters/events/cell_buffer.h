// Bytes of CSV that wait to be written, with room made before cells are put.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include "nadi/base/time.h"

namespace nadi {

/// Cells are put with what stands behind them. Numbers and times fit kMostNumber bytes.
class CellBuffer {
 public:
  static constexpr std::size_t kMostNumber = 32;

  /// Makes room for so many bytes more.
  void make_room(std::size_t bytes) {
    if (bytes <= capacity_ - size_) return;
    capacity_ = (size_ + bytes) * 2;
    auto larger = std::make_unique_for_overwrite<char[]>(capacity_);
    if (size_ > 0) std::memcpy(larger.get(), bytes_.get(), size_);
    bytes_ = std::move(larger);
  }

  // These need room.
  void put(char c) { bytes_[size_++] = c; }
  void put(std::string_view text, char behind) {
    if (!text.empty()) std::memcpy(end(), text.data(), text.size());
    size_ += text.size();
    put(behind);
  }
  template <class Number>
  void put_number(Number number) {
    size_ = static_cast<std::size_t>(std::to_chars(end(), end() + kMostNumber - 1, number).ptr -
                                     bytes_.get());
  }
  /// Most attributes of most rows are -1: nothing is known.
  void put_number(std::int64_t number, char behind) {
    if (number == -1) return put("-1", behind);
    put_number(number);
    put(behind);
  }
  /// Nanoseconds as microseconds: "12", "12.345".
  void put_micros(Ns ns, char behind) {
    if (ns < 0) put('-');
    const auto size = ns < 0 ? -static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
    put_number(size / 1000);
    if (const auto rest = static_cast<unsigned>(size % 1000); rest != 0) {
      put('.');
      for (const unsigned digit : {rest / 100, rest / 10 % 10, rest % 10})
        put(static_cast<char>('0' + digit));
    }
    put(behind);
  }

  std::size_t size() const { return size_; }
  std::string_view view() const { return {bytes_.get(), size_}; }
  void clear() { size_ = 0; }

 private:
  char* end() { return bytes_.get() + size_; }

  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace nadi
