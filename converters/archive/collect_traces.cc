#include "nadi/converters/archive/collect_traces.h"

#include <algorithm>
#include <filesystem>

#include "nadi/converters/archive/look_at_files.h"
#include "nadi/converters/archive/output_names.h"

namespace nadi {
namespace {

/// Reads a member's bytes and remembers them.
class RememberedBytes {
 public:
  explicit RememberedBytes(ArchiveWalk& archive) : archive_(archive) {}
  ByteSource::ReadFunction reader() {
    return [this](std::span<char> into) {
      const std::size_t count = archive_.read(into);
      bytes_.append(into.data(), count);
      return count;
    };
  }
  const std::string& bytes() const { return bytes_; }

 private:
  ArchiveWalk& archive_;
  std::string bytes_;
};

/// The same for all spellings, so that a manifest knows it again.
std::string whole_path(const std::string& path) {
  if (path.starts_with("-:")) return path;  // of standard input
  return std::filesystem::absolute(path).lexically_normal().string();
}

/// A job of the traces of one window. What is of no window is in all, but what no rank has: that is
/// a problem once.
CollectedJob job_of_window(const CollectedJob& job, std::size_t window, const std::string& name) {
  CollectedJob part{name, {}, {}};
  for (std::size_t i = 0; i < job.found.size(); ++i) {
    const FoundTrace& trace = job.found[i];
    const bool is_of_all = trace.window == 0 && (window == 1 || trace.is_host());
    if (trace.window != window && !is_of_all) continue;
    part.found.push_back(trace);
    part.traces.push_back(job.traces[i]);
  }
  return part;
}

/// "JOB/w1"; another name where a folder has that.
std::string name_of_window(const std::map<std::string, CollectedJob>& jobs, const std::string& job,
                           std::size_t window) {
  std::string name = (job.empty() ? "w" : job + "/w") + std::to_string(window);
  while (jobs.contains(name)) name += '+';
  return name;
}

/// About what a trace takes in the lists of its job, with what a manifest knew of it.
std::uint64_t bytes_of_entry(const FoundTrace& found, const CollectedTrace& trace) {
  constexpr std::uint64_t kBytesOfLists = 256;
  return kBytesOfLists + sizeof(found) + sizeof(trace) + 2 * found.path.size() +
         2 * trace.input.file.path.size() + found.name.job.size() + found.name.file.size();
}

}  // namespace

void TraceCollection::collect(Diagnostics& diagnostics) {
  visit_sources(
      options_.sources,
      [&](const SourceFile& file, const SourceProgress& progress) {
        if (on_progress) on_progress(progress);
        take(file, diagnostics);
        return true;
      },
      diagnostics);
  std::map<std::string, std::size_t> windows_of;
  for (auto& [name, job] : jobs_)
    if (const std::size_t windows = settle(job, diagnostics); windows > 0)
      windows_of[name] = windows;
  if (!options_.splits_jobs()) return;
  for (const auto& [name, windows] : windows_of) {
    const CollectedJob whole = std::move(jobs_.at(name));
    jobs_.erase(name);
    for (std::size_t window = 1; window <= windows; ++window) {
      const std::string own = name_of_window(jobs_, name, window);
      jobs_[own] = job_of_window(whole, window, own);
    }
  }
}

std::size_t TraceCollection::settle(CollectedJob& job, Diagnostics& diagnostics) const {
  const auto open = [&](std::size_t position) -> std::optional<ByteSource> {
    const CollectedTrace& trace = job.traces[position];
    const std::string& path = job.found[position].path;
    if (trace.kept) return trace.kept->open(path, options_.sources.limits);
    if (trace.is_file) return ByteSource::open(path, options_.sources.limits);
    return std::nullopt;
  };
  return settle_traces(job.found, options_.windows, open, diagnostics);
}

void TraceCollection::take(const SourceFile& file, Diagnostics& diagnostics) {
  const bool is_own =
      file.archive == nullptr &&
      std::any_of(options_.own_prefixes.begin(), options_.own_prefixes.end(),
                  [&](const std::string& prefix) { return is_output_of(prefix, file.path); });
  if (is_own) return;
  TraceName name = name_of_trace(file.name, options_.pattern, options_.is_one_job);
  if (name.by_pattern && name.number < 0) {
    diagnostics.report(Finding::kFileIgnored, file.path + ": another name");
    return;
  }
  CollectedTrace trace;
  trace.is_file = file.archive == nullptr;
  trace.input.file = {whole_path(file.path), file.size, file.modified_ns, ""};
  if (const InputRecord* known = find_known ? find_known(name.job, trace.input.file) : nullptr) {
    trace.input = *known;
    trace.is_known = true;
  } else if (!look_at(file, trace, diagnostics)) {
    return;
  }
  CollectedJob& job = jobs_[name.job];
  job.name = name.job;
  job.found.push_back({std::move(name), file.path, trace.input.peek});
  job.traces.push_back(std::move(trace));
  bytes_listed_ += bytes_of_entry(job.found.back(), job.traces.back());
  if (on_trace) on_trace(job);
}

void TraceCollection::keep(const SourceFile& file, CollectedTrace& trace) {
  keep_behind("", file, trace);
}

void TraceCollection::keep_behind(std::string_view head, const SourceFile& file,
                                  CollectedTrace& trace) {
  const auto read = [&](std::span<char> into) { return file.archive->read(into); };
  auto kept = store_.keep(head, read, make_room);
  if (!file.archive->damage().empty()) return;
  trace.input.file.checksum = kept->checksum();
  trace.kept = std::move(kept);
}

/// False where it is no trace.
bool TraceCollection::look_at(const SourceFile& file, CollectedTrace& trace,
                              Diagnostics& diagnostics) {
  TracePeek& peek = trace.input.peek;
  const auto ignore = [&] {
    report_ignored(file.path, peek, diagnostics);
    return false;
  };
  if (trace.is_file) {
    peek = peek_trace(file.path);
    return peek.is_trace() || ignore();
  }
  RememberedBytes head(*file.archive);
  peek = look_at_member(file, head.reader(), options_.sources.limits);
  if (!peek.is_trace()) return ignore();
  if (!options_.keeps_members) return true;
  keep_behind(head.bytes(), file, trace);
  // The walk reports that the archive ended early.
  if (trace.kept) return true;
  peek.what = "cut";
  peek.is_unread = true;
  return ignore();
}

std::vector<InputRecord> inputs_of(const CollectedJob& job, const RankPair& pair) {
  std::vector<InputRecord> inputs;
  for (const std::size_t trace : {pair.host, pair.device})
    if (trace != kNoTrace) inputs.push_back(job.traces[trace].input);
  return inputs;
}

RankTask task_of(const CollectedJob& job, const RankPair& pair) {
  RankTask task;
  task.record.rank = pair.rank;
  task.record.inputs = inputs_of(job, pair);
  const auto take = [&](std::size_t trace, std::string& path, auto& kept, std::uint64_t& bytes) {
    if (trace == kNoTrace) return;
    const CollectedTrace& of = job.traces[trace];
    path = job.found[trace].path;
    kept = of.kept;
    bytes = kept ? kept->unpacked_bytes() : of.is_file ? guess_unpacked_bytes(path) : 0;
  };
  take(pair.host, task.host, task.kept_host, task.host_bytes);
  take(pair.device, task.device, task.kept_device, task.device_bytes);
  return task;
}

}  // namespace nadi
