// The verbs of the tool: a file each, a row each in the table of verbs.cc.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>

namespace nadi::cli {

/// Does a verb's work after its options are parsed; gives the exit code, or throws nadi::Error.
using RunVerb = std::function<int()>;

struct Verb {
  const char* name;
  const char* purpose;        ///< one line for `nadi --help`
  const char* example;        ///< shown under `nadi VERB --help`
  RunVerb (*add)(CLI::App&);  ///< adds the verb's options to its subcommand
};

std::span<const Verb> verbs();

RunVerb add_convert(CLI::App& app);
RunVerb add_link(CLI::App& app);
RunVerb add_show(CLI::App& app);
RunVerb add_check(CLI::App& app);
RunVerb add_doctor(CLI::App& app);

}  // namespace nadi::cli
