#include "nadi/converters/archive/convert_archive.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "nadi/base/error.h"
#include "nadi/converters/archive/checksum.h"
#include "nadi/converters/archive/memory_limit.h"
#include "nadi/converters/archive/running_job.h"
#include "nadi/converters/archive/stale_outputs.h"
#include "nadi/converters/archive/workers.h"
#include "nadi/emit/temporary_path.h"

namespace nadi {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

using Stage = RankState::Stage;

class ArchiveRun {
 public:
  explicit ArchiveRun(const ConvertArchiveOptions& options)
      : options_(options),
        memory_(options.memory != 0 ? options.memory : default_memory()),
        shares_(share_memory(memory_)),
        store_(shares_.store, options.only_lists ? "" : options.spool),
        collection_(options.collect, store_),
        known_prefixes_(find_manifests(options.convert.output)),
        of_rank_(options_of_rank(options)),
        workers_(threads(), options.elsewhere != nullptr ? kNoLimit : shares_.conversions) {
    allow_many_open_files();
  }

  ConvertArchiveReport run();

 private:
  unsigned threads() const {
    if (options_.only_lists) return 0;
    if (options_.elsewhere != nullptr) return options_.elsewhere->slots();
    return options_.jobs != 0 ? options_.jobs : std::max(1U, std::thread::hardware_concurrency());
  }
  static ConvertOptions options_of_rank(const ConvertArchiveOptions& options) {
    ConvertOptions of_rank = options.convert;
    of_rank.traces.uses_one_thread = true;  // cores are for other ranks
    of_rank.threads = 1;
    return of_rank;
  }
  bool is_of_shard(std::int64_t rank) const {
    return options_.shard.count == 0 || rank < 0 ||
           rank % options_.shard.count == options_.shard.index;
  }
  std::string manifest_path_of(const std::string& prefix) const {
    return options_.shard.count == 0 ? manifest_path(prefix)
                                     : shard_manifest_path(prefix, options_.shard);
  }
  void watch_collection();
  void check_lists() const;
  const InputRecord* find_known(const std::string& name, const FileRecord& file);
  RunningJob& job_of(const std::string& name);
  void load_known(RunningJob& job);
  void take_over(RunningJob& job, const Manifest& other);
  void note_known(RunningJob& job, RankRecord record);
  bool seems_done(const RunningJob& job, const RankRecord& record) const;
  bool is_unchanged(const InputRecord& input) const;
  RankState::Stage stage_of(RunningJob& running, std::int64_t rank);
  bool ended_early() const { return report_.found.count(Finding::kArchiveEndedEarly) > 0; }
  bool may_have_lost_host() const { return options_.collect.needs_hosts && ended_early(); }
  void try_pair(CollectedJob& job);
  void finish_job(CollectedJob& job);
  void report_problems(RunningJob& running, const CollectedJob& job, const Pairing& pairing);
  void withdraw(RunningJob& running, std::int64_t rank);
  void withdraw_others(RunningJob& running, const Pairing& pairing);
  void take_pair(CollectedJob& job, const RankPair& pair);
  bool is_done(const RankState& state, const CollectedJob& job, const RankPair& pair) const;
  static void drop_kept(CollectedJob& job, const RankPair& pair);
  void begin(CollectedJob& job, const RankPair& pair);
  void submit(RunningJob& running, RankTask task);
  void read_again();
  std::string why_unread(bool is_of_window) const;
  void list(const RunningJob& running, const CollectedJob& job, const RankPair& pair, bool is_done);
  void require_traces() const;
  void finish_manifest(RunningJob& running, std::vector<std::string>& outputs);
  void report_job(const std::string& name, RunningJob& running);
  void convert_task(RunningJob& running, const RankTask& task, unsigned thread);
  void fail(RunningJob& running, std::int64_t rank, const std::string& error);
  void end_rank(RunningJob& running, const RankRecord& record);
  void show_progress();
  void stop(const Error& error);
  void stop_if_failed();

  const ConvertArchiveOptions& options_;
  const std::uint64_t memory_;
  const MemoryShares shares_;
  TraceStore store_;
  TraceCollection collection_;
  std::map<std::string, RunningJob> running_;
  const std::set<std::string> known_prefixes_;  // of which a manifest was there before
  ConvertArchiveReport report_;
  ArchiveProgress progress_;
  std::mutex mutex_;              // of states of ranks, progress_, manifests and failure_
  std::optional<Error> failure_;  // of writing: no rank can be converted any more
  std::vector<std::pair<CollectedJob*, RankPair>> unread_;  // whose bytes were not kept
  const ConvertOptions of_rank_;                            // for all ranks
  Workers workers_;                                         // last: they use all else
};

RunningJob& ArchiveRun::job_of(const std::string& name) {
  const auto known = running_.find(name);
  if (known != running_.end()) return known->second;
  const std::string prefix = prefix_of_job(options_.convert.output, name);
  RunningJob& job = running_.try_emplace(name, prefix, manifest_path_of(prefix)).first->second;
  if (!options_.only_lists) {
    job.manifest.lock();
    remove_leftovers_of(prefix);
  }
  if (options_.shard.count > 0)
    require_same_shards(prefix, options_.shard);
  else
    job.shards = open_shards(prefix, !options_.only_lists);
  if (options_.restarts)
    job.manifest.forget_all();
  else
    load_known(job);
  return job;
}

bool ArchiveRun::is_unchanged(const InputRecord& input) const {
  const FileRecord file = record_of_file(input.file.path);
  if (file.path.empty()) return true;  // a member of an archive: it is compared when it comes
  return file.looks_like(input.file) &&
         (!options_.verifies || checksum_of_file(input.file.path) == input.file.checksum);
}

bool ArchiveRun::seems_done(const RunningJob& job, const RankRecord& record) const {
  const auto are_unchanged = [&] {
    return std::all_of(record.inputs.begin(), record.inputs.end(),
                       [&](const InputRecord& input) { return is_unchanged(input); });
  };
  if (record.version != options_.version || record.options != options_.options_text) return false;
  if (!record.error.empty()) return !options_.retries_failed && are_unchanged();
  FileRecord graph = record_of_file(beside_prefix(job.prefix, record.output.path));
  const std::string path = std::exchange(graph.path, record.output.path);
  if (!graph.looks_like(record.output)) return false;
  if (options_.verifies && checksum_of_file(path) != record.output.checksum) return false;
  return are_unchanged();
}

/// What the job's own manifest proves done, and those of its shards, or of the whole job.
void ArchiveRun::load_known(RunningJob& job) {
  job.manifest.visit([&](RankRecord record) { note_known(job, std::move(record)); },
                     WithReport::kNo);
  if (options_.shard.count > 0) take_over(job, Manifest(manifest_path(job.prefix)));
  for (const auto& shard : job.shards) take_over(job, *shard);
}

/// What another manifest proves done, of ranks of which the job's own does not.
void ArchiveRun::take_over(RunningJob& job, const Manifest& other) {
  other.visit(
      [&](RankRecord record) {
        const std::int64_t rank = record.rank;
        if (job.ranks[rank].before || !is_of_shard(rank)) return;
        note_known(job, std::move(record));
        const bool is_done = job.ranks[rank].before.has_value();
        if (is_done && !options_.only_lists) job.manifest.append_from(other, rank);
      },
      WithReport::kNo);
}

void ArchiveRun::note_known(RunningJob& job, RankRecord record) {
  if (!seems_done(job, record)) return;
  RankState& state = job.ranks[record.rank];
  state.before = std::move(record);
  for (const InputRecord& input : state.before->inputs) job.known[input.file.path] = &input;
}

/// Nothing is made for a folder of which no manifest was there: it may hold no trace.
const InputRecord* ArchiveRun::find_known(const std::string& name, const FileRecord& file) {
  const std::string prefix = prefix_of_job(options_.convert.output, name);
  if (options_.collect.splits_jobs() || !known_prefixes_.contains(prefix)) return nullptr;
  const RunningJob& job = job_of(name);
  const auto known = job.known.find(file.path);
  if (known == job.known.end() || !known->second->file.looks_like(file)) return nullptr;
  const bool is_read = options_.verifies && !fs::exists(file.path);  // a member, for its checksum
  return is_read ? nullptr : known->second;
}

RankState::Stage ArchiveRun::stage_of(RunningJob& running, std::int64_t rank) {
  const std::lock_guard lock(mutex_);
  return running.ranks[rank].stage;
}

/// Begins with a pair of an archive as soon as its process and its number both say that it is one;
/// all others wait until everything is known.
void ArchiveRun::try_pair(CollectedJob& job) {
  const std::size_t trace = job.traces.size() - 1;
  const FoundTrace& found = job.found[trace];
  if (!job.traces[trace].kept || found.peek.pid < 0) return;
  RunningJob& running = job_of(job.name);
  for (const std::int64_t number : {found.name.number, found.rank()}) {
    if (number < 0) continue;
    WaitingTraces& waiting = running.waiting[{found.peek.pid, number}];
    std::size_t& own = found.is_host() ? waiting.host : waiting.device;
    if (own != kNoTrace) continue;  // or it came with its other number
    own = trace;
    if (waiting.host == kNoTrace || waiting.device == kNoTrace) continue;
    const std::int64_t rank = job.found[waiting.device].rank();
    if (rank < 0 || stage_of(running, rank) != Stage::kFound) continue;
    return take_pair(job, {rank, waiting.host, waiting.device});
  }
}

void ArchiveRun::drop_kept(CollectedJob& job, const RankPair& pair) {
  for (const std::size_t trace : {pair.host, pair.device})
    if (trace != kNoTrace) job.traces[trace].kept = nullptr;
}

void ArchiveRun::begin(CollectedJob& job, const RankPair& pair) {
  RunningJob& running = job_of(job.name);
  RankTask task = task_of(job, pair);
  task.record.version = options_.version;
  task.record.options = options_.options_text;
  task.prefix = running.prefix;
  drop_kept(job, pair);  // they go with the task
  submit(running, std::move(task));
}

void ArchiveRun::submit(RunningJob& running, RankTask task) {
  const std::uint64_t needed = bytes_needed(task);
  if (needed > shares_.conversions)
    return fail(running, task.record.rank,
                "needs about " + megabytes(needed) + " of memory, and `memory` " +
                    megabytes(memory_) + " leaves " + megabytes(shares_.conversions) +
                    ": allow more, or convert fewer steps (`steps`)");
  workers_.submit(needed, [this, &running, task = std::move(task)](unsigned thread) {
    convert_task(running, task, thread);
  });
}

void ArchiveRun::convert_task(RunningJob& running, const RankTask& task, unsigned thread) {
  try {
    end_rank(running, options_.elsewhere != nullptr
                          ? options_.elsewhere->convert(thread, task)
                          : convert_rank(task, of_rank_, options_.collect.sources.limits));
  } catch (const LargerTraces& larger) {
    RankTask again = task;
    again.host_bytes = larger.host_bytes;
    again.device_bytes = larger.device_bytes;
    again.is_measured = true;
    submit(running, std::move(again));
  } catch (const Error& error) {
    stop(error);
  } catch (const std::bad_alloc&) {
    fail(running, task.record.rank, "out of memory: convert fewer at a time (`jobs`)");
  } catch (const std::exception& error) {
    stop(Error(ErrorCode::kInternal, task.device, error.what(), "Please report it"));
  }
}

void ArchiveRun::stop(const Error& error) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = error;
  workers_.stop();
}

/// What is left of the sources need not be read.
void ArchiveRun::stop_if_failed() {
  const std::lock_guard lock(mutex_);
  if (failure_) throw *failure_;
}

void ArchiveRun::fail(RunningJob& running, std::int64_t rank, const std::string& error) {
  const std::lock_guard lock(mutex_);
  if (rank < 0) {
    ++progress_.ranks_known;
    running.errors.push_back(error);
  } else {
    RankState& state = running.ranks[rank];
    if (state.stage != Stage::kTaken) ++progress_.ranks_known;
    state.stage = Stage::kFailed;
    state.error = error;
    running.manifest.forget(rank);
  }
  ++progress_.ranks_done;
  show_progress();
}

/// Notes what became of a rank. Throws Error(kInput) where the manifest cannot be written.
void ArchiveRun::end_rank(RunningJob& running, const RankRecord& record) {
  const std::lock_guard lock(mutex_);
  running.manifest.append(record);
  RankState& state = running.ranks[record.rank];
  state.stage = record.error.empty() ? Stage::kConverted : Stage::kFailed;
  state.error = record.error;
  ++progress_.ranks_done;
  show_progress();
}

void ArchiveRun::show_progress() {
  if (options_.on_progress) options_.on_progress(progress_);
}

/// Takes back what was taken for a pair, and is none.
void ArchiveRun::withdraw(RunningJob& running, std::int64_t rank) {
  workers_.wait_for_all();
  const std::lock_guard lock(mutex_);
  RankState& state = running.ranks[rank];
  std::error_code ignored;
  if (state.stage == Stage::kConverted)
    fs::remove(running.prefix + "." + graph_ending(rank, of_rank_.compression), ignored);
  state.stage = Stage::kFound;
  running.manifest.forget(rank);
}

/// Takes back ranks that were begun, and of which the whole job has no pair.
void ArchiveRun::withdraw_others(RunningJob& running, const Pairing& pairing) {
  std::unique_lock lock(mutex_);
  std::set<std::int64_t> others = running.begun();
  lock.unlock();
  for (const RankPair& pair : pairing.ranks) others.erase(pair.rank);
  for (const std::int64_t rank : others) withdraw(running, rank);
}

/// Everything is known of the job: its pairs are begun, those that were taken too early are
/// withdrawn, and ranks that are no longer there are forgotten.
void ArchiveRun::finish_job(CollectedJob& job) {
  RunningJob& running = job_of(job.name);
  const Pairing pairing = pair_traces(job.found, options_.collect.needs_hosts);
  std::vector<RankPair> pairs;
  for (const RankPair& pair : pairing.ranks) {
    if (!is_of_shard(pair.rank)) continue;
    std::unique_lock lock(mutex_);
    RankState& state = running.ranks[pair.rank];
    state.is_expected = true;
    if (pair.host == kNoTrace && may_have_lost_host()) {
      lock.unlock();
      fail(running, pair.rank,
           "has no host trace, which may lie behind the place where an archive ends early: get "
           "the archive again, or take its device trace alone (`missing=alone`)");
      continue;
    }
    const bool is_taken = state.stage != Stage::kFound;
    const bool is_same = state.pair.host == pair.host && state.pair.device == pair.device;
    lock.unlock();
    if (is_taken && is_same) continue;
    if (is_taken) withdraw(running, pair.rank);
    pairs.push_back(pair);
  }
  withdraw_others(running, pairing);
  report_problems(running, job, pairing);
  const auto size_of = [&](const RankPair& pair) {
    if (options_.only_lists) return std::uint64_t{0};  // by rank
    return (pair.host == kNoTrace ? 0 : job.traces[pair.host].input.file.size) +
           job.traces[pair.device].input.file.size;
  };
  std::stable_sort(pairs.begin(), pairs.end(),
                   [&](const RankPair& a, const RankPair& b) { return size_of(a) > size_of(b); });
  for (const RankPair& pair : pairs) take_pair(job, pair);
}

void ArchiveRun::report_problems(RunningJob& running, const CollectedJob& job,
                                 const Pairing& pairing) {
  if (std::all_of(job.found.begin(), job.found.end(),
                  [](const FoundTrace& found) { return found.is_host(); }))
    return fail(
        running, -1,
        "there is no device trace beside " + job.found.front().path +
            (collection_.jobs().size() > 1
                 ? ". If those of another folder belong to it, `one_job` takes them together"
                 : ""));
  for (const PairingProblem& problem : pairing.problems) {
    if (!is_of_shard(problem.rank)) continue;
    if (problem.rank >= 0) withdraw(running, problem.rank);
    fail(running, problem.rank, problem.what + ". " + problem.remedy);
  }
}

/// True where a manifest has the rank with these traces, and the files are as it says.
bool ArchiveRun::is_done(const RankState& state, const CollectedJob& job,
                         const RankPair& pair) const {
  if (!state.before) return false;
  const std::vector<InputRecord> inputs = inputs_of(job, pair);
  const auto is_same = [](const InputRecord& a, const InputRecord& b) {
    const std::string &one = a.file.checksum, &other = b.file.checksum;
    return a.file.looks_like(b.file) && (one == other || one.empty() || other.empty());
  };
  return std::equal(inputs.begin(), inputs.end(), state.before->inputs.begin(),
                    state.before->inputs.end(), is_same);
}

/// False where an archive must be read again for a trace.
bool can_open(const CollectedJob& job, const RankPair& pair) {
  const auto is_there = [&](std::size_t trace) {
    return trace == kNoTrace || job.traces[trace].is_file || job.traces[trace].kept;
  };
  return is_there(pair.host) && is_there(pair.device);
}

/// The rank is done before this run, or begins now, or its traces are read again later.
void ArchiveRun::take_pair(CollectedJob& job, const RankPair& pair) {
  RunningJob& running = job_of(job.name);
  {
    const std::lock_guard lock(mutex_);
    RankState& state = running.ranks[pair.rank];
    state.pair = pair;
    const bool done = is_done(state, job, pair);
    if (options_.only_lists) return list(running, job, pair, done);
    if (done) {
      state.error = state.before->error;
      state.stage = state.error.empty() ? Stage::kDoneBefore : Stage::kFailed;
      return drop_kept(job, pair);
    }
    state.stage = Stage::kTaken;
    ++progress_.ranks_known;
  }
  if (options_.joins_shards)
    fail(running, pair.rank, "is not converted with these options: run its shard again");
  else if (can_open(job, pair))
    begin(job, pair);
  else
    unread_.emplace_back(&job, pair);
}

/// Reads archives once more for traces that were not kept: the other trace of their rank had
/// changed since it was converted, or it was not known yet that they are of this shard.
void ArchiveRun::read_again() {
  if (unread_.empty()) return;
  std::unordered_map<std::string, std::pair<std::size_t, std::size_t>> wanted;  // pair, trace
  for (std::size_t i = 0; i < unread_.size(); ++i)
    for (const std::size_t trace : {unread_[i].second.host, unread_[i].second.device})
      if (trace != kNoTrace && !unread_[i].first->traces[trace].is_file)
        wanted[unread_[i].first->found[trace].path] = {i, trace};
  const auto take = [&](const SourceFile& file) {
    const auto found = wanted.find(file.path);
    if (found == wanted.end()) return;
    const auto [i, trace] = found->second;
    auto& [job, pair] = unread_[i];
    collection_.keep(file, job->traces[trace]);
    if (!can_open(*job, pair)) return;
    begin(*job, pair);
    pair.rank = -1;  // begun
  };
  Diagnostics known;  // of the first reading
  if (!has_standard_input(options_.collect.sources))
    visit_sources(
        options_.collect.sources,
        [&](const SourceFile& file, const SourceProgress& progress) {
          collection_.on_progress(progress);
          if (file.archive != nullptr) take(file);
          return true;
        },
        known);
  for (const auto& [job, pair] : unread_)
    if (pair.rank >= 0)
      fail(job_of(job->name), pair.rank, why_unread(job->found[pair.device].window > 0));
}

std::string ArchiveRun::why_unread(bool is_of_window) const {
  if (has_standard_input(options_.collect.sources) && is_of_window)
    return "its host trace was converted with another window, and standard input cannot be read "
           "twice: run the same command again with `window=newest`, or pass the archive as a file";
  if (has_standard_input(options_.collect.sources))
    return "its other trace has changed since it was converted, and standard input cannot be read "
           "twice: run the same command again with `restart`";
  return "its traces cannot be read to their end: the archive is cut, or has changed while it was "
         "read";
}

void ArchiveRun::list(const RunningJob& running, const CollectedJob& job, const RankPair& pair,
                      bool is_done) {
  ListedRank listed;
  listed.output = running.prefix + "." + graph_ending(pair.rank, options_.convert.compression);
  listed.rank = pair.rank;
  listed.is_done = is_done;
  for (const std::size_t trace : {pair.host, pair.device}) {
    if (trace == kNoTrace) continue;
    (trace == pair.host ? listed.host : listed.device) = job.found[trace].path;
    listed.bytes += job.traces[trace].input.file.size;
  }
  report_.listed.push_back(std::move(listed));
}

/// Puts the manifest in order; ranks that the sources do not hold any more are forgotten, unless an
/// archive was not read to its end. Gives the graphs that count.
void ArchiveRun::finish_manifest(RunningJob& running, std::vector<std::string>& outputs) {
  std::vector<std::int64_t> gone;
  running.manifest.visit(
      [&](const RankRecord& record) {
        const auto rank = running.ranks.find(record.rank);
        const bool is_expected = rank != running.ranks.end() && rank->second.is_expected;
        if (!ended_early() && !is_expected)
          gone.push_back(record.rank);
        else if (record.error.empty())
          outputs.push_back(beside_prefix(running.prefix, record.output.path));
      },
      WithReport::kNo);
  for (const std::int64_t rank : gone) running.manifest.forget(rank);
  running.manifest.finish();
  // Shards that have not run yet, or must run again, still need to know how many they are.
  const bool misses_ranks = options_.joins_shards && running.count(Stage::kFailed) > 0;
  std::error_code ignored;
  if (!misses_ranks)
    for (const auto& shard : running.shards) fs::remove(shard->path(), ignored);
}

void ArchiveRun::report_job(const std::string& name, RunningJob& running) {
  std::vector<std::string> outputs;
  if (!options_.only_lists) finish_manifest(running, outputs);
  for (const std::string& error : running.errors)
    report_.failed.push_back({running.prefix, -1, error});
  for (const auto& [rank, state] : running.ranks)
    if (state.stage == Stage::kFailed)
      report_.failed.push_back({running.prefix, rank, state.error});
  if (options_.only_lists || !collection_.jobs().contains(name)) return;
  ArchiveJobReport job;
  job.name = name;
  job.prefix = running.prefix;
  job.graphs = running.prefix + ".<rank>" + graph_ending(0, of_rank_.compression).substr(1);
  job.manifest = running.manifest.path();
  job.converted = running.count(Stage::kConverted);
  job.done_before = running.count(Stage::kDoneBefore);
  job.failed = running.count(Stage::kFailed) + running.errors.size();
  if (options_.shard.count == 0) job.stale_outputs = find_stale_outputs(running.prefix, outputs);
  report_.jobs.push_back(std::move(job));
}

void ArchiveRun::require_traces() const {
  if (!collection_.jobs().empty()) return;
  const auto& sources = options_.collect.sources.sources;
  std::string first;
  for (const Diagnostic& row : report_.found.table())
    if (!row.first.empty() && (first.empty() || row.kind == Finding::kArchiveEndedEarly))
      first = " (" + row.first.front() + ")";
  throw Error(ErrorCode::kInput, sources.front() + (sources.size() > 1 ? " and others" : ""),
              "holds no trace" + first,
              "Record with torch.profiler; `recursive` also looks into folders in folders");
}

void ArchiveRun::check_lists() const {
  if (collection_.bytes_listed() <= shares_.lists) return;
  throw Error(ErrorCode::kInput, options_.collect.sources.sources.front(),
              "holds more traces than can be listed in " + megabytes(shares_.lists) +
                  ", an eighth of `memory`",
              "Allow more memory, or convert some of the sources at a time");
}

void ArchiveRun::watch_collection() {
  collection_.on_trace = [&](CollectedJob& job) {
    check_lists();
    const bool begins = !options_.only_lists && options_.shard.count == 0;
    if (begins && !options_.collect.windows.is_given) try_pair(job);
  };
  collection_.make_room = [&] { return workers_.wait_for_one(); };
  collection_.on_progress = [&](const SourceProgress& read) {
    stop_if_failed();
    const std::lock_guard lock(mutex_);
    progress_.archives = read;
    if (!options_.only_lists) show_progress();
  };
  collection_.find_known = [&](const std::string& name, const FileRecord& file) {
    return find_known(name, file);
  };
}

ConvertArchiveReport ArchiveRun::run() {
  watch_collection();
  collection_.collect(report_.found);
  require_traces();
  for (auto& [name, job] : collection_.jobs()) finish_job(job);
  if (options_.convert.strict && report_.found.has_loss())
    report_.failed.push_back({options_.convert.output, -1,
                              "a rank may be missing: the sources are not whole (`strict`)"});
  read_again();
  workers_.wait_for_all();
  stop_if_failed();
  report_.bytes_spooled = store_.bytes_spooled();
  for (auto& [name, running] : running_) report_job(name, running);
  std::stable_sort(report_.failed.begin(), report_.failed.end(),
                   [](const FailedRank& a, const FailedRank& b) {
                     return std::tie(a.prefix, a.rank) < std::tie(b.prefix, b.rank);
                   });
  return std::move(report_);
}

}  // namespace

ConvertArchiveReport convert_archive(const ConvertArchiveOptions& options) {
  return ArchiveRun(options).run();
}

}  // namespace nadi
