// Completion of verbs, options and their values for shells.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace nadi::cli {

/// Scripts for bash's `complete`, zsh's `compdef` and fish's `complete`. Values are completed where
/// an option has a fixed set of them, else as files.
std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);
std::string fish_completion(const CLI::App& app);

}  // namespace nadi::cli
