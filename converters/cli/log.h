// Writes messages for people to stderr, as much as asked, in colour only on a terminal.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

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

/// Text as it is (a table); nothing when quiet.
void log_text(std::string_view text);

}  // namespace nadi::cli
