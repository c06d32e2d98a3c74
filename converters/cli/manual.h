// Manual pages and shell completion, made from the tables of verbs and options, and the page on
// diagnostics, made from their registry.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace nadi::cli {

/// Writes man1/nadi.1, man1/nadi-VERB.1, bash/nadi, zsh/_nadi and fish/nadi.fish into the folder,
/// which is made where it is missing, and the like for each program of cli/aliases.h. `app` has all
/// verbs and options. Throws Error(kInput) where they cannot be written.
void write_manual(const CLI::App& app, const std::string& folder);

/// Returns the page that `nadi help findings` prints and schema/findings.md holds.
std::string findings_page();

}  // namespace nadi::cli
