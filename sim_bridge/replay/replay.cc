#include "nadi/sim_bridge/replay/replay.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <vector>

#include "nadi/base/error.h"
#include "nadi/chakra/sum_of_times.h"
#include "nadi/sim_bridge/replay/replay_job.h"
#include "nadi/sim_bridge/replay/row_gaps.h"

namespace nadi {

Ns measured_overlap(const Graph& graph, std::uint32_t earlier, std::uint32_t later) {
  if (graph.lane[earlier] != graph.lane[later] || !graph.is_device(earlier)) return 0;
  if (graph.start_ns[earlier] >= graph.start_ns[later]) return 0;
  return std::max<Ns>(0, graph.end_ns(earlier) - graph.start_ns[later]);
}

namespace {

// Lanes of a replay: who holds each, and who waits for it.

/// A time that is not known yet.
inline constexpr Ns kUnknownTime = std::numeric_limits<Ns>::max();

/// One lane. Nodes wait in id order.
struct LaneSlot {
  std::uint32_t holder = kNoIndex;  ///< node that ends last of those started; kNoIndex = none yet
  Ns free_at = kNoTime;             ///< its end, or kUnknownTime
  Ns next_look = kUnknownTime;  ///< when the queue is looked at next; kUnknownTime = not planned
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> waiting;
};

/// Which lane each node needs.
class ReplayLaneTable {
 public:
  static constexpr std::uint32_t kNoLane = kNoIndex;

  ReplayLaneTable(const ReplayJob& job, ReplayLanes lanes) : job_(job), mode_(lanes) {
    if (mode_ == ReplayLanes::kNone) return;
    for (const Graph& graph : job.graphs) {
      std::uint32_t one_host = kNoLane;
      auto& lane = lane_.emplace_back();
      for (const GraphLane& what : graph.lanes) {
        const bool is_shared = mode_ == ReplayLanes::kOneHost && !what.is_device;
        if (is_shared && one_host != kNoLane) {
          lane.push_back(one_host);
          continue;
        }
        lane.push_back(static_cast<std::uint32_t>(lanes_++));
        if (is_shared) one_host = lane.back();
      }
    }
  }

  /// kNoLane: the node excludes nobody.
  std::uint32_t lane_of(std::uint32_t node) const {
    if (mode_ == ReplayLanes::kNone) return kNoLane;
    const std::size_t of = job_.graph_index(node);
    const Graph& graph = job_.graphs[of];
    const std::uint32_t row = node - job_.first_node[of];
    return graph.kind[row] == NodeKind::kDelay ? kNoLane : lane_[of][graph.lane[row]];
  }

  std::size_t size() const { return lanes_; }

  /// Earliest start of the node as far as the lane is concerned; kUnknownTime, or kNoTime = any.
  Ns earliest_start(const LaneSlot& slot, std::uint32_t node) const {
    if (slot.holder == kNoIndex) return kNoTime;
    const Graph& graph = job_.graph(node);
    const std::uint32_t holder = job_.row(slot.holder), row = job_.row(node);
    const bool is_device = graph.is_device(row);
    if (is_device && graph.correlation[row] >= 0 &&
        graph.correlation[holder] == graph.correlation[row])
      return kNoTime;
    if (slot.free_at == kUnknownTime) return kUnknownTime;
    return slot.free_at - measured_overlap(graph, holder, row);
  }

 private:
  const ReplayJob& job_;
  ReplayLanes mode_;
  std::vector<std::vector<std::uint32_t>> lane_;  // by graph and its lane
  std::size_t lanes_ = 0;
};

/// Something that is due: a node whose dependencies have ended, or a look at a lane's queue.
struct ReplayEvent {
  Ns time = 0;
  std::uint64_t what = 0;  ///< node, or kLook + lane: nodes first
  static constexpr std::uint64_t kLook = std::uint64_t{1} << 32;
  friend auto operator<=>(const ReplayEvent&, const ReplayEvent&) = default;
};

/// A kernel of an instance while the replay runs.
struct KernelState {
  std::size_t nodes_to_start = 0, instances_to_start = 0;
  Ns start = kNoTime;  ///< latest start of its nodes
  Ns after_last = 0;
};

/// An instance while the replay runs.
struct CommInstanceState {
  std::size_t kernels_to_start = 0;
  Ns last_start = kNoTime;
  std::uint32_t last = kNoIndex;  ///< kernel
};

class Engine {
 public:
  Engine(const ReplayJob& job, const ReplayOptions& options)
      : job_(job), options_(options), lanes_(job, options.lanes), slots_(lanes_.size()) {
    prepare_nodes();
    prepare_instances();
  }

  ReplayTimes run() {
    for (; !events_.empty();) {
      const ReplayEvent next = events_.top();
      events_.pop();
      now_ = next.time;
      if (next.what < ReplayEvent::kLook)
        arrive(static_cast<std::uint32_t>(next.what));
      else
        look(static_cast<std::uint32_t>(next.what - ReplayEvent::kLook));
    }
    if (ended_ < job_.size()) fail_on_stuck();
    return std::move(times_);
  }

 private:
  void prepare_nodes() {
    const std::size_t nodes = job_.size();
    times_.start_ns.assign(nodes, kNoTime);
    times_.end_ns.assign(nodes, kNoTime);
    times_.waited_for.assign(nodes, kNoIndex);
    ready_.reserve(nodes);
    to_end_.reserve(nodes);
    for (std::size_t of = 0; of < job_.graphs.size(); ++of) {
      const Graph& graph = job_.graphs[of];
      gaps_.push_back(row_gaps(graph));
      durations_.push_back(scaled_durations(graph, options_.scales));
      if (!options_.row_factors.empty())
        for (std::uint32_t row = 0; row < graph.size(); ++row)
          durations_[of][row] = scaled(durations_[of][row], options_.row_factors[of][row]);
      ready_.resize(job_.first_node[of + 1], job_.clocks[of].shift_ns);
      for (std::uint32_t row = 0; row < graph.size(); ++row) {
        to_end_.push_back(static_cast<std::uint32_t>(graph.dependencies(row).size()));
        if (to_end_.back() == 0)
          events_.push({job_.clocks[of].shift_ns, job_.first_node[of] + row});
      }
    }
    require_short_times();
  }

  void require_short_times() const {
    double sum = 0;
    for (const auto& durations : durations_) sum += sum_of_times(durations);
    if (sum > kLongestSum)
      throw Error(ErrorCode::kUsage, "`scale`", "makes the job longer than 30 years",
                  "Use smaller factors");
  }

  void prepare_instances() {
    kernels_.resize(job_.kernels.size());
    instances_.resize(job_.comm_instances.size());
    times_.last_to_meet.assign(kernels_.size(), kNoIndex);
    for (std::size_t i = 0; i < instances_.size(); ++i)
      instances_[i].kernels_to_start = job_.comm_instances[i].kernels.size();
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      const CommKernel& kernel = job_.kernels[i];
      kernels_[i].nodes_to_start = kernel.nodes.size();
      kernels_[i].instances_to_start = kernel.waits_for.size();
      kernels_[i].after_last = scaled(kernel.after_last_ns, kernel_factor(kernel));
    }
  }

  // That of the node which has the kernel's duration.
  double kernel_factor(const CommKernel& kernel) const {
    if (options_.scales.empty()) return 1;
    const std::uint32_t longest =
        kernel.stands_for != kNoIndex
            ? kernel.stands_for
            : *std::max_element(kernel.nodes.begin(), kernel.nodes.end(), [&](auto a, auto b) {
                const Graph& graph = job_.graphs[kernel.rank];
                return graph.duration_ns[job_.row(a)] < graph.duration_ns[job_.row(b)];
              });
    return NodeScaler(job_.graph(longest), options_.scales).factor(job_.row(longest));
  }

  void arrive(std::uint32_t node) {
    const std::uint32_t lane = lanes_.lane_of(node);
    if (lane == ReplayLaneTable::kNoLane) return start(node, kNoIndex);
    LaneSlot& slot = slots_[lane];
    if (slot.waiting.empty() && lanes_.earliest_start(slot, node) <= now_) {
      return start(node, lane);
    }
    slot.waiting.push(node);
    plan_look(lane);
  }

  // Starts who may start; the first in the queue that may not holds up the others.
  void look(std::uint32_t lane) {
    LaneSlot& slot = slots_[lane];
    if (slot.next_look != now_) return;  // an earlier look was planned in the meantime
    slot.next_look = kUnknownTime;
    while (!slot.waiting.empty()) {
      const std::uint32_t node = slot.waiting.top();
      if (lanes_.earliest_start(slot, node) > now_) break;
      slot.waiting.pop();
      if (slot.free_at > ready_[node]) times_.waited_for[node] = slot.holder;
      start(node, lane);
    }
    plan_look(lane);
  }

  void plan_look(std::uint32_t lane) {
    LaneSlot& slot = slots_[lane];
    if (slot.waiting.empty()) return;
    const Ns earliest = lanes_.earliest_start(slot, slot.waiting.top());
    if (earliest == kUnknownTime) return;  // planned when the holder's end is known
    const Ns time = std::max(earliest, now_);
    if (time >= slot.next_look) return;
    slot.next_look = time;
    events_.push({time, ReplayEvent::kLook + lane});
  }

  void start(std::uint32_t node, std::uint32_t lane) {
    times_.start_ns[node] = now_;
    const std::uint32_t kernel = job_.kernel_index(node);
    const std::size_t of = job_.graph_index(node);
    const Ns end =
        kernel == kNoIndex ? now_ + durations_[of][node - job_.first_node[of]] : kUnknownTime;
    if (lane != ReplayLaneTable::kNoLane) hold(slots_[lane], node, end);
    if (kernel == kNoIndex)
      finish(node, end);
    else
      start_in_kernel(kernel);
  }

  static void hold(LaneSlot& slot, std::uint32_t node, Ns end) {
    if (slot.holder != kNoIndex && end < slot.free_at) return;
    slot.holder = node;
    slot.free_at = end;
  }

  void finish(std::uint32_t node, Ns end) {
    times_.end_ns[node] = end;
    ++ended_;
    const std::size_t of = job_.graph_index(node);
    const Graph& graph = job_.graphs[of];
    const std::uint32_t first = job_.first_node[of], row = node - first;
    for (const std::uint32_t dependent : graph.dependents(row)) {
      const std::uint32_t next = first + dependent;
      const Ns since = std::max(now_, end + gap_between(of, row, dependent));
      if (since >= ready_[next]) {
        ready_[next] = since;
        times_.waited_for[next] = node;
      }
      if (--to_end_[next] == 0) events_.push({ready_[next], next});
    }
  }

  /// From the end of what a node depends on until it can begin, on a stream; below 0, they overlap.
  Ns gap_between(std::size_t of, std::uint32_t earlier, std::uint32_t later) const {
    const Graph& graph = job_.graphs[of];
    if (gaps_[of].empty() || graph.lane[earlier] != graph.lane[later] ||
        graph.kind[earlier] == NodeKind::kDelay)
      return 0;
    const Ns gap = graph.kind[earlier] == NodeKind::kDeviceRow ? gaps_[of][later] : 0;
    return gap - measured_overlap(graph, earlier, later);
  }

  void start_in_kernel(std::uint32_t index) {
    KernelState& kernel = kernels_[index];
    kernel.start = now_;
    if (--kernel.nodes_to_start > 0) return;
    for (const std::uint32_t instance : job_.kernels[index].instances) {
      instances_[instance].last_start = now_;
      instances_[instance].last = index;
      --instances_[instance].kernels_to_start;
    }
    if (kernel.instances_to_start == 0) finish_kernel(index);
    for (const std::uint32_t instance : job_.kernels[index].instances)
      if (instances_[instance].kernels_to_start == 0) open_instance(instance);
  }

  // All have started: those that wait for this instance wait no more.
  void open_instance(std::uint32_t instance) {
    for (const std::uint32_t index : job_.comm_instances[instance].kernels) {
      const auto& waits_for = job_.kernels[index].waits_for;
      if (std::find(waits_for.begin(), waits_for.end(), instance) == waits_for.end()) continue;
      if (--kernels_[index].instances_to_start == 0) finish_kernel(index);
    }
  }

  void finish_kernel(std::uint32_t index) {
    const CommKernel& kernel = job_.kernels[index];
    times_.last_to_meet[index] = index;
    Ns last = kernels_[index].start;
    for (const std::uint32_t instance : kernel.waits_for)
      if (instances_[instance].last_start > last) {
        last = instances_[instance].last_start;
        times_.last_to_meet[index] = instances_[instance].last;
      }
    const Ns end = last + kernels_[index].after_last;
    for (const std::uint32_t node : kernel.nodes) {
      const std::uint32_t lane = lanes_.lane_of(node);
      if (lane != ReplayLaneTable::kNoLane && slots_[lane].holder == node) {
        slots_[lane].free_at = end;
        plan_look(lane);
      }
      finish(node, end);
    }
  }

  [[noreturn]] void fail_on_stuck() const;

  const ReplayJob& job_;
  const ReplayOptions& options_;
  ReplayLaneTable lanes_;
  std::vector<LaneSlot> slots_;
  std::vector<KernelState> kernels_;
  std::vector<CommInstanceState> instances_;
  std::vector<std::vector<Ns>> durations_;        // by graph, scaled
  std::vector<std::vector<std::uint16_t>> gaps_;  // by graph
  std::vector<Ns> ready_;                         // by node: latest end of what it depends on
  std::vector<std::uint32_t> to_end_;             // by node: dependencies that have not ended
  std::priority_queue<ReplayEvent, std::vector<ReplayEvent>, std::greater<>> events_;
  ReplayTimes times_;
  Ns now_ = 0;
  std::size_t ended_ = 0;
};

// Graphs have no cycles, so only kernels that wait for each other in different orders get stuck.
void Engine::fail_on_stuck() const {
  for (std::size_t i = 0; i < job_.comm_instances.size(); ++i) {
    std::string waiting, missing;
    for (const std::uint32_t kernel : job_.comm_instances[i].kernels) {
      const bool has_started = kernels_[kernel].nodes_to_start == 0;
      std::string& text = has_started ? waiting : missing;
      if (text.empty()) text = job_.text(job_.kernels[kernel].nodes.front());
    }
    if (waiting.empty() || missing.empty()) continue;
    throw Error(ErrorCode::kInput, waiting,
                "waits for ever: " + missing + " cannot start before it ends (" +
                    std::to_string(job_.size() - ended_) + " nodes never run)",
                "The ranks do not issue their communication in one order: are the files of one "
                "job, and of the same steps?");
  }
  for (std::uint32_t node = 0; node < job_.size(); ++node)
    if (times_.end_ns[node] == kNoTime)
      throw Error(ErrorCode::kInput, job_.text(node), "never runs", "See: nadi check");
  throw Error(ErrorCode::kInternal, "replay", "nodes got lost");
}

}  // namespace

ReplayTimes replay(const ReplayJob& job, const ReplayOptions& options) {
  return Engine(job, options).run();
}

}  // namespace nadi
