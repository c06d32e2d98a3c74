#include "nadi/converters/archive/rank_summary.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace nadi {
namespace {

constexpr std::size_t kMostNamed = 3;

double share(const RankSpan& span) {
  return span.lanes_ns == 0
             ? 0
             : static_cast<double>(span.unexplained_ns) / static_cast<double>(span.lanes_ns);
}

RankSpan span_of(const RankRecord& record) {
  RankSpan span{record.rank, record.report.span_ns, record.report.unexplained_ns};
  for (const LaneReport& lane : record.report.lanes) span.lanes_ns += lane.end_ns;
  return span;
}

/// The lower of the two in the middle.
Ns median(std::vector<Ns> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

template <class IsBefore>
std::vector<RankSpan> first_of(std::vector<RankSpan> spans, const IsBefore& is_before) {
  std::stable_sort(spans.begin(), spans.end(), is_before);
  spans.resize(std::min(spans.size(), kMostNamed));
  return spans;
}

std::vector<RankSpan> find_outliers(const std::vector<RankSpan>& spans, Ns median_span) {
  constexpr Ns kTimesMedian = 5, kPart = 10;
  std::vector<Ns> differences;
  differences.reserve(spans.size());
  for (const RankSpan& span : spans) differences.push_back(std::abs(span.span_ns - median_span));
  const Ns least = std::max(kTimesMedian * median(differences), median_span / kPart);
  std::vector<RankSpan> outliers;
  for (const RankSpan& span : spans)
    if (std::abs(span.span_ns - median_span) > least) outliers.push_back(span);
  return outliers;
}

}  // namespace

RankSummary summarize_ranks(const Manifest& manifest) {
  RankSummary summary;
  std::vector<RankSpan> spans;
  std::map<std::pair<std::string_view, Severity>, RanksFinding> findings;
  manifest.visit([&](const RankRecord& record) {
    if (!record.error.empty()) return;
    ++summary.ranks;
    summary.nodes += record.report.nodes;
    summary.device_rows += record.report.device_rows;
    summary.linked_device_rows += record.report.linked_device_rows;
    summary.bytes += record.output.size;
    spans.push_back(span_of(record));
    for (const Diagnostic& row : record.report.diagnostics) {
      RanksFinding& finding = findings[{to_string(row.kind), severity_of(row.kind)}];
      if (finding.ranks++ == 0)
        finding = {row.kind, 1, 0, record.rank, row.first.empty() ? "" : row.first.front()};
      finding.count += row.count;
    }
  });
  std::vector<Ns> lengths;
  lengths.reserve(spans.size());
  for (const RankSpan& span : spans) lengths.push_back(span.span_ns);
  summary.median_span_ns = median(std::move(lengths));
  summary.slowest =
      first_of(spans, [](const auto& a, const auto& b) { return a.span_ns > b.span_ns; });
  summary.most_unexplained =
      first_of(spans, [](const auto& a, const auto& b) { return share(a) > share(b); });
  summary.outliers = find_outliers(spans, summary.median_span_ns);
  for (auto& [kind, finding] : findings) summary.findings.push_back(std::move(finding));
  return summary;
}

}  // namespace nadi
