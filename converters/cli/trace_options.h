// Options shared by the verbs that take the traces of one rank.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/converters/cli/options.h"
#include "nadi/converters/job_inputs.h"
#include "nadi/converters/read_traces.h"
#include "nadi/graph/build.h"
#include "nadi/sim_bridge/replay/scale.h"

namespace nadi::cli {

/// TRACE..., which are told apart by content, in place of --host, --device and --linked.
void add_trace_arguments(Options& options, std::vector<std::string>& named,
                         const std::string& purpose);

/// Throws Error(kUsage) where traces are named by these options, too.
void require_named_once(const Options& options, const std::vector<std::string>& named,
                        std::initializer_list<const char*> by_options);

/// The traces of each rank that is named; the options' traces, which may be given instead, are one
/// rank. All have the options' process. Throws Error(kUsage) where neither names a device trace,
/// Error(kInput) of a graph or a linked trace, and what find_job_inputs throws.
std::vector<JobInput> take_named_ranks(const Options& options,
                                       const std::vector<std::string>& named,
                                       const TraceFiles& traces, const WindowChoice& window = {});

/// The same of one rank, into `traces`; several are an Error(kInput), too.
void take_named_rank(const Options& options, const std::vector<std::string>& named,
                     TraceFiles& traces);

/// --host, --device, --process, --rank, --match, --occurrence, --annotation, --clock, --repeat. The
/// targets must outlive the parsing.
void add_trace_options(Options& options, TraceFiles& traces, LinkOptions& link);

/// --device, given once, or twice for the two forms of one device trace: JSON and .pftrace.
void add_device_option(Options& options, std::string& device, std::string& other_form);

/// --process: of a device trace that holds several.
void add_process_option(Options& options, std::string& process);

/// --delays, --min-part, --steps.
void add_graph_options(Options& options, GraphOptions& graph);

/// --steps; the target must outlive the parsing.
void add_steps_option(Options& options, std::optional<StepRange>& steps);
/// "newest", "all" or a number from 1 on. Throws Error(kUsage) of anything else.
WindowChoice parse_window(const std::string& text);
/// --window, of which one counts; likewise.
void add_window_option(Options& options, WindowChoice& window);
/// --scale, several times.
void add_scale_option(Options& options, std::vector<Scale>& scales);

/// "2us", "500 ns", "1.5ms", "0" in ns; nothing for what is no time, negative, or has no unit.
std::optional<Ns> parse_duration(std::string_view text);

/// "3-5" or "4"; nothing for anything else.
std::optional<StepRange> parse_steps(std::string_view text);
/// The same for a program: no text is all steps, and all else an Error(kUsage).
std::optional<StepRange> steps_of(const std::optional<std::string>& text);

}  // namespace nadi::cli
