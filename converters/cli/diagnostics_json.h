// A table of diagnostics for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "nadi/base/diagnostics.h"

namespace nadi::cli {

/// [{kind, severity, count, first}], in the table's order.
nlohmann::ordered_json diagnostics_json(const std::vector<Diagnostic>& diagnostics);

}  // namespace nadi::cli
