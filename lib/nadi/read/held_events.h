// Keeps events whose fate is not known yet, as text.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/base/diagnostics.h"

namespace nadi {

class HeldEvents {
 public:
  /// Takes an event, with Window::kPadding readable bytes behind it; false = it is broken.
  using Take = std::function<bool(std::string_view event, std::uint64_t number)>;

  void add(std::string_view event, std::uint64_t number);
  /// Of memory.
  std::size_t bytes() const { return text_.size() + events_.size() * sizeof(HeldEvent); }
  /// Hands on all events in order. Broken ones are repaired or skipped, and reported, as the walk
  /// does (trace_walk.h).
  void release(const Take& take, Diagnostics& diagnostics);

 private:
  struct HeldEvent {
    std::size_t begin;
    std::uint64_t number;
  };

  std::string text_;
  std::vector<HeldEvent> events_;
};

}  // namespace nadi
