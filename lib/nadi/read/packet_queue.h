// A queue of packets in few large pieces of memory, each given back once it is empty.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>

#include "nadi/base/time.h"

namespace nadi {

/// A slice that has begun: its packet waits for the slice's end.
struct WaitingSlice {
  Ns start_ns = 0;
  std::uint64_t track = 0;
  std::uint32_t sequence = 0, flags = 0;
  std::string_view packet;
};

class PacketQueue {
 public:
  bool is_empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  void push(const WaitingSlice& slice) {
    constexpr std::size_t kPieceBytes = 1 << 20;
    const std::size_t bytes = bytes_of(slice);
    if (pieces_.empty() || pieces_.back().size() + bytes > pieces_.back().capacity()) {
      pieces_.emplace_back();
      pieces_.back().reserve(std::max(kPieceBytes, bytes));
    }
    const Header header{slice.start_ns, slice.track, slice.sequence, slice.flags,
                        slice.packet.size()};
    char text[sizeof header];
    std::memcpy(text, &header, sizeof header);
    pieces_.back().append(text, sizeof text).append(slice.packet);
    ++size_;
  }

  /// The oldest one; valid until push() or pop().
  WaitingSlice front() const { return slice_at(pieces_.front().data() + used_); }
  /// The one behind it, of at least two.
  WaitingSlice second() const {
    const std::size_t next = used_ + bytes_of(front());
    const bool is_in_first = next < pieces_.front().size();
    return slice_at(is_in_first ? pieces_.front().data() + next : pieces_[1].data());
  }

  void pop() {
    used_ += bytes_of(front());
    --size_;
    if (used_ < pieces_.front().size()) return;
    pieces_.pop_front();
    used_ = 0;
  }

  void clear() {
    pieces_.clear();
    used_ = size_ = 0;
  }

 private:
  struct Header {
    Ns start_ns;
    std::uint64_t track;
    std::uint32_t sequence, flags;
    std::uint64_t bytes;
  };

  static std::size_t bytes_of(const WaitingSlice& slice) {
    return sizeof(Header) + slice.packet.size();
  }
  static WaitingSlice slice_at(const char* at) {
    Header header;
    std::memcpy(&header, at, sizeof header);
    return {header.start_ns,
            header.track,
            header.sequence,
            header.flags,
            {at + sizeof header, header.bytes}};
  }

  std::deque<std::string> pieces_;
  std::size_t used_ = 0;  // bytes of the first piece
  std::size_t size_ = 0;
};

}  // namespace nadi
