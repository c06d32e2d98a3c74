#include "nadi/converters/profile/profile.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "nadi/base/error.h"
#include "nadi/converters/cli/log.h"
#include "nadi/converters/cli/option_words.h"
#include "nadi/converters/cli/output.h"
#include "nadi/converters/cli/profile_text.h"
#include "nadi/converters/cli/progress.h"
#include "nadi/converters/cli/run.h"
#include "nadi/converters/cli/trace_options.h"
#include "nadi/converters/cli/verbs.h"
#include "nadi/converters/html/profile_page.h"
#include "nadi/converters/profile/write_profile.h"

namespace nadi::cli {

namespace {

struct ProfileArguments {
  ProfileOptions options;
  std::int64_t top = 10;
  double peak_tflops = 0, memory_gb_per_s = 0;
  std::string output, report;  // empty = none
};

void write_profile(const std::string& output, const ProfiledJob& found, const Roofline& roofline) {
  write_output(output, [&](const ByteSink& sink) {
    if (output.ends_with(".html"))
      html::write_profile_page({found.profile, found.profile.spots, roofline, &found}, sink);
    else if (output.ends_with(".csv"))
      write_profile_csv(found.profile, sink);
    else
      sink(profile_json(found.profile, roofline));
  });
}

int run_profile(ProfileArguments arguments) {
  for (const std::string& output : {arguments.output, arguments.report})
    require_no_input(output, arguments.options.inputs);
  const Roofline roofline{arguments.peak_tflops, arguments.memory_gb_per_s};
  ProfiledJob found;
  {
    ProgressBar bar;
    arguments.options.progress = reading_on(bar);
    arguments.options.on_stage = [&bar](std::string_view stage) { bar.update(stage, 0, 0); };
    found = profile(arguments.options);
  }
  for (ProfileFinding& finding : found.profile.findings)
    for (std::string* text : {&finding.what, &finding.place, &finding.remedy})
      *text = in_option_words(*text);
  for (const std::string& output : {arguments.output, arguments.report})
    if (!output.empty()) write_profile(output, found, roofline);
  const int code = found.lacks_ranks ? kCheckFailed : kOk;
  if (arguments.output == "-" || arguments.report == "-" || verbosity() == Verbosity::kQuiet)
    return code;
  const std::string text =
      profile_text(found.profile, {static_cast<std::size_t>(arguments.top), roofline});
  write_output("-", has_colours(stdout) ? with_titles_in_bold(text) : text);
  return code;
}

}  // namespace

RunVerb add_profile(Options options) {
  auto arguments = std::make_shared<ProfileArguments>();
  options.add_texts("traces", arguments->options.inputs,
                    "Device traces, with or without their host traces, or Chakra graphs (.et), of "
                    "the ranks of one job; folders and archives of them; or -");
  options.add_output(
      "--output", arguments->output, Need::kOptional, "P.json|.csv|.html",
      "Also write all of it as JSON, its numbers as CSV, or a page for a browser; - is JSON on "
      "standard output");
  options.add_output("--report", arguments->report, Need::kOptional, "R.json",
                     "The JSON again, by the name that it has in other verbs");
  add_steps_option(options, arguments->options.steps);
  add_window_option(options, arguments->options.window);
  options.add_number("--top", arguments->top, "N", "Rows of each table; default 10, 0 = all");
  options.add_real("--peak-tflops", arguments->peak_tflops, "X",
                   "What the device computes at most; with it kernels have their share of a "
                   "roofline");
  options.add_real("--memory-gb-per-s", arguments->memory_gb_per_s, "X",
                   "What its memory moves at most, in 1e9 bytes per s; the same");
  return [arguments] { return run_profile(*arguments); };
}

}  // namespace nadi::cli
