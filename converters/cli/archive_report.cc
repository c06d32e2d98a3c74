#include "nadi/converters/cli/archive_report.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "nadi/base/count_text.h"
#include "nadi/converters/archive/job_times.h"
#include "nadi/converters/archive/rank_summary.h"
#include "nadi/converters/archive/recorded_files.h"
#include "nadi/converters/cli/archive_options.h"
#include "nadi/converters/cli/job_options.h"
#include "nadi/converters/cli/job_report_json.h"
#include "nadi/converters/cli/log.h"
#include "nadi/converters/cli/option_words.h"
#include "nadi/converters/cli/run.h"
#include "nadi/converters/cli/summary.h"
#include "nadi/converters/cli/text_table.h"
#include "nadi/converters/report_json.h"

namespace nadi::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostShown = 8;

/// "12 s", "3 min", "5.2 h".
std::string time_left_text(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 100 * 60) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

/// "10.000 ms (rank 3), 9.000 ms (rank 1)"; text_of(span) is the time.
template <class TextOf>
std::string ranks_text(const std::vector<RankSpan>& spans, const TextOf& text_of) {
  return first_of_list(spans, kMostShown, [&](const RankSpan& span) {
    return fmt::format("{} (rank {})", text_of(span), span.rank);
  });
}

std::string spans_text(const std::vector<RankSpan>& spans) {
  return ranks_text(spans, [](const RankSpan& span) { return duration_text(span.span_ns); });
}

/// One number where all ranks have it.
std::string span_text(const RankSummary& summary) {
  const std::string median = duration_text(summary.median_span_ns);
  if (duration_text(summary.slowest.front().span_ns) == median) return median;
  return fmt::format("median {}, longest {}", median, spans_text(summary.slowest));
}

std::string unexplained_of_ranks(const std::vector<RankSpan>& spans) {
  return ranks_text(spans, [](const RankSpan& span) {
    return time_share_text(span.unexplained_ns, span.lanes_ns);
  });
}

std::string findings_of_ranks(const std::vector<RanksFinding>& findings) {
  if (findings.empty()) return "";
  TextTable table{{"finding", "severity", "ranks", "count", "first"}, {}, {2, 3}};
  for (const RanksFinding& finding : findings)
    table.rows.push_back(
        {std::string(to_string(finding.kind)), std::string(to_string(severity_of(finding.kind))),
         with_commas(finding.ranks), with_commas(finding.count),
         finding.first.empty() ? fmt::format("rank {}", finding.first_rank)
                               : fmt::format("rank {}: {}", finding.first_rank, finding.first)});
  return format_table(table, kIndent);
}

std::string counts_of_job(const ArchiveJobReport& job) {
  std::string text = counted(job.converted, "rank") + " converted";
  if (job.done_before > 0) text += fmt::format(", {} done before", with_commas(job.done_before));
  if (job.failed > 0) text += fmt::format(", {} failed", with_commas(job.failed));
  return text;
}

/// What adds up and stands out.
void log_rank_summary(const RankSummary& summary) {
  if (summary.ranks == 0) return;
  TextTable table;
  table.rows = {
      {"nodes", with_commas(summary.nodes)},
      {"graphs", size_text(summary.bytes)},
      {"linked", fmt::format("{} of {} device rows", with_commas(summary.linked_device_rows),
                             with_commas(summary.device_rows))},
      {"span", span_text(summary)},
      {"unexplained", "most " + unexplained_of_ranks(summary.most_unexplained)}};
  if (!summary.outliers.empty()) table.rows.push_back({"outliers", spans_text(summary.outliers)});
  log_summary(format_table(table, kIndent));
  log_findings_table(findings_of_ranks(summary.findings));
}

void log_job(const ArchiveJobReport& job) {
  log_summary(fmt::format("{}: {} ({})\n", job.graphs, counts_of_job(job), job.manifest));
  log_rank_summary(summarize_ranks(Manifest(job.manifest)));
  if (!job.stale_outputs.empty())
    log_text(
        fmt::format("\nWarning: an earlier job left graphs that are no part of this one: {}.\n",
                    first_of_list(job.stale_outputs, 1)));
}

Json span_json(const RankSpan& span) {
  return {{"rank", span.rank},
          {"span_ns", span.span_ns},
          {"unexplained_ns", span.unexplained_ns},
          {"lanes_ns", span.lanes_ns}};
}

Json spans_json(const std::vector<RankSpan>& spans) {
  Json json = Json::array();
  for (const RankSpan& span : spans) json.push_back(span_json(span));
  return json;
}

Json summary_json(const RankSummary& summary) {
  Json findings = Json::array();
  for (const RanksFinding& finding : summary.findings)
    findings.push_back({{"kind", to_string(finding.kind)},
                        {"severity", to_string(severity_of(finding.kind))},
                        {"ranks", finding.ranks},
                        {"count", finding.count},
                        {"first_rank", finding.first_rank},
                        {"first", finding.first}});
  return {{"ranks", summary.ranks},
          {"nodes", summary.nodes},
          {"device_rows", summary.device_rows},
          {"linked_device_rows", summary.linked_device_rows},
          {"graph_bytes", summary.bytes},
          {"median_span_ns", summary.median_span_ns},
          {"slowest", spans_json(summary.slowest)},
          {"most_unexplained", spans_json(summary.most_unexplained)},
          {"outliers", spans_json(summary.outliers)},
          {"findings", findings}};
}

/// A value inside another: without the newline at its end.
std::string inner_text(const Json& json) {
  std::string text = json_text(json);
  text.pop_back();
  return text;
}

/// `written`: of the job that was made of the ranks; null = none.
void write_ranks_of_job(const ArchiveJobReport& job, const ConvertRanksReport* written,
                        Target target, const ByteSink& sink) {
  const Manifest manifest(job.manifest);
  Json head = {{"name", job.name}, {"prefix", job.prefix}, {"manifest", job.manifest}};
  head["summary"] = summary_json(summarize_ranks(manifest));
  head["stale_outputs"] = job.stale_outputs;
  if (written != nullptr) head.update(job_json(*written, target));
  sink(open_object_text(head) + ",\n  \"communication\": ");
  write_job_times(recorded_files(job.prefix, manifest, 0, nullptr), sink);
  sink(",\n");
  std::map<std::int64_t, std::int64_t> in_job;
  if (written != nullptr) in_job = job_ranks(written->members);
  const auto visit = [&](const std::function<void(const Json&)>& take) {
    manifest.visit_converted([&](RankRecord record) {
      if (written != nullptr) name_output(in_job, written->prefix, target, record.report);
      take(report_json(record.report));
    });
  };
  write_rows("ranks", visit, sink);
  sink("\n}");
}

}  // namespace

std::function<void(const ArchiveProgress&)> archive_progress_on(ProgressBar& bar) {
  const auto begin = std::chrono::steady_clock::now();
  return [&bar, begin](const ArchiveProgress& progress) {
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const auto done = static_cast<double>(progress.ranks_done);
    const bool reads = progress.archives.read < progress.archives.total;
    double share = done / static_cast<double>(std::max<std::uint64_t>(progress.ranks_known, 1));
    if (reads)
      share *= static_cast<double>(progress.archives.read) /
               static_cast<double>(progress.archives.total);
    std::string stage = fmt::format("{} ranks, {:.1f}/s", with_commas(progress.ranks_done),
                                    done / std::max(seconds, 1e-3));
    if (share > 0) stage += ", " + time_left_text(seconds * (1 - share) / share) + " left";
    if (reads)
      bar.update(stage, progress.archives.read, progress.archives.total);
    else
      bar.update(stage, progress.ranks_done, progress.ranks_known);
  };
}

void log_archive(const ConvertArchiveReport& report) {
  for (const ArchiveJobReport& job : report.jobs) {
    if (&job != &report.jobs.front()) log_summary("\n");
    log_job(job);
  }
  log_findings(report.found.table());
  if (report.bytes_spooled > 0)
    log_summary(
        fmt::format("\n{} of waiting traces went to disk\n", size_text(report.bytes_spooled)));
}

void log_ranks(std::span<const ConvertReport> reports) {
  std::uint64_t bytes = 0;
  for (const ConvertReport& report : reports) {
    std::error_code is_gone;
    const auto size = std::filesystem::file_size(report.output, is_gone);
    if (!is_gone) bytes += size;
  }
  log_summary(fmt::format("{} to {}: {} converted\n", reports.front().output, reports.back().output,
                          counted(reports.size(), "rank")));
  log_rank_summary(summarize_ranks(reports, bytes));
}

void log_failed_ranks(const ConvertArchiveReport& report) {
  for (std::size_t i = 0; i < std::min(report.failed.size(), kMostShown); ++i) {
    const FailedRank& failed = report.failed[i];
    const std::string rank = failed.rank < 0 ? "a rank" : fmt::format("rank {}", failed.rank);
    const bool is_named = failed.error.starts_with(rank + " ");
    log_error(fmt::format("{}{}: {}", is_named ? "" : rank + " of ", failed.prefix,
                          in_option_words(failed.error)));
  }
  if (report.failed.size() > kMostShown)
    log_error(fmt::format("{} more failed; --report lists all", report.failed.size() - kMostShown));
}

std::string listed_text(const ConvertArchiveReport& report) {
  TextTable table{{"graph", "traces", "host trace", "device trace", "state"}, {}, {1}};
  for (const ListedRank& rank : report.listed)
    table.rows.push_back({rank.output, size_text(rank.bytes), rank.host.empty() ? "-" : rank.host,
                          rank.device, rank.is_done ? "done" : "to do"});
  return format_table(table);
}

void write_archive_report(const ConvertArchiveReport& report,
                          const std::vector<ConvertRanksReport>& written, Target target,
                          const ByteSink& sink) {
  sink("{\n\"jobs\": [");
  for (std::size_t i = 0; i < report.jobs.size(); ++i) {
    sink(i == 0 ? "\n" : ",\n");
    write_ranks_of_job(report.jobs[i], written.empty() ? nullptr : &written[i], target, sink);
  }
  Json failed = Json::array();
  for (const FailedRank& rank : report.failed)
    failed.push_back(
        {{"prefix", rank.prefix}, {"rank", rank.rank}, {"error", in_option_words(rank.error)}});
  sink("],\n\"failed\": " + inner_text(failed) +
       ",\n\"diagnostics\": " + inner_text(diagnostics_json(report.found.table())) + "\n}\n");
}

std::uint64_t count_graphs(const ConvertArchiveReport& report) {
  std::uint64_t graphs = 0;
  for (const ArchiveJobReport& job : report.jobs) graphs += job.converted + job.done_before;
  return graphs;
}

std::vector<std::string> graphs_of(const ConvertArchiveReport& report) {
  std::vector<std::string> graphs;
  for (const ArchiveJobReport& job : report.jobs)
    Manifest(job.manifest)
        .visit_converted(
            [&](const RankRecord& record) {
              graphs.push_back(beside_prefix(job.prefix, record.output.path));
            },
            WithReport::kNo);
  return graphs;
}

ConvertRanksReport read_rank_reports(const ConvertArchiveReport& report, std::size_t most) {
  ConvertRanksReport ranks;
  for (const ArchiveJobReport& job : report.jobs) {
    if (ranks.ranks.size() == most) break;
    Manifest(job.manifest).visit_converted([&](RankRecord record) {
      if (ranks.ranks.size() < most) ranks.ranks.push_back(std::move(record.report));
    });
  }
  return ranks;
}

int exit_code_of(const ConvertArchiveReport& report) {
  if (report.failed.empty()) return kOk;
  return report.listed.size() + count_graphs(report) > 0 ? kCheckFailed : kBadInput;
}

}  // namespace nadi::cli
