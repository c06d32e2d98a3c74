#include "nadi/converters/archive/convert_archive.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <thread>
#include <tuple>

#include "nadi/base/error.h"
#include "nadi/base/number_text.h"
#include "nadi/converters/archive/checksum.h"
#include "nadi/converters/archive/shards.h"
#include "nadi/converters/archive/stale_outputs.h"
#include "nadi/converters/archive/workers.h"
#include "nadi/emit/temporary_path.h"

namespace nadi {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kOwnBytes = 32 * kMiB;    // of the process without any trace
constexpr std::uint64_t kBytesOfRank = 8 * kMiB;  // of a conversion of next to nothing

/// The memory of a conversion by the bytes that it reads: up to 1.1 times as many on the traces of
/// tests/bench, and some air.
std::uint64_t bytes_needed(std::uint64_t unpacked_bytes) {
  return kBytesOfRank + unpacked_bytes + unpacked_bytes / 2;
}

std::string megabytes(std::uint64_t bytes) {
  return std::to_string((bytes + kMiB - 1) / kMiB) + " MiB";
}

/// One job: its manifest, and what of its traces it proves done.
struct RunningJob {
  RunningJob(const std::string& job_prefix, const std::string& manifest_path)
      : prefix(job_prefix), manifest(manifest_path) {}

  std::string prefix;
  Manifest manifest;
  std::map<std::string, InputRecord> known;       // by path: of ranks that seem done
  std::set<std::int64_t> seem_done;               // by the manifest and the files, before this run
  std::set<std::int64_t> expected;                // ranks whose traces are there
  std::map<std::int64_t, RankPair> taken;         // by rank: done before, or given to the workers
  std::set<std::int64_t> done_before, converted;  // ranks
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::size_t>>
      waiting;  // traces of archives, by process and number
};

class ArchiveRun {
 public:
  explicit ArchiveRun(const ConvertArchiveOptions& options)
      : options_(options),
        memory_(options.memory != 0 ? options.memory : memory_limit() / 10 * 8),
        room_(memory_ - std::min(memory_ / 2, kOwnBytes)),
        store_(room_ / 4, options.only_lists ? "" : options.spool),
        collection_(options.collect, store_),
        of_rank_(options_of_rank(options)),
        workers_(threads(), options.elsewhere != nullptr ? kNoLimit : room_ - room_ / 4) {}

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
  RunningJob& job_of(const std::string& name);
  void load_known(RunningJob& job);
  bool seems_done(const RankRecord& record) const;
  bool is_unchanged(const InputRecord& input) const;
  void try_pair(CollectedJob& job);
  void finish_job(CollectedJob& job);
  void withdraw(RunningJob& running, std::int64_t rank);
  void take_pair(CollectedJob& job, const RankPair& pair);
  bool is_done(const RunningJob& running, const CollectedJob& job, const RankPair& pair);
  void begin(CollectedJob& job, const RankPair& pair);
  void read_again();
  void list(const RunningJob& running, const CollectedJob& job, const RankPair& pair, bool is_done);
  void require_traces() const;
  void finish_manifests();
  void convert_pair(RunningJob& running, const RankTask& task, unsigned thread);
  void fail(RunningJob& running, std::int64_t rank, const std::string& error);
  void end_rank(RunningJob& running, const RankRecord& record);
  void show_progress();
  void stop(const Error& error);

  const ConvertArchiveOptions& options_;
  const std::uint64_t memory_, room_;
  TraceStore store_;
  TraceCollection collection_;
  std::map<std::string, RunningJob> running_;
  ConvertArchiveReport report_;
  ArchiveProgress progress_;
  std::mutex mutex_;              // of report_, progress_, manifests and failure_
  std::optional<Error> failure_;  // of writing: no rank can be converted any more
  std::vector<std::pair<CollectedJob*, RankPair>> unread_;  // whose bytes were not kept
  const ConvertOptions of_rank_;                            // for all ranks
  Workers workers_;                                         // last: they use all else
};

RunningJob& ArchiveRun::job_of(const std::string& name) {
  const auto known = running_.find(name);
  if (known != running_.end()) return known->second;
  const std::string prefix = prefix_of_job(options_.convert.output, name);
  for (const auto& [other, job] : running_)
    if (job.prefix == prefix)
      throw Error(ErrorCode::kInput, prefix,
                  "would be written for both folders " + other + " and " + name,
                  "Rename one of them, or convert them one after the other");
  const auto& shard = options_.shard;
  RunningJob& job = running_
                        .try_emplace(name, prefix,
                                     shard.count == 0 ? manifest_path(prefix)
                                                      : shard_manifest_path(prefix, shard))
                        .first->second;
  if (!options_.only_lists) {
    job.manifest.lock();
    remove_leftovers_of(prefix);
  }
  if (shard.count > 0) require_same_shards(prefix, shard);
  if (options_.joins_shards) join_shards(prefix, job.manifest);
  if (options_.restarts) job.manifest.forget_all();
  load_known(job);
  return job;
}

bool ArchiveRun::is_unchanged(const InputRecord& input) const {
  const FileRecord file = record_of_file(input.file.path);
  if (file.path.empty()) return true;  // a member of an archive: it is compared when it comes
  return file.looks_like(input.file) &&
         (!options_.verifies || checksum_of_file(input.file.path) == input.file.checksum);
}

bool ArchiveRun::seems_done(const RankRecord& record) const {
  const auto are_unchanged = [&] {
    return std::all_of(record.inputs.begin(), record.inputs.end(),
                       [&](const InputRecord& input) { return is_unchanged(input); });
  };
  if (record.version != options_.version || record.options != options_.options_text) return false;
  if (!record.error.empty()) return !options_.retries_failed && are_unchanged();
  if (!record_of_file(record.output.path).looks_like(record.output)) return false;
  if (options_.verifies && checksum_of_file(record.output.path) != record.output.checksum)
    return false;
  return are_unchanged();
}

void ArchiveRun::load_known(RunningJob& job) {
  job.manifest.visit([&](const RankRecord& record) {
    if (!seems_done(record)) return;
    job.seem_done.insert(record.rank);
    for (const InputRecord& input : record.inputs) job.known[input.file.path] = input;
  });
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
    auto& others = running.waiting[{found.peek.pid, number}];
    for (const std::size_t other : others) {
      if (job.found[other].is_host() == found.is_host()) continue;
      const std::size_t device = found.is_host() ? other : trace;
      const std::int64_t rank = job.found[device].rank();
      if (rank < 0 || running.taken.contains(rank)) continue;
      take_pair(job, {rank, found.is_host() ? trace : other, device});
      return;
    }
    if (others.empty() || others.back() != trace) others.push_back(trace);
    if (found.is_host()) break;  // whose rank is not known
  }
}

void ArchiveRun::begin(CollectedJob& job, const RankPair& pair) {
  RunningJob& running = job_of(job.name);
  const std::uint64_t needed = bytes_needed(unpacked_bytes_of(job, pair));
  if (needed > room_) {
    fail(running, pair.rank,
         "needs about " + megabytes(needed + kOwnBytes) + " of memory, and `memory` allows " +
             megabytes(memory_) + ": allow more, or convert fewer steps (`steps`)");
    return;
  }
  RankTask task = task_of(job, pair);
  task.record.version = options_.version;
  task.record.options = options_.options_text;
  task.prefix = running.prefix;
  task.bytes_needed = needed;
  for (const std::size_t trace : {pair.host, pair.device})
    if (trace != kNoTrace) job.traces[trace].kept = nullptr;  // they go with the task
  workers_.submit(needed, [this, &running, task = std::move(task)](unsigned thread) {
    convert_pair(running, task, thread);
  });
}

void ArchiveRun::convert_pair(RunningJob& running, const RankTask& task, unsigned thread) {
  try {
    end_rank(running, options_.elsewhere != nullptr
                          ? options_.elsewhere->convert(thread, task)
                          : convert_rank(task, of_rank_, options_.collect.sources.limits));
  } catch (const Error& error) {
    stop(error);
  } catch (const std::bad_alloc&) {
    fail(running, task.record.rank, "out of memory: convert fewer at a time (`jobs`)");
  }
}

void ArchiveRun::stop(const Error& error) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = error;
  workers_.stop();
}

void ArchiveRun::fail(RunningJob& running, std::int64_t rank, const std::string& error) {
  const std::lock_guard lock(mutex_);
  report_.failed.push_back({running.prefix, rank, error});
  ++progress_.ranks_done;
  show_progress();
}

/// Notes what became of a rank. Throws Error(kInput) where the manifest cannot be written.
void ArchiveRun::end_rank(RunningJob& running, const RankRecord& record) {
  const std::lock_guard lock(mutex_);
  running.manifest.append(record);
  if (record.error.empty()) {
    running.converted.insert(record.rank);
  } else {
    report_.failed.push_back({running.prefix, record.rank, record.error});
  }
  ++progress_.ranks_done;
  show_progress();
}

void ArchiveRun::show_progress() {
  if (options_.on_progress) options_.on_progress(progress_);
}

/// Takes back what was taken for a pair, and is none.
void ArchiveRun::withdraw(RunningJob& running, std::int64_t rank) {
  if (running.taken.erase(rank) > 0) workers_.wait_for_all();
  const std::lock_guard lock(mutex_);
  running.done_before.erase(rank);
  std::erase_if(report_.failed, [&](const FailedRank& failed) {
    return failed.prefix == running.prefix && failed.rank == rank;
  });
  const auto record = running.manifest.find(rank);
  if (!record) return;
  std::error_code ignored;
  if (running.converted.erase(rank) > 0) fs::remove(record->output.path, ignored);
  running.manifest.forget(rank);
}

/// Everything is known of the job: its pairs are begun, those that were taken too early are
/// withdrawn, and ranks that are no longer there are forgotten.
void ArchiveRun::finish_job(CollectedJob& job) {
  RunningJob& running = job_of(job.name);
  const Pairing pairing = pair_traces(job.found, options_.collect.needs_hosts);
  std::vector<RankPair> pairs;
  for (const RankPair& pair : pairing.ranks) {
    if (!is_of_shard(pair.rank)) continue;
    running.expected.insert(pair.rank);
    const auto taken = running.taken.find(pair.rank);
    if (taken != running.taken.end()) {
      if (taken->second.host == pair.host && taken->second.device == pair.device) continue;
      withdraw(running, pair.rank);
    }
    pairs.push_back(pair);
  }
  if (std::none_of(job.found.begin(), job.found.end(),
                   [](const FoundTrace& found) { return !found.is_host(); }))
    fail(running, -1, "there is no device trace beside " + job.found.front().path);
  else
    for (const PairingProblem& problem : pairing.problems) {
      if (!is_of_shard(problem.rank)) continue;
      if (problem.rank >= 0) withdraw(running, problem.rank);
      fail(running, problem.rank, problem.what + ". " + problem.remedy);
    }
  const auto size_of = [&](const RankPair& pair) {
    if (options_.only_lists) return std::uint64_t{0};  // by rank
    return (pair.host == kNoTrace ? 0 : job.traces[pair.host].input.file.size) +
           job.traces[pair.device].input.file.size;
  };
  std::stable_sort(pairs.begin(), pairs.end(),
                   [&](const RankPair& a, const RankPair& b) { return size_of(a) > size_of(b); });
  for (const RankPair& pair : pairs) take_pair(job, pair);
}

/// True where the manifest holds the rank with these traces, and the files are as it says.
bool ArchiveRun::is_done(const RunningJob& running, const CollectedJob& job, const RankPair& pair) {
  if (!running.seem_done.contains(pair.rank)) return false;
  const auto record = running.manifest.find(pair.rank);
  const std::vector<InputRecord> inputs = task_of(job, pair).record.inputs;
  return record && std::equal(inputs.begin(), inputs.end(), record->inputs.begin(),
                              record->inputs.end(), [](const InputRecord& a, const InputRecord& b) {
                                const std::string &one = a.file.checksum, &other = b.file.checksum;
                                return a.file.looks_like(b.file) &&
                                       (one == other || one.empty() || other.empty());
                              });
}

/// The rank is done before this run, or begins now, or its traces are read again later.
void ArchiveRun::take_pair(CollectedJob& job, const RankPair& pair) {
  RunningJob& running = job_of(job.name);
  const auto can_open = [&](std::size_t trace) {
    return trace == kNoTrace || job.traces[trace].is_file || job.traces[trace].kept;
  };
  {
    const std::lock_guard lock(mutex_);
    running.taken[pair.rank] = pair;
    const bool done = is_done(running, job, pair);
    if (options_.only_lists) return list(running, job, pair, done);
    if (done) {
      const auto record = running.manifest.find(pair.rank);
      if (record->error.empty())
        running.done_before.insert(pair.rank);
      else
        report_.failed.push_back({running.prefix, pair.rank, record->error});
      return;
    }
    ++progress_.ranks_known;
  }
  if (options_.joins_shards)
    fail(running, pair.rank, "is not converted: run its shard again");
  else if (can_open(pair.host) && can_open(pair.device))
    begin(job, pair);
  else
    unread_.emplace_back(&job, pair);
}

/// Reads archives once more for traces that were not kept: the other trace of their rank had
/// changed since it was converted, or it was not known yet that they are of this shard.
void ArchiveRun::read_again() {
  if (unread_.empty()) return;
  std::map<std::string, std::pair<std::size_t, std::size_t>> wanted;  // by path: pair, trace
  for (std::size_t i = 0; i < unread_.size(); ++i)
    for (const std::size_t trace : {unread_[i].second.host, unread_[i].second.device})
      if (trace != kNoTrace && !unread_[i].first->traces[trace].is_file)
        wanted[unread_[i].first->found[trace].path] = {i, trace};
  const auto take = [&](const SourceFile& file) {
    const auto place = wanted.find(file.path);
    if (place == wanted.end()) return;
    const auto [i, trace] = place->second;
    auto& [job, pair] = unread_[i];
    collection_.keep(file, job->traces[trace]);
    const auto is_there = [&, &of = *job](std::size_t one) {
      return one == kNoTrace || of.traces[one].is_file || of.traces[one].kept;
    };
    if (!is_there(pair.host) || !is_there(pair.device)) return;
    begin(*job, pair);
    pair.rank = -1;  // begun
  };
  Diagnostics known;  // of the first reading
  if (!has_standard_input(options_.collect.sources))
    visit_sources(
        options_.collect.sources,
        [&](const SourceFile& file, const SourceProgress&) {
          if (file.archive != nullptr) take(file);
        },
        known);
  for (const auto& [job, pair] : unread_)
    if (pair.rank >= 0)
      fail(job_of(job->name), pair.rank,
           "its other trace has changed since it was converted, and standard input cannot be read "
           "twice: run the same command again with `restart`");
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

/// Puts manifests in order; ranks that the sources do not hold any more are forgotten, unless an
/// archive was not read to its end.
void ArchiveRun::finish_manifests() {
  const bool is_whole = report_.found.count("archive-ended-early") == 0;
  for (auto& [name, of_name] : running_) {
    RunningJob& running = of_name;
    std::vector<std::string> outputs;
    std::vector<std::int64_t> gone;
    running.manifest.visit([&](const RankRecord& record) {
      if (is_whole && !running.expected.contains(record.rank))
        gone.push_back(record.rank);
      else if (record.error.empty())
        outputs.push_back(record.output.path);
    });
    for (const std::int64_t rank : gone) running.manifest.forget(rank);
    running.manifest.finish();
    if (options_.joins_shards) remove_shards(running.prefix);
    if (!collection_.jobs().contains(name)) continue;
    ArchiveJobReport job;
    job.name = name;
    job.prefix = running.prefix;
    job.manifest = running.manifest.path();
    job.converted = running.converted.size();
    job.done_before = running.done_before.size();
    for (const FailedRank& failed : report_.failed) job.failed += failed.prefix == running.prefix;
    if (options_.shard.count == 0) job.stale_outputs = find_stale_outputs(running.prefix, outputs);
    report_.jobs.push_back(std::move(job));
  }
}

void ArchiveRun::require_traces() const {
  if (!collection_.jobs().empty()) return;
  const auto& sources = options_.collect.sources.sources;
  std::string first;
  for (const Diagnostic& row : report_.found.table())
    if (first.empty() && !row.first.empty()) first = " (" + row.first.front() + ")";
  throw Error(ErrorCode::kInput, sources.front() + (sources.size() > 1 ? " and others" : ""),
              "holds no trace" + first,
              "Record with torch.profiler; `recursive` also looks into folders in folders");
}

ConvertArchiveReport ArchiveRun::run() {
  if (!options_.only_lists) {
    if (options_.shard.count == 0) collection_.on_trace = [&](CollectedJob& job) { try_pair(job); };
    collection_.make_room = [&] { return workers_.wait_for_one(); };
    collection_.on_progress = [&](const SourceProgress& read) {
      const std::lock_guard lock(mutex_);
      progress_.archives = read;
      show_progress();
    };
  }
  collection_.find_known = [&](const std::string& name, const FileRecord& file) {
    const RunningJob& job = job_of(name);
    const auto known = job.known.find(file.path);
    const bool is_same = known != job.known.end() && known->second.file.looks_like(file);
    const bool is_read = options_.verifies && !fs::exists(file.path);  // a member, for its checksum
    return is_same && !is_read ? &known->second : nullptr;
  };
  collection_.collect(report_.found);
  require_traces();
  for (auto& [name, job] : collection_.jobs()) finish_job(job);
  read_again();
  workers_.wait_for_all();
  if (failure_) throw *failure_;
  report_.bytes_spooled = store_.bytes_spooled();
  if (!options_.only_lists) finish_manifests();
  std::stable_sort(report_.failed.begin(), report_.failed.end(),
                   [](const FailedRank& a, const FailedRank& b) {
                     return std::tie(a.prefix, a.rank) < std::tie(b.prefix, b.rank);
                   });
  return std::move(report_);
}

/// The least of what the machine has and control groups allow; see cgroups(7).
std::uint64_t limit_in(const std::string& file) {
  std::ifstream stream(file);
  std::string text;
  stream >> text;
  return number_of_text<std::uint64_t>(text).value_or(std::numeric_limits<std::uint64_t>::max());
}

}  // namespace

std::string prefix_of_job(const std::string& prefix, const std::string& job) {
  constexpr std::size_t kLongest = 100;
  if (job.empty()) return prefix;
  std::string name = job;
  std::replace(name.begin(), name.end(), '/', '-');
  if (name.size() > kLongest) {
    Checksum checksum;
    checksum.add(job);
    std::size_t end = kLongest - 17;
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;  // UTF-8
    name = name.substr(0, end) + "-" + checksum.text().substr(0, 16);
  }
  return prefix + "." + name;
}

std::uint64_t memory_limit() {
  std::uint64_t limit = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                        static_cast<std::uint64_t>(::sysconf(_SC_PAGE_SIZE));
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t path = line.rfind(':');
    if (path == std::string::npos) continue;
    const std::string group = line.substr(path + 1);
    for (const std::string& folder : {std::string(), group}) {
      limit = std::min(limit, limit_in("/sys/fs/cgroup" + folder + "/memory.max"));
      limit =
          std::min(limit, limit_in("/sys/fs/cgroup/memory" + folder + "/memory.limit_in_bytes"));
    }
  }
  return limit;
}

ConvertArchiveReport convert_archive(const ConvertArchiveOptions& options) {
  return ArchiveRun(options).run();
}

}  // namespace nadi
