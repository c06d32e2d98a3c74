#include "nadi/converters/profile/profile_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "nadi/base/count_text.h"
#include "nadi/base/median.h"
#include "nadi/base/utf8.h"
#include "nadi/converters/profile/path_names.h"
#include "nadi/converters/profile/step_times.h"
#include "nadi/diff/diff_summary.h"

namespace nadi {

namespace {

// Shares of the time from which on a person should know of it.
constexpr double kIdleShare = 0.05, kExposedShare = 0.1, kWaitingShare = 0.02,
                 kOutlierShare = 0.005, kFirstUseShare = 0.4, kLateDeviceShare = 0.2;
constexpr Ns kFirstUse = 10'000 * kNsPerMicro;
constexpr std::size_t kNameBytes = 80, kPlaceBytes = 160;
constexpr Ns kLongQueue = 100'000 * kNsPerMicro;

double ms(Ns ns) { return static_cast<double>(ns) / 1e6; }

std::string time_text(Ns ns) {
  return ns < 1'000'000'000 ? fmt::format("{:.3f} ms", ms(ns))
                            : fmt::format("{:.3f} s", ms(ns) / 1000);
}

double share_of(Ns part, Ns whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

class FindingSearch {
 public:
  FindingSearch(const ReplayJob& job, std::optional<StepRange> steps, const Profile& profile)
      : job_(job), steps_(steps), profile_(profile) {
    for (const StepTimes& device : profile.devices) device_ns_ += device.length_ns;
  }

  std::vector<ProfileFinding> run() {
    find_losses();
    find_unlaunched();
    find_late_devices();
    find_idle();
    find_exposed_communication();
    find_ranks_without_rows();
    find_late_ranks();
    find_long_queues();
    find_late_begins();
    find_uneven_steps();
    for (std::size_t of = 0; of < job_.graphs.size(); ++of) find_long_kernels(of);
    std::stable_sort(
        findings_.begin(), findings_.end(),
        [](const ProfileFinding& a, const ProfileFinding& b) { return a.share > b.share; });
    return std::move(findings_);
  }

 private:
  void add(double share, std::string what, std::string place, std::string remedy) {
    findings_.push_back(
        {std::move(what), std::move(place), std::move(remedy), std::min(share, 1.0)});
  }

  /// Where something is, with its rank where there are several.
  std::string place(std::int64_t rank, const std::string& rest = {}) const {
    if (profile_.ranks.size() == 1) return rest;
    return fmt::format("rank {}{}{}", rank, rest.empty() ? "" : ", ", rest);
  }

  /// What the records lost goes before all that is computed of them.
  void find_losses() {
    for (const Diagnostic& diagnostic : profile_.diagnostics) {
      const FindingInfo& info = all_findings()[static_cast<std::size_t>(diagnostic.kind)];
      const std::optional<double> share = share_lost(diagnostic);
      if (!share) continue;
      add(*share, meaning_of(info, diagnostic.count, steps_ ? "in all steps of the trace" : ""),
          diagnostic.first.empty() ? "" : cut_text(diagnostic.first.front(), kPlaceBytes),
          remedy_of(info));
    }
  }

  static std::string meaning_of(const FindingInfo& info, std::uint64_t count,
                                const char* where = "") {
    const std::string times = count == 1 ? "" : fmt::format("{} times", count);
    const std::string more = times + (times.empty() || *where == 0 ? "" : ", ") + where;
    return without_stop(info.meaning) + (more.empty() ? "" : " (" + more + ")");
  }

  bool has(Finding kind) const {
    return std::any_of(profile_.diagnostics.begin(), profile_.diagnostics.end(),
                       [kind](const Diagnostic& found) { return found.kind == kind; });
  }

  static std::string remedy_of(const FindingInfo& info) {
    if (info.kind == Finding::kOpsOfOtherIterations)
      return "Pass the device trace alone to profile all of its iterations";
    return info.remedy.starts_with("Nothing") ? "" : without_stop(info.remedy);
  }

  /// A device row of the chosen steps.
  bool is_row(const Graph& graph, std::uint32_t row) const {
    return graph.kind[row] == NodeKind::kDeviceRow && (!steps_ || steps_->holds(graph.step[row]));
  }

  static bool is_launched(const Graph& graph, std::uint32_t row) {
    const Sources sources = graph.dependencies(row);
    for (auto source = sources.begin(); source != sources.end(); ++source)
      if (source.edge().evidence == Evidence::kLaunch ||
          source.edge().evidence == Evidence::kGraphOrder ||
          source.edge().evidence == Evidence::kGraphDependency || !graph.is_device(*source))
        return true;
    return false;
  }

  /// Rows that only their streams and times hold. Profilers of some devices write no correlation:
  /// then no recording helps.
  void find_unlaunched() {
    Ns device_ns = 0, unlaunched_ns = 0;
    std::uint64_t count = 0, named = 0, rows = 0;
    std::string first;
    for (std::size_t of = 0; of < job_.graphs.size(); ++of) {
      const Graph& graph = job_.graphs[of];
      for (std::uint32_t row = 0; row < graph.size(); ++row) {
        if (!is_row(graph, row)) continue;
        ++rows;
        named += graph.correlation[row] > 0 ? 1 : 0;
        device_ns = add_times(device_ns, graph.duration_ns[row]);
        if (is_launched(graph, row)) continue;
        unlaunched_ns = add_times(unlaunched_ns, graph.duration_ns[row]);
        if (count++ == 0)
          first = place(job_.rank[of], fmt::format("first node {}, {}", graph.id[row],
                                                   cut_text(graph.name_of(row), kNameBytes)));
      }
    }
    if (count == 0) return;
    const FindingInfo& info = all_findings()[static_cast<std::size_t>(Finding::kUnlaunchedRows)];
    add(share_of(unlaunched_ns, device_ns), meaning_of(info, count), first,
        2 * named > rows ? remedy_of(info)
                         : "This device's profiler records few launches, and no setting is known "
                           "that adds them: what-ifs of the host say little here");
  }

  static std::string without_stop(std::string_view sentence) {
    return std::string(sentence.substr(0, sentence.size() - (sentence.ends_with('.') ? 1 : 0)));
  }

  /// None of what harms no profile.
  std::optional<double> share_lost(const Diagnostic& diagnostic) const {
    switch (diagnostic.kind) {
      case Finding::kOpsOfOtherIterations:
      case Finding::kGarbageTimeOfRow:  // what is idle then, nobody knows
      case Finding::kHostTraceMissing:  // what it communicates may not match that of others
        return 1;
      case Finding::kUnlaunchedRows:
        return std::nullopt;  // find_unlaunched reports those that are profiled
      case Finding::kUnknownCollective:
        return has(Finding::kCommunicationUnrecorded) ? std::nullopt : std::optional(0.0);
      case Finding::kWindowPassedOver:
        return share_of(static_cast<Ns>(diagnostic.count),
                        static_cast<Ns>(diagnostic.count + profile_.ranks.size()));
      case Finding::kUnrecordedWork:
        return std::nullopt;  // find_idle reports it
      case Finding::kCommunicationUnrecorded:
        if (steps_ && std::none_of(profile_.collectives.begin(), profile_.collectives.end(),
                                   [](const CollectiveTimes& c) { return c.kind == "unknown"; }))
          return std::nullopt;
        break;
      default:
        break;
    }
    switch (severity_of(diagnostic.kind)) {
      case Severity::kLoss:
        return 1;
      case Severity::kWarning:
        return 0;
      case Severity::kInfo:
        break;
    }
    return {};
  }

  void find_idle() {
    Ns sums[kIdleCauses] = {};
    for (const StepTimes& device : profile_.devices)
      for (std::size_t cause = 0; cause < kIdleCauses; ++cause)
        sums[cause] += device.idle_ns[cause];
    for (std::size_t cause = 0; cause < kIdleCauses; ++cause) {
      const double share = share_of(sums[cause], device_ns_);
      if (share < kIdleShare) continue;
      const IdleShare longest = longest_idle(static_cast<IdleCause>(cause));
      const double at_once = share_of(longest.longest_ns, sums[cause]);
      const bool is_first_use = static_cast<IdleCause>(cause) == IdleCause::kHost &&
                                at_once >= kFirstUseShare && longest.longest_ns >= kFirstUse;
      add(share,
          fmt::format("The device{} idle for {:.1f} % of the time, {}: {}{}",
                      profile_.devices.size() > 1 ? "s are" : " is", 100 * share,
                      time_text(sums[cause]), idle_text(static_cast<IdleCause>(cause)),
                      are_rows_missing() ? "; or it did what the missing rows would tell" : ""),
          fmt::format(
              "longest, {:.0f} % of that{}, at: {}", 100 * share_of(longest.ns, sums[cause]),
              is_first_use ? fmt::format(" ({} at once)", time_text(longest.longest_ns)) : "",
              cut_text(longest.what, kNameBytes)),
          remedy_of_idle(static_cast<IdleCause>(cause), is_first_use));
    }
  }

  std::string remedy_of_idle(IdleCause cause, bool is_first_use) const {
    switch (cause) {
      case IdleCause::kHost:
        return is_first_use
                   ? "Is it the first use of something: a library, a kernel that is "
                     "compiled or tried out, a graph? Profile steps after some that warm up"
                   : "See what keeps the host busy there; or give the device more per "
                     "launch: larger batches, CUDA graphs, torch.compile";
      case IdleCause::kSynchronisation:
        return has(Finding::kLaunchesWait)
                   ? remedy_of(all_findings()[static_cast<std::size_t>(Finding::kLaunchesWait)])
                   : "Leave out what makes the host wait: .item(), .cpu(), print of a tensor, "
                     "torch.cuda.synchronize()";
      case IdleCause::kOtherDevice:
        return "Overlap what the devices exchange with computation";
      case IdleCause::kLatency:
        return "Launch larger kernels, or the same ones as one CUDA graph";
      case IdleCause::kUnrecordedWork:
        return "Record with a profiler that has rows of all that runs in CUDA graphs";
      case IdleCause::kUnexplained:
        break;
    }
    return "See whether `nadi doctor` names what recorded it; or does another process use the "
           "device?";
  }

  bool are_rows_missing() const {
    return has(Finding::kDeviceRowsMissing) || has(Finding::kTruncatedInput);
  }

  /// The place of the program, over all ranks.
  IdleShare longest_idle(IdleCause cause) const {
    std::map<std::string_view, IdleShare> by_place;
    for (const IdleShare& idle : profile_.idle) {
      if (idle.cause != cause) continue;
      IdleShare& all = by_place[idle.what];
      all.what = idle.what;
      all.ns += idle.ns;
      all.longest_ns = std::max(all.longest_ns, idle.longest_ns);
    }
    IdleShare longest;
    for (const auto& [what, idle] : by_place)
      if (idle.ns > longest.ns) longest = idle;
    return longest;
  }

  static const char* idle_text(IdleCause cause) {
    switch (cause) {
      case IdleCause::kHost:
        return "the host launches too late";
      case IdleCause::kSynchronisation:
        return "the host had waited for the device, and launches anew";
      case IdleCause::kOtherDevice:
        return "it waits for another device";
      case IdleCause::kLatency:
        return "each kernel takes time to begin";
      case IdleCause::kUnrecordedWork:
        return "it may be at work of which there is no row, inside a launch of a CUDA graph or for "
               "as long in every step";
      case IdleCause::kUnexplained:
        break;
    }
    return "nothing recorded explains it";
  }

  /// What a rank's host did before its first device row, where that is much of the path.
  void find_late_devices() {
    if (steps_) return;
    for (std::size_t of = 0; of < job_.graphs.size(); ++of) {
      const Graph& graph = job_.graphs[of];
      if (!graph.tells_starts) continue;
      Ns begin = kNoTime, first_row = kNoTime;
      for (std::uint32_t row = 0; row < graph.size(); ++row) {
        if (graph.kind[row] == NodeKind::kDelay) continue;
        Ns& first = graph.is_device(row) ? first_row : begin;
        first = first == kNoTime ? graph.start_ns[row] : std::min(first, graph.start_ns[row]);
      }
      if (begin == kNoTime || first_row == kNoTime) continue;
      const Ns late = saturated_sum(first_row, -begin);
      const double share = share_of(late, profile_.path_ns());
      if (share < kLateDeviceShare) continue;
      add(share,
          fmt::format("The first device row begins {} after the first op, {:.1f} % of the critical "
                      "path",
                      time_text(late), 100 * share),
          place(job_.rank[of], "longest op until then: " + longest_op_until(graph, first_row)),
          "Does the host set up what is used for the first time? Profile steps after some that "
          "warm up");
    }
  }

  static std::string longest_op_until(const Graph& graph, Ns until) {
    std::map<StringId, Ns> by_name;
    for (std::uint32_t row = 0; row < graph.size(); ++row)
      if (!graph.is_device(row) && graph.kind[row] != NodeKind::kDelay &&
          graph.start_ns[row] < until) {
        Ns& sum = by_name[graph.node_name[row]];
        sum = add_times(sum, graph.duration_ns[row]);
      }
    const auto longest =
        std::max_element(by_name.begin(), by_name.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    return longest == by_name.end() ? "" : cut_text(graph.strings[longest->first], kNameBytes);
  }

  void find_exposed_communication() {
    Ns exposed = 0, waiting = 0;
    for (const StepTimes& device : profile_.devices) {
      exposed += device.exposed_communication_ns;
      waiting += device.exposed_waiting_ns;
    }
    // What waits for a rank is that rank's finding.
    const double share = share_of(exposed - waiting, device_ns_);
    if (share < kExposedShare) return;
    const char* const waiting_part =
        waiting > 0                  ? ", not counted where ranks wait for one that has not begun"
        : profile_.knows_waiting()   ? ""
        : profile_.ranks.size() == 1 ? "; how much of that is waiting for other ranks, their "
                                       "traces would tell"
                                     : "; how much of that is waiting for other ranks, process "
                                       "groups would tell, which are not recorded";
    add(share,
        fmt::format("Communication that nothing hides takes {:.1f} % of the time, {}{}",
                    100 * share, time_text(exposed - waiting), waiting_part),
        "", "Let it run beside computation: buckets, prefetching, another parallel layout");
  }

  bool knows_all_ranks() const {
    return std::all_of(
        profile_.collectives.begin(), profile_.collectives.end(),
        [&](const CollectiveTimes& c) { return std::ssize(profile_.ranks) >= c.size; });
  }

  /// Ranks that have no device rows where others have some.
  void find_ranks_without_rows() {
    const auto has_rows = [](const ProfiledRank& rank) { return rank.device_rows > 0; };
    if (std::none_of(profile_.ranks.begin(), profile_.ranks.end(), has_rows)) return;
    for (const ProfiledRank& rank : profile_.ranks)
      if (!has_rows(rank))
        add(1,
            "A rank has no device rows: when it computes and communicates is not known, and who "
            "waits for it seems to wait for others",
            place(rank.rank, rank.name), "Record it again, to its end, or copy its trace again");
  }

  void find_late_ranks() {
    for (const RankWaiting& rank : profile_.waiting) {
      const double share = share_of(rank.made_others_wait_ns, device_ns_);
      if (share < kWaitingShare) continue;
      add(share,
          fmt::format("Rank {} comes last to {}, and the others wait {} for it{}", rank.rank,
                      count_text(rank.was_last, "collective"), time_text(rank.made_others_wait_ns),
                      knows_all_ranks() ? "" : "; other ranks are not known"),
          "",
          "Look at what it does before these: its idle times and its part of the critical path");
    }
  }

  /// What the critical path waits for that is no work: rows long after their launch, ranks that
  /// begin late.
  void find_late_begins() {
    for (const PathShare& part : profile_.path) {
      const double share = share_of(part.ns, profile_.path_ns());
      if (share < kIdleShare) break;  // the longest stand first
      if (part.kind == PathKind::kLaunchLatency && !runs_behind_)
        add(share,
            fmt::format("The critical path waits {} for rows that begin late on an idle device, "
                        "{} {}",
                        time_text(part.ns), part.pieces, part.pieces == 1 ? "time" : "times"),
            place(part.rank, cut_text(part.name, kNameBytes)),
            "Was a module loaded or a graph uploaded? Or did the device do what is not recorded: "
            "work from before the trace, or of another process?");
      else if (part.name == late_rank_text(part.rank))
        add(share, fmt::format("For {} {}", time_text(part.ns), part.name), "",
            "Begin the profiler's step behind a barrier, or look at what that rank did before");
    }
  }

  void find_uneven_steps() {
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<const StepTimes*>> by_device;
    for (const StepTimes& step : profile_.steps)
      by_device[{step.rank, step.device}].push_back(&step);
    for (auto& [device, steps] : by_device) {
      steps.pop_back();  // lasts until the trace ends, whatever comes behind it
      if (steps.size() < 3) continue;
      std::sort(steps.begin(), steps.end(),
                [](const StepTimes* a, const StepTimes* b) { return a->length_ns < b->length_ns; });
      const Ns median = steps[steps.size() / 2]->length_ns;
      const StepTimes& longest = *steps.back();
      if (longest.length_ns < 3 * median / 2) continue;
      add(share_of(longest.length_ns - median, device_ns_),
          fmt::format("A step took {:.3f} ms where half of them take at most {:.3f} ms",
                      ms(longest.length_ns), ms(median)),
          place(longest.rank, fmt::format("step {}", longest.step.value_or(-1))),
          "Compare it with another one: nadi diff T T --control-iterations N --test-iterations M");
    }
  }

  static StringId shapes_around(const Graph& graph, std::uint32_t row) {
    const std::uint32_t op = graph.parent.empty() ? kNoIndex : graph.parent[row];
    return op == kNoIndex || graph.input_shapes.empty() ? StringId::kEmpty : graph.input_shapes[op];
  }

  /// Of each name the longest, where it takes ten times as long as half of its siblings.
  void find_long_kernels(std::size_t of) {
    constexpr std::size_t kFewest = 5;
    const Graph& graph = job_.graphs[of];
    DeviceWorks works(graph);
    // An op of other shapes launches kernels of the same name that are no siblings.
    std::map<std::pair<StringId, StringId>, std::vector<std::uint32_t>> by_name;
    for (std::uint32_t row = 0; row < graph.size(); ++row)
      if (is_row(graph, row) && works.of(row) == DeviceWork::kComputation)
        by_name[{graph.node_name[row], shapes_around(graph, row)}].push_back(row);
    const auto is_shorter = [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(graph.duration_ns[a], b) < std::pair(graph.duration_ns[b], a);
    };
    std::vector<std::pair<std::uint32_t, Ns>> found;  // row, median
    for (auto& [name, rows] : by_name) {
      if (rows.size() < kFewest) continue;
      const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(rows.size() / 2);
      std::nth_element(rows.begin(), middle, rows.end(), is_shorter);
      const Ns median = graph.duration_ns[*middle];
      const std::uint32_t longest = *std::max_element(rows.begin(), rows.end(), is_shorter);
      const Ns excess = graph.duration_ns[longest] - median;
      if (median > 0 && graph.duration_ns[longest] >= 10 * median &&
          share_of(excess, device_ns_) >= kOutlierShare)
        found.emplace_back(longest, median);
    }
    std::sort(found.begin(), found.end());
    for (const auto& [row, median] : found)
      add(share_of(graph.duration_ns[row] - median, device_ns_),
          fmt::format("A kernel took {:.3f} ms where half of its siblings take at most {:.3f} ms: "
                      "{}",
                      ms(graph.duration_ns[row]), ms(median),
                      cut_text(graph.name_of(row), kNameBytes)),
          place(job_.rank[of], fmt::format("node {}, {:.3f} ms after the begin", graph.id[row],
                                           ms(graph.start_ns[row]))),
          "Other values, or another program on the device? Compare the ops that launched them");
  }

  /// The ranks whose rows begin most of a step after their launch; without steps they must begin
  /// long after it.
  void find_long_queues() {
    Ns longest = 0;
    std::size_t count = 0, longest_of = 0;
    for (std::size_t of = 0; of < job_.graphs.size(); ++of) {
      const Ns queued = median_queue_ns(job_.graphs[of]);
      const Ns step_ns = step_length(job_.rank[of]);
      if (queued < kLongQueue && (step_ns == 0 || queued < step_ns / 2)) continue;
      ++count;
      if (queued <= longest) continue;
      longest = queued;
      longest_of = of;
    }
    if (count == 0) return;
    runs_behind_ = true;
    add(0,  // so it does where the host is fast enough
        fmt::format("The device runs {} behind the host: half of the rows begin so long after "
                    "their launch, or longer",
                    time_text(longest)),
        place(job_.rank[longest_of], count == 1 ? "" : fmt::format("and {} more", count - 1)),
        "Times of host ops say little of the step's length here; what counts is the device");
  }

  /// From the end of a launch to its row; 0 without launches.
  Ns median_queue_ns(const Graph& graph) const {
    std::vector<Ns> queued;
    for (std::uint32_t row = 0; row < graph.size(); ++row) {
      if (!is_row(graph, row)) continue;
      const Sources sources = graph.data_dependencies(row);
      for (auto source = sources.begin(); source != sources.end(); ++source)
        if (source.edge().evidence == Evidence::kLaunch)
          queued.push_back(graph.start_ns[row] - graph.end_ns(*source));
    }
    return queued.empty() ? 0 : upper_median(queued);
  }

  /// The mean of the rank's steps; 0 without steps.
  Ns step_length(std::int64_t rank) const {
    Ns sum = 0;
    std::int64_t steps = 0;
    for (const StepTimes& step : profile_.steps) {
      if (step.rank != rank) continue;
      sum = add_times(sum, step.length_ns);
      ++steps;
    }
    return steps > 0 ? sum / steps : 0;
  }

  const ReplayJob& job_;
  const std::optional<StepRange> steps_;
  const Profile& profile_;
  std::vector<ProfileFinding> findings_;
  Ns device_ns_ = 0;          ///< of all devices
  bool runs_behind_ = false;  ///< a device does: rows that it begins late are no finding
};

}  // namespace

std::vector<ProfileFinding> find_what_looks_wrong(const ReplayJob& job,
                                                  std::optional<StepRange> steps,
                                                  const Profile& profile) {
  return FindingSearch(job, steps, profile).run();
}

}  // namespace nadi
