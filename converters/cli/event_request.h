// What `nadi events` is asked for: by options, by a file, or both.
#pragma once

#include <span>
#include <string>

#include "nadi/converters/cli/settings_file.h"
#include "nadi/events/attribute_registry.h"
#include "nadi/events/event_table_reader.h"

namespace nadi::cli {

/// An option that a file may hold, too.
struct EventSetting {
  const char* name;   ///< of the option without dashes, and of the key in a file
  const char* value;  ///< what the help shows; nullptr = a flag
  const char* purpose;
};

std::span<const EventSetting> event_settings();

struct EventRequest {
  AttributeRegistry registry;
  EventTableOptions table;
  std::string ranks = "all";
};

/// `given` goes before the same name in the file `config` (empty = none), as a whole. Throws
/// Error(kUsage) for names and values that make no sense.
EventRequest event_request(const Settings& given, const std::string& config);

}  // namespace nadi::cli
