// The tool under the names of MLCommons' command-line tools: their arguments, nadi's work.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nadi::cli {

/// Names the texts that list an option of an alias.
enum class AliasUse : std::uint8_t {
  kRequired,  ///< in help, manual and completion
  kOptional,  ///< the same, in brackets
  kOffered,   ///< in completion alone
  kTaken,     ///< nowhere: an older name
};

/// An option of the older program as the verb has it.
struct AliasOption {
  std::string_view name;     ///< "--input_filename"
  std::string_view value;    ///< as shown: "X.et"; "" = it takes none
  std::string_view replace;  ///< "--input"; "" = the value stands alone; "-" = ignored
  AliasUse use = AliasUse::kRequired;
};

struct Alias {
  std::string_view program;  ///< "chakra_jsonizer"
  std::string_view word;     ///< subcommand that selects this row: "Text"; may be ""
  std::string_view begin;    ///< the verb and what it always gets, separated by blanks
  std::span<const AliasOption> options;
  std::string_view needs;  ///< the verb's option that must be given; "" = the verb says it
  std::string_view does;
};

/// Returns what follows the program's name in its usage line: "Text --input W.txt …".
std::string usage_of(const Alias& alias);

/// All programs, in the order of their manual.
std::span<const Alias> aliases();

/// Returns the text of an alias' `--help`; nothing where argv[0] names none or help is not asked
/// for.
std::optional<std::string> alias_help(std::span<const char* const> arguments);

/// Arguments of `nadi` for those of an alias; nothing where argv[0] names none. `--log-level DEBUG`
/// becomes -v, `ERROR` and `CRITICAL` -q. Throws Error(kUsage) where a subcommand is missing or
/// unknown.
std::optional<std::vector<std::string>> translate_alias(std::span<const char* const> arguments);

/// The alias by which the tool was called; empty where argv[0] names none.
std::string_view alias_program(std::span<const char* const> arguments);

/// True where the arguments give this name of an option, or the alias' help shows it.
bool is_known_by(std::string_view name, std::span<const char* const> arguments);

/// Names of options, and those the user knows them by.
using OptionNames = std::map<std::string, std::string, std::less<>>;

/// Returns the names of an alias' options by those of the verb: as the arguments name them, else as
/// the older program's help does. Empty where argv[0] names none.
OptionNames alias_names(std::span<const char* const> arguments);

}  // namespace nadi::cli
