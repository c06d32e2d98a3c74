#include "nadi/converters/job_inputs.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "nadi/base/count_text.h"
#include "nadi/base/error.h"
#include "nadi/chakra/rank_name.h"
#include "nadi/converters/archive/convert_ranks.h"
#include "nadi/converters/archive/look_at_files.h"
#include "nadi/read/trace_start.h"
#include "nadi/read/window.h"

namespace nadi {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kStartOfInput = 1 << 17;

/// What a rank can be given as; of a folder, the first that is there counts.
enum class InputForm : std::uint8_t { kTraces, kLinked, kGraph };

std::optional<InputForm> input_form_of(TraceType type) {
  switch (type) {
    case TraceType::kHostTrace:
    case TraceType::kDeviceTrace:
      return InputForm::kTraces;
    case TraceType::kLinkedJson:
      return InputForm::kLinked;
    case TraceType::kChakra:
      return InputForm::kGraph;
    case TraceType::kOther:
      break;
  }
  return std::nullopt;
}

const char* name_of(InputForm form) {
  return form == InputForm::kTraces   ? "traces"
         : form == InputForm::kLinked ? "linked JSON"
                                      : "Chakra graphs";
}

/// Throws Error(kInput) that says what the file is; JSON whose keys may come late is a device
/// trace.
void require_device_trace(ByteSource& source) {
  const Progress quiet;
  Window window(source, quiet);
  expect_trace(window, TraceType::kDeviceTrace);
}

bool holds_files(const std::string& path) {
  std::error_code none;
  return fs::is_directory(path, none) ||
         (fs::is_regular_file(path, none) && begins_as_archive(path));
}

/// Looks at what is read only once: who opens it next gets the same bytes.
FoundTrace look_at_standard_input() {
  const std::string_view start = peek_standard_input(kStartOfInput);
  const auto unpacked = [&] {
    const auto source = std::make_shared<ByteSource>(source_of_bytes(start, "standard input"));
    return ByteSource::unpack("standard input",
                              [source](std::span<char> into) { return source->read(into); });
  };
  ByteSource first = unpacked(), again = unpacked();
  FoundTrace found{{}, "-", peek_trace(first)};
  if (found.peek.type == TraceType::kOther) require_device_trace(again);
  if (found.peek.type == TraceType::kOther) found.peek.type = TraceType::kDeviceTrace;
  return found;
}

FoundTrace look_at_file(const std::string& path) {
  if (path == "-") return look_at_standard_input();
  std::error_code none;
  const fs::file_status status = fs::status(path, none);
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw Error(ErrorCode::kInput, path, "can be read only once, and nothing tells what it is",
                "Pass it as standard input: -");
  FoundTrace found = found_at(path, path, peek_trace(path));
  if (found.peek.type == TraceType::kOther) {
    ByteSource source = ByteSource::open(path);
    require_device_trace(source);
    found.peek.type = TraceType::kDeviceTrace;
  }
  return found;
}

/// PREFIX of PREFIX.<rank>.et; empty = it is named otherwise.
std::string prefix_of_graph(const std::string& path) {
  const auto named = rank_name_of_graph(path);
  return named ? std::string(named->prefix) : "";
}

const std::string& path_of(const FoundTrace& file) { return file.path; }
const std::string& path_of(const std::string& path) { return path; }

/// Without the jobs that earlier runs made of graphs that are there, too: step.astra-sim.0.et
/// beside step.0.et. Of files, or of their paths.
template <class File>
void leave_out_own_jobs(std::vector<File>& files, Diagnostics& diagnostics) {
  const std::string ending = "." + std::string(to_string(Target::kAstraSim));
  std::set<std::string> prefixes;
  for (const File& file : files) prefixes.insert(prefix_of_graph(path_of(file)));
  std::erase_if(files, [&](const File& file) {
    const std::string prefix = prefix_of_graph(path_of(file));
    if (!prefix.ends_with(ending) ||
        !prefixes.contains(prefix.substr(0, prefix.size() - ending.size())))
      return false;
    diagnostics.report(Finding::kFileIgnored,
                       path_of(file) + ": of the job that was made of these graphs");
    return true;
  });
}

/// The prefix that the graphs of a folder have; empty where they are named otherwise. Throws
/// Error(kInput) where they have several.
std::string only_prefix(const std::string& folder, const std::vector<FoundTrace>& graphs) {
  std::set<std::string> prefixes;
  for (const FoundTrace& graph : graphs) prefixes.insert(prefix_of_graph(graph.path));
  prefixes.erase("");
  if (prefixes.size() < 2) return prefixes.empty() ? "" : *prefixes.begin();
  const std::string names = list_of(prefixes, [&](const std::string& prefix) {
    const std::size_t inside = prefix.find_first_not_of("/:", folder.size());
    return prefix.substr(std::min(inside, prefix.size()));
  });
  throw Error(ErrorCode::kInput, folder, "holds graphs of several jobs: " + names,
              "Pass those of one, such as " + *prefixes.begin() + ".*.et");
}

/// Of a folder, or of all folders in an archive.
std::vector<FoundTrace> find_in_folder(const std::string& folder, Diagnostics& diagnostics) {
  std::vector<FoundTrace> all = look_at_files(folder, diagnostics);
  const auto ignore = [&](const FoundTrace& file) {
    report_ignored(file.path, file.peek, diagnostics);
  };
  const auto form_of_file = [](const FoundTrace& file) { return input_form_of(file.peek.type); };
  std::vector<FoundTrace> found;
  for (const InputForm form : {InputForm::kTraces, InputForm::kLinked, InputForm::kGraph}) {
    const bool is_there = std::any_of(all.begin(), all.end(), [&](const FoundTrace& file) {
      return form_of_file(file) == form && (form != InputForm::kTraces || !file.is_host());
    });
    if (!is_there) continue;
    const auto others = std::stable_partition(
        all.begin(), all.end(), [&](const FoundTrace& file) { return form_of_file(file) == form; });
    std::move(all.begin(), others, std::back_inserter(found));
    if (form == InputForm::kGraph) leave_out_own_jobs(found, diagnostics);
    const std::string prefix = form == InputForm::kGraph ? only_prefix(folder, found) : "";
    const bool is_named_after_graphs = !prefix.empty();
    for (const FoundTrace& file : std::span(others, all.end()))
      if (form == InputForm::kGraph && rank_name_of_graph(file.path))
        diagnostics.report(Finding::kRankLeftOut, file.path + ": holds no Chakra graph");
      else if (!is_named_after_graphs || !file.path.starts_with(prefix + "."))
        ignore(file);
    return found;
  }
  const auto host = std::find_if(all.begin(), all.end(), [](const auto& f) { return f.is_host(); });
  throw Error(ErrorCode::kInput, folder,
              host == all.end()
                  ? "holds neither traces nor Chakra graphs"
                  : "holds the host trace " + host->name.file + ", but no device trace",
              "Pass the folder that holds what torch.profiler's export_chrome_trace or nadi "
              "convert wrote: folders inside of it are not looked into");
}

/// The form of all that was found. Throws Error(kInput) where it is not one.
InputForm form_of_all(const std::vector<FoundTrace>& found) {
  const InputForm first = *input_form_of(found.front().peek.type);
  for (const FoundTrace& file : found)
    if (const InputForm form = *input_form_of(file.peek.type); form != first)
      throw Error(ErrorCode::kInput, found.front().path + " and " + file.path,
                  std::string("are ") + name_of(first) + " and " + name_of(form),
                  "Pass one of these: either is all that is needed of a rank");
  return first;
}

constexpr const char* kNameRanks =
    "Pass the traces of one job, each rank's once, with names that tell it: rank3.json.gz";
constexpr const char* kNameGraphs =
    "Pass the graphs of one job, each rank's once, with names that tell it: step.3.et";

/// Of a folder, a host trace without device trace is left out where there are other ranks. A device
/// trace is taken alone.
void settle_problems(const std::vector<std::string>& paths, const std::vector<FoundTrace>& found,
                     const Pairing& pairing, Diagnostics& diagnostics) {
  for (const PairingProblem& problem : pairing.problems)
    if (problem.traces.size() == 1 && !is_named(found[problem.traces.front()].path, paths) &&
        !pairing.ranks.empty())
      diagnostics.report(Finding::kRankLeftOut, problem.what);
    else
      throw Error(ErrorCode::kInput, paths.size() == 1 ? paths.front() : "the traces", problem.what,
                  kNameRanks);
  const auto has_host = [](const RankPair& pair) { return pair.host != kNoTrace; };
  if (std::none_of(pairing.ranks.begin(), pairing.ranks.end(), has_host)) return;
  for (const RankPair& pair : pairing.ranks)
    if (!has_host(pair))
      diagnostics.report(Finding::kHostTraceMissing, "rank " + std::to_string(pair.rank));
}

std::vector<JobInput> pair_job_traces(const std::vector<std::string>& paths,
                                      const WindowChoice& window, std::vector<FoundTrace> found,
                                      Diagnostics& diagnostics) {
  const auto open = [&](std::size_t trace) {
    return std::optional(ByteSource::open(found[trace].path));
  };
  const auto is_host = [](const FoundTrace& trace) { return trace.is_host(); };
  if (std::all_of(found.begin(), found.end(), is_host))
    throw Error(ErrorCode::kInput, found.front().path, "is a host trace: it holds no times",
                "Pass the device trace of the same run, too: what torch.profiler's "
                "export_chrome_trace wrote");
  settle_traces(found, window, open, diagnostics);
  const Pairing pairing = pair_traces(found, false);
  settle_problems(paths, found, pairing, diagnostics);
  const auto path_of = [&](std::size_t trace) {
    return trace == kNoTrace ? std::string() : found[trace].path;
  };
  std::vector<JobInput> inputs;
  for (const RankPair& pair : pairing.ranks)
    inputs.push_back({pair.rank,
                      {.host = path_of(pair.host),
                       .device = path_of(pair.device),
                       .other_form = path_of(pair.other_form)}});
  return inputs;
}

/// Of files each of which is all that is needed of a rank.
std::vector<JobInput> inputs_by_rank(std::vector<FoundTrace> found, InputForm form) {
  if (form != InputForm::kGraph) set_ranks_by_names(found);
  const char* const remedy = form == InputForm::kGraph ? kNameGraphs : kNameRanks;
  sort_one_per_rank(found, remedy, remedy);
  std::vector<JobInput> inputs;
  for (const FoundTrace& file : found) {
    JobInput input{file.rank(), {}};
    (form == InputForm::kGraph ? input.graph : input.traces.linked) = file.path;
    inputs.push_back(std::move(input));
  }
  return inputs;
}

}  // namespace

bool holds_graphs(const std::string& path) {
  if (!holds_files(path)) return false;
  bool has_graphs = false, has_others = false;
  Diagnostics ignored;  // who takes the files reports them
  visit_sources(
      {.sources = {path}, .is_recursive = false, .limits = {}},
      [&](const SourceFile& file, const SourceProgress&) {
        const auto form = input_form_of(look_at(file).type);
        if (form) (*form == InputForm::kGraph ? has_graphs : has_others) = true;
        return !has_others;
      },
      ignored);
  return has_graphs && !has_others;
}

std::vector<std::string> without_own_jobs(std::vector<std::string> paths,
                                          Diagnostics& diagnostics) {
  leave_out_own_jobs(paths, diagnostics);
  return paths;
}

bool is_named(const std::string& file, const std::vector<std::string>& paths) {
  return std::find(paths.begin(), paths.end(), file) != paths.end();
}

std::vector<JobInput> find_job_inputs(const std::vector<std::string>& named,
                                      Diagnostics& diagnostics, const WindowChoice& window) {
  const std::vector<std::string> paths = without_own_jobs(named, diagnostics);
  std::vector<FoundTrace> found;
  for (const std::string& path : paths) {
    if (!holds_files(path)) {
      found.push_back(look_at_file(path));
      continue;
    }
    auto of_folder = find_in_folder(path, diagnostics);
    std::move(of_folder.begin(), of_folder.end(), std::back_inserter(found));
  }
  if (found.empty())
    throw Error(ErrorCode::kUsage, "traces", "none are given", "Pass a trace, a graph or a folder");
  const InputForm form = form_of_all(found);
  if (form != InputForm::kTraces) return inputs_by_rank(std::move(found), form);
  return pair_job_traces(paths, window, std::move(found), diagnostics);
}

}  // namespace nadi
