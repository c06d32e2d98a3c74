// Writes what is for people, as much as asked, in colour only on a terminal: summaries to standard
// output where no data goes there, all else to standard error.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "nadi/emit/atomic_file.h"

namespace nadi::cli {

enum class Verbosity { kQuiet, kNormal, kVerbose };

/// Sets how much is said from here on: quiet says errors only, verbose adds details.
void set_verbosity(Verbosity verbosity);
Verbosity verbosity();

bool is_terminal(std::FILE* stream);

/// One line "nadi: MESSAGE" at error level.
void log_error(std::string_view message);

/// What is said beside "interrupted" from here on, of a run that can be gone on with.
void set_interrupt_remark(std::string remark);
std::string interrupt_remark();

/// Standard output is for data from here on.
void keep_stdout_for_data();

/// What is written to standard output from here on is given to a program that runs a verb, and is
/// for people until keep_stdout_for_data(). {} = standard output again.
void set_standard_output(ByteSink sink);
/// True where the text was given to such a program.
bool give_to_program(std::string_view text);

/// The summary of work that is done, as it is; nothing when quiet. That nobody reads it is no
/// error.
void log_summary(std::string_view text);

/// True where words on that stream may have colours: on a terminal that no program stands for,
/// unless NO_COLOR (no-color.org) is set.
bool has_colours(std::FILE* stream);

/// Text beside a summary as it is (a table), to standard error; nothing when quiet.
void log_text(std::string_view text);

}  // namespace nadi::cli
