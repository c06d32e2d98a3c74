// Settings from a JSON or YAML file: the same keys as the options of a verb.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace nadi::cli {

/// Values by option name without dashes; a flag that is set has "true".
using Settings = std::map<std::string, std::vector<std::string>>;

/// A mapping of names to a value or a list of values. Throws Error(kUsage) for anything else.
Settings read_settings(const std::string& path);

/// A JSON or YAML file as JSON; values of YAML are strings. Throws Error(kUsage) where it is none,
/// or is beyond 1 MiB, 32 levels or 10,000 values.
std::string read_as_json(const std::string& path);

}  // namespace nadi::cli
