// A conversion's report for people (a table) and for programs (JSON).
#pragma once

#include <string>
#include <vector>

#include "nadi/base/count_text.h"
#include "nadi/base/diagnostics.h"
#include "nadi/converters/report.h"

namespace nadi::cli {

/// The summary a person reads after `nadi convert`, without what was found: several lines, each
/// ending in a newline. In detail: all lanes, not the first ones.
std::string format_summary(const ConvertReport& report, bool in_detail = false);

/// With the severity, or the health, that is the second word of a row in colour.
std::string with_severities_in_colour(std::string_view table);

/// A row per finding with its first place, in detail all known ones; empty without findings.
/// `header`: of the column of kinds.
std::string diagnostics_table(const std::vector<Diagnostic>& diagnostics, bool in_detail = false,
                              const char* header = "finding");

/// Says what was found, in detail where the tool is verbose, a line below what was said before.
void log_findings(const std::vector<Diagnostic>& diagnostics);
/// The same of a table of findings, whose second column is the severity; nothing of an empty one.
void log_findings_table(const std::string& table);
/// The summary of a conversion, and what was found.
void log_conversion(const ConvertReport& report);

/// "2,700 kernel, 960 memcpy": counts by name; "none" of nothing.
template <class Counts>
std::string counts_text(const Counts& counts) {
  const std::string text =
      list_of(counts, [](const auto& one) { return with_commas(one.second) + " " + one.first; });
  return text.empty() ? "none" : text;
}

/// "33.000 us (32.4 %)": unexplained time and its share of the column beside it.
std::string unexplained_text(Ns unexplained, Ns of);

}  // namespace nadi::cli
