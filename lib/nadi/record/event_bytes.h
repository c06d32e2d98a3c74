// The binary events of a thread's log: kinds, head, and how plain values are put and taken. Never
// leaves the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace nadi::record {

enum class EventKind : std::uint8_t {
  kOpBegin,     ///< id, ticks, name, values
  kOpEnd,       ///< id, ticks
  kOutputs,     ///< id, values
  kAttribute,   ///< id, name, one value
  kForward,     ///< id, sequence
  kBackward,    ///< id, ForwardLink
  kComm,        ///< id, communication
  kCallBegin,   ///< correlation, ticks, device, stream, event, name
  kCallEnd,     ///< correlation, ticks
  kDeviceRow,   ///< correlation, DeviceRowFacts, name, perhaps communication
  kThreadName,  ///< 0, name
};

/// In front of every event.
struct EventHead {
  std::uint32_t size = 0;  ///< bytes, head included
  EventKind kind = EventKind::kOpBegin;
  std::uint8_t detail = 0;   ///< OpKind, CallKind, DeviceRowKind
  std::uint16_t values = 0;  ///< how many values follow
  std::uint64_t id = 0;      ///< of the op, or the correlation
};

/// Copies without a call where few bytes are copied, as nearly always here.
inline void copy_bytes(std::byte* to, const void* from, std::size_t size) {
  const auto* source = static_cast<const std::byte*>(from);
  if (size > 64) {
    std::memcpy(to, source, size);
  } else if (size >= 16) {
    for (std::size_t at = 0; at + 16 < size; at += 16) std::memcpy(to + at, source + at, 16);
    std::memcpy(to + size - 16, source + size - 16, 16);
  } else if (size >= 8) {
    std::memcpy(to, source, 8);
    std::memcpy(to + size - 8, source + size - 8, 8);
  } else if (size >= 4) {
    std::memcpy(to, source, 4);
    std::memcpy(to + size - 4, source + size - 4, 4);
  } else {
    for (std::size_t at = 0; at < size; ++at) to[at] = source[at];
  }
}

/// Puts values one behind the other; the room is the caller's concern.
class EventWriter {
 public:
  explicit EventWriter(std::byte* at) : at_(at) {}

  template <class T>
  void put(const T& value) {
    std::memcpy(at_, &value, sizeof(T));
    at_ += sizeof(T);
  }
  void put_bytes(const void* from, std::size_t size) {
    copy_bytes(at_, from, size);
    at_ += size;
  }
  void put_text(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    put_bytes(text.data(), text.size());
  }
  std::byte* at() const { return at_; }

 private:
  std::byte* at_;
};

/// Reads the values again. Events are made by this process: what they say is trusted.
class EventReader {
 public:
  explicit EventReader(const std::byte* at) : at_(at) {}

  template <class T>
  T take() {
    T value;
    std::memcpy(&value, at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  const std::byte* take_bytes(std::size_t size) {
    const std::byte* bytes = at_;
    at_ += size;
    return bytes;
  }
  std::string_view take_text() {
    const auto size = take<std::uint32_t>();
    return {reinterpret_cast<const char*>(take_bytes(size)), size};
  }
  const std::byte* at() const { return at_; }

 private:
  const std::byte* at_;
};

/// Texts beyond this are cut: a program's names and arguments are short.
inline constexpr std::size_t kMostTextBytes = std::size_t{1} << 24;
inline std::string_view cut_text(std::string_view text) { return text.substr(0, kMostTextBytes); }
inline std::size_t text_bound(std::string_view text) { return text.size() + 4; }

}  // namespace nadi::record
