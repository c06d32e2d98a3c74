// Completion of verbs, options and their values for shells.
#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace nadi::cli {

/// Scripts for bash's `complete`, zsh's `compdef` and fish's `complete`. Values are completed where
/// an option has a fixed set of them, else as files.
std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);
std::string fish_completion(const CLI::App& app);

/// The same for a program of cli/aliases.h: its subcommands and the options that its help shows.
std::string bash_alias_completion(std::string_view program);
std::string zsh_alias_completion(std::string_view program);
std::string fish_alias_completion(std::string_view program);

}  // namespace nadi::cli
