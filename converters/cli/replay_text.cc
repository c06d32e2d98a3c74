#include "nadi/converters/cli/replay_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "nadi/base/utf8.h"
#include "nadi/converters/cli/summary.h"
#include "nadi/converters/cli/text_table.h"
#include "nadi/sim_bridge/replay/what_if.h"

namespace nadi::cli {

namespace {

constexpr std::size_t kRanksShown = 16, kOutliersShown = 8, kReplayLanesShown = 16,
                      kKernelsShown = 5, kNodeNameWidth = 60;

bool has_many_ranks(const ReplayReport& report) { return report.ranks.size() > 1; }

std::string overview(const ReplayReport& report) {
  TextTable table;
  std::string replayed = duration_text(report.replayed_ns);
  if (report.is_measured()) {
    table.rows.push_back(
        {measured_word(report.what_if),
         duration_text(*report.measured_ns) +
             (report.what_if.empty() ? "" : " (" + what_if_text(report.what_if) + ")")});
    replayed += " (" + change_text(*report.measured_ns, report.replayed_ns) + ")";
  } else {
    replayed += " (the graphs have no start times to compare with)";
  }
  table.rows.push_back({"replayed", replayed});
  if (report.inferred) {
    const bool is_without = report.inferred->is_without;
    const Ns other_ns = is_without ? report.inferred->with_ns : report.inferred->without_ns;
    table.rows.push_back({is_without ? "with inferred waits" : "without inferred waits",
                          fmt::format("{} ({} of replayed)", duration_text(other_ns),
                                      change_text(report.replayed_ns, other_ns))});
  }
  if (report.scaled_ns)
    table.rows.push_back({"with " + scales_text(report.scales, report.scaled_nodes),
                          fmt::format("{} ({} of replayed)", duration_text(*report.scaled_ns),
                                      change_text(report.replayed_ns, *report.scaled_ns))});
  if (report.is_measured())
    table.rows.push_back(
        {"idle explained", fmt::format("{} of {} ({})", duration_text(*report.explained_ns),
                                       duration_text(*report.idle_ns),
                                       time_share_text(*report.explained_ns, *report.idle_ns))});
  return format_table(table, kIndent);
}

/// "+12.300 us, 40 ppm": how a rank's clock was moved.
std::string shift_text(const RankClock& clock) {
  std::string text = signed_duration_text(static_cast<double>(clock.shift_ns));
  if (clock.drift != 0) text += fmt::format(", {:+.1f} ppm", clock.drift * 1e6);
  return text;
}

/// All but `count` rows go, those first that are least by `of`; the others stay in their order.
template <class Row, class Of>
void keep_most(std::vector<const Row*>& rows, std::size_t count, const Of& of) {
  if (rows.size() <= count) return;
  std::vector<const Row*> most = rows;
  std::stable_sort(most.begin(), most.end(),
                   [&](const Row* a, const Row* b) { return of(*a) > of(*b); });
  most.resize(count);
  std::erase_if(
      rows, [&](const Row* row) { return std::find(most.begin(), most.end(), row) == most.end(); });
}

template <class Row>
std::vector<const Row*> rows_of(const std::vector<Row>& rows) {
  std::vector<const Row*> all;
  all.reserve(rows.size());
  for (const Row& row : rows) all.push_back(&row);
  return all;
}

/// "375.000 us to 380.000 us", of all ranks.
template <class TimeOf>
std::string range_of_ranks(const ReplayReport& report, const TimeOf& time_of) {
  const auto [least, most] = std::minmax_element(
      report.ranks.begin(), report.ranks.end(),
      [&](const ReplayRank& a, const ReplayRank& b) { return time_of(a) < time_of(b); });
  const std::string from = duration_text(time_of(*least)), to = duration_text(time_of(*most));
  return from == to ? from : from + " to " + to;
}

/// Of more ranks than are shown: what they take, and which are.
std::string outliers_text(const ReplayReport& report) {
  const std::string replayed =
      range_of_ranks(report, [](const ReplayRank& rank) { return rank.replayed_ns; });
  const std::string measured =
      report.is_measured()
          ? range_of_ranks(report,
                           [](const ReplayRank& rank) { return rank.measured_ns.value_or(0); })
          : "";
  const char* const word = measured_word(report.what_if);
  return fmt::format(
      "{0:{1}}the ranks take {2}{3} replayed; those {4} (--verbose shows all):\n", "", kIndent,
      measured.empty() ? "" : fmt::format("{} {} and ", measured, word), replayed,
      measured.empty() ? "that take longest"
                       : fmt::format("whose replay differs most from the {} time", word));
}

std::string ranks_table(const ReplayReport& report, bool in_detail) {
  if (!has_many_ranks(report)) return "";
  auto ranks = rows_of(report.ranks);
  const bool are_all_shown = in_detail || ranks.size() <= kRanksShown;
  if (!are_all_shown)
    keep_most(ranks, kOutliersShown, [](const ReplayRank& rank) {
      return rank.measured_ns ? std::abs(rank.replayed_ns - *rank.measured_ns) : rank.replayed_ns;
    });
  CellTable table;
  for (const ReplayRank* const shown : ranks) {
    const ReplayRank& rank = *shown;
    table.begin_row();
    table.number("rank", std::to_string(rank.rank));
    table.text("file", rank.file);
    table.number("nodes", with_commas(rank.nodes));
    if (rank.measured_ns) {
      table.number("shift", shift_text(rank.clock));
      table.number(measured_word(report.what_if), duration_text(*rank.measured_ns));
    }
    table.number("replayed", duration_text(rank.replayed_ns));
    if (rank.measured_ns) table.number("change", change_text(*rank.measured_ns, rank.replayed_ns));
    if (!rank.scaled_ns) continue;
    table.number("scaled", duration_text(*rank.scaled_ns));
    table.number("change", change_text(rank.replayed_ns, *rank.scaled_ns));
  }
  const std::string clock = clock_text(report.clock);
  return fmt::format("\n{:{}}{} communications of several ranks matched{}{}\n", "", kIndent,
                     with_commas(report.comm_instances), clock.empty() ? "" : "; ", clock) +
         (are_all_shown ? "" : outliers_text(report)) + table.format();
}

std::string lanes_table(const ReplayReport& report, bool in_detail) {
  CellTable table;
  const auto& lanes = in_detail ? report.lanes : report.lane_sums;
  auto shown = rows_of(lanes);
  if (!in_detail)
    keep_most(shown, kReplayLanesShown, [](const ReplayLane& lane) {
      const LaneUse& use = lane.use;
      return use.measured ? use.measured->unexplained_ns : use.replayed_idle_ns;
    });
  for (const ReplayLane* const row : shown) {
    const ReplayLane& lane = *row;
    const LaneUse& use = lane.use;
    table.begin_row();
    table.number("rank", std::to_string(lane.rank));
    table.text("lane", lane.name);
    table.number("step", use.step < 0 ? (in_detail ? "-" : "all") : std::to_string(use.step));
    table.number("nodes", with_commas(use.nodes));
    if (use.measured) {
      table.number("busy", duration_text(use.measured->busy_ns));
      table.number("idle", duration_text(use.measured->idle_ns()));
      table.number("explained",
                   time_share_text(use.measured->explained_ns, use.measured->idle_ns()));
      table.number("unexplained", duration_text(use.measured->unexplained_ns));
    } else {
      table.number("replayed busy", duration_text(use.replayed_busy_ns));
    }
    table.number("replayed idle", duration_text(use.replayed_idle_ns));
  }
  std::string text = "\n" + table.format();
  if (lanes.size() > table.rows())
    text += fmt::format(
        "{:{}}and {} more lanes, none with more {} time (--verbose shows all, step by step)\n", "",
        kIndent, lanes.size() - table.rows(), report.is_measured() ? "unexplained" : "idle");
  return text;
}

std::string differences_table(const ReplayReport& report, const std::vector<ReplayNode>& nodes,
                              const char* title, const char* from, const char* to) {
  if (nodes.empty()) return "";
  TextTable table{{title, "rank", "lane", from, to, "node"}, {}, {0, 1, 3, 4}};
  for (const ReplayNode& node : nodes)
    table.rows.push_back({signed_duration_text(static_cast<double>(node.to_ns - node.from_ns)),
                          std::to_string(node.rank), node.lane, duration_text(node.from_ns),
                          duration_text(node.to_ns),
                          fmt::format("{} {}", node.id, cut_text(node.name, kNodeNameWidth))});
  if (!has_many_ranks(report)) {
    table.header.erase(table.header.begin() + 1);
    for (auto& row : table.rows) row.erase(row.begin() + 1);
    table.right_aligned = {0, 2, 3};
  }
  return "\n" + format_table(table, kIndent);
}

/// Kinds with their kernels below them, before and after.
std::string path_table(const ReplayReport& report) {
  const ReplayPath& path = report.path;
  TextTable table{{"critical path", "time", "share"}, {}, {1, 2}};
  const ReplayPath* scaled = report.scaled_path ? &*report.scaled_path : nullptr;
  if (scaled != nullptr) {
    table.header.insert(table.header.end(), {"scaled", "share"});
    table.right_aligned = {1, 2, 3, 4};
  }
  const auto add = [&](const std::string& name, Ns before, Ns after) {
    if (before == 0 && after == 0) return;
    table.rows.push_back(
        {name, duration_text(before), time_share_text(before, report.replayed_ns)});
    if (scaled != nullptr)
      table.rows.back().insert(table.rows.back().end(),
                               {duration_text(after), time_share_text(after, *report.scaled_ns)});
  };
  for (std::size_t kind = 0; kind < kPathKindCount; ++kind) {
    add(std::string(to_string(static_cast<PathKind>(kind))), path.by_kind[kind],
        scaled == nullptr ? 0 : scaled->by_kind[kind]);
    if (static_cast<PathKind>(kind) != PathKind::kKernel) continue;
    std::vector<std::pair<Ns, std::string>> kernels;
    for (const auto& [name, ns] : path.kernels) kernels.emplace_back(-ns, name);
    std::sort(kernels.begin(), kernels.end());
    if (kernels.size() > kKernelsShown) kernels.resize(kKernelsShown);
    for (const auto& [ns, name] : kernels) {
      const auto after = scaled == nullptr                ? 0
                         : scaled->kernels.contains(name) ? scaled->kernels.at(name)
                                                          : 0;
      add("  " + cut_text(name, kNodeNameWidth), -ns, after);
    }
  }
  return table.rows.empty() ? "" : "\n" + format_table(table, kIndent);
}

}  // namespace

const char* clock_text(ClockSource clock) {
  switch (clock) {
    case ClockSource::kOneRank:
    case ClockSource::kNoTimes:
      return "";
    case ClockSource::kBaseTime:
      return "the ranks' clocks are as recorded";
    case ClockSource::kCommunication:
      return "the ranks' clocks are aligned by the ends of common communications, since no common "
             "time is recorded";
    case ClockSource::kContradicted:
      return "the ranks' clocks are aligned by the ends of common communications, which contradict "
             "the recorded ones";
  }
  return "";
}

std::string scales_text(const std::vector<std::string>& scales,
                        const std::vector<std::size_t>& nodes) {
  std::string text;
  for (std::size_t i = 0; i < scales.size(); ++i)
    text += fmt::format("{}{} ({})", i == 0 ? "" : ", ", scales[i], counted(nodes[i], "node"));
  return text;
}

std::string change_text(Ns from, Ns to) {
  if (from == 0) return "-";
  return fmt::format("{:+.2f} %", 100 * static_cast<double>(to - from) / static_cast<double>(from));
}

std::string format_replay(const ReplayReport& report, bool in_detail) {
  std::string text =
      has_many_ranks(report)
          ? fmt::format("{} ranks\n", report.ranks.size())
          : fmt::format("{} (rank {}, {} nodes)\n", report.ranks.front().file,
                        report.ranks.front().rank, with_commas(report.ranks.front().nodes));
  text += overview(report) + ranks_table(report, in_detail) + lanes_table(report, in_detail);
  text += differences_table(report, report.differences, "difference", measured_word(report.what_if),
                            "replayed");
  text += differences_table(report, report.scaled_differences, "change", "before", "after");
  return text + path_table(report);
}

}  // namespace nadi::cli
