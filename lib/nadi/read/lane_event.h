// What an event says of where it belongs: its own fields, and the few arguments that name a lane.
#pragma once

#include <string_view>

#include "nadi/read/field_walk.h"

namespace nadi {

/// Raw tokens, strings with their quotes, lists and objects only by their bracket; empty = absent
/// or null. They point into the event.
struct LaneEvent {
  std::string_view phase, category, name, pid, tid;
  std::string_view arg_name;     ///< args.name, of metadata
  std::string_view correlation;  ///< args.correlation_id (XLA), args.connection_id (torch_npu)
  std::string_view stream;       ///< args."Stream Id" (torch_npu)

  /// Parses `event` (Window::kPadding readable bytes behind it); false = broken JSON.
  bool parse(JsonParser& parser, std::string_view event);
};

}  // namespace nadi
