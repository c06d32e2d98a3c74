#include "nadi/converters/cli/trace_options.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string>

#include "nadi/base/error.h"
#include "nadi/base/number_text.h"
#include "nadi/converters/cli/summary.h"
#include "nadi/converters/job_inputs.h"

namespace nadi::cli {

namespace {

[[noreturn]] void refuse(const char* option, const std::string& text, const char* what) {
  throw Error(ErrorCode::kUsage, option, "'" + text + "' is " + what);
}

/// The whole of text as a number, and where it ended.
template <class Number>
std::optional<Number> parse_number(std::string_view text, std::string_view& rest) {
  rest = text;
  return number_at_front<Number>(rest);
}

void set_rank(LinkOptions& link, const std::string& text) {
  std::string_view rest;
  const auto rank = parse_number<std::int32_t>(text, rest);
  if (!rank || *rank < 0 || !rest.empty())
    refuse("--rank", text, "no whole number from 0 to 2147483647");
  link.rank = *rank;
}

void set_iteration_pick(LinkOptions& link, const std::string& text) {
  static const std::map<std::string, IterationPickKind> kKinds = {
      {"first", IterationPickKind::kFirst},
      {"last", IterationPickKind::kLast},
      {"median-duration", IterationPickKind::kMedianDuration}};
  IterationPick& choice = link.match.iteration_pick;
  if (const auto kind = kKinds.find(text); kind != kKinds.end()) {
    choice.kind = kind->second;
    return;
  }
  std::string_view rest;
  const auto number = parse_number<std::uint32_t>(text, rest);
  if (!number || *number == 0 || !rest.empty())
    refuse("--occurrence", text, "neither first, last, median-duration nor a number from 1 on");
  choice = {IterationPickKind::kNumber, *number};
}

void set_annotation(LinkOptions& link, const std::string& text) {
  if (text.empty()) refuse("--annotation", text, "the name of no op");
  link.match.annotation = text;
}

void set_min_part(GraphOptions& graph, const std::string& text) {
  graph.join_all_parts = text == "op";
  if (graph.join_all_parts) return;
  const auto duration = parse_duration(text);
  if (!duration) refuse("--min-part", text, "neither a time like 2us nor op");
  graph.min_part_ns = *duration;
}

void set_steps(std::optional<StepRange>& steps, const std::string& text) {
  steps = parse_steps(text);
  if (!steps) refuse("--steps", text, "no range like 3-5");
}

}  // namespace

std::optional<Ns> parse_duration(std::string_view text) {
  static const std::map<std::string_view, double> kUnits = {
      {"ns", 1}, {"us", 1e3}, {"\xc2\xb5s", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  constexpr double kMost = 1e15;  // 11 days
  std::string_view unit;
  const auto number = parse_number<double>(text, unit);
  if (!number || !(*number >= 0)) return std::nullopt;
  if (*number == 0 && unit.empty()) return 0;
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  const auto factor = kUnits.find(unit);
  if (factor == kUnits.end() || *number * factor->second > kMost) return std::nullopt;
  return std::llround(*number * factor->second);
}

std::optional<StepRange> parse_steps(std::string_view text) {
  std::string_view rest;
  const auto first = parse_number<std::int32_t>(text, rest);
  if (!first || *first < 0) return std::nullopt;
  if (rest.empty()) return StepRange{*first, *first};
  if (!rest.starts_with('-')) return std::nullopt;
  const auto last = parse_number<std::int32_t>(rest.substr(1), rest);
  if (!last || !rest.empty() || *last < *first) return std::nullopt;
  return StepRange{*first, *last};
}

std::optional<StepRange> steps_of(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  const auto steps = parse_steps(*text);
  if (!steps) throw Error(ErrorCode::kUsage, "`steps`", "'" + *text + "' is no range like 3-5");
  return steps;
}

void add_trace_arguments(Options& options, std::vector<std::string>& named,
                         const std::string& purpose) {
  options.add_texts(kTraceArgument, named, purpose, Need::kOptional);
}

void require_named_once(const Options& options, const std::vector<std::string>& named,
                        std::initializer_list<const char*> by_options) {
  if (named.empty()) return;
  for (const char* option : by_options)
    if (options.is_given(option))
      throw Error(ErrorCode::kUsage, option, "excludes traces without an option: " + named.front(),
                  "Pass all traces without options, or each with its own");
}

std::vector<JobInput> take_named_ranks(const Options& options,
                                       const std::vector<std::string>& named,
                                       const TraceFiles& traces, const WindowChoice& window) {
  require_named_once(options, named, {"--host", "--device"});
  if (named.empty() && traces.device.empty() && !traces.host.empty())
    throw Error(ErrorCode::kUsage, "--host", "a host trace has no times",
                "Add the device trace of the same rank: --device TRACE");
  if (named.empty() && traces.device.empty())
    throw Error(ErrorCode::kUsage, "", "no trace is given",
                "Give the device trace (--device TRACE, or as it is) and the host trace, if any");
  if (named.empty()) return {{0, traces}};
  Diagnostics found;
  std::vector<JobInput> inputs = find_job_inputs(named, found, window);
  log_findings(found.table());
  for (JobInput& input : inputs) {
    if (input.traces.device.empty())
      throw Error(ErrorCode::kInput, input.graph + input.traces.linked,
                  input.graph.empty() ? "is a linked trace, of which nothing is left to link"
                                      : "is a Chakra graph, the result of a conversion",
                  "Pass the traces that it was made from");
    input.traces.process = traces.process;
  }
  return inputs;
}

void take_named_rank(const Options& options, const std::vector<std::string>& named,
                     TraceFiles& traces) {
  const std::vector<JobInput> inputs = take_named_ranks(options, named, traces);
  if (inputs.size() > 1)
    throw Error(ErrorCode::kInput, named.front(),
                fmt::format("holds {} ranks, and one is looked at", inputs.size()),
                "Pass the traces of one, such as " + inputs.front().traces.name());
  traces = inputs.front().traces;
}

void add_device_option(Options& options, std::string& device, std::string& other_form) {
  const auto take = [&](const std::string& path) {
    if (!other_form.empty())
      throw Error(ErrorCode::kUsage, "--device " + path, "is a third device trace",
                  "Give one, or the JSON and the .pftrace of one run");
    (device.empty() ? device : other_form) = path;
  };
  options.add_repeated(
      "--device", take, "TRACE",
      "Device trace (torch.profiler: JSON or .pftrace), or -; twice for the JSON and the "
      ".pftrace of one run");
}

void add_process_option(Options& options, std::string& process) {
  options.add_text("--process", process, Need::kOptional, "PID",
                   "Of a device trace that holds the rows of several processes this one (default: "
                   "the host trace's, else each)");
}

void add_trace_options(Options& options, TraceFiles& traces, LinkOptions& link) {
  options.add_text(
      "--host", traces.host, Need::kOptional, "TRACE",
      "Host trace (ExecutionTraceObserver), or -; without it the device trace's own ops");
  add_device_option(options, traces.device, traces.other_form);
  options.begin_group("Matching of a host trace and a device trace");
  add_process_option(options, traces.process);
  options.add_parsed(
      "--rank", [&link](const std::string& text) { set_rank(link, text); }, "R",
      "Rank (default: the device trace's distributedInfo, else the number behind rank, worker, tp "
      "or dp in its name, else 0)");
  options.add_choice<MatchMethod>(
      "--match", link.match.method,
      {{"auto", MatchMethod::kAuto},
       {"rf-id", MatchMethod::kRfId},
       {"order", MatchMethod::kOrder},
       {"tree", MatchMethod::kTree},
       {"force", MatchMethod::kForce}},
      "How host ops find their times: by record-function id, by the order of names, by call trees; "
      "force accepts any share by id (default: auto)");
  options.add_parsed(
      "--occurrence", [&link](const std::string& text) { set_iteration_pick(link, text); },
      "first|last|N|median-duration",
      "Which iteration of the device trace a host trace of one is linked to (default: the one "
      "with its sequence numbers, else median-duration)");
  options.add_parsed(
      "--annotation", [&link](const std::string& text) { set_annotation(link, text); }, "NAME",
      "Link by order; an op of this name ends every iteration");
  options.add_choice<ClockMode>(
      "--clock", link.clock, {{"auto", ClockMode::kAuto}, {"as-recorded", ClockMode::kAsRecorded}},
      "auto: device times that calls contradict are moved onto the host's clock (default: auto)");
  options.add_choice<bool>(
      "--repeat", link.match.repeats_all, {{"one", false}, {"all", true}},
      "all: link every iteration of the device trace, beside whole ones those of which 98 % fit, "
      "with host ops repeated (default: one)");
  options.begin_group(kShownOptions);
}

void add_graph_options(Options& options, GraphOptions& graph) {
  options.add_choice<Delays>(
      "--delays", graph.delays,
      {{"none", Delays::kNone}, {"host", Delays::kHost}, {"all", Delays::kAll}},
      "Which unexplained waiting becomes delay nodes (default: host)");
  options.begin_group("Nodes of the graph");
  options.add_choice<MemoryNodes>(
      "--memory-nodes", graph.memory_nodes,
      {{"none", MemoryNodes::kNone},
       {"offload", MemoryNodes::kOffload},
       {"host", MemoryNodes::kHost}},
      "Which copies between host and device become loads and stores of memory: those that take a "
      "tensor out and bring it back, or all (default: none)");
  options.add_parsed(
      "--min-part", [&graph](const std::string& text) { set_min_part(graph, text); }, "0|2us|op",
      "Join parts of host ops up to this long to their neighbour; op: one node per op (default: "
      "0)");
  options.begin_group(kShownOptions);
  add_steps_option(options, graph.steps);
}

void add_scale_option(Options& options, std::vector<Scale>& scales) {
  options.add_repeated(
      "--scale", [&scales](const std::string& text) { scales.push_back(parse_scale(text)); },
      "WHAT=F",
      "What if: host, kernels, comm, stream:N, kernel:REGEX or op:REGEX took F times as long; "
      "several multiply. Waits, latencies and delays stay");
}

void add_steps_option(Options& options, std::optional<StepRange>& steps) {
  options.add_parsed(
      "--steps", [&steps](const std::string& text) { set_steps(steps, text); }, "A-B",
      "Only these training steps (N of ProfilerStep#N), both included");
}

WindowChoice parse_window(const std::string& text) {
  if (text == "newest") return {WindowChoice::Kind::kNewest, 0, true};
  if (text == "all") return {WindowChoice::Kind::kAll, 0, true};
  const auto number = number_of_text<std::int64_t>(text);
  if (!number || *number < 1)
    throw Error(ErrorCode::kUsage, "--window " + text,
                "is neither newest, all nor a number from 1 on");
  return {WindowChoice::Kind::kNumber, *number, true};
}

void add_window_option(Options& options, WindowChoice& window) {
  options.add_parsed(
      "--window",
      [&window](const std::string& text) {
        window = parse_window(text);
        if (window.kind == WindowChoice::Kind::kAll)
          throw Error(ErrorCode::kUsage, "--window all", "one window of the profiler is looked at",
                      "Pass newest or a number from 1, the oldest, on");
      },
      "newest|N",
      "Which window of the profiler counts where ranks have several (schedule(repeat=2)), N from "
      "1, the oldest, on (default: newest)");
}

}  // namespace nadi::cli
