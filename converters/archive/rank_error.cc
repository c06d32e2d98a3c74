#include "nadi/converters/archive/rank_error.h"

#include <algorithm>

#include "nadi/base/count_text.h"

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
  std::vector<std::string> names;
  for (const ConvertReport& report : ranks)
    if (is_cut(report)) names.push_back(rank_text(report.rank, report.device));
  if (names.empty() || error.code() != ErrorCode::kInput) return error;
  const std::string own_remedy = error.remedy().empty() ? "" : ". " + error.remedy();
  return {error.code(), error.where(), error.problem(),
          "The trace of " + first_of_list(names, kMostNamed) +
              " is cut (truncated-input): record it again, to its end" + own_remedy};
}

}  // namespace nadi
