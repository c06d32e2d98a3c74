#include "nadi/converters/profile/step_times.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "nadi/converters/profile/host_places.h"
#include "nadi/diff/kernel_family.h"
#include "nadi/model/last_sources.h"
#include "nadi/sim_bridge/replay/report.h"

namespace nadi {

namespace {

/// What runs on a device between two moments.
struct Running {
  std::array<std::uint32_t, 3> works{};  ///< rows, by DeviceWork
  std::uint32_t waiting = 0;             ///< of those that communicate

  std::uint32_t of(DeviceWork work) const { return works[static_cast<std::size_t>(work)]; }
};

class DeviceSweep {
 public:
  DeviceSweep(const ReplayJob& job, std::size_t of, std::optional<StepRange> chosen)
      : job_(job),
        of_(of),
        chosen_(chosen),
        graph_(job.graphs[of]),
        works_(graph_),
        places_(graph_),
        last_source_(last_sources(graph_, [&](auto node) { return graph_.end_ns(node); })) {}

  RankTimes run() {
    RankTimes times;
    for (std::uint32_t row = 0; row < graph_.size(); ++row)
      if (graph_.is_device(row) && graph_.kind[row] != NodeKind::kDelay)
        rows_[graph_.lanes[graph_.lane[row]].device].push_back(row);
    for (const auto& [device, rows] : rows_) add_device(device, rows, times);
    for (auto& [key, share] : shares_) {
      const auto& [cause, what] = key;
      times.idle.push_back(
          {job_.rank[of_], cause, std::string(what), share.count, share.ns, share.longest});
    }
    return times;
  }

 private:
  struct Share {
    std::uint64_t count = 0;
    Ns ns = 0, longest = 0;
  };
  /// A row begins or ends; a waiting communication's last member begins.
  struct Moment {
    Ns ns;
    std::uint32_t row;
    DeviceWork work;
    std::int8_t rows, waiting;
    friend bool operator<(const Moment& a, const Moment& b) {
      return std::tuple(a.ns, -a.rows, a.row) < std::tuple(b.ns, -b.rows, b.row);
    }
  };

  Ns start_ns(std::uint32_t row) const { return job_.start_ns(job_.first_node[of_] + row); }
  Ns end_ns(std::uint32_t row) const { return job_.end_ns(job_.first_node[of_] + row); }

  /// The stream that computes most: others, as one that loads what is computed with later, may run
  /// steps ahead of it.
  std::uint32_t main_lane(const std::vector<std::uint32_t>& rows) {
    std::map<std::uint32_t, Ns> busy;
    for (const std::uint32_t row : rows)
      if (works_.of(row) == DeviceWork::kComputation)
        busy[graph_.lane[row]] = add_times(busy[graph_.lane[row]], graph_.duration_ns[row]);
    const auto most = std::max_element(
        busy.begin(), busy.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == busy.end() ? kNoIndex : most->first;
  }

  /// The first rows of steps on the main stream, in their order: what a later step began sooner
  /// does not begin it. The time before a step of which the one before is lost is of none.
  std::vector<StepTimes> steps_of(std::int64_t device, const std::vector<std::uint32_t>& rows) {
    struct Rows {
      Ns first_start, last_end;
    };
    const std::uint32_t lane = main_lane(rows);
    std::map<std::int32_t, Rows> rows_of_step;
    for (const std::uint32_t row : rows) {
      if (graph_.step[row] < 0 || (lane != kNoIndex && graph_.lane[row] != lane)) continue;
      Rows& known = rows_of_step.try_emplace(graph_.step[row], Rows{start_ns(row), end_ns(row)})
                        .first->second;
      known.first_start = std::min(known.first_start, start_ns(row));
      known.last_end = std::max(known.last_end, end_ns(row));
    }
    std::vector<StepTimes> steps;
    Ns begin = kNoTime;
    const auto add = [&](std::optional<std::int32_t> step) {
      StepTimes& times = steps.emplace_back();
      times.rank = job_.rank[of_];
      times.device = device;
      times.step = step;
      times.begin_ns = begin;
    };
    for (auto step = rows_of_step.begin(); step != rows_of_step.end(); ++step) {
      begin = std::max(begin, step->second.first_start);
      add(step->first);
      const auto next = std::next(step);
      if (next == rows_of_step.end() || next->first == step->first + 1) continue;
      begin = std::max(begin, step->second.last_end);
      add(std::nullopt);
    }
    return steps;
  }

  /// When the last member of what a communication waits for began; its own start, if none is known.
  Ns met_ns(std::uint32_t row) const {
    Ns met = start_ns(row);
    const std::uint32_t kernel = job_.kernel_index(job_.first_node[of_] + row);
    if (kernel == kNoIndex) return met;
    for (const std::uint32_t instance : job_.kernels[kernel].waits_for)
      for (const std::uint32_t other : job_.comm_instances[instance].kernels)
        met = std::max(met, job_.start_ns(job_.kernels[other]));
    return std::min(met, end_ns(row));
  }

  std::vector<Moment> moments_of(const std::vector<std::uint32_t>& rows) {
    std::vector<Moment> moments;
    moments.reserve(2 * rows.size());
    for (const std::uint32_t row : rows) {
      const DeviceWork work = works_.of(row);
      const Ns met = work == DeviceWork::kCommunication ? met_ns(row) : start_ns(row);
      const bool waits = met > start_ns(row);
      moments.push_back({start_ns(row), row, work, 1, static_cast<std::int8_t>(waits ? 1 : 0)});
      if (waits) moments.push_back({met, row, work, 0, -1});
      moments.push_back({end_ns(row), row, work, -1, 0});
    }
    std::sort(moments.begin(), moments.end());
    return moments;
  }

  static void add_stretch(const Running& running, Ns length, StepTimes& times) {
    const bool computes = running.of(DeviceWork::kComputation) > 0;
    const std::uint32_t communicating = running.of(DeviceWork::kCommunication);
    const bool copies = running.of(DeviceWork::kCopy) > 0;
    if (computes) times.computation_ns += length;
    if (communicating > 0) times.communication_ns += length;
    if (copies) times.copies_ns += length;
    if (computes) return;
    if (communicating > 0) {
      times.exposed_communication_ns += length;
      if (running.waiting == communicating) times.exposed_waiting_ns += length;
    } else if (copies) {
      times.exposed_copies_ns += length;
    }
  }

  /// From the first row of the chosen steps to the last; {0, 0} without rows.
  std::pair<Ns, Ns> span_of_chosen(const std::vector<std::uint32_t>& rows) const {
    std::pair<Ns, Ns> span{0, 0};
    for (const std::uint32_t row : rows) {
      if (!chosen_->holds(graph_.step[row])) continue;
      if (span.second == 0) span = {start_ns(row), end_ns(row)};
      span = {std::min(span.first, start_ns(row)), std::max(span.second, end_ns(row))};
    }
    return span;
  }

  void add_device(std::int64_t device, const std::vector<std::uint32_t>& rows, RankTimes& times) {
    const std::vector<Moment> moments = moments_of(rows);
    StepTimes all;
    all.rank = job_.rank[of_];
    all.device = device;
    all.begin_ns = moments.front().ns;
    std::vector<StepTimes> steps = steps_of(device, rows);
    auto next = steps.begin();  // behind the step that lasts
    const auto open_steps = [&](Ns now) {
      while (next != steps.end() && next->begin_ns <= now) ++next;
    };
    open_steps(all.begin_ns);
    const auto span =
        chosen_ ? span_of_chosen(rows) : std::pair(moments.front().ns, moments.back().ns);
    const auto is_counted = [&](const StepTimes* step, Ns now) {
      const bool is_of_other =
          chosen_ && step != nullptr && !chosen_->holds(step->step.value_or(-1));
      return now >= span.first && now < span.second && !is_of_other;
    };
    Running running;
    Ns since = all.begin_ns;
    for (const Moment& moment : moments) {
      const Ns length = moment.ns - since;
      if (length > 0) {
        StepTimes* const step = next == steps.begin() ? nullptr : &*std::prev(next);
        if (is_counted(step, since)) {
          if (all.length_ns == 0) all.begin_ns = since;
          add_time(running, {since, moment.ns}, moment.row, all, step);
        }
        since = moment.ns;
        open_steps(since);
      }
      running.works[static_cast<std::size_t>(moment.work)] +=
          static_cast<std::uint32_t>(moment.rows);
      running.waiting += static_cast<std::uint32_t>(moment.waiting);
    }
    if (all.length_ns > 0 || !chosen_) times.devices.push_back(all);
    std::copy_if(steps.begin(), steps.end(), std::back_inserter(times.steps),
                 [&](const StepTimes& step) {
                   return step.step && (!chosen_ || chosen_->holds(*step.step));
                 });
  }

  /// next: the row that begins or ends when the time is over; step: nullptr = none.
  void add_time(const Running& running, std::pair<Ns, Ns> time, std::uint32_t next, StepTimes& all,
                StepTimes* step) {
    const Ns length = time.second - time.first;
    all.length_ns += length;
    if (step != nullptr) step->length_ns += length;
    if (running.works == std::array<std::uint32_t, 3>{}) {
      add_idle(next, time.first, all, step);
    } else {
      add_stretch(running, length, all);
      if (step != nullptr) add_stretch(running, length, *step);
    }
  }

  void add_idle(std::uint32_t next, Ns since, StepTimes& all, StepTimes* step) {
    // From a launch to its row on an idle device: 4 to 20 us on real traces of CUDA and ROCm.
    constexpr Ns kLatency = 20 * kNsPerMicro;
    const auto add = [&](IdleCause cause, std::string_view what, Ns ns) {
      if (ns <= 0) return;
      all.idle_ns[static_cast<std::size_t>(cause)] += ns;
      if (step != nullptr) step->idle_ns[static_cast<std::size_t>(cause)] += ns;
      Share& share = shares_[{cause, std::string(what)}];
      ++share.count;
      share.ns += ns;
      share.longest = std::max(share.longest, ns);
    };
    const Ns begin = start_ns(next);
    Ns explained = since;
    if (const std::uint32_t source = last_source_[next];
        source != kNoIndex && end_ns(source) > since) {
      explained = std::min(end_ns(source), begin);
      if (graph_.is_device(source))
        add(IdleCause::kOtherDevice, lane_text(graph_.lanes[graph_.lane[source]]),
            explained - since);
      else
        add_host(source, since, explained, add);
    }
    if (const std::uint32_t delay = host_delay_before(next); delay != kNoIndex) {
      const Ns until = std::min(end_ns(delay), begin);
      add(IdleCause::kHost, place_around(delay), until - explained);
      explained = std::max(explained, until);
    }
    const std::string_view name = graph_.name_of(next);
    if (waits_for_unrecorded_work(next)) {
      add(IdleCause::kUnrecordedWork, name, begin - explained);
      return;
    }
    const Ns latency = std::min(begin - explained, kLatency);
    add(IdleCause::kLatency, name, latency);
    add(IdleCause::kUnexplained, name, begin - explained - latency);
  }

  /// The idle time of the host before a call outside of ops that launches the row; kNoIndex = none.
  std::uint32_t host_delay_before(std::uint32_t row) const {
    std::uint32_t last = kNoIndex;
    for (const std::uint32_t source : graph_.dependencies(row))
      if (graph_.kind[source] == NodeKind::kDelay && !graph_.is_device(source) &&
          (last == kNoIndex || end_ns(source) > end_ns(last)))
        last = source;
    return last;
  }

  /// A delay before the row is work of the device of which there is no row.
  bool waits_for_unrecorded_work(std::uint32_t row) const {
    for (const std::uint32_t delay : graph_.dependencies(row))
      if (is_unrecorded_work(graph_, delay)) return true;
    return false;
  }

  /// What the host did from `since` until it launched: back along what each node waited for. Where
  /// that was the device, the host could have launched sooner by as long as it was blocked.
  template <class Add>
  void add_host(std::uint32_t launching, Ns since, Ns until, const Add& add) {
    if (const std::uint32_t call = blocked_call(launching, since); call != kNoIndex) {
      const Ns blocked = std::min(blocked_ns(call, since), until - since);
      add(IdleCause::kSynchronisation, synchronisation_text(call), blocked);
      since += blocked;
    }
    std::uint32_t behind = launching;
    for (std::uint32_t node = launching; is_host_after(node, since); node = last_source_[node]) {
      const Ns end = std::min(end_ns(node), until);
      const Ns begin = std::clamp(start_ns(node), since, end);
      add(IdleCause::kHost, place_before(behind, until - end), until - end);
      add(IdleCause::kHost, graph_.name_of(node), end - begin);
      until = begin;
      behind = node;
    }
    add(IdleCause::kHost, place_before(behind, until - since), until - since);
  }

  bool is_host_after(std::uint32_t node, Ns since) const {
    return node != kNoIndex && !graph_.is_device(node) && end_ns(node) > since;
  }

  /// The call before a launch that waited for the device until `since` or longer; kNoIndex = none.
  std::uint32_t blocked_call(std::uint32_t launching, Ns since) const {
    for (std::uint32_t node = launching; is_host_after(node, since); node = last_source_[node])
      if (const std::uint32_t before = last_source_[node];
          before != kNoIndex && graph_.is_device(before) &&
          end_ns(before) >= since - kClockResolution)
        return node;
    return kNoIndex;
  }

  /// What the host was in for so long until this node began, but for the ops before it.
  std::string_view place_before(std::uint32_t next, Ns length) {
    return length > 0 ? place_text(places_.before(next, length)) : std::string_view();
  }

  /// What the host was in when it began to idle.
  std::string_view place_around(std::uint32_t delay) {
    return place_text(places_.before(delay, 0));
  }

  static std::string_view place_text(std::string_view place) {
    return place.empty() ? "outside of all ops (Python, or a wait of the host)" : place;
  }

  /// From the end of what the thread did before the call until the device was done: what the call
  /// did then, as cudaMalloc does, is its work.
  Ns blocked_ns(std::uint32_t call, Ns done) const {
    Ns begin = kNoTime;
    for (const std::uint32_t source : graph_.dependencies(call))
      if (!graph_.is_device(source) && graph_.kind[source] != NodeKind::kDelay)
        begin = std::max(begin, end_ns(source));
    return begin == kNoTime ? end_ns(call) - start_ns(call) : std::max<Ns>(done - begin, 0);
  }

  std::string synchronisation_text(std::uint32_t call) const {
    const std::uint32_t around = graph_.parent.empty() ? kNoIndex : graph_.parent[call];
    std::string text(graph_.name_of(call));
    if (around != kNoIndex) text += " in " + std::string(graph_.name_of(around));
    return text;
  }

  const ReplayJob& job_;
  const std::size_t of_;
  const std::optional<StepRange> chosen_;
  const Graph& graph_;
  DeviceWorks works_;
  HostPlaces places_;
  const std::vector<std::uint32_t> last_source_;
  std::map<std::int64_t, std::vector<std::uint32_t>> rows_;  // by device
  std::map<std::pair<IdleCause, std::string>, Share> shares_;
};

}  // namespace

std::string_view to_string(IdleCause cause) {
  constexpr std::string_view kNames[kIdleCauses] = {
      "host",           "synchronisation", "other device",
      "device latency", "unrecorded work", "unexplained"};
  return kNames[static_cast<std::size_t>(cause)];
}

Ns StepTimes::sum_of_idle_ns() const {
  Ns sum = 0;
  for (const Ns ns : idle_ns) sum += ns;
  return sum;
}

DeviceWork DeviceWorks::of(std::size_t node) {
  if (graph_.communicates(node)) return DeviceWork::kCommunication;
  const auto id = static_cast<std::size_t>(graph_.node_name[node]);
  if (id >= by_name_.size()) by_name_.resize(id + 1);
  if (!by_name_[id]) {
    const std::string_view family = kernel_family_of(graph_.name_of(node));
    by_name_[id] = is_memory_family(family)    ? DeviceWork::kCopy
                   : family == "communication" ? DeviceWork::kCommunication
                                               : DeviceWork::kComputation;
  }
  return *by_name_[id];
}

bool is_unrecorded_work(const Graph& graph, std::uint32_t delay) {
  if (graph.kind[delay] != NodeKind::kDelay) return false;
  const Sources sources = graph.dependencies(delay);
  for (auto source = sources.begin(); source != sources.end(); ++source)
    if (source.edge().evidence == Evidence::kUnrecordedWork) return true;
  return false;
}

RankTimes measure_rank(const ReplayJob& job, std::size_t graph, std::optional<StepRange> steps) {
  return DeviceSweep(job, graph, steps).run();
}

}  // namespace nadi
