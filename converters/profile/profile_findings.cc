#include "nadi/converters/profile/profile_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "nadi/converters/profile/step_times.h"

namespace nadi {

namespace {

// Shares of the time from which on a person should know of it.
constexpr double kIdleShare = 0.05, kExposedShare = 0.1, kWaitingShare = 0.02,
                 kOutlierShare = 0.005;
constexpr Ns kLongQueue = 100'000 * kNsPerMicro;

double ms(Ns ns) { return static_cast<double>(ns) / 1e6; }

double share_of(Ns part, Ns whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

class FindingSearch {
 public:
  FindingSearch(const ReplayJob& job, Profile& profile) : job_(job), profile_(profile) {
    for (const StepTimes& device : profile.devices) device_ns_ += device.length_ns;
  }

  void run() {
    find_losses();
    find_idle();
    find_exposed_communication();
    find_late_ranks();
    find_late_begins();
    find_uneven_steps();
    for (std::size_t of = 0; of < job_.graphs.size(); ++of) {
      find_long_kernels(of);
      find_long_queue(of);
    }
    std::stable_sort(
        profile_.findings.begin(), profile_.findings.end(),
        [](const ProfileFinding& a, const ProfileFinding& b) { return a.share > b.share; });
  }

 private:
  void add(double share, std::string what, std::string place, std::string remedy) {
    profile_.findings.push_back(
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
      if (info.severity != Severity::kLoss) continue;
      add(1, fmt::format("{} ({} times)", info.meaning, diagnostic.count),
          diagnostic.first.empty() ? "" : diagnostic.first.front(), std::string(info.remedy));
    }
  }

  void find_idle() {
    static constexpr std::array<const char*, kIdleCauses> kRemedies{
        "Launch fewer and larger kernels: CUDA graphs, torch.compile, larger batches; or let the "
        "host run ahead of the device",
        "Leave out what makes the host wait: .item(), .cpu(), print of a tensor, "
        "torch.cuda.synchronize()",
        "Overlap what the devices exchange with computation",
        "Launch larger kernels, or the same ones as one CUDA graph",
        "Record again with what `nadi doctor` names, so that nadi sees what was waited for"};
    Ns sums[kIdleCauses] = {};
    for (const StepTimes& device : profile_.devices)
      for (std::size_t cause = 0; cause < kIdleCauses; ++cause)
        sums[cause] += device.idle_ns[cause];
    for (std::size_t cause = 0; cause < kIdleCauses; ++cause) {
      const double share = share_of(sums[cause], device_ns_);
      if (share < kIdleShare) continue;
      const auto longest = std::find_if(
          profile_.idle.begin(), profile_.idle.end(),
          [&](const IdleShare& idle) { return idle.cause == static_cast<IdleCause>(cause); });
      add(share,
          fmt::format("The device{} idle for {:.1f} % of the time, {:.3f} ms: {}",
                      profile_.devices.size() > 1 ? "s are" : " is", 100 * share, ms(sums[cause]),
                      idle_text(static_cast<IdleCause>(cause))),
          place(longest->rank, "most of it: " + longest->what), kRemedies[cause]);
    }
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
      case IdleCause::kUnexplained:
        break;
    }
    return "nothing recorded explains it";
  }

  void find_exposed_communication() {
    Ns exposed = 0, waiting = 0;
    for (const StepTimes& device : profile_.devices) {
      exposed += device.exposed_communication_ns;
      waiting += device.exposed_waiting_ns;
    }
    const double share = share_of(exposed, device_ns_);
    if (share < kExposedShare) return;
    const std::string waiting_part =
        profile_.waiting.empty()
            ? "how much of that is waiting for other ranks, their traces would tell"
            : fmt::format("in {:.3f} ms of that ranks wait for one that has not begun",
                          ms(waiting));
    add(share,
        fmt::format("Communication that nothing hides takes {:.1f} % of the time, {:.3f} ms; {}",
                    100 * share, ms(exposed), waiting_part),
        "", "Let it run beside computation: buckets, prefetching, another parallel layout");
  }

  void find_late_ranks() {
    for (const RankWaiting& rank : profile_.waiting) {
      const double share = share_of(rank.made_others_wait_ns, device_ns_);
      if (share < kWaitingShare) continue;
      add(share,
          fmt::format("Rank {} comes last to {} collectives, and the others wait {:.3f} ms for it",
                      rank.rank, rank.was_last, ms(rank.made_others_wait_ns)),
          place(rank.rank),
          "Look at what it does before these: its idle times and its part of the critical path");
    }
  }

  /// What the critical path waits for that is no work: rows long after their launch, ranks that
  /// begin late.
  void find_late_begins() {
    for (const PathShare& part : profile_.path) {
      const double share = share_of(part.ns, profile_.path_ns);
      if (share < kIdleShare) break;  // the longest stand first
      if (part.kind == PathKind::kLaunchLatency)
        add(share,
            fmt::format("Device rows begin {:.3f} ms after their launch, and all waits for it",
                        ms(part.ns)),
            place(part.rank, part.name),
            "Was a module loaded, a graph uploaded, or did another program use the device?");
      else if (part.kind == PathKind::kGap && profile_.ranks.size() > 1)
        add(share, fmt::format("For {:.3f} ms {}", ms(part.ns), part.name), place(part.rank),
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

  /// Of each name the longest, where it takes ten times as long as half of its siblings.
  void find_long_kernels(std::size_t of) {
    constexpr std::size_t kFewest = 5;
    const Graph& graph = job_.graphs[of];
    DeviceWorks works(graph);
    std::unordered_map<StringId, std::vector<std::uint32_t>> by_name;
    for (std::uint32_t row = 0; row < graph.size(); ++row)
      if (graph.is_device(row) && graph.kind[row] != NodeKind::kDelay &&
          works.of(row) == DeviceWork::kComputation)
        by_name[graph.node_name[row]].push_back(row);
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
                      ms(graph.duration_ns[row]), ms(median), graph.name_of(row)),
          place(job_.rank[of], fmt::format("node {}, {:.3f} ms after the begin", graph.id[row],
                                           ms(graph.start_ns[row]))),
          "Other shapes, or another program on the device? Compare the ops that launched them");
  }

  /// How long after their launch rows began.
  void find_long_queue(std::size_t of) {
    const Graph& graph = job_.graphs[of];
    std::vector<Ns> queued;
    for (std::uint32_t row = 0; row < graph.size(); ++row) {
      if (graph.kind[row] != NodeKind::kDeviceRow) continue;
      const Sources sources = graph.data_dependencies(row);
      for (auto source = sources.begin(); source != sources.end(); ++source)
        if (source.edge().evidence == Evidence::kLaunch)
          queued.push_back(graph.start_ns[row] - graph.end_ns(*source));
    }
    if (queued.empty()) return;
    const auto middle = queued.begin() + static_cast<std::ptrdiff_t>(queued.size() / 2);
    std::nth_element(queued.begin(), middle, queued.end());
    if (*middle < kLongQueue) return;
    add(0,
        fmt::format("Rows begin {:.3f} ms after their launch, half of them later: the device runs "
                    "behind the host",
                    ms(*middle)),
        place(job_.rank[of]),
        "Times of host ops say little of the step's length here; what counts is the device");
  }

  const ReplayJob& job_;
  Profile& profile_;
  Ns device_ns_ = 0;  ///< of all devices
};

}  // namespace

void add_profile_findings(const ReplayJob& job, Profile& profile) {
  FindingSearch(job, profile).run();
}

}  // namespace nadi
