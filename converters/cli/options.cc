#include "nadi/converters/cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

namespace nadi::cli {

void Options::add_text(const std::string& name, std::string& target, Need need,
                       const std::string& value, const std::string& purpose) {
  const bool required = need == Need::kRequired;
  app_.add_option(name, target, purpose)
      ->required(required)
      ->option_text(required ? value + " (required)" : value);
}

void Options::add_texts(const std::string& name, std::vector<std::string>& target,
                        const std::string& purpose, Need need) {
  app_.add_option(name, target, purpose)->required(need == Need::kRequired)->option_text("...");
}

void Options::add_number(const std::string& name, std::int64_t& target, const std::string& value,
                         const std::string& purpose) {
  app_.add_option(name, target, purpose)->check(CLI::NonNegativeNumber)->option_text(value);
}

void Options::add_flag(const std::string& name, bool& target, const std::string& purpose) {
  app_.add_flag(name, target, purpose);
}

void Options::add_switch(const std::string& name, const std::function<void()>& take,
                         const std::string& purpose) {
  app_.add_flag_callback(name, take, purpose);
}

void Options::add_parsed(const std::string& name,
                         const std::function<void(const std::string&)>& take,
                         const std::string& value, const std::string& purpose) {
  app_.add_option_function<std::string>(name, take, purpose)->option_text(value);
}

void Options::add_repeated(const std::string& name,
                           const std::function<void(const std::string&)>& take,
                           const std::string& value, const std::string& purpose) {
  const auto take_all = [take](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) take(text);
  };
  app_.add_option_function<std::vector<std::string>>(name, take_all, purpose)
      ->allow_extra_args(false)
      ->option_text(value);
}

void Options::add_choice(const std::string& name,
                         const std::function<void(const std::string&)>& take,
                         const std::vector<std::string>& choices, const std::string& purpose) {
  app_.add_option_function<std::string>(name, take, purpose)
      ->check(CLI::IsMember(choices))
      ->option_text(fmt::format("{}", fmt::join(choices, "|")));
}

bool Options::is_given(const std::string& name) const { return app_.count(name) > 0; }

}  // namespace nadi::cli
