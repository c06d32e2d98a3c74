// A conversion's report as JSON, there and back.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/base/byte_sink.h"
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

/// What a report of a verb says of all its jobs and ranks.
struct ReportedTroubles {
  Diagnostics found;
  std::vector<std::string> errors;  ///< of those that failed
};
/// Looks for `diagnostics` and `error` at any place of a report. Throws what nlohmann/json throws
/// of a text that is no JSON.
ReportedTroubles reported_troubles(std::string_view report);

/// [{kind, severity, count, first}], in the table's order.
nlohmann::ordered_json diagnostics_json(const std::vector<Diagnostic>& diagnostics);

/// Writes a member of an object that is written piece by piece: an array of the rows that
/// visit(take) gives, one at a time.
using VisitJson =
    std::function<void(const std::function<void(const nlohmann::ordered_json& row)>& take)>;
void write_rows(const char* key, const VisitJson& visit, const ByteSink& sink);

/// The text of an object up to its last member, so that others may follow.
std::string open_object_text(const nlohmann::ordered_json& object);

/// The text of a file: indented, with a newline at its end; what is no UTF-8 is replaced.
std::string json_text(const nlohmann::ordered_json& json);

}  // namespace nadi
