#include "nadi/converters/cli/run.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "nadi/base/error.h"
#include "nadi/converters/cli/aliases.h"
#include "nadi/converters/cli/build_commit.h"
#include "nadi/converters/cli/log.h"
#include "nadi/converters/cli/manual.h"
#include "nadi/converters/cli/option_words.h"
#include "nadi/converters/cli/output.h"
#include "nadi/converters/cli/suggestion.h"
#include "nadi/converters/cli/verbs.h"

namespace nadi::cli {

namespace {

using Arguments = std::span<const char* const>;

constexpr const char* kPurpose =
    "nadi: PyTorch execution traces to Chakra graphs that simulators run";
constexpr const char* kExitCodes =
    "Exit codes: 0 ok, 1 a check, --strict or some of the ranks failed, 2 usage, 3 input at fault "
    "or too large for memory, 4 a bug of nadi.";

int exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage:
      return kUsage;
    case ErrorCode::kInput:
      return kBadInput;
    case ErrorCode::kCheck:
      return kCheckFailed;
    case ErrorCode::kInternal:
      break;
  }
  return kOurBug;
}

void add_log_options(CLI::App& app) {
  auto* verbose = app.add_flag_callback(
      "-v,--verbose", [] { set_verbosity(Verbosity::kVerbose); }, "Say more on stderr");
  app.add_flag_callback(
         "-q,--quiet", [] { set_verbosity(Verbosity::kQuiet); }, "Say nothing but errors")
      ->excludes(verbose);
}

std::string version_text() {
  const std::string_view commit = build_commit();
  return fmt::format("nadi {}{}", NADI_VERSION,
                     commit.empty() ? "" : fmt::format(" (commit {})", commit));
}

bool has_more_options(const CLI::App& app) {
  const auto groups = app.get_groups();
  return std::any_of(groups.begin(), groups.end(), [](const std::string& group) {
    return group != kShownOptions && group != kHiddenOptions;
  });
}

/// Shows the options that most need; with --help-all all of them, by groups.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    shows_all_ = mode == CLI::AppFormatMode::All;
    std::string text = Formatter::make_help(app, std::move(name), mode);
    for (std::size_t at; (at = text.find("\n\n\n")) != std::string::npos;) text.erase(at, 1);
    return text;
  }
  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    if (!shows_all_ && !is_positional && group != kShownOptions) return "";
    return Formatter::make_group(std::move(group), is_positional, std::move(options));
  }

 private:
  mutable bool shows_all_ = false;  // CLI11 calls make_help first, and does not say it again
};

using VerbRuns = std::vector<std::pair<CLI::App*, RunVerb>>;

/// Adds the options of a verb.
using AddOptions = std::function<RunVerb(const Verb&, Options)>;

RunVerb add_own_options(const Verb& verb, Options options) { return verb.add(options); }

VerbRuns add_verbs(CLI::App& app, const AddOptions& add) {
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.footer(fmt::format(
      "nadi help VERB says what a verb takes, nadi help findings what findings mean.\n{}",
      kExitCodes));
  add_log_options(app);
  app.formatter(std::make_shared<HelpFormatter>());
  VerbRuns runs;
  for (const Verb& verb : verbs()) {
    CLI::App* subcommand = app.add_subcommand(verb.name, verb.purpose);
    subcommand->footer(fmt::format("Example:\n  {}\n\n{}", verb.example, kExitCodes));
    runs.emplace_back(subcommand, add(verb, Options(*subcommand)));
    subcommand->option_defaults()->group(kShownOptions);
    if (has_more_options(*subcommand))
      subcommand->set_help_all_flag("--help-all", "Print all options and exit");
    add_log_options(*subcommand);
  }
  return runs;
}

std::vector<std::string> verb_names() {
  std::vector<std::string> names;
  for (const Verb& verb : verbs()) names.emplace_back(verb.name);
  return names;
}

/// "help convert" and "version" as the options that answer them, whatever flags stand before.
std::vector<std::string> with_verbs_as_options(Arguments arguments) {
  std::vector<std::string> words(arguments.begin(), arguments.end());
  std::size_t verb = 1;
  while (verb < words.size() && words[verb].starts_with('-')) ++verb;
  if (verb == words.size() || (words[verb] != "version" && words[verb] != "help")) return words;
  const bool is_help = words[verb] == "help";
  const std::size_t behind = words.size() - verb - 1;
  if (behind > (is_help ? 1 : 0))
    throw Error(ErrorCode::kUsage, "nadi " + words[verb],
                "does not take " + words.back() + " behind it", "See: nadi --help");
  if (!is_help) return {words[0], "--version"};
  const auto names = verb_names();
  if (behind == 0) return {words[0], "--help"};
  if (std::find(names.begin(), names.end(), words.back()) == names.end())
    return {words[0], words.back()};  // which is no verb: the answer says so
  return {words[0], words.back(), "--help"};
}

/// "help findings", which is about no verb.
bool is_question_of_findings(Arguments arguments) {
  constexpr std::string_view kQuestion[] = {"help", "findings"};
  return std::equal(arguments.begin() + 1, arguments.end(), std::begin(kQuestion),
                    std::end(kQuestion));
}

/// Parses and runs; throws CLI::ParseError, nadi::Error or whatever a bug throws.
int parse_and_run(CLI::App& app, int argc, const char* const* argv,
                  const AddOptions& add = add_own_options) {
  const VerbRuns runs = add_verbs(app, add);
  know_options(app, std::span(argv, static_cast<std::size_t>(argc)));
  const auto write = [&app](const std::string& folder) {
    write_manual(app, folder);
    throw CLI::Success();
  };
  app.add_option_function<std::string>("--write-manual", write)
      ->group("")  // for the build alone
      ->trigger_on_parse();
  const std::span arguments(argv, static_cast<std::size_t>(argc));
  if (const auto help = alias_help(arguments)) {
    write_output("-", *help);
    return kOk;
  }
  if (is_question_of_findings(arguments)) {
    write_output("-", findings_page());
    return kOk;
  }
  const auto alias = translate_alias(arguments);
  const std::vector<std::string> words = alias ? *alias : with_verbs_as_options(arguments);
  if (words.empty())
    app.parse(argc, argv);
  else
    app.parse(std::vector<std::string>(words.rbegin(), words.rend() - 1));  // CLI11's order
  for (const auto& [subcommand, run_verb] : runs) {
    if (subcommand->parsed()) return run_verb();
  }
  return kOk;
}

/// The line that says which help to read: of the verb given, else of the tool.
std::string help_hint(const CLI::App& app, Arguments arguments) {
  if (const auto program = alias_program(arguments); !program.empty())
    return fmt::format("See: {} --help", program);
  const auto given = app.get_subcommands();
  return fmt::format("See: nadi {}--help", given.empty() ? "" : given.front()->get_name() + " ");
}

/// A message too long for a line or two, broken where its parts end; the remedy is the last.
std::string in_lines(std::string message, const std::string& remedy) {
  constexpr std::size_t kLongest = 240;
  const std::size_t last_part = message.rfind("; ");
  if (message.size() <= kLongest || last_part == std::string::npos) return message;
  const std::size_t end = message.size() - std::min(message.size(), remedy.size());
  if (!remedy.empty() && last_part < end) message.replace(end - 1, 1, "\n  ");
  for (std::size_t at = message.rfind("; ", end); at != std::string::npos && at > 0;
       at = message.rfind("; ", at - 1))
    message.replace(at, 2, ";\n  ");
  return message;
}

/// Text without what the sentence after it would double: dots and blanks at the end.
std::string without_full_stop(std::string text) {
  text.erase(text.find_last_not_of(". \n") + 1);
  return text;
}

/// No verb was given, or one that is none.
int answer_missing_verb(const CLI::App& app, Arguments arguments) {
  const std::vector<std::string> names = verb_names();
  std::vector<std::string> known = names;
  known.insert(known.end(), {"help", "version"});
  const auto words = app.remaining();
  const std::string what =
      words.empty() ? "No verb is given."
                    : "No verb is named " + words.front() + "." + suggestion(words.front(), known);
  log_error(fmt::format("{} The verbs are {}. {}", what, fmt::join(names, ", "),
                        help_hint(app, arguments)));
  return kUsage;
}

/// Options that no verb has, the first with the one that was meant.
std::string describe_extra(const CLI::App& app, const std::vector<std::string>& extra) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands())
    for (const CLI::Option* option : verb->get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  const std::string word = extra.front().substr(0, extra.front().find('='));
  const std::string meant = word.starts_with("--") ? suggestion(word, names) : "";
  return fmt::format("Not expected: {}{}", fmt::join(extra, " "), meant.empty() ? "" : "." + meant);
}

/// A positional argument by the name that the aliases which have one give it.
std::string describe_missing(Arguments arguments, const std::string& what) {
  if (what == "graph is required" && !alias_program(arguments).empty())
    return "--input_filename is required";
  return what;
}

/// "Not expected: --hots x. Did you mean --host?"
std::string describe_parse_error(const CLI::App& app, Arguments arguments,
                                 const CLI::ParseError& error) {
  const auto extra = app.remaining(true);
  const std::string what =
      dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !extra.empty()
          ? describe_extra(app, extra)
          : describe_missing(arguments, without_full_stop(error.what()));
  return in_option_words(what);
}

int answer_parse_error(const CLI::App& app, Arguments arguments, const CLI::ParseError& error) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    return app.exit(error);  // --help and --version, on stdout
  }
  if (app.get_subcommands().empty()) return answer_missing_verb(app, arguments);
  const std::string said = describe_parse_error(app, arguments, error);
  log_error(
      fmt::format("{}{} {}", said, said.ends_with('?') ? "" : ".", help_hint(app, arguments)));
  return kUsage;
}

int answer_bug(const std::exception& error) {
  log_error(fmt::format("a bug of nadi: {}. Please report it with the command line", error.what()));
  return kOurBug;
}

/// Standard output while a verb runs for a program.
struct OutputForProgram {
  explicit OutputForProgram(const ByteSink& sink) { set_standard_output(sink); }
  ~OutputForProgram() { set_standard_output({}); }
};

int run_words(const std::vector<std::string>& words, const ByteSink& standard_output,
              const AddOptions& add) {
  const OutputForProgram output(standard_output);
  CLI::App app(kPurpose, "nadi");
  set_verbosity(Verbosity::kNormal);
  const std::vector<std::string> names = verb_names();
  if (words.empty() || std::find(names.begin(), names.end(), words.front()) == names.end())
    throw Error(ErrorCode::kUsage, words.empty() ? "nadi" : "nadi " + words.front(), "is no verb",
                fmt::format("There are {}", fmt::join(names, ", ")));
  std::vector<const char*> arguments{"nadi"};
  for (const std::string& word : words) arguments.push_back(word.c_str());
  try {
    return parse_and_run(app, static_cast<int>(arguments.size()), arguments.data(), add);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
      std::ostringstream help;
      const int code = app.exit(error, help);
      write_output("-", help.str());
      return code;
    }
    const std::string said = describe_parse_error(app, arguments, error);
    const std::string verb = "nadi " + words.front();
    if (said.ends_with('?'))
      throw Error(ErrorCode::kUsage, verb, said + " " + help_hint(app, arguments));
    throw Error(ErrorCode::kUsage, verb, said, help_hint(app, arguments));
  } catch (const Error& error) {
    throw in_option_words(error);
  }
}

}  // namespace

int run_words(const std::vector<std::string>& words, const ByteSink& standard_output) {
  return run_words(words, standard_output, add_own_options);
}

void run_as(const std::vector<std::string>& words, const std::function<RunVerb(Options)>& add) {
  bool is_done = false;
  const auto add_options = [&](const Verb& verb, Options options) -> RunVerb {
    if (verb.name != words.front()) return verb.add(options);
    return [&is_done, work = add(options)] {
      is_done = true;
      return work();
    };
  };
  run_words(
      words, [](std::string_view) {}, add_options);
  if (!is_done)
    throw Error(ErrorCode::kUsage, "nadi " + words.front(), "is asked for a help text alone",
                "Leave that option out");
}

int run(int argc, const char* const* argv) {
  CLI::App app(kPurpose, "nadi");
  set_verbosity(Verbosity::kNormal);
  const Arguments arguments(argv, static_cast<std::size_t>(argc));
  try {
    const int code = parse_and_run(app, argc, argv);
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    if (reader_of_stdout_has_gone()) end_without_reader();
    log_error("standard output: cannot be written. Is the disk full?");
    return kBadInput;
  } catch (const CLI::ParseError& error) {
    return answer_parse_error(app, arguments, error);
  } catch (const Error& error) {
    if (reader_of_stdout_has_gone()) end_without_reader();
    const Error said = in_option_words(error);
    log_error(in_lines(said.what(), said.remedy()));
    return exit_code(error.code());
  } catch (const std::bad_alloc&) {
    log_error(
        "out of memory. Raise the limit (ulimit -v, or the control group's), use a machine with "
        "more memory, or, in verbs that have --steps, choose fewer steps");
    return kBadInput;
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::resource_unavailable_try_again) return answer_bug(error);
    log_error(
        "no thread can begin: a limit of processes or of memory is reached. Raise it (ulimit -u "
        "and "
        "-v, or the control group's)");
    return kBadInput;
  } catch (const std::exception& error) {
    return answer_bug(error);
  }
}

}  // namespace nadi::cli
