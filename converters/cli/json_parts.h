// Parts of reports as JSON, for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "nadi/base/diagnostics.h"

namespace nadi::cli {

/// [{kind, severity, count, first}], in the table's order.
nlohmann::ordered_json diagnostics_json(const std::vector<Diagnostic>& diagnostics);

/// The text of a file: indented, with a newline at its end; what is no UTF-8 is replaced.
std::string json_text(const nlohmann::ordered_json& json);

}  // namespace nadi::cli
