#include "nadi/converters/cli/manual.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>

#include "nadi/base/error.h"
#include "nadi/base/finding.h"
#include "nadi/chakra/check_rules.h"
#include "nadi/converters/cli/aliases.h"
#include "nadi/converters/cli/completion.h"
#include "nadi/converters/cli/verbs.h"
#include "nadi/emit/atomic_file.h"

namespace nadi::cli {

namespace {

/// Text as roff shows it: no escapes, hyphens that can be copied, no line that is a request.
std::string roff(std::string_view text) {
  std::string shown;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && (c == '.' || c == '\'')) shown += "\\&";
    at_start = c == '\n';
    if (c == '\\')
      shown += "\\e";
    else if (c == '-')
      shown += "\\-";
    else
      shown += c;
  }
  return shown;
}

std::string title(const std::string& name, std::string_view purpose) {
  std::string upper = name;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return fmt::format(".TH {} 1 \"\" \"nadi {}\" \"nadi manual\"\n.SH NAME\n{} \\- {}\n",
                     roff(upper), NADI_VERSION, roff(name), roff(purpose));
}

/// Those named in `except` left out: the verb has them itself.
std::string options_text(const CLI::App& app, const CLI::App* except = nullptr) {
  std::map<std::string, std::string> of_groups;
  std::vector<std::string> groups;  // in the order of their first options
  for (const CLI::Option* option : app.get_options()) {
    const std::string& group = option->get_positional() ? kShownOptions : option->get_group();
    if (group == kHiddenOptions || option == app.get_help_all_ptr()) continue;
    if (except != nullptr && except->get_option_no_throw(option->get_name()) != nullptr) continue;
    if (!of_groups.contains(group)) groups.push_back(group);
    const std::string name = option->get_name(option->get_positional(), true);
    of_groups[group] +=
        fmt::format(".TP\n\\fB{}\\fR {}\n{}\n", roff(name), roff(option->get_option_text()),
                    roff(option->get_description()));
  }
  std::string text;
  for (const std::string& group : groups)
    text += (group == kShownOptions ? "" : ".SS " + roff(group) + "\n") + of_groups[group];
  return text;
}

std::string codes_text(const CLI::App& app) {
  const std::string footer = app.get_footer();
  constexpr std::string_view kTitle = "Exit codes: ";
  const std::size_t at = footer.find(kTitle);
  return ".SH EXIT STATUS\n" + roff(footer.substr(at + kTitle.size())) + "\n";
}

/// "TRACE" of "TRACE (required)".
std::string value_of(const CLI::Option& option) {
  const std::string& text = option.get_option_text();
  return text.substr(0, text.find(" (required)"));
}

std::string verb_page(const CLI::App& app, const Verb& verb) {
  const CLI::App& verb_app = *app.get_subcommand(verb.name);
  std::string synopsis = fmt::format(".SH SYNOPSIS\n\\fBnadi {}\\fR", roff(verb.name));
  for (const CLI::Option* option : verb_app.get_options())
    if (option->get_required() && !option->get_positional())
      synopsis += fmt::format(" \\fB{}\\fR {}", roff(option->get_name()), roff(value_of(*option)));
  synopsis += " [OPTIONS]";
  for (const CLI::Option* option : verb_app.get_options())
    if (option->get_positional()) synopsis += " " + roff(option->get_name(true));
  return title(std::string("nadi-") + verb.name, verb.purpose) + synopsis + "\n.SH OPTIONS\n" +
         options_text(verb_app) + options_text(app, &verb_app) + ".SH EXAMPLES\n.nf\n" +
         roff(verb.example) + "\n.fi\n" + codes_text(app) + ".SH SEE ALSO\n.BR nadi (1)\n";
}

std::string tool_page(const CLI::App& app) {
  std::string text = title("nadi", "PyTorch execution traces to Chakra graphs that simulators run");
  text += ".SH SYNOPSIS\n\\fBnadi\\fR VERB [OPTIONS]\n.SH VERBS\n";
  for (const Verb& verb : verbs())
    text += fmt::format(".TP\n\\fB{}\\fR\n{}. See\n.BR nadi\\-{} (1).\n", roff(verb.name),
                        roff(verb.purpose), roff(verb.name));
  text += ".SH OPTIONS\n" + options_text(app);
  text +=
      ".SH NAMES OF MLCOMMONS' TOOLS\nThe same program under these names takes their arguments.\n";
  for (const Alias& alias : aliases())
    text += fmt::format(".TP\n\\fB{}\\fR {}\n{}.\n", roff(alias.program), roff(usage_of(alias)),
                        roff(alias.does));
  return text + codes_text(app);
}

std::string alias_page(const CLI::App& app, std::string_view program) {
  std::string synopsis = ".SH SYNOPSIS\n", description = ".SH DESCRIPTION\n", verbs;
  for (const Alias& alias : aliases()) {
    if (alias.program != program) continue;
    const bool is_first = verbs.empty();
    synopsis += fmt::format("{}\\fB{}\\fR {}\n", is_first ? "" : ".br\n", roff(program),
                            roff(usage_of(alias)));
    description += fmt::format("{}{}.\n", is_first ? "" : ".PP\n", roff(alias.does));
    const std::string_view verb = alias.begin.substr(0, alias.begin.find(' '));
    verbs += fmt::format(".BR nadi\\-{} (1),\n", roff(verb));
  }
  return title(std::string(program), "the arguments of MLCommons' tool, done by nadi") + synopsis +
         description + codes_text(app) + ".SH SEE ALSO\n" + verbs + ".BR nadi (1)\n";
}

/// Of nadi or another program: its completion for each shell.
void write_completion(const std::filesystem::path& base, const std::string& program,
                      const std::string& bash, const std::string& zsh, const std::string& fish) {
  write_file(base / "bash" / program, bash);
  write_file(base / "zsh" / ("_" + program), zsh);
  write_file(base / "fish" / (program + ".fish"), fish);
}

}  // namespace

void write_manual(const CLI::App& app, const std::string& folder) {
  namespace fs = std::filesystem;
  const fs::path base(folder);
  std::error_code error;
  for (const char* part : {"man1", "bash", "zsh", "fish"}) {
    fs::create_directories(base / part, error);
    if (error)
      throw Error(ErrorCode::kInput, (base / part).string(),
                  "cannot be made (" + error.message() + ")", "Choose another folder");
  }
  write_file(base / "man1" / "nadi.1", tool_page(app));
  for (const Verb& verb : verbs())
    write_file(base / "man1" / (std::string("nadi-") + verb.name + ".1"), verb_page(app, verb));
  write_completion(base, "nadi", bash_completion(app), zsh_completion(app), fish_completion(app));
  for (const Alias& alias : aliases()) {
    const std::string program(alias.program);
    write_file(base / "man1" / (program + ".1"), alias_page(app, program));
    write_completion(base, program, bash_alias_completion(program), zsh_alias_completion(program),
                     fish_alias_completion(program));
  }
}

std::string findings_page() {
  std::string text =
      "# Findings\n\n"
      "What nadi finds odd and goes on with, as summaries, `--report` and pages name it. *Info*: "
      "worth\nknowing, nothing is wrong. *Warning*: a guess was made or something looks odd. "
      "*Loss*: data was lost or\nrepaired, and `--strict` makes it an error. `nadi help findings` "
      "prints this page.\n\n"
      "| finding | severity | meaning | what to do |\n|---|---|---|---|\n";
  for (const FindingInfo& kind : all_findings())
    text += fmt::format("| `{}` | {} | {} | {} |\n", kind.name, to_string(kind.severity),
                        kind.meaning, kind.remedy.empty() ? "Nothing." : kind.remedy);
  text +=
      "\n# Rules of `nadi check`\n\n"
      "Those of `chakra` are what any reader of one graph demands; those of `astra-sim` are what "
      "`--profile astra-sim`\nchecks of all ranks of a job. *Error*: the check fails. *Warning*: "
      "it "
      "fails with `--strict`. *Note*: worth knowing.\n\n"
      "| rule | of | severity | what is wrong, or what it does |\n|---|---|---|---|\n";
  for (const CheckRuleInfo& rule : all_check_rules())
    text += fmt::format("| `{}` | {} | {} | {} |\n", rule.name,
                        rule.profile == CheckProfile::kChakra ? "chakra" : "astra-sim",
                        to_string(rule.severity), rule.message);
  return text;
}

}  // namespace nadi::cli
