#include "nadi/converters/events/events.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "nadi/base/compression.h"
#include "nadi/base/count_text.h"
#include "nadi/base/error.h"
#include "nadi/converters/archive/file_set.h"
#include "nadi/converters/cli/event_request.h"
#include "nadi/converters/cli/log.h"
#include "nadi/converters/cli/output.h"
#include "nadi/converters/cli/progress.h"
#include "nadi/converters/cli/run.h"
#include "nadi/converters/cli/summary.h"
#include "nadi/converters/cli/text_table.h"
#include "nadi/converters/cli/verbs.h"

namespace nadi::cli {

namespace {

struct EventsArguments {
  std::vector<std::string> traces;
  Settings settings;
  std::string config, output = "-";
  std::optional<EventFormat> format;
  std::optional<SqliteTables> tables;
  bool list_args = false, stats = false;
};

std::string registry_text(const AttributeRegistry& registry) {
  TextTable table{{"column", "raw key", "type", "default", "since", "meaning"}, {}, {}};
  for (const Attribute& a : registry.attributes)
    table.rows.push_back({a.column, fmt::format("{}", fmt::join(a.raw_keys, " | ")),
                          std::string(to_string(a.type)), a.fallback, a.min_version, a.meaning});
  std::string text = fmt::format("Attributes, version {}\n", registry.version);
  text += format_table(table, 2) + "\nSets\n";
  for (const AttributeSet& set : registry.sets)
    text += fmt::format("  {}: {}\n", set.name, fmt::join(set.columns, ", "));
  return text;
}

/// Where a SQLite file is made: beside its place, and put there at the end.
EventsReport write_sqlite(const EventsArguments& arguments, const std::vector<EventTrace>& traces,
                          const EventRequest& request, const Progress& progress) {
  const std::filesystem::path path(arguments.output);
  const std::string ending = path.extension().string();
  if (compression_of(arguments.output) != Compression::kNone)
    throw Error(ErrorCode::kUsage, "--output " + arguments.output,
                "would pack a SQLite file, which no program opens then",
                "Pass --output events.sqlite, or a packed table: events.csv.gz");
  if (arguments.output == "-" || ending.size() < 2)
    throw Error(ErrorCode::kUsage, "--output " + arguments.output, "SQLite needs a file",
                "Pass --output events.sqlite");
  FileSet files((path.parent_path() / path.stem()).string(), arguments.output);
  const auto writer = sqlite_writer(files.add(ending.substr(1)).string(),
                                    arguments.tables.value_or(SqliteTables::kOne));
  EventsReport report = write_event_tables(traces, request.table, *writer, progress);
  files.commit();
  return report;
}

EventsReport write_lines(const EventsArguments& arguments, EventFormat format,
                         const std::vector<EventTrace>& traces, const EventRequest& request,
                         const Progress& progress) {
  EventsReport report;
  write_output(arguments.output, [&](const ByteSink& sink) {
    const bool with_rank = traces.size() > 1;
    const auto writer = format == EventFormat::kCsv ? csv_writer(sink, with_rank)
                                                    : json_lines_writer(sink, with_rank);
    report = write_event_tables(traces, request.table, *writer, progress);
  });
  return report;
}

std::string stats_text(const EventsReport& report) {
  TextTable table{{"rank", "column", "type", "bytes", "bytes/row"}, {}, {0, 3, 4}};
  for (const RankEvents& rank : report.ranks) {
    const auto add = [&](std::string_view column, std::string_view type, std::size_t bytes) {
      const double rows = static_cast<double>(std::max<std::uint64_t>(rank.rows, 1));
      table.rows.push_back({std::to_string(rank.trace.rank), std::string(column), std::string(type),
                            with_commas(bytes),
                            fmt::format("{:.1f}", static_cast<double>(bytes) / rows)});
    };
    add("base columns", "", rank.base_bytes);
    for (const auto& column : rank.attributes)
      add(column.column, to_string(column.type), column.bytes);
    add("texts, each once", "", rank.text_bytes);
    add("all", "", rank.memory_bytes);
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return "\n" + format_table(table, 2) +
         fmt::format("  peak of the process: {} bytes\n",
                     with_commas(static_cast<std::uint64_t>(usage.ru_maxrss) * 1024));
}

std::string summary_text(const EventsReport& report, const std::string& output) {
  std::uint64_t rows = 0;
  for (const RankEvents& rank : report.ranks) rows += rank.rows;
  const std::string ranks =
      list_of(report.ranks, [](const RankEvents& rank) { return std::to_string(rank.trace.rank); });
  const std::size_t attributes = report.ranks.empty() ? 0 : report.ranks[0].attributes.size();
  return fmt::format("{}: {} with {} of {} {}\n", output == "-" ? "standard output" : output,
                     counted(rows, "row"), counted(attributes, "attribute"),
                     report.ranks.size() == 1 ? "rank" : "ranks", ranks);
}

int run_events(const EventsArguments& arguments) {
  const EventRequest request = event_request(arguments.settings, arguments.config);
  if (arguments.list_args) {
    write_output("-", registry_text(request.registry));
    return kOk;
  }
  if (arguments.traces.empty())
    throw Error(ErrorCode::kUsage, "TRACE", "is required", "See: nadi events --help");
  const EventFormat format = arguments.format          ? *arguments.format
                             : arguments.output == "-" ? EventFormat::kCsv
                                                       : event_format_of(arguments.output);
  if (arguments.output == "-") keep_stdout_for_data();
  if (arguments.tables && format != EventFormat::kSqlite)
    throw Error(ErrorCode::kUsage, "--tables", "is of SQLite alone", "Pass --output events.sqlite");
  require_no_input(arguments.output, arguments.traces);
  Diagnostics found;
  const auto traces = choose_ranks(find_event_traces(arguments.traces, found), request.ranks);
  EventsReport report;
  {
    ProgressBar bar;
    const Progress progress = reading_on(bar);
    report = format == EventFormat::kSqlite
                 ? write_sqlite(arguments, traces, request, progress)
                 : write_lines(arguments, format, traces, request, progress);
  }
  found.merge(report.diagnostics);
  log_summary(summary_text(report, arguments.output));
  log_findings(found.table());
  if (arguments.stats) log_summary(stats_text(report));
  return kOk;
}

void add_settings(Options& options, Settings& settings) {
  for (const EventSetting& setting : event_settings()) {
    const std::string name = setting.name;
    const auto take = [&settings, name](const std::string& text) {
      settings[name].push_back(text);
    };
    if (setting.value != nullptr)
      options.add_repeated("--" + name, take, setting.value, setting.purpose);
    else
      options.add_switch(
          "--" + name, [take] { take("true"); }, setting.purpose);
  }
}

}  // namespace

RunVerb add_events(Options options) {
  auto arguments = std::make_shared<EventsArguments>();
  options.add_texts("TRACE", arguments->traces,
                    "Device traces (torch.profiler: JSON or .pftrace) of one or more ranks, "
                    "folders of them, or -",
                    Need::kOptional);
  options.add_output("--output", arguments->output, Need::kOptional, "T.csv|.jsonl|.sqlite",
                     "The table; without it CSV on standard output", Ending::kMayBeAny);
  static const std::vector<std::string> kFormats{"csv", "jsonl", "sqlite"};
  options.add_choice(
      "--format",
      [arguments](const std::string& format) { arguments->format = event_format_of("." + format); },
      kFormats, "Instead of what the name of the output says");
  options.add_choice<std::optional<SqliteTables>>(
      "--tables", arguments->tables,
      {{"one", SqliteTables::kOne}, {"rank", SqliteTables::kPerRank}},
      "SQLite: one table of all ranks (default), or events_<rank> each");
  add_settings(options, arguments->settings);
  options.add_text("--config", arguments->config, Need::kOptional, "FILE",
                   "JSON or YAML with the names of options above as keys; what the command line "
                   "gives goes before it");
  options.add_flag("--list-args", arguments->list_args, "Print the attributes and sets there are");
  options.add_flag("--stats", arguments->stats, "Say how many bytes each column needed");
  return [arguments] { return run_events(*arguments); };
}

}  // namespace nadi::cli
