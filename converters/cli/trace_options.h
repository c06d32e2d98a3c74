// Options shared by the verbs that take the traces of one rank.
#pragma once

#include <optional>
#include <string_view>

#include "nadi/converters/cli/options.h"
#include "nadi/converters/read_traces.h"
#include "nadi/graph/build.h"

namespace nadi::cli {

/// --host, --device, --process, --rank, --match, --occurrence, --annotation, --clock, --repeat. The
/// targets must outlive the parsing.
void add_trace_options(Options& options, TraceFiles& traces, LinkOptions& link,
                       Need device = Need::kRequired);

/// --device, given once, or twice for the two forms of one device trace: JSON and .pftrace.
void add_device_option(Options& options, std::string& device, std::string& other_form, Need need);

/// --process: of a device trace that holds several.
void add_process_option(Options& options, std::string& process);

/// --delays, --min-part, --steps.
void add_graph_options(Options& options, GraphOptions& graph);

/// "2us", "500 ns", "1.5ms", "0" in ns; nothing for what is no time, negative, or has no unit.
std::optional<Ns> parse_duration(std::string_view text);

/// "3-5" or "4"; nothing for anything else.
std::optional<StepRange> parse_steps(std::string_view text);

}  // namespace nadi::cli
