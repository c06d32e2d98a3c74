#include "nadi/converters/read_traces.h"

#include <algorithm>
#include <filesystem>
#include <future>
#include <optional>

#include "nadi/base/beside.h"
#include "nadi/base/number_text.h"
#include "nadi/converters/device_forms.h"
#include "nadi/converters/joint_progress.h"
#include "nadi/converters/process_choice.h"
#include "nadi/converters/rank_of_name.h"
#include "nadi/linked_json/joins.h"
#include "nadi/linked_json/reader.h"
#include "nadi/read/host_trace_reader.h"
#include "nadi/read/trace_start.h"

namespace nadi {
namespace {

/// The options, with the rank of the file's name where neither they nor the trace have one; -1 =
/// unknown.
LinkOptions with_rank(LinkOptions options, std::int64_t recorded, const std::string& file,
                      const std::string& other_form) {
  for (const std::string& name : {file, other_form})
    if (options.rank < 0 && recorded < 0) options.rank = rank_in_path(name);
  return options;
}

ByteSource ahead_of_reader(const TraceFiles& files, ByteSource source) {
  return files.uses_one_thread ? std::move(source) : ByteSource::read_ahead(std::move(source));
}

LinkedTrace read_and_link_json(const TraceFiles& files, const LinkOptions& options, bool strict,
                               Diagnostics& diagnostics, const Progress& progress) {
  const std::string& file = files.linked;
  ByteSource source = ahead_of_reader(files, ByteSource::open(file));
  LinkedJson json = read_linked_json(source, diagnostics, progress);
  if (strict) require_no_loss(file, diagnostics);
  const LinkOptions of_rank = with_rank(options, json.device.rank, file, "");
  return link_traces(std::move(json), of_rank, diagnostics);
}

struct BothTraces {
  std::optional<HostTrace> host;
  DeviceTrace device;
};

BothTraces read_both(const TraceFiles& files, Diagnostics& of_host, Diagnostics& of_device,
                     const Progress& progress) {
  const auto open = [&](const std::string& name) {
    return ahead_of_reader(files, files.open ? files.open(name) : ByteSource::open(name));
  };
  JointProgress joint(progress);
  std::optional<ByteSource> host_source;
  std::future<HostTrace> host;  // after all that its thread uses: an error waits for it here
  try {
    if (!files.host.empty()) {
      host_source = open(files.host);
      const auto read = [&] { return read_host_trace(*host_source, of_host, joint.part(1)); };
      host = files.uses_one_thread ? std::async(std::launch::deferred, read) : begin_beside(read);
    }
    BothTraces both{std::nullopt, read_device_forms(files.device, files.other_form, open, of_device,
                                                    joint.part(0))};
    if (host.valid()) both.host = host.get();
    return both;
  } catch (const Error&) {
    if (!files.open) refuse_swapped(files.host, files.device);
    throw;
  }
}

/// The only number in a file's name: 3 of "host.3.json.gz"; -1 where there is none, or several.
std::int64_t number_in_name(const std::string& file) {
  const std::string name = std::filesystem::path(file).filename().string();
  const NumberedName numbered = numbered_name(name);
  if (numbered.numbers.size() != 1) return -1;
  return number_of_text<std::int64_t>(numbered.numbers.front()).value_or(-1);
}

void require_one_rank(const TraceFiles& files, const LinkOptions& options,
                      const LinkedTrace& linked, const Diagnostics& diagnostics) {
  if (options.match.method == MatchMethod::kForce) return;
  if (const auto conflict = rank_conflict(files, linked.device, diagnostics)) throw *conflict;
}

void report_missing_rows(const LinkedTrace& linked, Diagnostics& diagnostics) {
  const LostRowCounts missing = missing_device_rows(linked);
  if (missing.all == 0) return;
  diagnostics.report(Finding::kDeviceRowsMissing,
                     std::to_string(missing.all) +
                         (missing.all == 1 ? " launch has" : " launches have") +
                         " no device row (" + lost_rows_text(missing) + "), " +
                         std::to_string(linked.device.rows.size()) +
                         (linked.device.rows.size() == 1 ? " row is" : " rows are") + " there",
                     missing.all);
}

/// The error, and which of the traces are cut: what they lack may be its cause.
Error with_cut_traces(const Error& error, const TraceFiles& files, const Diagnostics& of_host,
                      const Diagnostics& of_device) {
  std::string names;
  if (of_host.count(Finding::kTruncatedInput) > 0) names = files.host;
  if (of_device.count(Finding::kTruncatedInput) > 0)
    names += (names.empty() ? "" : " and ") + files.device;
  if (names.empty() || error.code() != ErrorCode::kInput) return error;
  const std::string remedy = error.remedy().empty() ? "" : ". " + error.remedy();
  return {error.code(), error.where(), error.problem(),
          "Cut (truncated-input): " + names + ". Record again, to the end" + remedy};
}

/// Both traces as they were read.
struct ReadTraces {
  BothTraces both;
  Diagnostics of_host, of_device;
  ProcessChoice choice;
};

ReadTraces read_traces(const TraceFiles& files, bool strict, const Progress& progress) {
  if (files.host == "-" && files.device == "-")
    throw Error(ErrorCode::kUsage, "`host` and `device`", "both are standard input",
                "Pass one of the two as a file");
  ReadTraces traces;
  if (!strict) {  // a refusal names the file
    traces.of_host = Diagnostics("host trace");
    traces.of_device = Diagnostics("device trace");
  }
  traces.both = read_both(files, traces.of_host, traces.of_device, progress);
  if (strict) {
    require_no_loss(files.host, traces.of_host);
    require_no_loss(files.device, traces.of_device);
  }
  traces.choice = choose_processes(traces.both.device, traces.both.host, files.device,
                                   files.process, traces.of_device);
  return traces;
}

/// Links what the traces hold of the wanted process at `position`.
LinkedTrace link_process(const TraceFiles& files, ReadTraces traces, std::size_t position,
                         const LinkOptions& options, bool strict, Diagnostics& diagnostics) {
  auto& [host, device] = traces.both;
  LinkOptions of_rank = with_rank(options, device.rank, files.device, files.other_form);
  if (traces.choice.has_several()) {
    of_rank.rank =
        rank_of_process(traces.choice, position, options.rank, std::max(device.rank, of_rank.rank));
    keep_process(traces.choice.processes, traces.choice.wanted[position], device);
  }
  diagnostics.merge(traces.of_host);
  diagnostics.merge(traces.of_device);
  try {
    LinkedTrace linked = link_traces(std::move(host), std::move(device), of_rank, diagnostics);
    require_one_rank(files, options, linked, diagnostics);
    report_missing_rows(linked, diagnostics);
    if (strict) require_no_loss(files.name(), diagnostics);
    return linked;
  } catch (const Error& error) {
    throw with_cut_traces(error, files, traces.of_host, traces.of_device);
  }
}

}  // namespace

std::optional<Error> rank_conflict(const TraceFiles& files, const DeviceTrace& device,
                                   const Diagnostics& diagnostics) {
  const std::int64_t rank = device.rank, of_host = number_in_name(files.host);
  const bool are_numbered = rank >= 0 && number_in_name(files.device) == rank && of_host >= 0;
  if (!are_numbered || of_host == rank || diagnostics.count(Finding::kAnotherProcess) == 0)
    return std::nullopt;
  const auto& ids = device.ops.rf_id;
  const bool has_ids = std::any_of(ids.begin(), ids.end(), [](auto id) { return id != 0; });
  return Error(ErrorCode::kInput, files.host + " and " + files.device,
               "are of different ranks and processes: the device trace is of rank " +
                   std::to_string(rank) + ", the host trace is named after rank " +
                   std::to_string(of_host),
               has_ids ? "Pass both traces of one rank; `match=force` takes them as they are, and "
                         "keeps the ops whose record-function ids fit"
                       : "Pass both traces of one rank, or the device trace alone");
}

namespace {

/// One kernel, or some of another kind, which a trace may hold once.
bool is_a_kind_lost(const LostRowCounts& missing) {
  constexpr std::uint64_t kSome = 3;
  for (std::size_t kind = 0; kind < missing.of.size(); ++kind) {
    const std::uint64_t least = kind == static_cast<std::size_t>(CallLaunches::kKernel) ? 1 : kSome;
    if (missing.are_all_lost[kind] && missing.of[kind] >= least) return true;
  }
  return false;
}

}  // namespace

LostRowCounts missing_device_rows(const LinkedTrace& linked) {
  constexpr std::uint64_t kFew = 20, kPercent = 1;
  const LostRowCounts missing = count_lost_rows(linked);
  const std::size_t rows = linked.device.rows.size();
  const bool are_few = missing.all < kFew || 100 * missing.all <= kPercent * rows;
  return are_few && rows > 0 && !is_a_kind_lost(missing) ? LostRowCounts{} : missing;
}

std::string lost_rows_text(const LostRowCounts& counts) {
  struct Words {
    CallLaunches launches;
    const char *one, *many;
  };
  constexpr Words kWords[] = {{CallLaunches::kKernel, "kernel", "kernels"},
                              {CallLaunches::kMemcpy, "copy", "copies"},
                              {CallLaunches::kMemset, "set", "sets"},
                              {CallLaunches::kGraph, "graph launch", "graph launches"},
                              {CallLaunches::kOther, "other", "others"}};
  std::string text;
  for (const auto& [launches, one, many] : kWords) {
    const std::uint64_t count = counts.of[static_cast<std::size_t>(launches)];
    if (count == 0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + (count == 1 ? one : many);
  }
  return text;
}

void require_no_loss(const std::string& file, const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.table())
    if (severity_of(d.kind) == Severity::kLoss)
      throw Error(ErrorCode::kCheck, d.first.empty() ? file : file + ", " + d.first.front(),
                  "data was lost (" + std::string(to_string(d.kind)) + ", " +
                      std::to_string(d.count) + " times)",
                  "Leave `strict` out to convert what is left");
}

LinkedTrace read_and_link(const TraceFiles& files, const LinkOptions& options, bool strict,
                          Diagnostics& diagnostics, const Progress& progress) {
  if (!files.linked.empty())
    return read_and_link_json(files, options, strict, diagnostics, progress);
  ReadTraces traces = read_traces(files, strict, progress);
  if (traces.choice.wanted.size() > 1)
    throw Error(ErrorCode::kInput, files.device,
                "holds the rows of several processes, pids " + pids_text(traces.choice.processes),
                "Convert the file by itself: each process becomes a graph; or choose one with "
                "`process=" +
                    traces.choice.pid(0) + "`");
  return link_process(files, std::move(traces), 0, options, strict, diagnostics);
}

void link_processes(const TraceFiles& files, const LinkOptions& options, bool strict,
                    const TakeLinked& take, const Progress& progress) {
  if (!files.linked.empty()) {
    Diagnostics diagnostics;
    return take(read_and_link_json(files, options, strict, diagnostics, progress), diagnostics);
  }
  ReadTraces traces = read_traces(files, strict, progress);
  const auto link = [&](ReadTraces of, std::size_t position) {
    Diagnostics diagnostics;
    const LinkedTrace linked =
        link_process(files, std::move(of), position, options, strict, diagnostics);
    take(linked, diagnostics);
  };
  const std::size_t last = std::max<std::size_t>(traces.choice.wanted.size(), 1) - 1;
  for (std::size_t position = 0; position < last; ++position) link(traces, position);
  link(std::move(traces), last);
}

}  // namespace nadi
