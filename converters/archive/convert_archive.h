// Converts all ranks of jobs, in folders and archives, each on its own: several at a time, and
// again only what is not done yet.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/converters/archive/collect_traces.h"
#include "nadi/converters/archive/convert_rank.h"
#include "nadi/converters/archive/manifest.h"
#include "nadi/converters/archive/memory_limit.h"
#include "nadi/converters/archive/output_names.h"
#include "nadi/converters/archive/shards.h"
#include "nadi/converters/convert.h"

namespace nadi {

struct ArchiveProgress {
  std::uint64_t ranks_done = 0;   ///< in this run, failed ones too
  std::uint64_t ranks_known = 0;  ///< of which the traces are there
  SourceProgress archives;        ///< what was read of archives
};

/// What a run of an archive takes, and what it does again.
struct ArchiveRunOptions {
  CollectOptions collect;
  std::uint64_t memory = 0;     ///< bytes to stay within; 0 = 80 % of what memory_limit() says
  bool restarts = false;        ///< forgets what is done
  bool verifies = false;        ///< reads inputs and outputs that are done, and compares checksums
  bool retries_failed = false;  ///< ranks that failed before, though their traces are the same
  bool only_lists = false;      ///< converts nothing
  bool joins_shards = false;    ///< converts nothing: only takes over what shards have converted
};

struct ConvertArchiveOptions : ArchiveRunOptions {
  ConvertOptions convert;    ///< of each rank; `output` is the prefix of the first job
  std::string version;       ///< of the tool
  std::string options_text;  ///< names all options that decide what is written; see Manifest
  unsigned jobs = 0;         ///< ranks converted at a time; 0 = as many as there are cores
  std::string spool;         ///< beside it is the folder in which traces wait; see TraceStore
  Shard shard;               ///< of the ranks, those this run converts
  RankConverter* elsewhere = nullptr;  ///< converts all ranks, in place of threads here
  std::function<void(const ArchiveProgress&)> on_progress;  ///< called on one thread at a time
};

/// A rank whose traces are there.
struct ListedRank {
  std::string output;
  std::int64_t rank = 0;
  std::string host, device;
  std::uint64_t bytes = 0;  ///< of both, as they lie there
  bool is_done = false;     ///< a manifest and the files prove it
};

struct FailedRank {
  std::string prefix;
  std::int64_t rank = -1;  ///< -1 = unknown
  std::string error;
};

struct ArchiveJobReport {
  std::string name, prefix;
  std::string graphs;                                        ///< "PREFIX.<rank>.et"
  std::string manifest;                                      ///< its path
  std::uint64_t converted = 0, done_before = 0, failed = 0;  ///< ranks
  std::vector<std::string> stale_outputs;  ///< graphs of the prefix that are no part of the job
};

struct ConvertArchiveReport {
  std::vector<ArchiveJobReport> jobs;  ///< by name
  std::vector<FailedRank> failed;      ///< by job and rank
  std::vector<ListedRank> listed;      ///< with only_lists
  Diagnostics found;                   ///< in the sources
  std::uint64_t bytes_spooled = 0;
};

/// Writes PREFIX.<rank>.et, each whole or not at all, and PREFIX.manifest.jsonl; the traces in a
/// folder JOB of the sources go to PREFIX.JOB.<rank>.et. A rank that cannot be converted is a
/// FailedRank and stops no other. Throws Error(kInput) where there is no trace, or nothing can be
/// written; what is done by then stays done.
ConvertArchiveReport convert_archive(const ConvertArchiveOptions& options);

}  // namespace nadi
