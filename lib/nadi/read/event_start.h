// Finds where the next event of a list begins, whatever the bytes before it are.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace nadi {

/// Tells whether an event can begin at this '{'.
using IsEventStart = bool (*)(std::string_view text);

struct EventStart {
  std::size_t end_before = 0;  ///< behind the '}' of the event before; 0 = there is none
  std::size_t begin = 0;       ///< the '{'
};

/// The first place from `from` on where an event starts behind `},` (or at `from` itself).
std::optional<EventStart> find_event_start(std::string_view text, std::size_t from,
                                           IsEventStart is_start);
/// The first `}` that ends the list's last event (`}]` and then a key, the end, or nothing): the
/// offset behind it.
std::optional<std::size_t> find_list_end(std::string_view text);

/// An event of a device trace: its first key is one Kineto writes first.
bool is_device_event_start(std::string_view text);
/// A node of a host trace; not one of its attributes, which start with "name", too.
bool is_host_node_start(std::string_view text);

}  // namespace nadi
