#include "nadi/converters/archive/rank_error.h"

#include <algorithm>

namespace nadi {
namespace {

std::string rank_text(std::int64_t rank, const std::string& file) {
  return "rank " + std::to_string(rank) + " (" + file + ")";
}

bool is_cut(const ConvertReport& report) {
  return std::any_of(report.diagnostics.begin(), report.diagnostics.end(),
                     [](const Diagnostic& row) { return row.kind == Finding::kTruncatedInput; });
}

}  // namespace

Error error_of_rank(const Error& error, const RankTraces& rank) {
  const auto is_in = [&](const std::string& file) {
    return !file.empty() && error.where().starts_with(file);
  };
  const bool names_trace = is_in(rank.traces.device) || is_in(rank.traces.host);
  return {error.code(), rank_text(rank.rank, names_trace ? error.where() : rank.traces.device),
          error.problem(), error.remedy()};
}

Error error_with_cut_traces(const Error& error, const std::vector<ConvertReport>& ranks) {
  constexpr std::size_t kMostNamed = 4;
  std::string names;
  std::size_t count = 0;
  for (const ConvertReport& report : ranks) {
    if (!is_cut(report)) continue;
    if (count++ < kMostNamed)
      names += (names.empty() ? "" : ", ") + rank_text(report.rank, report.device);
  }
  if (count == 0 || error.code() != ErrorCode::kInput) return error;
  if (count > kMostNamed) names += " and " + std::to_string(count - kMostNamed) + " more";
  const std::string own_remedy = error.remedy().empty() ? "" : ". " + error.remedy();
  return {error.code(), error.where(), error.problem(),
          "The trace of " + names + " is cut (truncated-input): record it again, to its end" +
              own_remedy};
}

}  // namespace nadi
