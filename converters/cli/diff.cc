#include "nadi/converters/diff/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "nadi/base/compression.h"
#include "nadi/base/error.h"
#include "nadi/converters/cli/diff_text.h"
#include "nadi/converters/cli/for_program.h"
#include "nadi/converters/cli/log.h"
#include "nadi/converters/cli/option_words.h"
#include "nadi/converters/cli/output.h"
#include "nadi/converters/cli/progress.h"
#include "nadi/converters/cli/run.h"
#include "nadi/converters/cli/summary.h"
#include "nadi/converters/cli/verbs.h"
#include "nadi/converters/diff/write_diff_csv.h"
#include "nadi/converters/diff/write_diff_json.h"
#include "nadi/converters/html/diff_page.h"

namespace nadi::cli {

namespace {

enum class DiffFormat : std::uint8_t { kTable, kCsv, kJson, kHtml };

struct DiffArguments {
  std::vector<std::string> runs;  // both, without options
  DiffTraces control, test;
  DiffChoice choice;
  DiffView view;
  std::string output = "-", html;  // html: a page too; empty = none
  std::optional<DiffFormat> format;
  std::vector<FailCondition> conditions;
  std::int64_t top = 20;
};

DiffFormat format_of(const DiffArguments& arguments) {
  if (arguments.format) return *arguments.format;
  const std::string_view path = without_compression(arguments.output);
  if (path == "-" || path.ends_with(".txt")) return DiffFormat::kTable;
  if (path.ends_with(".csv")) return DiffFormat::kCsv;
  if (path.ends_with(".json")) return DiffFormat::kJson;
  if (path.ends_with(".html")) return DiffFormat::kHtml;
  throw Error(ErrorCode::kUsage, arguments.output, "nothing tells the format",
              "Let the name end in .csv, .json, .html or .txt");
}

std::string text_of(const DiffReport& report, const DiffView& view) {
  std::string text = diff_summary(report);
  const bool is_tree = report.by == DiffBy::kCallPath;
  for (const std::string& part :
       {is_tree ? diff_calls(report, view) : diff_table(report, view), diff_lanes(report),
        diff_edges(report), diff_inputs(report, view.top)})
    if (!part.empty()) text += "\n" + part;
  return text;
}

void write_page(const std::string& path, const DiffReport& report, const GateVerdict& gate) {
  write_output(path, [&](const ByteSink& sink) {
    html::write_diff_page(report, gate, sink, in_option_words);
  });
}

void write_diff(const DiffArguments& arguments, DiffFormat format, const DiffReport& report,
                const GateVerdict& gate) {
  if (!arguments.html.empty()) write_page(arguments.html, report, gate);
  if (format == DiffFormat::kHtml) return write_page(arguments.output, report, gate);
  write_output(arguments.output, [&](const ByteSink& sink) {
    if (format == DiffFormat::kCsv)
      write_diff_csv(report, sink);
    else if (format == DiffFormat::kJson)
      write_diff_json(report, gate, sink, in_option_words);
    else
      sink(text_of(report, arguments.view));
  });
}

/// `nadi diff A B`, or each run by its option.
void take_runs(DiffArguments& arguments) {
  const std::vector<std::string>& runs = arguments.runs;
  const bool has_control = !arguments.control.paths.empty(),
             has_test = !arguments.test.paths.empty();
  constexpr const char* kRemedy =
      "Give the run before and the run after: nadi diff CONTROL TEST, or several traces of each "
      "behind --control and --test";
  if (runs.empty() && has_control && has_test) return;
  if (runs.size() != 2 || has_control || has_test)
    throw Error(ErrorCode::kUsage, "nadi diff", "two runs are compared", kRemedy);
  arguments.control.paths = {runs[0]};
  arguments.test.paths = {runs[1]};
}

ComparedRuns compare(const DiffArguments& arguments) {
  ProgressBar bar;
  ComparedRuns compared;
  compared.report =
      diff_traces(arguments.control, arguments.test, arguments.choice, reading_on(bar));
  compared.gate = check_diff(compared.report, arguments.conditions);
  return compared;
}

int run_diff(DiffArguments& arguments) {
  const DiffFormat format = format_of(arguments);
  // HTA's columns have no shapes.
  arguments.choice.compare_inputs = format != DiffFormat::kCsv || !arguments.html.empty();
  arguments.choice.grow_calls = format == DiffFormat::kHtml || !arguments.html.empty();
  if (arguments.output == "-" && format != DiffFormat::kTable) keep_stdout_for_data();
  take_runs(arguments);
  for (const std::string& output : {arguments.output, arguments.html}) {
    require_no_input(output, arguments.control.paths);
    require_no_input(output, arguments.test.paths);
  }
  arguments.view.top = static_cast<std::size_t>(arguments.top);
  const auto [report, gate] = compare(arguments);
  write_diff(arguments, format, report, gate);
  if (format != DiffFormat::kTable) log_summary(diff_summary(report));
  log_findings(report.diagnostics.table());
  for (const FailedCondition& condition : gate.failed)
    log_error(failed_text(report, condition, arguments.view.top));
  if (!gate.conditions.empty() && !gate.cannot_judge.empty())
    log_error("--fail-if: " + gate.cannot_judge + ", so nothing can be said");
  return gate.is_open() ? kOk : kCheckFailed;
}

/// The option of one side, and of both.
void add_sides(Options& options, const std::shared_ptr<DiffArguments>& arguments,
               const std::string& name, const std::string& value, const std::string& purpose,
               void (*take)(DiffTraces&, const std::string&)) {
  // In this order, so that the option of a side goes before that of both.
  options.add_parsed(
      "--" + name,
      [=](const std::string& text) {
        take(arguments->control, text);
        take(arguments->test, text);
      },
      value, purpose + " of both");
  options.add_parsed(
      "--control-" + name, [=](const std::string& text) { take(arguments->control, text); }, value,
      purpose + " of control");
  options.add_parsed(
      "--test-" + name, [=](const std::string& text) { take(arguments->test, text); }, value,
      purpose + " of test");
}

void take_group(DiffView& view, std::string text) {
  std::replace(text.begin(), text.end(), '-', ' ');
  for (std::size_t change = 0; change < kCountChanges; ++change)
    if (to_string(static_cast<CountChange>(change)) == text)
      return view.groups.push_back(static_cast<CountChange>(change));
  throw Error(ErrorCode::kUsage, "--group " + text, "is none",
              "There are added, deleted, increased, decreased and same-count");
}

void add_choices(Options& options, const std::shared_ptr<DiffArguments>& arguments) {
  const auto names = diff_by_names();
  options.add_choice(
      "--device", [=](const std::string& t) { arguments->choice.device = *diff_device_of(t); },
      {"host", "device", "all"}, "Rows without a stream, rows with one, or all (default)");
  options.add_choice(
      "--by", [=](const std::string& t) { arguments->choice.by = *diff_by_of(t); },
      {names.begin(), names.end()}, "What rows are grouped by; default name");
  options.add_flag("--round-us", arguments->choice.round_to_micros,
                   "Round times to whole microseconds, as HTA does");
  options.add_repeated(
      "--only", [=](const std::string& t) { arguments->choice.only.push_back(t); }, "TEXT",
      "Compare only rows whose name holds the text");
  options.add_repeated(
      "--exclude", [=](const std::string& t) { arguments->choice.exclude.push_back(t); }, "TEXT",
      "Leave out rows whose name holds the text: ProfilerStep");
}

void add_view(Options& options, const std::shared_ptr<DiffArguments>& arguments) {
  options.add_number("--top", arguments->top, "N", "Rows of the table; default 20, 0 = all");
  options.add_choice<DiffSort>(
      "--sort", arguments->view.sort,
      {{"duration", DiffSort::kDuration}, {"count", DiffSort::kCount}, {"name", DiffSort::kName}},
      "Order of the table: the largest difference first");
  options.add_repeated(
      "--group", [=](const std::string& text) { take_group(arguments->view, text); },
      "added|deleted|increased|decreased|same-count", "Show these rows in the table only");
  options.add_choice<bool>(
      "--time", arguments->view.is_inclusive, {{"own", false}, {"inclusive", true}},
      "Times of the table: of calls without what they call (default), or with all of it");
  options.add_flag("--significant", arguments->view.significant_only,
                   "Show only rows whose difference is more than noise: the means per iteration "
                   "and rank differ by more than 2 * sqrt(s_control^2 + s_test^2), s the standard "
                   "deviations over iterations and ranks");
}

std::shared_ptr<DiffArguments> add_diff_arguments(Options& options) {
  auto arguments = std::make_shared<DiffArguments>();
  const std::string traces =
      "Device traces of ranks, folders of them, or -, or Chakra graphs (.et)";
  options.add_texts("runs", arguments->runs, "The run before and the run after, a path each",
                    Need::kOptional);
  options.add_texts("--control", arguments->control.paths, traces + ": the run before",
                    Need::kOptional);
  options.add_texts("--test", arguments->test.paths, traces + ": the run after", Need::kOptional);
  add_sides(options, arguments, "ranks", "first|all|0,2-3", "Ranks",
            [](DiffTraces& side, const std::string& text) { side.ranks = text; });
  add_sides(
      options, arguments, "iterations", "first|all|N,M", "Iterations (ProfilerStep#N)",
      [](DiffTraces& side, const std::string& text) { side.iterations = parse_iterations(text); });
  add_choices(options, arguments);
  options.add_output("--output", arguments->output, Need::kOptional, "D.csv|.json|.html|.txt",
                     "The rows; without it a table on standard output", Ending::kMayBeAny);
  options.add_choice<std::optional<DiffFormat>>("--format", arguments->format,
                                                {{"table", DiffFormat::kTable},
                                                 {"csv", DiffFormat::kCsv},
                                                 {"json", DiffFormat::kJson},
                                                 {"html", DiffFormat::kHtml}},
                                                "Instead of what the name of the output says");
  options.add_file("--html", arguments->html, "D.html",
                   "Also write a page for a browser: bars, call tree, tables, in one file");
  add_view(options, arguments);
  options.add_repeated(
      "--fail-if",
      [arguments](const std::string& text) {
        for (FailCondition& condition : parse_fail_if(text))
          arguments->conditions.push_back(std::move(condition));
      },
      "'duration>5%,added>0'",
      "Exit with 1 if a condition holds, and list the rows at fault. There are " + fail_if_help());
  return arguments;
}

void refuse_outputs(const Options& options) {
  for (const char* option :
       {"--output", "--format", "--html", "--top", "--sort", "--group", "--time", "--significant"})
    if (options.is_given(option))
      throw Error(ErrorCode::kUsage, option, "is for what the tool prints and writes",
                  "Choose rows of the table, or run the verb as the tool does");
}

}  // namespace

RunVerb add_diff(Options options) {
  const auto arguments = add_diff_arguments(options);
  return [arguments] { return run_diff(*arguments); };
}

std::string ComparedRuns::failure() const {
  if (gate.is_open()) return "";
  std::vector<std::string> failed;
  for (const FailedCondition& condition : gate.failed)
    failed.push_back(condition.condition + " holds");
  return failed.empty() ? gate.cannot_judge : fmt::format("{}", fmt::join(failed, "; "));
}

ComparedRuns compare_runs(const std::vector<std::string>& words) {
  ComparedRuns compared;
  run_as(words, [&compared](Options options) -> RunVerb {
    const auto arguments = add_diff_arguments(options);
    return [&compared, arguments, options] {
      refuse_outputs(options);
      take_runs(*arguments);
      compared = compare(*arguments);
      return kOk;
    };
  });
  return compared;
}

}  // namespace nadi::cli
