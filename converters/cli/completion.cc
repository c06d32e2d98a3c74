#include "nadi/converters/cli/completion.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "nadi/converters/cli/aliases.h"

namespace nadi::cli {

namespace {

struct Completed {
  std::vector<std::string> names;   // "--match", "-v"
  std::vector<std::string> values;  // those there are; empty = a file, a number, …
  bool takes_value = false;
  std::string purpose;
};

bool is_plain(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
}
/// "N", "A-B": stands for a value.
bool is_placeholder(std::string_view word) {
  return std::all_of(word.begin(), word.end(),
                     [](char c) { return (c >= 'A' && c <= 'Z') || c == '-'; });
}

/// The parts of a text; nothing where one is no plain word: "T.csv|.jsonl".
std::vector<std::string> words_of(const std::string& text, std::string_view between) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(between, at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!is_plain(word)) return {};
    words.push_back(word);
    at = end + between.size();
  }
  return words;
}

/// "first|last|N|median-duration" without N.
std::vector<std::string> choices_of(const std::string& text) {
  std::vector<std::string> words = words_of(text, "|");
  std::erase_if(words, is_placeholder);
  return words;
}

/// Of the positional arguments: their purpose lists them, "all_reduce, barrier".
std::vector<std::string> operands_of(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::Option* option : app.get_options())
    if (option->get_positional())
      for (std::string& word : words_of(option->get_description(), ", "))
        words.push_back(std::move(word));
  return words;
}

std::vector<Completed> options_of(const CLI::App& app) {
  std::vector<Completed> options;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty() || option->get_positional()) continue;
    Completed& completed = options.emplace_back();
    for (const std::string& name : option->get_snames()) completed.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) completed.names.push_back("--" + name);
    completed.takes_value = option->get_items_expected_max() > 0;
    completed.values = choices_of(option->get_option_text());
    completed.purpose = option->get_description();
  }
  return options;
}

/// A verb's options and those of the tool that may follow it: -v and -q.
std::vector<Completed> options_with_common(const CLI::App& verb, const CLI::App& app) {
  std::vector<Completed> options = options_of(verb);
  for (Completed& common : options_of(app))
    if (common.names.front() == "-v" || common.names.front() == "-q")
      options.push_back(std::move(common));
  return options;
}

std::vector<const CLI::App*> verbs_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::string joined_names(const std::vector<Completed>& options) {
  std::string text;
  for (const Completed& option : options)
    for (const std::string& name : option.names) text += (text.empty() ? "" : " ") + name;
  return text;
}

struct AliasWords {
  std::vector<std::string> subcommands;
  std::vector<AliasOption> options;  // each once
};

AliasWords alias_words(std::string_view program) {
  AliasWords words;
  const auto add_option = [&words](const AliasOption& option) {
    const bool is_known = std::any_of(words.options.begin(), words.options.end(),
                                      [&](const AliasOption& o) { return o.name == option.name; });
    if (!is_known && option.use != AliasUse::kTaken) words.options.push_back(option);
  };
  for (const Alias& alias : aliases()) {
    if (alias.program != program) continue;
    if (!alias.word.empty()) words.subcommands.emplace_back(alias.word);
    for (const AliasOption& option : alias.options) add_option(option);
  }
  for (const char* flag : {"--help", "--version"}) add_option({flag, "", "", AliasUse::kOffered});
  return words;
}

/// "N", "US": a number or a word, where "X.et", "LOG", "PREFIX" are files.
bool is_file(std::string_view value) {
  constexpr std::string_view kOthers[] = {"N", "P", "R", "L", "US", "BYTES", "MHZ"};
  return !value.empty() &&
         std::find(std::begin(kOthers), std::end(kOthers), value) == std::end(kOthers);
}

/// In single quotes of a shell.
std::string shell_text(std::string_view text) {
  std::string quote = "'";
  for (const char c : text) {
    if (c == '\'')
      quote += "'\\''";
    else
      quote += c;
  }
  return quote + "'";
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  std::string verbs, cases;
  for (const CLI::App* verb : verbs_of(app)) {
    verbs += (verbs.empty() ? "" : " ") + verb->get_name();
    cases += fmt::format("    {})\n      case \"$previous\" in\n", verb->get_name());
    for (const Completed& option : options_of(*verb))
      if (!option.values.empty())
        cases += fmt::format("        {}) values={} ;;\n", fmt::join(option.names, "|"),
                             shell_text(fmt::format("{}", fmt::join(option.values, " "))));
    cases += fmt::format("      esac\n      options={} operands={} ;;\n",
                         shell_text(joined_names(options_with_common(*verb, app))),
                         shell_text(fmt::format("{}", fmt::join(operands_of(*verb), " "))));
  }
  return fmt::format(R"(# bash completion of nadi
_nadi() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}"
  local verb="" values="" operands="" options={} i
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ "${{COMP_WORDS[i]}}" == -* ]] || {{ verb="${{COMP_WORDS[i]}}"; break; }}
  done
  case "$verb" in
{}    "") options="{} $options" ;;
  esac
  if [[ -n "$values" ]]; then
    COMPREPLY=($(compgen -W "$values" -- "$word"))
  elif [[ "$word" == -* || -z "$verb" ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  elif [[ -n "$operands" && "$previous" != -* ]]; then
    COMPREPLY=($(compgen -W "$operands" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}}
complete -o filenames -F _nadi nadi
)",
                     shell_text(joined_names(options_of(app))), cases, verbs);
}

std::string zsh_completion(const CLI::App& app) {
  // What zsh's _arguments and _describe set apart in a specification.
  const auto plain = [](std::string_view text) {
    std::string escaped;
    for (const char c : text) {
      if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
      escaped += c;
    }
    return escaped;
  };
  std::string verbs, cases;
  for (const CLI::App* verb : verbs_of(app)) {
    verbs += "    " + shell_text(verb->get_name() + ":" + plain(verb->get_description())) + "\n";
    cases += fmt::format("      {})\n        _arguments", verb->get_name());
    for (const Completed& option : options_with_common(*verb, app))
      for (const std::string& name : option.names) {
        std::string action;
        if (!option.values.empty())
          action = fmt::format(":value:({})", fmt::join(option.values, " "));
        else if (option.takes_value)
          action = ":value:_files";
        cases += " \\\n          " + shell_text(name + "[" + plain(option.purpose) + "]" + action);
      }
    const std::vector<std::string> operands = operands_of(*verb);
    cases += " \\\n          '*:" +
             (operands.empty() ? std::string("file:_files")
                               : fmt::format("kind:({})", fmt::join(operands, " "))) +
             "' ;;\n";
  }
  return fmt::format(R"(#compdef nadi
_nadi() {{
  local -a verbs=(
{}  )
  local context state line
  _arguments '1:verb:->verb' '*::argument:->argument'
  case $state in
    verb) _describe verb verbs ;;
    argument)
      case $words[1] in
{}      esac ;;
  esac
}}
_nadi "$@"
)",
                     verbs, cases);
}

std::string fish_completion(const CLI::App& app) {
  std::string text = "# fish completion of nadi\n";
  const auto add_option = [&text](const Completed& option) {
    for (const std::string& name : option.names)
      text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (option.takes_value) text += " -r";
    if (!option.values.empty())
      text += " -f -a " + shell_text(fmt::format("{}", fmt::join(option.values, " ")));
    text += " -d " + shell_text(option.purpose) + "\n";
  };
  for (const Completed& option : options_of(app)) {
    text += "complete -c nadi";
    add_option(option);
  }
  for (const CLI::App* verb : verbs_of(app)) {
    text += fmt::format("complete -c nadi -n __fish_use_subcommand -a {} -d {}\n", verb->get_name(),
                        shell_text(verb->get_description()));
    for (const Completed& option : options_of(*verb)) {
      text += fmt::format("complete -c nadi -n '__fish_seen_subcommand_from {}'", verb->get_name());
      add_option(option);
    }
    if (const auto operands = operands_of(*verb); !operands.empty())
      text +=
          fmt::format("complete -c nadi -n '__fish_seen_subcommand_from {}' -f -a {}\n",
                      verb->get_name(), shell_text(fmt::format("{}", fmt::join(operands, " "))));
  }
  return text;
}

std::string bash_alias_completion(std::string_view program) {
  const AliasWords words = alias_words(program);
  std::string offered = fmt::format("{}", fmt::join(words.subcommands, " "));
  for (const AliasOption& option : words.options)
    offered += (offered.empty() ? "" : " ") + std::string(option.name);
  return fmt::format("# bash completion of {}\ncomplete -o default -W '{}' {}\n", program, offered,
                     program);
}

std::string zsh_alias_completion(std::string_view program) {
  const AliasWords words = alias_words(program);
  std::string text = fmt::format("#compdef {}\n_arguments", program);
  if (!words.subcommands.empty())
    text += fmt::format(" '1:subcommand:({})'", fmt::join(words.subcommands, " "));
  for (const AliasOption& option : words.options) {
    const std::string value =
        option.value.empty() ? "" : ":value:" + std::string(is_file(option.value) ? "_files" : " ");
    text += fmt::format(" '{}{}'", option.name, value);
  }
  return text + "\n";
}

std::string fish_alias_completion(std::string_view program) {
  const AliasWords words = alias_words(program);
  std::string text = fmt::format("# fish completion of {}\n", program);
  for (const std::string& word : words.subcommands)
    text += fmt::format("complete -c {} -n __fish_use_subcommand -a {}\n", program, word);
  for (const AliasOption& option : words.options)
    text += fmt::format("complete -c {} -l {}{}\n", program, option.name.substr(2),
                        option.value.empty()    ? ""
                        : is_file(option.value) ? " -r -F"
                                                : " -x");
  return text;
}

}  // namespace nadi::cli
