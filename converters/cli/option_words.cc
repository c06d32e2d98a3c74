#include "nadi/converters/cli/option_words.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "nadi/converters/cli/aliases.h"

namespace nadi::cli {

namespace {

/// Names of the verbs' options, and those the user knows them by.
OptionNames known_names;
std::string_view alias;  // by which the tool was called; empty = none

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_';
}

/// "--match order" of "match=order"; empty = no option has that name.
std::string option_of_setting(std::string_view setting) {
  const std::size_t equals = std::min(setting.find('='), setting.size());
  std::string name = "--" + std::string(setting.substr(0, equals));
  std::replace(name.begin(), name.end(), '_', '-');
  const auto known = known_names.find(name);
  if (known == known_names.end()) return {};
  std::string value(setting.substr(equals));
  if (!value.empty()) value.front() = ' ';
  return known->second + value;
}

/// The option as the verb that runs has it, else with another's name before it.
std::string from_running_verb(const std::string& option, const CLI::App& verb,
                              const CLI::App* running) {
  const bool is_here = running == nullptr || running->get_option_no_throw(option) != nullptr;
  return is_here ? option : "nadi " + verb.get_name() + " " + option;
}

/// Without the verb's name where the text has it already.
std::string_view behind_verb(std::string_view option, std::string_view said) {
  const std::size_t name = option.find("--");
  if (name != 0 && name != option.npos && said.ends_with(option.substr(0, name)))
    option.remove_prefix(name);
  return option;
}

}  // namespace

void know_options(const CLI::App& app, std::span<const char* const> arguments) {
  alias = alias_program(arguments);
  const CLI::App* running = nullptr;  // none of an alias
  for (const CLI::App* verb : app.get_subcommands({}))
    if (alias.empty() && arguments.size() > 1 && verb->get_name() == arguments[1]) running = verb;
  known_names = alias_names(arguments);
  OptionNames own_names;
  for (const CLI::App* verb : app.get_subcommands({}))
    for (const CLI::Option* option : verb->get_options())
      for (const std::string& name : option->get_lnames()) {
        const std::string own = "--" + option->get_lnames().front(), other = "--" + name;
        own_names.emplace(own, from_running_verb(own, *verb, running));
        if (other != own && is_known_by(other, arguments)) known_names.emplace(own, other);
      }
  known_names.merge(own_names);
}

std::string in_option_words(std::string_view text) {
  std::string said;
  while (!text.empty()) {  // a setting, a word or a character between them at a time
    std::size_t size = 1;
    std::string option;
    if (is_word_character(text.front())) {
      const auto end = std::find_if_not(text.begin(), text.end(), is_word_character);
      size = static_cast<std::size_t>(end - text.begin());
      const auto known = known_names.find(text.substr(0, size));
      if (known != known_names.end()) option = known->second;
    } else if (text.front() == '`') {
      const std::size_t end = text.find('`', 1);
      if (end != text.npos) option = option_of_setting(text.substr(1, end - 1));
      if (!option.empty()) size = end + 1;
    }
    if (!option.empty() && said.ends_with(option + " or ")) {  // two of nadi, one of the alias
      said.resize(said.size() - std::string_view(" or ").size());
      size += text.substr(size).starts_with(':') ? 1 : 0;
    } else {
      said += option.empty() ? text.substr(0, size) : behind_verb(option, said);
    }
    text.remove_prefix(size);
  }
  const std::size_t help = said.find("See: nadi ");
  if (help != std::string::npos && !alias.empty())
    said.replace(help, std::string::npos, "See: " + std::string(alias) + " --help");
  return said;
}

Error in_option_words(const Error& error) {
  return {error.code(), in_option_words(error.where()), in_option_words(error.problem()),
          in_option_words(error.remedy())};
}

}  // namespace nadi::cli
