#include "nadi/converters/cli/summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "nadi/base/evidence.h"
#include "nadi/base/finding.h"
#include "nadi/base/time.h"
#include "nadi/base/utf8.h"
#include "nadi/converters/cli/log.h"
#include "nadi/converters/cli/option_words.h"
#include "nadi/converters/cli/text_table.h"

namespace nadi::cli {

namespace {

constexpr std::size_t kLanesShown = 12;

std::uint64_t total_of(const CountTable& counts) {
  std::uint64_t total = 0;
  for (const auto& [name, count] : counts) total += count;
  return total;
}

/// "30 by pattern, 2 by timing".
std::string inferences_text(const CountTable& inferences) {
  CountTable named = inferences;
  for (auto& [name, count] : named) name.insert(0, "by ");
  return counts_text(named);
}

/// "6 graph order (1 by timing), 3 launch".
std::string edges_text(const ConvertReport& report) {
  CountTable named = report.edges;
  for (auto& [name, count] : named)
    for (const auto& [guessed, inferences] : report.inferences)
      if (guessed == name) {
        name += " (" + inferences_text(inferences) + ")";
        break;
      }
  return counts_text(named);
}

/// "10 kernel, 2 memset; 3 more launches have no row".
std::string device_rows_text(const ConvertReport& report) {
  const std::string kinds = counts_text(report.device_rows_by_kind);
  if (report.launches_without_row == 0) return kinds;
  return fmt::format("{}; {} no row", kinds,
                     report.launches_without_row == 1
                         ? "1 more launch has"
                         : with_commas(report.launches_without_row) + " more launches have");
}

std::string matched_text(const ConvertReport& report) {
  if (!report.has_host_trace) return "no host trace: ops taken from the device trace";
  return fmt::format("{} of {} host ops ({})", with_commas(report.matched_host_ops),
                     with_commas(report.host_ops),
                     share_text(static_cast<double>(report.matched_host_ops),
                                static_cast<double>(report.host_ops)));
}

/// Communication that nothing describes.
std::string unrecorded_text(const ConvertReport& report) {
  return fmt::format("communicate, and nothing tells what: {} ({} of the device time)",
                     duration_text(report.unrecorded_communication_ns),
                     time_share_text(report.unrecorded_communication_ns, report.device_ns));
}

/// How many edges say who waited for whom.
std::uint64_t count_waits(const CountTable& edges) {
  std::uint64_t count = 0;
  for (const Evidence evidence :
       {Evidence::kEventWait, Evidence::kSynchronisation, Evidence::kThreadHandOff})
    for (const auto& [name, edges_of] : edges)
      if (name == to_string(evidence)) count += edges_of;
  return count;
}

/// What a what-if on the graph is worth: how much of it is known, guessed, and not known.
std::string what_ifs_text(const ConvertReport& report) {
  const std::uint64_t waits = count_waits(report.edges),
                      guesses = std::min(waits, count_waits(report.inferred_edges));
  std::string text =
      waits == 0 ? "nothing waits for another thread or stream"
                 : fmt::format(
                       "rest on {} between threads and streams, {} recorded and {} "
                       "inferred",
                       counted(waits, "wait"), with_commas(waits - guesses), with_commas(guesses));
  for (const Diagnostic& finding : report.diagnostics)
    if (finding.kind == Finding::kSyncUnresolved)
      text += fmt::format("; what {} more waited for is unknown", with_commas(finding.count));
  Ns until = 0;
  for (const LaneReport& lane : report.lanes) until = saturated_sum(until, lane.end_ns);
  const auto share = [&](Ns time) { return time_share_text(time, until); };
  text += fmt::format("; {} of the time of all lanes is unexplained", share(report.unexplained_ns));
  if (report.unrecorded_work_ns > 0)
    text += fmt::format(", {} is work that has no row", share(report.unrecorded_work_ns));
  return text;
}

std::string overview(const ConvertReport& report) {
  TextTable table;
  table.rows = {
      {"matched", matched_text(report)},
      {"device rows", with_commas(report.device_rows), device_rows_text(report)},
      {"linked by", with_commas(report.linked_device_rows),
       counts_text(report.device_rows_by_evidence)},
      {"nodes", with_commas(report.nodes), counts_text(report.nodes_by_kind)},
      {"edges", with_commas(total_of(report.edges)), edges_text(report)},
      {"collectives", with_commas(total_of(report.collectives)), counts_text(report.collectives)},
  };
  if (report.unrecorded_communications > 0)
    table.rows.push_back(
        {"unrecorded", with_commas(report.unrecorded_communications), unrecorded_text(report)});
  table.rows.push_back({"what-ifs", what_ifs_text(report)});
  table.rows.push_back({"span", duration_text(report.span_ns)});
  // One text column: the number, then what it is made of.
  for (auto& row : table.rows) {
    if (row.size() == 3) {
      row[1] += ": " + row[2];
      row.pop_back();
    }
  }
  return format_table(table, kIndent);
}

/// The table, and how many rows it leaves out.
std::string with_rest(const TextTable& table, std::size_t all, std::string_view noun) {
  if (table.rows.empty()) return "";
  std::string text = format_table(table, kIndent);
  if (all > table.rows.size())
    text += fmt::format("  and {} more {} (--verbose shows all)\n", all - table.rows.size(), noun);
  return text;
}

std::string lanes_table(const ConvertReport& report, bool in_detail) {
  TextTable table{{"lane", "nodes", "until", "unexplained (of until)"}, {}, {1, 2, 3}};
  for (const LaneReport& lane : report.lanes) {
    if (!in_detail && table.rows.size() == kLanesShown) break;
    table.rows.push_back({lane.name, with_commas(lane.nodes), duration_text(lane.end_ns),
                          unexplained_text(lane.unexplained_ns, lane.end_ns)});
  }
  return with_rest(table, report.lanes.size(), "lanes");
}

/// What is known of the order inside each CUDA graph.
std::string cuda_graphs_table(const ConvertReport& report, bool in_detail) {
  TextTable table{
      {"CUDA graph", "launches", "nodes", "dependencies", "roots", "rows without predecessor"},
      {},
      {1, 2, 3, 4, 5}};
  for (const CudaGraphReport& graph : report.cuda_graphs) {
    if (!in_detail && table.rows.size() == kLanesShown) break;
    const bool is_recorded = graph.dependencies > 0;
    table.rows.push_back({std::to_string(graph.id), with_commas(graph.launches),
                          with_commas(graph.nodes),
                          is_recorded ? with_commas(graph.dependencies) : "not recorded",
                          is_recorded ? with_commas(graph.roots) : "-",
                          with_commas(graph.rows_without_predecessor)});
  }
  return with_rest(table, report.cuda_graphs.size(), "CUDA graphs");
}

}  // namespace

std::string with_severities_in_colour(std::string_view table) {
  std::string text;
  while (!table.empty()) {
    const std::size_t end = std::min(table.find('\n'), table.size() - 1) + 1;
    const std::string_view line = table.substr(0, end);
    table.remove_prefix(end);
    const std::size_t kind = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t begin = std::min(line.find_first_not_of(' ', line.find(' ', kind)), end);
    const std::string_view word = line.substr(begin, line.find_first_of(" \n", begin) - begin);
    const bool is_bad = word == "loss" || word == "error" || word == "lacking";
    const bool is_odd = word == "warning" || word == "partly";
    const char* const colour = is_bad ? "\x1b[31m" : is_odd ? "\x1b[33m" : "";
    text.append(line.substr(0, begin)).append(colour).append(word);
    text.append(*colour == '\0' ? "" : "\x1b[0m").append(line.substr(begin + word.size()));
  }
  return text;
}

std::string unexplained_text(Ns unexplained, Ns of) {
  return fmt::format("{} ({})", duration_text(unexplained), time_share_text(unexplained, of));
}

constexpr std::size_t kPlaceWidth = 160, kWholeText = 1 << 20;

std::string diagnostics_table(const std::vector<Diagnostic>& diagnostics, bool in_detail,
                              const char* header) {
  if (diagnostics.empty()) return "";
  TextTable table{{header, "severity", "count", "first"}, {}, {2}};
  for (const Diagnostic& diagnostic : diagnostics) {
    const auto& places = diagnostic.first;
    table.rows.push_back(
        {std::string(to_string(diagnostic.kind)),
         std::string(to_string(severity_of(diagnostic.kind))), with_commas(diagnostic.count),
         places.empty()
             ? ""
             : cut_text(in_option_words(places.front()), in_detail ? kWholeText : kPlaceWidth)});
    for (std::size_t i = 1; in_detail && i < places.size(); ++i) {
      table.rows.push_back({"", "", "", in_option_words(places[i])});
    }
  }
  return format_table(table, kIndent);
}

void log_findings(const std::vector<Diagnostic>& diagnostics) {
  log_findings_table(diagnostics_table(diagnostics, verbosity() == Verbosity::kVerbose));
}

void log_findings_table(const std::string& table) {
  if (!table.empty())
    log_text("\n" + (has_colours(stderr) ? with_severities_in_colour(table) : table));
}

void log_conversion(const ConvertReport& report) {
  log_summary(format_summary(report, verbosity() == Verbosity::kVerbose));
  log_findings(report.diagnostics);
}

std::string format_summary(const ConvertReport& report, bool in_detail) {
  const bool has_moved = report.job_rank >= 0 && report.job_rank != report.rank;
  std::string text = fmt::format("{} ({}rank {}) in {:.2f} s\n", report.output,
                                 has_moved ? "recorded " : "", report.rank, report.seconds);
  text += overview(report);
  for (const std::string& table :
       {lanes_table(report, in_detail), cuda_graphs_table(report, in_detail)}) {
    if (!table.empty()) text += "\n" + table;
  }
  return text;
}

}  // namespace nadi::cli
