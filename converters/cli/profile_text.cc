#include "nadi/converters/cli/profile_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include "nadi/base/utf8.h"
#include "nadi/converters/cli/replay_text.h"
#include "nadi/converters/cli/summary.h"
#include "nadi/converters/cli/text_table.h"
#include "nadi/sim_bridge/replay/what_if.h"

namespace nadi::cli {

namespace {

constexpr std::size_t kProfileNameWidth = 64, kOpNameWidth = 28, kMostDeviceRows = 16;

/// Three digits: rates are of very different size.
std::string rate_text(double rate) {
  if (!(rate > 0)) return "-";
  return rate >= 100 ? fmt::format("{:.0f}", rate) : fmt::format("{:.3g}", rate);
}

class ProfileText {
 public:
  ProfileText(const Profile& profile, const ProfileView& view) : profile_(profile), view_(view) {
    for (const StepTimes& device : profile.devices) device_ns_ += device.length_ns;
    has_many_ranks_ = profile.ranks.size() > 1;
    has_many_devices_ = profile.devices.size() > profile.ranks.size();
  }

  std::string text() {
    add_headline();
    add_steps();
    add_findings();
    add_idle();
    add_kernels();
    add_ops();
    add_call_paths();
    add_collectives();
    add_waiting();
    add_path();
    if (!profile_.diagnostics.empty())
      text_ += "\nWhat was found in reading (nadi help findings)\n" +
               diagnostics_table(profile_.diagnostics, false);
    return std::move(text_);
  }

 private:
  std::size_t shown(std::size_t rows) const {
    return view_.top == 0 ? rows : std::min(rows, view_.top);
  }
  /// Tells what a table leaves out.
  void add_rest(std::size_t rows, std::size_t of_rows) {
    if (rows < of_rows)
      text_ +=
          fmt::format("{:{}}and {} more (--top 0)\n", "", kIndent, with_commas(of_rows - rows));
  }

  void add_line(std::string text, std::size_t indent) {
    text_ += format_table({{}, {{std::move(text)}}, {}}, indent);
  }

  /// "TITLE: host 10.4 %, synchronisation 1.2 %"
  template <std::size_t count, class NameOf>
  void add_parts(const std::string& title, const Ns (&parts)[count], Ns whole,
                 const NameOf& name_of) {
    text_ += title;
    const char* separator = ": ";
    for (std::size_t part = 0; part < count; ++part) {
      if (parts[part] == 0) continue;
      text_ +=
          fmt::format("{}{} {}", separator, name_of(part), time_share_text(parts[part], whole));
      separator = ", ";
    }
    text_ += '\n';
  }

  void add_headline() {
    std::uint64_t nodes = 0, rows = 0;
    for (const ProfiledRank& rank : profile_.ranks) {
      nodes += rank.nodes;
      rows += rank.device_rows;
    }
    const std::string name = has_many_ranks_
                                 ? counted(profile_.ranks.size(), "rank")
                                 : cut_text(profile_.ranks.front().name, kProfileNameWidth);
    text_ += fmt::format("{}: {}, {}, {} on the critical path{}\n", name, counted(nodes, "node"),
                         counted(rows, "device row"), duration_text(profile_.path_ns()),
                         has_many_ranks_ ? fmt::format("; {}", clock_text(profile_.clock)) : "");
    if (!profile_.what_if.empty())
      text_ += fmt::format("The times are those of a what-if, {}: nobody measured them\n",
                           what_if_text(profile_.what_if));
    if (profile_.devices.empty()) text_ += "No device rows: all that follows is of the host\n";
  }

  void add_steps() {
    if (profile_.devices.empty()) return;
    text_ += "\nWhere the device's time goes (a step: from its first row to that of the next)\n";
    const bool has_room =
        view_.top == 0 || profile_.devices.size() + profile_.steps.size() <= kMostDeviceRows;
    CellTable table;
    if (has_room)
      add_all_steps(table);
    else
      add_unlike_steps(profile_.devices.size() == 1 ? profile_.steps : profile_.devices, table);
    text_ += table.format();
    if (has_room) return;
    text_ += fmt::format("{:{}}those least like the mean; all: --top 0, or --output x.html\n", "",
                         kIndent);
  }

  void add_all_steps(CellTable& table) const {
    auto step = profile_.steps.begin();
    for (const StepTimes& device : profile_.devices) {
      const auto first = step;
      for (; step != profile_.steps.end() && step->rank == device.rank &&
             step->device == device.device;
           ++step)
        add_step_row(*step, std::to_string(step->step.value_or(-1)), table);
      // A single step that begins with the trace is all of it.
      if (step - first != 1 || first->length_ns != device.length_ns)
        add_step_row(device, "all", table);
    }
    if (profile_.devices.size() > 1) add_mean_row(profile_.devices, table);
  }

  static constexpr std::array kParts{
      &StepTimes::length_ns,          &StepTimes::computation_ns,
      &StepTimes::communication_ns,   &StepTimes::exposed_communication_ns,
      &StepTimes::exposed_waiting_ns, &StepTimes::copies_ns,
      &StepTimes::exposed_copies_ns};

  static StepTimes mean_of(const std::vector<StepTimes>& all) {
    const auto count = static_cast<Ns>(all.size());
    StepTimes mean;
    for (const StepTimes& times : all) {
      for (const auto part : kParts) mean.*part += times.*part;
      for (std::size_t cause = 0; cause < kIdleCauses; ++cause)
        mean.idle_ns[cause] += times.idle_ns[cause];
    }
    for (const auto part : kParts) mean.*part /= count;
    for (Ns& idle : mean.idle_ns) idle /= count;
    return mean;
  }

  void add_mean_row(const std::vector<StepTimes>& all, CellTable& table) const {
    add_step_row(mean_of(all), fmt::format("mean of {}", with_commas(all.size())), table);
  }

  /// The mean, and those that differ most from it.
  void add_unlike_steps(const std::vector<StepTimes>& all, CellTable& table) const {
    const StepTimes mean = mean_of(all);
    const auto distance = [&](const StepTimes& times) {
      Ns sum = std::abs(times.sum_of_idle_ns() - mean.sum_of_idle_ns());
      for (const auto part : kParts) sum += std::abs(times.*part - mean.*part);
      return sum;
    };
    std::vector<const StepTimes*> order;
    order.reserve(all.size());
    for (const StepTimes& times : all) order.push_back(&times);
    std::stable_sort(order.begin(), order.end(), [&](const StepTimes* a, const StepTimes* b) {
      return distance(*a) > distance(*b);
    });
    order.resize(shown(order.size()));
    std::sort(order.begin(), order.end());  // as they stand
    add_mean_row(all, table);
    for (const StepTimes* const times : order)
      add_step_row(*times, times->step ? std::to_string(*times->step) : "all", table);
    if (profile_.devices.size() == 1) add_step_row(profile_.devices.front(), "all", table);
  }

  void add_step_row(const StepTimes& times, std::string step, CellTable& table) const {
    const auto part = [&](Ns ns) { return time_share_text(ns, times.length_ns); };
    const bool is_mean = step.starts_with("mean");
    table.begin_row();
    if (has_many_ranks_) table.number("rank", is_mean ? "" : std::to_string(times.rank));
    if (has_many_devices_) table.number("device", is_mean ? "" : std::to_string(times.device));
    table.number("step", std::move(step));
    table.number("time", duration_text(times.length_ns));
    table.number("computation", part(times.computation_ns));
    table.number("exposed comm", part(times.exposed_communication_ns));
    if (profile_.knows_waiting()) table.number("(waiting)", part(times.exposed_waiting_ns));
    table.number("hidden comm", part(times.hidden_communication_ns()));
    table.number("exposed copies", part(times.exposed_copies_ns));
    table.number("hidden copies", part(times.hidden_copies_ns()));
    table.number("idle", part(times.sum_of_idle_ns()));
  }

  void add_findings() {
    if (profile_.findings.empty()) return;
    text_ += "\nWhat looks wrong, worst first\n";
    std::size_t number = 0;
    for (const ProfileFinding& finding : profile_.findings) {
      if (number == shown(profile_.findings.size())) break;
      add_line(fmt::format("{}. {}", ++number, finding.what), kIndent);
      if (!finding.place.empty()) add_line("Where: " + finding.place, kIndent + 3);
      if (!finding.remedy.empty()) add_line(finding.remedy, kIndent + 3);
    }
    add_rest(number, profile_.findings.size());
  }

  void add_idle() {
    if (profile_.idle.empty()) return;
    Ns by_cause[kIdleCauses] = {};
    for (const IdleShare& idle : profile_.idle)
      by_cause[static_cast<std::size_t>(idle.cause)] += idle.ns;
    add_parts("\nWhy devices were idle", by_cause, device_ns_,
              [](std::size_t cause) { return to_string(static_cast<IdleCause>(cause)); });
    const std::vector<IdlePlace> places = idle_places();
    CellTable table;
    for (std::size_t i = 0; i < shown(places.size()); ++i) {
      const IdlePlace& place = places[i];
      table.begin_row();
      table.number("time", duration_text(place.sum.ns));
      table.number("of time", time_share_text(place.sum.ns, device_ns_));
      table.number("count", with_commas(place.sum.count));
      if (has_many_ranks_) table.number("most on rank", std::to_string(place.longest->rank));
      table.text("cause", std::string(to_string(place.sum.cause)));
      table.text("at", cut_text(place.sum.what, kProfileNameWidth));
    }
    text_ += table.format();
    add_rest(shown(places.size()), places.size());
  }

  /// Idle time with one cause at one place of the program, on all ranks; longest first.
  struct IdlePlace {
    IdleShare sum;
    const IdleShare* longest;
  };
  std::vector<IdlePlace> idle_places() const {
    std::map<std::pair<IdleCause, std::string_view>, IdlePlace> by_place;
    for (const IdleShare& idle : profile_.idle) {  // longest first
      const auto [known, is_new] =
          by_place.try_emplace({idle.cause, idle.what}, IdlePlace{idle, &idle});
      if (is_new) continue;
      known->second.sum.ns += idle.ns;
      known->second.sum.count += idle.count;
    }
    std::vector<IdlePlace> places;
    places.reserve(by_place.size());
    for (auto& [key, place] : by_place) places.push_back(std::move(place));
    std::stable_sort(places.begin(), places.end(),
                     [](const IdlePlace& a, const IdlePlace& b) { return a.sum.ns > b.sum.ns; });
    return places;
  }

  void add_families() {
    constexpr std::size_t kFamilies = 6;
    text_ += "\nWhich kernels take the device's time";
    const auto& families = profile_.spots.families;
    for (std::size_t i = 0; i < std::min(kFamilies, families.size()); ++i)
      text_ += fmt::format("{}{} {}", i == 0 ? ": " : ", ", families[i].name,
                           time_share_text(families[i].sum_ns, profile_.spots.device_ns));
    text_ += families.size() > kFamilies ? ", …\n" : "\n";
  }

  void add_kernels() {
    const auto& kernels = profile_.spots.kernels;
    if (kernels.empty()) return;
    add_families();
    const bool has_work = std::any_of(kernels.begin(), kernels.end(), [](const HotKernel& kernel) {
      return kernel.work.tflops_per_s() || kernel.work.gb_per_s();
    });
    const bool has_roofline = view_.roofline.tflops_per_s > 0 || view_.roofline.gb_per_s > 0;
    CellTable table;
    for (std::size_t i = 0; i < shown(kernels.size()); ++i) {
      const HotKernel& kernel = kernels[i];
      table.begin_row();
      table.number("time", duration_text(kernel.sum_ns));
      table.number("of device", time_share_text(kernel.sum_ns, profile_.spots.device_ns));
      table.number("count", with_commas(kernel.count));
      table.number("mean", duration_text(kernel.mean_ns()));
      table.number("longest", duration_text(kernel.longest_ns));
      if (has_work) {
        table.number("TFLOP/s", rate_text(kernel.work.tflops_per_s().value_or(0)));
        table.number("GB/s", rate_text(kernel.work.gb_per_s().value_or(0)));
      }
      if (has_roofline) {
        const std::optional<double> reached = roofline_share(kernel.work, view_.roofline);
        table.number("of roofline", reached ? share_text(*reached, 1) : "-");
      }
      table.text("family", std::string(kernel.family));
      table.text("mostly by op", cut_text(kernel.op.empty() ? "-" : kernel.op, kOpNameWidth));
      table.text("kernel", cut_text(kernel.name, kProfileNameWidth));
    }
    text_ += table.format();
    add_rest(shown(kernels.size()), kernels.size());
  }

  void add_ops() {
    const auto& ops = profile_.spots.ops;
    if (ops.empty()) return;
    text_ += "\nWhich ops take the host's time\n";
    CellTable table;
    for (std::size_t i = 0; i < shown(ops.size()); ++i) {
      const HotOp& op = ops[i];
      table.begin_row();
      table.number("own", duration_text(op.own_ns));
      table.number("of host", time_share_text(op.own_ns, profile_.spots.host_ns));
      table.number("with callees", duration_text(op.inclusive_ns));
      table.number("count", with_commas(op.count));
      table.number("launched", with_commas(op.launched));
      table.number("device time", duration_text(op.device_ns));
      table.text("op", cut_text(op.name, kProfileNameWidth));
    }
    text_ += table.format();
    add_rest(shown(ops.size()), ops.size());
  }

  /// The calls that took longest, as a tree: what a call hands on whole to one that it makes stands
  /// before that one's name.
  void add_call_paths() {
    const auto& paths = profile_.spots.paths;
    if (paths.empty()) return;
    const auto time = [&](std::size_t path) {
      return paths[path].inclusive_ns + paths[path].device_ns;
    };
    std::vector<bool> hands_on(paths.size());
    for (std::size_t i = 0; i < paths.size(); ++i)
      if (const std::uint32_t parent = paths[i].parent; parent != kNoIndex)
        hands_on[parent] = hands_on[parent] || time(i) > time(parent) / 100 * 99;
    std::vector<std::size_t> longest;
    for (std::size_t i = 0; i < paths.size(); ++i)
      if (!hands_on[i]) longest.push_back(i);
    const std::size_t all = longest.size();
    std::stable_sort(longest.begin(), longest.end(),
                     [&](std::size_t a, std::size_t b) { return time(a) > time(b); });
    longest.resize(shown(all));
    std::sort(longest.begin(), longest.end());  // callers first, as a tree
    text_ += "\nWhich calls take the time, by call path\n";
    CellTable table;
    for (const std::size_t i : longest) {
      const HotPath& path = paths[i];
      table.begin_row();
      table.number("with callees", duration_text(path.inclusive_ns));
      table.number("device time", duration_text(path.device_ns));
      table.number("count", with_commas(path.count));
      table.number("launched", with_commas(path.launched));
      std::string name = path.name;
      std::size_t depth = 0;
      for (std::uint32_t caller = path.parent; caller != kNoIndex; caller = paths[caller].parent)
        if (!hands_on[caller])
          ++depth;
        else if (depth == 0)
          name = paths[caller].name + " > " + name;
      table.text("call path", std::string(2 * depth, ' ') + cut_text(name, kProfileNameWidth));
    }
    text_ += table.format();
    add_rest(longest.size(), all);
  }

  /// Those that took longest, waiting included.
  void add_collectives() {
    const auto& all = profile_.collectives;
    if (all.empty()) return;
    std::vector<const CollectiveTimes*> longest;  // of those of which it is known what they do
    longest.reserve(all.size());
    std::size_t unknown = 0;
    Ns unknown_ns = 0;
    for (const CollectiveTimes& collective : all) {
      if (is_unknown(collective)) {
        ++unknown;
        unknown_ns = add_times(unknown_ns, collective.transfer_ns());
      } else if (collective.waiting_ns() + collective.transfer_ns() > 0) {
        longest.push_back(&collective);
      }
    }
    const std::size_t rows = shown(longest.size());
    if (view_.top != 0)
      std::partial_sort(longest.begin(), longest.begin() + static_cast<std::ptrdiff_t>(rows),
                        longest.end(), [](const CollectiveTimes* a, const CollectiveTimes* b) {
                          const auto key = [](const CollectiveTimes* c) {
                            return std::pair(-(c->waiting_ns() + c->transfer_ns()), c);
                          };
                          return key(a) < key(b);
                        });
    const auto lacks_members = [](const CollectiveTimes& collective) {
      return std::ssize(collective.members) < collective.size;
    };
    const auto is_of_unknown_group = [](const CollectiveTimes& collective) {
      return collective.size == 0 && !collective.last_rank && !is_unknown(collective);
    };
    const auto add_count = [&](auto is_one, const char* what) {
      if (const auto count = std::count_if(all.begin(), all.end(), is_one); count > 0)
        text_ += fmt::format(", {} of {}: their times hold the waiting for others",
                             with_commas(static_cast<std::uint64_t>(count)), what);
    };
    text_ += fmt::format("\nCollectives and messages: {}", with_commas(all.size()));
    add_count(lacks_members, "which not all ranks are given");
    add_count(is_of_unknown_group, "groups that are not recorded");
    text_ += '\n';
    CellTable table;
    for (std::size_t i = 0; i < rows; ++i) add_collective_row(*longest[i], table);
    text_ += table.format();
    add_rest(rows, longest.size());
    if (const std::size_t timeless = all.size() - longest.size() - unknown; timeless > 0)
      add_line(fmt::format("{} that took no time", with_commas(timeless)), kIndent);
    if (unknown > 0)
      add_line(fmt::format("{} of which nothing tells what they do, {}", with_commas(unknown),
                           duration_text(unknown_ns)),
               kIndent);
  }

  static bool is_unknown(const CollectiveTimes& collective) { return collective.kind == "unknown"; }

  void add_collective_row(const CollectiveTimes& collective, CellTable& table) const {
    table.begin_row();
    table.text("kind", collective.kind);
    table.text("group", cut_text(collective.group.empty() ? "-" : collective.group, 20));
    const std::string members = std::to_string(collective.members.size());
    const std::string size = collective.size == 0 ? "?" : std::to_string(collective.size);
    table.number("ranks", members == size ? size : members + " of " + size);
    table.number("bytes", collective.bytes > 0
                              ? with_commas(static_cast<std::uint64_t>(collective.bytes))
                              : "-");
    if (has_many_ranks_) {
      table.number("last rank", collective.last_rank ? std::to_string(*collective.last_rank) : "-");
      const auto longest = std::max_element(
          collective.members.begin(), collective.members.end(),
          [](const auto& a, const auto& b) { return a.waiting_ns < b.waiting_ns; });
      table.number("longest wait", duration_text(longest->waiting_ns));
      table.number("of rank", longest->waiting_ns > 0 ? std::to_string(longest->rank) : "-");
    }
    table.number("transfer", duration_text(collective.transfer_ns()));
    table.number("algorithm GB/s", rate_text(collective.algorithm_gb_per_s()));
    table.number("bus GB/s", rate_text(collective.bus_gb_per_s()));
  }

  void add_waiting() {
    if (profile_.waiting.empty()) return;
    text_ += "\nWho makes others wait\n";
    std::vector<const RankWaiting*> ranks;
    ranks.reserve(profile_.waiting.size());
    for (const RankWaiting& rank : profile_.waiting)
      if (rank.was_last > 0 || rank.waited_ns > 0) ranks.push_back(&rank);
    std::stable_sort(ranks.begin(), ranks.end(), [](const RankWaiting* a, const RankWaiting* b) {
      return a->made_others_wait_ns > b->made_others_wait_ns;
    });
    CellTable table;
    for (std::size_t i = 0; i < shown(ranks.size()); ++i) {
      table.begin_row();
      table.number("rank", std::to_string(ranks[i]->rank));
      table.number("came last", with_commas(ranks[i]->was_last));
      table.number("others waited", duration_text(ranks[i]->made_others_wait_ns));
      table.number("waited itself", duration_text(ranks[i]->waited_ns));
    }
    text_ += table.format();
    add_rest(shown(ranks.size()), ranks.size());
  }

  void add_path() {
    if (profile_.path.empty()) return;
    Ns by_kind[kPathKindCount] = {};
    for (const PathShare& part : profile_.path)
      by_kind[static_cast<std::size_t>(part.kind)] += part.ns;
    add_parts("\nCritical path, " + duration_text(profile_.path_ns()), by_kind, profile_.path_ns(),
              [](std::size_t kind) { return to_string(static_cast<PathKind>(kind)); });
    CellTable table;
    for (std::size_t i = 0; i < shown(profile_.path.size()); ++i) {
      const PathShare& part = profile_.path[i];
      table.begin_row();
      if (has_many_ranks_) table.number("rank", std::to_string(part.rank));
      table.number("time", duration_text(part.ns));
      table.number("of path", time_share_text(part.ns, profile_.path_ns()));
      table.number("pieces", with_commas(part.pieces));
      table.text("kind", std::string(to_string(part.kind)));
      table.text("at", cut_text(part.name, kProfileNameWidth));
    }
    text_ += table.format();
    add_rest(shown(profile_.path.size()), profile_.path.size());
    add_path_steps();
  }

  void add_path_steps() {
    const std::vector<StepPath>& steps = profile_.path_steps;
    if (steps.size() < 2) return;
    text_ += "\nCritical path by step\n";
    CellTable table;
    for (std::size_t i = 0; i < shown(steps.size()); ++i) {
      const StepPath& path = steps[i];
      table.begin_row();
      table.number("step", path.step ? std::to_string(*path.step) : "none");
      table.number("time", duration_text(path.length_ns()));
      for (std::size_t kind = 0; kind < kPathKindCount; ++kind)
        table.number(to_string(static_cast<PathKind>(kind)),
                     time_share_text(path.ns[kind], path.length_ns()));
      table.text("longest", duration_text(path.longest.ns) + " " +
                                cut_text(path.longest.name, kProfileNameWidth));
    }
    text_ += table.format();
    add_rest(shown(steps.size()), steps.size());
  }

  const Profile& profile_;
  const ProfileView& view_;
  Ns device_ns_ = 0;
  bool has_many_ranks_ = false, has_many_devices_ = false;
  std::string text_;
};

}  // namespace

std::string profile_text(const Profile& profile, const ProfileView& view) {
  return ProfileText(profile, view).text();
}

std::string with_titles_in_bold(std::string_view text) {
  std::string made;
  bool is_title = true;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    made += is_title && !line.empty() ? fmt::format("\x1b[1m{}\x1b[0m", line) : std::string(line);
    is_title = line.empty();
    if (line.size() == text.size()) break;
    made += '\n';
    text.remove_prefix(line.size() + 1);
  }
  return made;
}

}  // namespace nadi::cli
