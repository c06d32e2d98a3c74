// Among many ranks, those are named that differ from the others.
#include "nadi/converters/archive/rank_summary.h"

#include <gtest/gtest.h>

#include "tests/temporary_folder.h"

namespace nadi {
namespace {

RankRecord record_of(std::int64_t rank, Ns span_ns, Ns unexplained_ns = 0) {
  RankRecord record;
  record.rank = rank;
  record.output.size = 10;
  record.report.rank = rank;
  record.report.nodes = 5;
  record.report.device_rows = 4;
  record.report.linked_device_rows = 3;
  record.report.span_ns = span_ns;
  record.report.unexplained_ns = unexplained_ns;
  record.report.lanes = {{"thread 1", 3, span_ns, unexplained_ns, 600},
                         {"stream 7", 2, span_ns, 0, 400}};
  return record;
}

RankSummary summary_of(const std::vector<RankRecord>& records) {
  const TemporaryFolder folder;
  Manifest manifest(folder / "x.manifest.jsonl");
  for (const RankRecord& record : records) manifest.append(record);
  return summarize_ranks(manifest);
}

/// Of ranks 0, 1, 2, …
RankSummary summary_of_spans(const std::vector<Ns>& spans) {
  std::vector<RankRecord> records;
  for (const Ns span : spans)
    records.push_back(record_of(static_cast<std::int64_t>(records.size()), span));
  return summary_of(records);
}

std::vector<std::int64_t> ranks_of(const std::vector<RankSpan>& spans) {
  std::vector<std::int64_t> ranks;
  for (const RankSpan& span : spans) ranks.push_back(span.rank);
  return ranks;
}

using Ranks = std::vector<std::int64_t>;

TEST(RankSummary, AddsUpTheRanksThatWereConverted) {
  RankRecord failed = record_of(7, 99999);
  failed.error = "is bad";
  const RankSummary summary = summary_of({record_of(0, 100), failed, record_of(3, 200)});
  EXPECT_EQ(summary.ranks, 2U);
  EXPECT_EQ(summary.nodes, 10U);
  EXPECT_EQ(summary.device_rows, 8U);
  EXPECT_EQ(summary.linked_device_rows, 6U);
  EXPECT_EQ(summary.bytes, 20U);
  EXPECT_EQ(summary.median_span_ns, 100);  // the lower of two
}

TEST(RankSummary, OfNoRankIsEmpty) {
  const RankSummary summary = summary_of({});
  EXPECT_EQ(summary.ranks, 0U);
  EXPECT_EQ(summary.median_span_ns, 0);
  EXPECT_TRUE(summary.slowest.empty() && summary.outliers.empty() && summary.findings.empty());
}

TEST(RankSummary, NamesTheThreeSlowestAndAmongEqualsTheFirst) {
  const RankSummary summary = summary_of_spans({100, 103, 101, 102, 103});
  EXPECT_EQ(summary.median_span_ns, 102);
  EXPECT_EQ(ranks_of(summary.slowest), (Ranks{1, 4, 3}));
  EXPECT_EQ(summary.slowest.front().span_ns, 103);
}

TEST(RankSummary, NamesTheThreeLeastExplainedByTheirShareOfAllLanes) {
  const RankSummary summary = summary_of(
      {record_of(0, 1, 10), record_of(1, 1, 40), record_of(2, 1, 30), record_of(3, 1, 20)});
  EXPECT_EQ(ranks_of(summary.most_unexplained), (Ranks{1, 2, 3}));
  EXPECT_EQ(summary.most_unexplained.front().unexplained_ns, 40);
  EXPECT_EQ(summary.most_unexplained.front().lanes_ns, 1000);
}

TEST(RankSummary, OutliersDifferByMoreThanATenth) {
  const auto outliers_of = [](const std::vector<Ns>& spans) {
    return ranks_of(summary_of_spans(spans).outliers);
  };
  EXPECT_EQ(outliers_of({1000, 1000, 1101, 1000, 899, 1100, 900, 1000, 1000, 1000}), (Ranks{2, 4}));
  EXPECT_EQ(outliers_of({0, 0, 0, 1}), Ranks{3});
  EXPECT_EQ(outliers_of({5}), Ranks{});
}

TEST(RankSummary, OutliersDifferByMoreThanFiveTimesWhatOthersDo) {
  const std::vector<Ns> most = {900, 900, 900, 1000, 1100};
  const auto outliers_with = [&](Ns one, Ns other) {
    std::vector<Ns> spans = most;
    spans.insert(spans.end(), {one, other});
    return ranks_of(summary_of_spans(spans).outliers);
  };
  EXPECT_EQ(outliers_with(1500, 1500), Ranks{});
  EXPECT_EQ(outliers_with(1500, 1501), Ranks{6});
}

TEST(RankSummary, FindingsOfAKindAreCountedOverRanks) {
  std::vector<RankRecord> records = {record_of(0, 1), record_of(4, 1), record_of(9, 1)};
  records[1].report.diagnostics = {{Finding::kUntimedOps, 2, {"op 5", "op 6"}},
                                   {Finding::kSyncUnresolved, 1, {}}};
  records[2].report.diagnostics = {{Finding::kUntimedOps, 3, {"op 7"}}};
  const RankSummary summary = summary_of(records);
  ASSERT_EQ(summary.findings.size(), 2U);
  EXPECT_EQ(summary.findings[0].kind, Finding::kSyncUnresolved);
  EXPECT_EQ(summary.findings[0].ranks, 1U);
  EXPECT_EQ(summary.findings[0].first, "");
  EXPECT_EQ(summary.findings[1].kind, Finding::kUntimedOps);
  EXPECT_EQ(severity_of(summary.findings[1].kind), Severity::kInfo);
  EXPECT_EQ(summary.findings[1].ranks, 2U);
  EXPECT_EQ(summary.findings[1].count, 5U);
  EXPECT_EQ(summary.findings[1].first_rank, 4);
  EXPECT_EQ(summary.findings[1].first, "op 5");
}

}  // namespace
}  // namespace nadi
