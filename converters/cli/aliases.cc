#include "nadi/converters/cli/aliases.h"

#include <algorithm>

#include "nadi/base/error.h"

namespace nadi::cli {

namespace {

constexpr auto kOptional = AliasUse::kOptional, kOffered = AliasUse::kOffered,
               kTaken = AliasUse::kTaken;

constexpr AliasOption kTraceLink[] = {
    {"--rank", "R", "--rank"},
    {"--chakra-host-trace", "H", "--host"},
    {"--chakra-device-trace", "D", "--device"},
    {"--output-file", "X.json", "--output"},
    {"--log-level", "L", "--log-level", kOptional},
};
constexpr AliasOption kJsonizer[] = {
    {"--input_filename", "X.et", ""},
    {"--output_filename", "X.json", "--output"},
};
constexpr AliasOption kVisualizer[] = {
    {"--input_filename", "X.et", ""},
    {"--output_filename", "X.pdf|X.dot|X.graphml", "--output"},
};
constexpr AliasOption kConvertLinked[] = {
    {"--input", "LINKED.json", "--linked"},
    {"--output", "X.et", "--output-file"},
    {"--simulate", "", "--simulate", kOptional},
    {"--log-filename", "LOG", "-", kOffered},
    {"--input_filename", "LINKED.json", "--linked", kTaken},
    {"--output_filename", "X.et", "--output-file", kTaken},
    {"--log_filename", "LOG", "-", kTaken},
};
constexpr AliasOption kConvertText[] = {
    {"--input", "W.txt", "--input"},
    {"--output", "PREFIX", "--output"},
    {"--num-npus", "N", "--num-npus"},
    {"--num-passes", "P", "--num-passes"},
    {"--log-filename", "LOG", "-", kOffered},
    {"--input_filename", "W.txt", "--input", kTaken},
    {"--output_filename", "PREFIX", "--output", kTaken},
    {"--num_npus", "N", "--npus", kTaken},
    {"--num_passes", "P", "--passes", kTaken},
    {"--log_filename", "LOG", "-", kTaken},
};
constexpr AliasOption kTimeline[] = {
    {"--input_filename", "LOG", "--input_filename"},
    {"--output_filename", "T.json", "--output_filename"},
    {"--num_npus", "N", "--num_npus"},
    {"--npu_frequency", "MHZ", "--npu_frequency"},
    {"--log-filename", "LOG", "-", kOffered},
    {"--log_filename", "LOG", "-", kTaken},
};
constexpr AliasOption kGenerator[] = {
    {"--num_npus", "N", "--num_npus"},
    {"--default_runtime", "US", "--default_runtime"},
    {"--default_tensor_size", "BYTES", "--default_tensor_size"},
    {"--default_comm_size", "BYTES", "--default_comm_size"},
};

constexpr Alias kAliases[] = {
    {"chakra_trace_link", "", "link", kTraceLink, "",
     "nadi link: joins a host trace and a device trace into the linked JSON"},
    {"chakra_converter", "PyTorch", "convert", kConvertLinked, "--linked",
     "nadi convert: the linked JSON as a Chakra graph; --simulate replays it"},
    {"chakra_converter", "Text", "text", kConvertText, "",
     "nadi text: a text workload as the Chakra graphs of all ranks"},
    {"chakra_jsonizer", "", "show", kJsonizer, "", "nadi show: a Chakra graph as JSON"},
    {"chakra_visualizer", "", "graph", kVisualizer, "", "nadi graph: a picture of a Chakra graph"},
    {"chakra_timeline_visualizer", "", "timeline", kTimeline, "",
     "nadi timeline: the log of a simulator as a timeline"},
    {"chakra_generator", "", "generate mlcommons --output ./", kGenerator, "",
     "nadi generate mlcommons: graphs of single nodes"},
};

/// The name the tool was called by, without its folder.
std::string_view program_of(std::span<const char* const> arguments) {
  const std::string_view path = arguments.empty() ? "" : arguments[0];
  return path.substr(path.rfind('/') + 1);  // npos + 1 = 0
}

/// The first word that is no option, nor the value of one of those before a subcommand, which all
/// take one.
std::vector<std::string>::iterator subcommand_of(std::vector<std::string>& words) {
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (!word->starts_with('-')) return word;
    const bool has_value = word->starts_with("--log") && word->find('=') == word->npos;
    if (has_value && std::next(word) != words.end()) ++word;
  }
  return words.end();
}

/// The row whose subcommand is among the words; it is taken away from them.
const Alias& choose(std::string_view program, std::vector<std::string>& words) {
  std::string known;
  for (const Alias& alias : kAliases) {
    if (alias.program != program) continue;
    if (alias.word.empty()) return alias;
    const auto word = subcommand_of(words);
    if (word != words.end() && *word == alias.word) {
      words.erase(word);
      return alias;
    }
    known += (known.empty() ? "" : " or ") + std::string(alias.word);
  }
  const bool has_other = !words.empty() && !words.front().starts_with('-');
  throw Error(ErrorCode::kUsage, std::string(program),
              has_other ? "'" + words.front() + "' is no subcommand" : "a subcommand is missing",
              "Write " + known + " behind it");
}

/// True where the option is among the arguments: "--name" or "--name=value".
bool is_given(std::string_view name, std::span<const char* const> arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [&](std::string_view word) {
    return word.starts_with(name) && (word.size() == name.size() || word[name.size()] == '=');
  });
}

bool is_shown(const AliasOption& option) { return option.use <= kOptional; }

/// What the value of --log-level asks of nadi.
std::string_view verbosity_of(std::string_view level) {
  if (level == "DEBUG") return "-v";
  return level == "ERROR" || level == "CRITICAL" ? "-q" : "";
}

}  // namespace

std::span<const Alias> aliases() { return kAliases; }

std::string usage_of(const Alias& alias) {
  std::string usage(alias.word);
  for (const AliasOption& option : alias.options) {
    if (!is_shown(option)) continue;
    std::string words(option.name);
    if (!option.value.empty()) words += " " + std::string(option.value);
    if (option.use == kOptional) words = "[" + words + "]";
    usage += (usage.empty() ? "" : " ") + words;
  }
  return usage;
}

std::optional<std::string> alias_help(std::span<const char* const> arguments) {
  const std::string_view program = program_of(arguments);
  const auto asks = [](std::string_view word) { return word == "-h" || word == "--help"; };
  if (std::none_of(arguments.begin(), arguments.end(), asks)) return std::nullopt;
  std::string help;
  for (const Alias& alias : kAliases)
    if (alias.program == program)
      help += "Usage: " + std::string(program) + " " + usage_of(alias) + "\n  " +
              std::string(alias.does) + "\n";
  return help.empty() ? std::nullopt : std::optional(help + "See also: nadi --help\n");
}

std::optional<std::vector<std::string>> translate_alias(std::span<const char* const> arguments) {
  const std::string_view program = program_of(arguments);
  const auto is_program = [&](const Alias& alias) { return alias.program == program; };
  if (std::none_of(std::begin(kAliases), std::end(kAliases), is_program)) return std::nullopt;
  if (is_given("--version", arguments)) return std::vector<std::string>{"nadi", "--version"};
  std::vector<std::string> words(arguments.begin() + 1, arguments.end());
  const Alias& alias = choose(program, words);
  std::vector<std::string> translated = {"nadi"};
  for (std::string_view rest = alias.begin; !rest.empty();) {
    const std::size_t blank = std::min(rest.find(' '), rest.size());
    translated.emplace_back(rest.substr(0, blank));
    rest.remove_prefix(std::min(blank + 1, rest.size()));
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t equals = words[i].starts_with("--") ? words[i].find('=') : std::string::npos;
    if (equals != std::string::npos) {  // "--name=value" as two words
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words[i].substr(equals + 1));
      words[i].resize(equals);
    }
    const bool has_value = i + 1 < words.size();
    const auto option = std::find_if(alias.options.begin(), alias.options.end(),
                                     [&](const AliasOption& o) { return o.name == words[i]; });
    if (words[i] == "--log-level" && has_value) {
      if (const auto flag = verbosity_of(words[++i]); !flag.empty()) translated.emplace_back(flag);
    } else if (option == alias.options.end()) {
      translated.push_back(words[i]);
    } else if (option->replace == "-") {
      i += has_value ? 1 : 0;
    } else if (!option->replace.empty()) {
      translated.emplace_back(option->replace);
    }
  }
  if (!alias.needs.empty() &&
      std::find(translated.begin(), translated.end(), alias.needs) == translated.end())
    throw Error(ErrorCode::kUsage, std::string(alias.needs), "is required",
                "See: nadi " + std::string(alias.begin) + " --help");
  return translated;
}

std::string_view alias_program(std::span<const char* const> arguments) {
  const std::string_view program = program_of(arguments);
  const bool is_known = std::any_of(std::begin(kAliases), std::end(kAliases),
                                    [&](const Alias& alias) { return alias.program == program; });
  return is_known ? program : "";
}

bool is_known_by(std::string_view name, std::span<const char* const> arguments) {
  const std::string_view program = program_of(arguments);
  return is_given(name, arguments) ||
         std::any_of(std::begin(kAliases), std::end(kAliases), [&](const Alias& alias) {
           return alias.program == program &&
                  std::any_of(alias.options.begin(), alias.options.end(),
                              [&](const AliasOption& o) { return is_shown(o) && o.name == name; });
         });
}

OptionNames alias_names(std::span<const char* const> arguments) {
  const std::string_view program = program_of(arguments);
  OptionNames names;
  for (const Alias& alias : kAliases) {
    const bool is_meant =
        alias.program == program && (alias.word.empty() || is_given(alias.word, arguments));
    if (!is_meant) continue;
    for (const AliasOption& option : alias.options) {
      const bool has_other = option.replace.starts_with("--") && option.replace != option.name;
      if (!has_other || !(is_given(option.name, arguments) || is_shown(option))) continue;
      const auto [known, is_new] = names.emplace(option.replace, option.name);
      if (!is_new && is_given(option.name, arguments)) known->second = option.name;
    }
    break;
  }
  return names;
}

}  // namespace nadi::cli
