// Reads what `nadi events` is asked for: by options, by a file, or both.
#pragma once

#include <span>
#include <string>

#include "nadi/converters/cli/settings_file.h"
#include "nadi/events/attribute_choice.h"
#include "nadi/events/event_table_reader.h"

namespace nadi::cli {

struct EventSetting {
  const char* name;   ///< of the option without dashes, and of the key in a file
  const char* value;  ///< what the help shows; nullptr = a flag
  const char* purpose;
};

/// The options that a file may hold, too.
std::span<const EventSetting> event_settings();

struct EventRequest {
  AttributeRegistry registry;
  EventTableOptions table;
  std::string ranks = "all";
};

/// `given` by the command line goes before the same name in the file, as a whole. Throws
/// Error(kUsage) for names and values that make no sense.
EventRequest event_request(const Settings& given, const std::string& config);

}  // namespace nadi::cli
