// Bytes of CSV that wait to be written, with room made before cells are put.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include "nadi/converters/events/cell_text.h"

namespace nadi {

/// Cells are put with what stands behind them. Numbers and times fit kMostNumber bytes.
class CellBuffer {
 public:
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
    end_at(std::to_chars(end(), end() + kMostNumber - 1, number).ptr);
  }
  /// Most attributes of most rows are -1: nothing is known.
  void put_number(std::int64_t number, char behind) {
    if (number == -1) return put("-1", behind);
    put_number(number);
    put(behind);
  }
  /// Nanoseconds as microseconds: "12", "12.345".
  void put_micros(Ns ns, char behind) {
    end_at(write_micros(ns, end()));
    put(behind);
  }

  std::size_t size() const { return size_; }
  std::string_view view() const { return {bytes_.get(), size_}; }
  void clear() { size_ = 0; }

 private:
  char* end() { return bytes_.get() + size_; }
  void end_at(const char* end) { size_ = static_cast<std::size_t>(end - bytes_.get()); }

  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace nadi
