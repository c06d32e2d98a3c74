// Walks a trace file once: hands out its top-level members and, one by one, the events of its list.
#pragma once

#include <cstdint>
#include <string_view>

#include "nadi/base/diagnostics.h"
#include "nadi/read/event_start.h"
#include "nadi/read/window.h"

namespace nadi {

/// Takes the pieces of a JSON trace for a reader. All text has Window::kPadding readable bytes
/// behind it.
class TraceVisitor {
 public:
  virtual ~TraceVisitor() = default;
  /// True where this top-level member is of use; others are skipped without being held.
  virtual bool wants(std::string_view key) const = 0;
  /// Takes a wanted top-level member; false = it is broken.
  virtual bool member(std::string_view key, std::string_view value) = 0;
  /// Takes event `number` of the list, from '{' to '}'; false = it is broken, and nothing was kept
  /// of it.
  virtual bool event(std::string_view object, std::uint64_t number) = 0;
  /// Called before each further JSON document of the file, from 2 on; false = it is of no use, and
  /// the walk ends before it.
  virtual bool begin_document(std::uint64_t) { return false; }
};

/// The place where a kind of trace keeps its events, and the marks by which one is known.
struct TraceShape {
  std::string_view list_key;              ///< "traceEvents", "nodes"
  bool may_be_bare_list = false;          ///< the file may be the list itself
  IsEventStart is_event_start = nullptr;  ///< for going on behind broken events
  IsEventEnd is_event_end = nullptr;
  std::string_view event_word;  ///< "event", "node", for messages
  std::string_view event_mark;  ///< a key that every event has, with its quotes
};

inline constexpr TraceShape kHostTraceShape{"nodes",          false,  is_host_node_start,
                                            is_host_node_end, "node", "\"id\""};
inline constexpr TraceShape kDeviceTraceShape{"traceEvents",       true,    is_device_event_start,
                                              is_device_event_end, "event", "\"ph\""};

struct WalkResult {
  bool found_list = false;
  bool list_closed = false;  ///< false: the file ends inside the list
  std::uint64_t events = 0;  ///< of all documents, broken ones included
};

/// Broken events are repaired or skipped one by one and counted in `diagnostics`
/// ("broken-json-repaired", "broken-json-skipped", "truncated-input", "oversized-event"); they
/// never take the rest of the file with them. A file may hold several documents, one behind the
/// other, with commas between them or in a list; those of no use are reported ("document-unread"),
/// and so are events behind them that are of no document. Memory: the window, at most 256 MiB for
/// one event.
WalkResult walk_trace(Window& window, const TraceShape& shape, TraceVisitor& visitor,
                      Diagnostics& diagnostics);

/// Reports "truncated-input": the bytes end at this place. It is shown with the trace that is cut,
/// where there is another beside it.
void report_cut(std::string_view place, Diagnostics& diagnostics);
/// The same, unless the walk has met the cut already.
void report_cut_once(std::string_view place, Diagnostics& diagnostics);

}  // namespace nadi
