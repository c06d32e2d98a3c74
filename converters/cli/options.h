// The options of a verb. Keeps CLI11, which takes 10 s to compile, out of the verbs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace nadi::cli {

/// Texts of the help and of messages about a prefix of files.
struct PrefixUse {
  const char* name_in_folder;  ///< the prefix where a folder is given; "" = the verb names it
  const char* remedy_packed;   ///< what to do where it ends as a packed file does
};

/// Says whether the ending of an output's name decides the form that is written, or may be any:
/// then another option can name the form.
enum class Ending { kDecidesForm, kMayBeAny };

/// Says whether an option must be given.
enum class Need { kOptional, kRequired };

/// The name of positional arguments that are traces.
inline constexpr const char* kTraceArgument = "TRACE";

/// Groups of options (CLI11's own names).
inline constexpr const char* kShownOptions = "Options";
inline constexpr const char* kHiddenOptions = "";

/// The parts of an option's value between commas; a part may be empty.
std::vector<std::string> split_at_commas(std::string_view text);

/// Adds options to the subcommand of one verb. Targets must outlive the parsing. `value` is what
/// the help shows for the option's value: "TRACE". A name without dashes is a positional argument.
class Options {
 public:
  explicit Options(CLI::App& app) : app_(app) {}

  /// Options added from here on are of a group that --help-all alone shows, or of kShownOptions;
  /// those of kHiddenOptions nothing shows: old names.
  void begin_group(const char* title);

  void add_text(const std::string& name, std::string& target, Need need, const std::string& value,
                const std::string& purpose);
  /// Takes one value or more; none where the option is optional.
  void add_texts(const std::string& name, std::vector<std::string>& target,
                 const std::string& purpose, Need need = Need::kRequired);
  /// `take` gets each text, once per time the option is given; as add_parsed otherwise.
  void add_repeated(const std::string& name, const std::function<void(const std::string&)>& take,
                    const std::string& value, const std::string& purpose,
                    Need need = Need::kOptional);
  /// Takes a whole number of 0 or more; all else is an Error(kUsage).
  void add_number(const std::string& name, std::int64_t& target, const std::string& value,
                  const std::string& purpose, Need need = Need::kOptional);
  /// Takes a number of 0 or more, with or without a fraction.
  void add_real(const std::string& name, double& target, const std::string& value,
                const std::string& purpose);
  void add_flag(const std::string& name, bool& target, const std::string& purpose);
  /// `take` is called when the flag is given.
  void add_switch(const std::string& name, const std::function<void()>& take,
                  const std::string& purpose);
  /// `take` gets the text given; it throws Error(kUsage) where that makes no sense.
  void add_parsed(const std::string& name, const std::function<void(const std::string&)>& take,
                  const std::string& value, const std::string& purpose,
                  Need need = Need::kOptional);
  /// Takes a file to write, or -. It is an Error(kUsage) where that is nothing, a folder, of a
  /// packing nadi does not know, or ends as files of another form than those of `value`
  /// ("G.dot|.svg"). An interrupt says that it was not written.
  void add_output(const std::string& name, std::string& target, Need need, const std::string& value,
                  const std::string& purpose, Ending ending = Ending::kDecidesForm);
  /// Takes a file to write as add_output does, but not -.
  void add_file(const std::string& name, std::string& target, const std::string& value,
                const std::string& purpose);
  /// Takes the prefix of graphs to write. It is an Error(kUsage) where that is "-", nothing, or the
  /// name of one packed file or of a file of another form; a name is added where it is a folder. An
  /// interrupt says that it was not written.
  void add_prefix(const std::string& name, std::string& target, Need need, const PrefixUse& use,
                  const std::string& purpose);
  /// `take` gets one of `choices`.
  void add_choice(const std::string& name, const std::function<void(const std::string&)>& take,
                  const std::vector<std::string>& choices, const std::string& purpose);
  /// `target` becomes what one of the names of `choices` stands for.
  template <class Choice>
  void add_choice(const std::string& name, Choice& target,
                  const std::vector<std::pair<std::string, Choice>>& choices,
                  const std::string& purpose) {
    std::vector<std::string> names;
    names.reserve(choices.size());
    for (const auto& [text, choice] : choices) names.push_back(text);
    const auto take = [choices, &target](const std::string& text) {
      for (const auto& [known, choice] : choices)
        if (known == text) target = choice;
    };
    add_choice(name, take, names, purpose);
  }

  /// True where the command line holds the option; call it after the parsing.
  bool is_given(const std::string& name) const;
  /// The options given but those named, in the order of their declaration: "--delays=all --strict".
  std::string given_text(const std::vector<std::string>& but) const;

 private:
  CLI::App& app_;
};

}  // namespace nadi::cli
