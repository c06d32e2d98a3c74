// The tool under the names of MLCommons' command-line tools: their arguments, nadi's work.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nadi::cli {

/// An option of the older program as the verb has it. Their options all take a value.
struct AliasOption {
  std::string_view name;     ///< "--input_filename"
  std::string_view replace;  ///< "--input"; "" = the value stands alone; "-" = ignored
};

struct Alias {
  std::string_view program;  ///< "chakra_jsonizer"
  std::string_view word;     ///< subcommand that selects this row: "Text"; may be ""
  std::string_view begin;    ///< the verb and what it always gets, separated by blanks
  std::span<const AliasOption> options;
  std::string_view usage;  ///< behind the program's name
  std::string_view does;
};

/// All programs, in the order of their manual.
std::span<const Alias> aliases();

/// What `--help` of an alias says; nothing where argv[0] names none or help is not asked for.
std::optional<std::string> alias_help(std::span<const char* const> arguments);

/// Arguments of `nadi` for those of an alias; nothing where argv[0] names none. `--log-level DEBUG`
/// becomes -v, `ERROR` and `CRITICAL` -q. Throws Error(kUsage) where a subcommand is missing or
/// unknown.
std::optional<std::vector<std::string>> translate_alias(std::span<const char* const> arguments);

}  // namespace nadi::cli
