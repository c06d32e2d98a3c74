// Collects the traces of jobs from folders and archives, and says which belong together.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/converters/archive/convert_rank.h"
#include "nadi/converters/archive/manifest.h"
#include "nadi/converters/archive/pair_ranks.h"
#include "nadi/converters/archive/settle_traces.h"
#include "nadi/converters/archive/trace_store.h"
#include "nadi/converters/archive/visit_sources.h"

namespace nadi {

struct CollectOptions {
  SourceOptions sources;
  std::string pattern;                    ///< as in name_of_trace; others are ignored
  bool is_one_job = false;                ///< folders are no jobs of their own
  WindowChoice windows;                   ///< of the profiler, where ranks have several
  std::vector<std::string> own_prefixes;  ///< of what nadi writes: passed without a word
  bool needs_hosts = true;    ///< of a rank without host trace where others of its job have one
  bool keeps_members = true;  ///< of archives, so that they can be opened; else they are only named

  /// Which job a trace is of is known only when all are.
  bool splits_jobs() const { return windows.kind == WindowChoice::Kind::kAll; }
};

/// A trace that was found, and where its bytes are.
struct CollectedTrace {
  InputRecord input;
  std::shared_ptr<const KeptTrace> kept;  ///< nullptr where it is a file, or was not kept
  bool is_file = false;                   ///< its path opens it
  bool is_known = false;                  ///< and was not looked at, because a manifest has it
};

/// The traces of one job: the same order in both.
struct CollectedJob {
  std::string name;  ///< its folders inside the sources: "", "runs/job1"
  std::vector<FoundTrace> found;
  std::vector<CollectedTrace> traces;
};

class TraceCollection {
 public:
  /// The store must outlive what is collected.
  TraceCollection(const CollectOptions& options, TraceStore& store)
      : options_(options), store_(store) {}

  /// What a manifest knows of a file that looks as it did; its bytes are then not kept. May be
  /// null.
  std::function<const InputRecord*(const std::string& job, const FileRecord& file)> find_known;
  /// Called for every trace as it is found, the last of the job's. May be null.
  std::function<void(CollectedJob& job)> on_trace;
  /// Called as every file is met. May be null.
  std::function<void(const SourceProgress& progress)> on_progress;
  /// Called where the store is full; see TraceStore::keep. May be null.
  std::function<bool()> make_room;

  /// Keeps the bytes of a member at which an archive stands; what is cut is not kept.
  void keep(const SourceFile& file, CollectedTrace& trace);
  /// Walks over all sources, once, and settles what was found (settle_traces). Where all windows
  /// count, each of a job JOB that has several becomes a job "JOB/w1", "JOB/w2" of its own. Throws
  /// what visit_sources, settle_traces and the store throw.
  void collect(Diagnostics& diagnostics);
  /// Bytes of what is known of the traces that were found, without those of the traces.
  std::uint64_t bytes_listed() const { return bytes_listed_; }
  std::map<std::string, CollectedJob>& jobs() { return jobs_; }
  const std::map<std::string, CollectedJob>& jobs() const { return jobs_; }

 private:
  void take(const SourceFile& file, Diagnostics& diagnostics);
  void keep_behind(std::string_view head, const SourceFile& file, CollectedTrace& trace);
  bool look_at(const SourceFile& file, CollectedTrace& trace, Diagnostics& diagnostics);
  std::size_t settle(CollectedJob& job, Diagnostics& diagnostics) const;

  const CollectOptions& options_;
  TraceStore& store_;
  std::map<std::string, CollectedJob> jobs_;
  std::uint64_t bytes_listed_ = 0;
};

/// What is known of the traces of a pair: of the host trace (if there is one), of the device trace.
std::vector<InputRecord> inputs_of(const CollectedJob& job, const RankPair& pair);

/// The traces of a pair; prefix and options are the caller's to add.
RankTask task_of(const CollectedJob& job, const RankPair& pair);

}  // namespace nadi
