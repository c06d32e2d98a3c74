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

RankSpan span_of(std::int64_t rank, const ConvertReport& report) {
  RankSpan span{rank, report.span_ns, report.unexplained_ns};
  for (const LaneReport& lane : report.lanes) span.lanes_ns += lane.end_ns;
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

class RankSums {
 public:
  void add(std::int64_t rank, const ConvertReport& report, std::uint64_t bytes) {
    ++summary_.ranks;
    summary_.nodes += report.nodes;
    summary_.device_rows += report.device_rows;
    summary_.linked_device_rows += report.linked_device_rows;
    summary_.bytes += bytes;
    spans_.push_back(span_of(rank, report));
    for (const Diagnostic& row : report.diagnostics) {
      RanksFinding& finding = findings_[{to_string(row.kind), severity_of(row.kind)}];
      if (finding.ranks++ == 0)
        finding = {row.kind, 1, 0, rank, row.first.empty() ? "" : row.first.front()};
      finding.count += row.count;
    }
  }
  /// Call once, last.
  RankSummary summary() {
    std::vector<Ns> lengths;
    lengths.reserve(spans_.size());
    for (const RankSpan& span : spans_) lengths.push_back(span.span_ns);
    summary_.median_span_ns = median(std::move(lengths));
    summary_.slowest =
        first_of(spans_, [](const auto& a, const auto& b) { return a.span_ns > b.span_ns; });
    summary_.most_unexplained =
        first_of(spans_, [](const auto& a, const auto& b) { return share(a) > share(b); });
    summary_.outliers = find_outliers(spans_, summary_.median_span_ns);
    for (auto& [kind, finding] : findings_) summary_.findings.push_back(std::move(finding));
    return std::move(summary_);
  }

 private:
  RankSummary summary_;
  std::vector<RankSpan> spans_;
  std::map<std::pair<std::string_view, Severity>, RanksFinding> findings_;
};

}  // namespace

RankSummary summarize_ranks(const Manifest& manifest) {
  RankSums sums;
  manifest.visit_converted(
      [&](const RankRecord& record) { sums.add(record.rank, record.report, record.output.size); });
  return sums.summary();
}

RankSummary summarize_ranks(std::span<const ConvertReport> reports, std::uint64_t bytes) {
  RankSums sums;
  for (const ConvertReport& report : reports)
    sums.add(report.rank, report, std::exchange(bytes, 0));
  return sums.summary();
}

}  // namespace nadi
