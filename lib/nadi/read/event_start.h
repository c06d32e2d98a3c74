// Finds where the next event of a list begins, whatever the bytes before it are.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace nadi {

/// True where an event can begin at the '{' that `text` begins with.
using IsEventStart = bool (*)(std::string_view text);
/// True where an event can end at the '}' that `text` ends with.
using IsEventEnd = bool (*)(std::string_view text);

struct EventStart {
  std::size_t end_before = 0;  ///< behind the '}' of the event before
  std::size_t begin = 0;       ///< the '{'
};

/// The first place from `from` on where an event starts behind the end of another: `}, {`.
std::optional<EventStart> find_next_event(std::string_view text, std::size_t from,
                                          IsEventStart is_start);
/// The first place where an event may start, whatever stands before it.
std::optional<std::size_t> find_any_event(std::string_view text, IsEventStart is_start);
/// The first `}` that ends the list's last event (`}]` and then a key or the end of all): the
/// offset behind it.
std::optional<std::size_t> find_list_end(std::string_view text, IsEventEnd is_end);

/// An event of a device trace: its first key is one Kineto writes first.
bool is_device_event_start(std::string_view text);
/// A node of a host trace; not one of its attributes, which start with "name", too.
bool is_host_node_start(std::string_view text);
/// Any '}' may be the end of an event of a device trace.
bool is_device_event_end(std::string_view text);
/// A node of a host trace ends with a list in both forms; its attributes do not.
bool is_host_node_end(std::string_view text);

}  // namespace nadi
