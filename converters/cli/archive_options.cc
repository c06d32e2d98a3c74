#include "nadi/converters/cli/archive_options.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>

#include "nadi/base/error.h"
#include "nadi/base/number_text.h"
#include "nadi/converters/cli/job_options.h"
#include "nadi/converters/cli/trace_options.h"

namespace nadi::cli {

namespace {

constexpr std::string_view kUnits = "KMGT";

/// Takes the text of an option that wants a size.
std::function<void(const std::string&)> size_from_1(const char* option, std::uint64_t& target) {
  return [option, &target](const std::string& text) {
    target = parse_size(text).value_or(0);
    if (target == 0)
      throw Error(ErrorCode::kUsage, option, "'" + text + "' is no size",
                  "Pass for example 500M or 64G");
  };
}

/// Apart from the tool's own codes, and from those of shells and signals.
std::function<void(const std::string&)> code_of_failed_ranks(int& target) {
  return [&target](const std::string& text) {
    target = number_of_text<int>(text).value_or(0);
    if (target < 5 || target > 125)
      throw Error(ErrorCode::kUsage, "--failed-exit-code", "'" + text + "' is none of 5 to 125",
                  "The tool's own exit codes are 0 to 4, shells have those from 126 on");
  };
}

std::function<void(const std::string&)> count_from_1(const char* option, std::uint64_t& target) {
  return [option, &target](const std::string& text) {
    std::int64_t count = 0;
    whole_from_1(option, count)(text);
    target = static_cast<std::uint64_t>(count);
  };
}

}  // namespace

std::optional<std::uint64_t> parse_size(std::string_view text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const auto number = number_of_text<double>(text.substr(0, end));
  std::string unit;
  for (const char c : text.substr(end))
    if (c != ' ') unit += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  double factor = 1;
  if (!unit.empty() && unit != "B") {
    const std::size_t power = kUnits.find(unit.front());
    const std::string rest = unit.substr(1);
    if (power == std::string_view::npos || (!rest.empty() && rest != "B" && rest != "IB"))
      return std::nullopt;
    factor = std::pow(1024.0, static_cast<double>(power + 1));
  }
  if (!number || !(*number >= 0) || *number * factor > 1e18) return std::nullopt;
  return static_cast<std::uint64_t>(*number * factor);
}

std::string size_text(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  auto value = static_cast<double>(bytes);
  std::size_t power = 0;
  for (value /= 1024; value >= 1024 && power + 1 < kUnits.size(); value /= 1024) ++power;
  return fmt::format("{:.1f} {}iB", value, kUnits[power]);
}

void add_archive_options(Options& options, ArchiveArguments& arguments) {
  CollectOptions& collect = arguments.collect;
  options.add_texts(
      "--traces", collect.sources.sources,
      "Convert the traces of all ranks in folders and archives (tar or zip, packed or "
      "not), @LIST (one per line; # begins a comment) or - (a tar on standard input), in "
      "place of --host and --device",
      Need::kOptional);
  options.begin_group("Many ranks");
  options.add_text("--pattern", collect.pattern, Need::kOptional, "'*.{rank}.json*'",
                   "With --traces: which files, and where the rank stands in their names");
  options.begin_group(kShownOptions);
  options.add_flag("--recursive", collect.sources.is_recursive,
                   "With --traces: also look into folders in folders; the traces in folder JOB "
                   "become PREFIX.JOB.<rank>.et");
  options.begin_group("Many ranks");
  options.add_flag("--one-job", collect.is_one_job,
                   "With --traces: folders tell no jobs apart, all become PREFIX.<rank>.et");
  options.add_parsed(
      "--window", [&collect](const std::string& text) { collect.windows = parse_window(text); },
      "newest|N|all",
      "With --traces: which window of the profiler is converted where ranks have "
      "several (schedule(repeat=2)), N from 1, the oldest, on; all: each becomes "
      "PREFIX.w<N>.<rank>.et (default: newest)");
  options.add_parsed("--jobs", whole_from_1("--jobs", arguments.jobs), "N",
                     "With --traces: ranks converted at a time (default: one per core)");
  options.add_parsed("--memory", size_from_1("--memory", arguments.memory), "SIZE",
                     "With --traces: memory to stay within, such as 8G (default: 80 % of the "
                     "machine's, or of the control group's)");
  options.add_text("--spool", arguments.spool, Need::kOptional, "DIR",
                   "With --traces: where traces of archives wait for their partner when memory is "
                   "full (default: beside the output)");
  options.add_text(
      "--shard", arguments.shard, Need::kOptional, "I/N",
      "With --traces: convert the ranks of shard I of N only, from 0; auto/N takes I "
      "from a Slurm array or a Kubernetes indexed job, auto-B/N where these begin with "
      "B");
  options.add_flag("--finish", arguments.joins_shards,
                   "With --traces: join what all shards have converted, and say what is missing");
  options.add_flag("--dry-run", arguments.only_lists,
                   "With --traces: list the pairs, and convert nothing; needs no --output");
  const auto redo = [&arguments](const std::string& what) {
    arguments.restarts |= what == "all";
    arguments.retries_failed |= what == "failed";
    arguments.verifies |= what == "changed";
  };
  options.add_choice(
      "--redo", redo, {"all", "failed", "changed"},
      "With --traces: convert again what PREFIX.manifest.jsonl says is done (all), "
      "ranks that failed before with the same traces, or ranks whose traces or graph "
      "have other checksums now; not only another size or time");
  options.add_parsed("--failed-exit-code", code_of_failed_ranks(arguments.failed_exit_code), "N",
                     "With --traces: exit with N, not 1 or 3, where ranks or jobs cannot be "
                     "converted, which trying again does not help");
  options.add_parsed("--max-members",
                     count_from_1("--max-members", collect.sources.limits.most_members), "N",
                     "With --traces: an archive of more members is read no further (default: "
                     "10000000)");
  options.add_parsed("--max-ratio", count_from_1("--max-ratio", collect.sources.limits.most_ratio),
                     "N",
                     "With --traces: an archive that unpacks to more than N times its size is "
                     "taken for a bomb (default: 1000)");
  options.add_parsed("--max-unpacked",
                     size_from_1("--max-unpacked", collect.sources.limits.most_bytes), "SIZE",
                     "With --traces: the same for a member that unpacks to more (default: 64G)");
  options.begin_group(kHiddenOptions);
  const auto add_old_name = [&](const char* name, const char* what) {
    options.add_switch(
        name, [redo, what] { redo(what); }, "--redo");
  };
  add_old_name("--restart", "all");
  add_old_name("--retry-failed", "failed");
  add_old_name("--verify", "changed");
  options.add_number("--shard-base", arguments.shard_base, "B", "--shard auto-B/N");
  options.begin_group(kShownOptions);
}

std::string spool_of(const std::string& directory, const std::string& output) {
  return directory.empty() ? output + ".spool" : directory + "/nadi";
}

std::string deciding_options_text(const Options& options) {
  return options.given_text({kTraceArgument,  "--traces",        "--pattern",
                             "--recursive",   "--one-job",       "--jobs",
                             "--window",      "--memory",        "--spool",
                             "--shard",       "--shard-base",    "--finish",
                             "--dry-run",     "--redo",          "--restart",
                             "--verify",      "--retry-failed",  "--failed-exit-code",
                             "--max-members", "--missing",       "--target",
                             "--unsupported", "--collectives",   "--dataset-splits",
                             "--backend",     "--communication", "--ring-from",
                             "--lanes",       "--network",       "--link-gb-per-s",
                             "--latency-ns",  "--topology",      "--dims",
                             "--output",      "--report",        "--world",
                             "--grow",        "--shard-compute", "--scale",
                             "--gpu",         "--coarsen",       "--coarsen-map",
                             "--html",        "--simulate",      "--verbose",
                             "--quiet"});
}

}  // namespace nadi::cli
