#include "nadi/converters/cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "nadi/base/compression.h"
#include "nadi/base/error.h"
#include "nadi/base/number_text.h"
#include "nadi/base/utf8.h"
#include "nadi/converters/cli/log.h"
#include "nadi/converters/cli/suggestion.h"
#include "nadi/emit/temporary_path.h"

namespace nadi::cli {

namespace {

/// The first of "--npus,--num-npus".
std::string first_name(const std::string& names) { return names.substr(0, names.find(',')); }

/// Number is int64 or double; the whole text must be one.
template <class Number>
Number parse_number(const std::string& names, const std::string& text, const char* what) {
  if (const auto number = number_of_text<Number>(text); number && *number >= 0) return *number;
  constexpr std::size_t kMostShown = 40;
  throw Error(
      ErrorCode::kUsage,
      first_name(names) + " " +
          (text.size() > kMostShown ? std::string(whole_prefix(text, kMostShown)) + "…" : text),
      std::string("is no ") + what);
}

/// Throws Error(kUsage) where the name asks for a packing that nadi does not write.
void require_known_packing(const std::string& option, const std::string& path) {
  for (const char* ending : {".bz2", ".xz", ".lz4", ".zip", ".7z"})
    if (path.ends_with(ending))
      throw Error(ErrorCode::kUsage, option + " " + path,
                  std::string("nadi does not pack as ") + ending, "End the name in .gz or .zst");
}

/// A form of files, by the ending of their names.
struct FileForm {
  std::string_view ending, holds;
  const char* how;  ///< to get it
};

constexpr const char* kDrawn = "nadi graph X.et --output G.svg draws a graph";
constexpr const char* kTables = "nadi events and nadi diff write tables";
constexpr const char* kPages = "--html R.html writes a page beside";
constexpr FileForm kForms[] = {
    {".et", "a Chakra graph", "nadi convert writes graphs"},
    {".json", "JSON", "nadi show X.et --output X.json writes a graph as JSON"},
    {".jsonl", "JSON lines", kTables},
    {".ndjson", "JSON lines", kTables},
    {".csv", "a CSV table", kTables},
    {".sqlite", "an SQLite file", kTables},
    {".db", "an SQLite file", kTables},
    {".html", "a page", kPages},
    {".pftrace", "a Perfetto trace",
     "nadi replay X.et --output T.pftrace writes a timeline that ui.perfetto.dev opens"},
    {".dot", "a picture", kDrawn},
    {".graphml", "a picture", kDrawn},
    {".svg", "a picture", kDrawn},
    {".pdf", "a picture", kDrawn},
};

/// The form that a name asks for; nullptr = none that nadi knows.
const FileForm* form_of(std::string_view path) {
  for (const FileForm& form : kForms)
    if (without_compression(path).ends_with(form.ending)) return &form;
  return nullptr;
}

/// The endings of "G.dot|.svg" or "FILE.json".
std::vector<std::string> endings_of(const std::string& value) {
  std::vector<std::string> endings;
  for (std::size_t at = 0; (at = value.find('.', at)) != std::string::npos; ++at)
    endings.push_back(value.substr(at, value.find('|', at) - at));
  return endings;
}

/// Throws Error(kUsage) where the name asks for another form than the endings given, or has another
/// ending than these, if they are several.
void require_form(const std::string& option, const std::string& path,
                  const std::vector<std::string>& endings) {
  const FileForm* form = form_of(path);
  const bool is_own = form == nullptr || endings.empty() ||
                      std::find(endings.begin(), endings.end(), form->ending) != endings.end();
  if (!is_own)
    throw Error(ErrorCode::kUsage, option + " " + path,
                fmt::format("would not hold {}, as its name says", form->holds),
                fmt::format("End the name in {}; {}", fmt::join(endings, ", "), form->how));
  const std::string ending = std::filesystem::path(without_compression(path)).extension();
  const bool is_known =
      form != nullptr || std::find(endings.begin(), endings.end(), ending) != endings.end();
  if (!is_known && !ending.empty() && endings.size() > 1)
    throw Error(ErrorCode::kUsage, option + " " + path, "does not tell the form",
                fmt::format("End the name in {}", fmt::join(endings, " or ")));
}

void take_output(const std::string& option, const std::string& path,
                 const std::vector<std::string>& endings, std::string& target) {
  if (path.empty() || path.ends_with('/'))
    throw Error(ErrorCode::kUsage, option + " " + path, "is no file name", "Pass a file to write");
  require_known_packing(option, path);
  require_form(option, path, endings);
  if (path == "-") keep_stdout_for_data();
  expect_output(path);
  target = path;
}

/// The rank becomes part of the files' names, so there must be one to put it in.
std::string complete_prefix(const std::string& option, const std::string& prefix,
                            const PrefixUse& use) {
  if (prefix == "-" || prefix.empty())
    throw Error(ErrorCode::kUsage, option + " " + prefix, "is no prefix of a file name",
                "Pass for example out/step; the graph becomes out/step.<rank>.et");
  std::error_code is_missing;
  if (prefix.ends_with('/') || std::filesystem::is_directory(prefix, is_missing))
    return (std::filesystem::path(prefix) / use.name_in_folder).string();
  require_known_packing(option, prefix);
  if (compression_of(prefix) != Compression::kNone)
    throw Error(ErrorCode::kUsage, option + " " + prefix,
                "is a prefix, to which the rank and .et are added, and no packed file",
                use.remedy_packed);
  if (const FileForm* form = form_of(prefix); form != nullptr && form->ending != ".et")
    throw Error(ErrorCode::kUsage, option + " " + prefix,
                fmt::format("is a prefix, to which the rank and .et are added: {}.0.et would be a "
                            "Chakra graph, not {}",
                            prefix, form->holds),
                fmt::format("Leave {} out; {}", form->ending, form->how));
  return prefix;
}

}  // namespace

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t comma; (comma = text.find(',')) != text.npos; text.remove_prefix(comma + 1))
    parts.emplace_back(text.substr(0, comma));
  parts.emplace_back(text);
  return parts;
}

void Options::begin_group(const char* title) { app_.option_defaults()->group(title); }

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
                         const std::string& purpose, Need need) {
  const auto take = [name, &target](const std::string& text) {
    target = parse_number<std::int64_t>(name, text, "whole number from 0 to 9223372036854775807");
  };
  add_parsed(name, take, value, purpose, need);
}

void Options::add_real(const std::string& name, double& target, const std::string& value,
                       const std::string& purpose) {
  const auto take = [name, &target](const std::string& text) {
    target = parse_number<double>(name, text, "number of 0 or more");
  };
  add_parsed(name, take, value, purpose);
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
                         const std::string& value, const std::string& purpose, Need need) {
  const bool required = need == Need::kRequired;
  app_.add_option_function<std::string>(name, take, purpose)
      ->required(required)
      ->option_text(required ? value + " (required)" : value);
}

void Options::add_file(const std::string& name, std::string& target, const std::string& value,
                       const std::string& purpose) {
  const auto take = [name, endings = endings_of(value), &target](const std::string& path) {
    if (path == "-")
      throw Error(ErrorCode::kUsage, name + " -", "is no file name", "Pass a file to write");
    take_output(name, path, endings, target);
  };
  add_parsed(name, take, value, purpose);
}

void Options::add_output(const std::string& name, std::string& target, Need need,
                         const std::string& value, const std::string& purpose, Ending ending) {
  const bool has_form = ending == Ending::kDecidesForm;
  const auto take = [name, endings = has_form ? endings_of(value) : std::vector<std::string>(),
                     &target](const std::string& path) {
    take_output(first_name(name), path, endings, target);
  };
  add_parsed(name, take, value, purpose, need);
}

void Options::add_prefix(const std::string& name, std::string& target, Need need,
                         const PrefixUse& use, const std::string& purpose) {
  const auto take = [name, &target, use](const std::string& prefix) {
    target = complete_prefix(name, prefix, use);
    expect_output(target);
  };
  add_parsed(name, take, "PREFIX", purpose, need);
}

void Options::add_repeated(const std::string& name,
                           const std::function<void(const std::string&)>& take,
                           const std::string& value, const std::string& purpose, Need need) {
  const bool required = need == Need::kRequired;
  const auto take_all = [take](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) take(text);
  };
  app_.add_option_function<std::vector<std::string>>(name, take_all, purpose)
      ->allow_extra_args(false)
      ->required(required)
      ->option_text(required ? value + " (required)" : value);
}

void Options::add_choice(const std::string& name,
                         const std::function<void(const std::string&)>& take,
                         const std::vector<std::string>& choices, const std::string& purpose) {
  const auto refusal = [choices](const std::string& text) {
    if (std::find(choices.begin(), choices.end(), text) != choices.end()) return std::string();
    return fmt::format("{} is none of {}.{}", text, fmt::join(choices, ", "),
                       suggestion(text, choices));
  };
  app_.add_option_function<std::string>(name, take, purpose)
      ->check(CLI::Validator(refusal, ""))
      ->option_text(fmt::format("{}", fmt::join(choices, "|")));
}

bool Options::is_given(const std::string& name) const { return app_.count(name) > 0; }

std::string Options::given_text(const std::vector<std::string>& but) const {
  std::string text;
  for (const CLI::Option* option : app_.get_options()) {
    // get_name() has none of an option that the help does not show.
    const std::vector<std::string>& long_names = option->get_lnames();
    const std::string name = long_names.empty() ? option->get_name() : "--" + long_names.front();
    if (option->count() == 0 || std::find(but.begin(), but.end(), name) != but.end()) continue;
    text += (text.empty() ? "" : " ") + name;
    const bool is_flag = option->get_items_expected() == 0;
    if (!is_flag) text += fmt::format("={}", fmt::join(option->results(), ","));
  }
  return text;
}

}  // namespace nadi::cli
