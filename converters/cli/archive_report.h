// What `nadi convert --traces` says about all ranks: progress, a summary, a report for programs.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "nadi/converters/archive/convert_archive.h"
#include "nadi/converters/archive/convert_ranks.h"
#include "nadi/converters/cli/progress.h"
#include "nadi/emit/atomic_file.h"

namespace nadi::cli {

/// Shows ranks, rate and time left; the bar must outlive it.
std::function<void(const ArchiveProgress&)> archive_progress_on(ProgressBar& bar);

/// Says of each job in several lines how many ranks, what stands out among them, what was found.
void log_archive(const ConvertArchiveReport& report);

/// The same of ranks converted without an archive, of which there is at least one.
void log_ranks(std::span<const ConvertReport> reports);

/// Says which ranks were not converted, and why, also where the tool is quiet.
void log_failed_ranks(const ConvertArchiveReport& report);

/// A line per rank: where its graph will be, its traces, and whether it is done.
std::string listed_text(const ConvertArchiveReport& report);

/// Writes one JSON object for programs, rank by rank: {"jobs": [{"name", "prefix", "manifest",
/// "summary", "stale_outputs", "communication": write_job_times(), "ranks": [report_json…]}],
/// "failed": [{"prefix", "rank", "error"}], "diagnostics"}, each job with what job_json() says of
/// the one in `written`, which is empty without a target. It says the same of ranks converted now
/// and before.
void write_archive_report(const ConvertArchiveReport& report,
                          const std::vector<ConvertRanksReport>& written, Target target,
                          const ByteSink& sink);

/// Graphs that are there, converted now or before.
std::uint64_t count_graphs(const ConvertArchiveReport& report);
/// Their paths, by job and rank, from the manifests.
std::vector<std::string> graphs_of(const ConvertArchiveReport& report);
/// The reports of the first ranks, from the manifests.
ConvertRanksReport read_rank_reports(const ConvertArchiveReport& report, std::size_t most);

/// kOk where all ranks are converted, kCheckFailed where some are not, kBadInput where none is.
int exit_code_of(const ConvertArchiveReport& report);

}  // namespace nadi::cli
