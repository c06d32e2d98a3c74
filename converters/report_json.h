// A conversion's report as JSON, there and back.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/converters/report.h"

namespace nadi {

/// One object with the keys host_ops, matched_host_ops, device_rows, linked_device_rows,
/// unlaunched_device_rows, launches_without_row, nodes, edges {evidence: count}, collectives {type:
/// count}, span_ns, unexplained_ns, diagnostics [{kind, severity, count, first}], and what else the
/// report knows. Does not hold the seconds taken: same input, same bytes.
nlohmann::ordered_json report_json(const ConvertReport& report);

/// The same as the text of a file.
std::string report_json_text(const ConvertReport& report);

/// Throws what nlohmann/json throws where a key is missing or of another type.
ConvertReport parse_report_json(const nlohmann::ordered_json& json);

/// [{kind, severity, count, first}], in the table's order.
nlohmann::ordered_json diagnostics_json(const std::vector<Diagnostic>& diagnostics);

/// The text of a file: indented, with a newline at its end; what is no UTF-8 is replaced.
std::string json_text(const nlohmann::ordered_json& json);

}  // namespace nadi
