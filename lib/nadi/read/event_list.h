// Reads the list of events through the window, and mends it where it is broken.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "nadi/base/diagnostics.h"
#include "nadi/read/trace_walk.h"
#include "nadi/read/window.h"

namespace nadi {

class EventList {
 public:
  /// `first`: the number of the list's first event, for earlier lists may have given some.
  EventList(Window& window, const TraceShape& shape, TraceVisitor& visitor,
            Diagnostics& diagnostics, std::uint64_t first)
      : window_(window),
        shape_(shape),
        visitor_(visitor),
        diagnostics_(diagnostics),
        events_(first) {}

  /// Reads from behind the '[' to behind the ']'; false = the data ended first.
  bool read();
  /// The number that the next event would have.
  std::uint64_t events() const { return events_; }

 private:
  void read_event();
  bool accept(std::string_view object);
  bool accept_repaired(std::size_t size);
  void mend_event(std::size_t size_if_whole);
  bool mend_whole_event(std::size_t size);
  void skip_to_event_start(Finding kind);
  std::string place() const;

  Window& window_;
  const TraceShape& shape_;
  TraceVisitor& visitor_;
  Diagnostics& diagnostics_;
  std::uint64_t events_;
};

/// The first byte of the window that is no white space (nor `also`), which becomes its front;
/// '\0' = the data ended.
char next_byte(Window& window, char also = ' ');

}  // namespace nadi
