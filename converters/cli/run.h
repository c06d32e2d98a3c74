// The tool as a function: parses the arguments, runs the verb, turns every error into an exit code.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "nadi/converters/cli/verbs.h"
#include "nadi/emit/atomic_file.h"

namespace nadi::cli {

enum ExitCode : int {
  kOk = 0,
  kCheckFailed = 1,  ///< a check, --strict or some of the ranks failed
  kUsage = 2,        ///< the command line asks for something that cannot be
  kBadInput = 3,     ///< a file is missing, unreadable, or not what it should be
  kOurBug = 4,
};

/// Runs a verb, the first of `words`, for a program: errors of the arguments, the traces and the
/// verb are thrown as nadi::Error, whatever a bug throws as it is. Gives kOk or
/// kCheckFailed. What the verb writes to standard output is given to the sink where there is one.
/// Not from two threads at a time.
int run_words(const std::vector<std::string>& words, const ByteSink& standard_output = {});

/// The same, but `add` adds the verb's options and gives its work, and nothing is printed. Throws
/// Error(kUsage) where the words ask for a help text.
void run_as(const std::vector<std::string>& words, const std::function<RunVerb(Options)>& add);

/// Never throws. Errors go to stderr as "nadi: WHERE: WHAT. REMEDY".
int run(int argc, const char* const* argv);

}  // namespace nadi::cli
