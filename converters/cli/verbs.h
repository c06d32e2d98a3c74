// The verbs of the tool: a file each, a row each in the table of verbs.cc.
#pragma once

#include <functional>
#include <span>

#include "nadi/converters/cli/options.h"

namespace nadi::cli {

/// Does a verb's work after its options are parsed; gives the exit code, or throws nadi::Error.
using RunVerb = std::function<int()>;

struct Verb {
  const char* name;
  const char* purpose;      ///< one line for `nadi --help`
  const char* example;      ///< shown under `nadi VERB --help`
  RunVerb (*add)(Options);  ///< adds the verb's options to its subcommand
};

std::span<const Verb> verbs();

RunVerb add_convert(Options options);
RunVerb add_link(Options options);
RunVerb add_show(Options options);
RunVerb add_check(Options options);
RunVerb add_doctor(Options options);
RunVerb add_profile(Options options);
RunVerb add_replay(Options options);
RunVerb add_events(Options options);
RunVerb add_diff(Options options);
RunVerb add_text(Options options);
RunVerb add_timeline(Options options);
RunVerb add_generate(Options options);
RunVerb add_graph(Options options);

}  // namespace nadi::cli
