// Turns the library's messages into the words of the command line: settings become options.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "nadi/base/error.h"

namespace CLI {
class App;
}  // namespace CLI

namespace nadi::cli {

/// From here on the options of all verbs are known, by the names that the arguments give them, or
/// that the help of an alias shows.
void know_options(const CLI::App& app, std::span<const char* const> arguments);

/// Text with settings (`match=order`) as options (--match order) and options by the names the user
/// knows. What else stands in backticks stays.
std::string in_option_words(std::string_view text);
/// The same of an error's parts.
Error in_option_words(const Error& error);

}  // namespace nadi::cli
