#include "tests/unit/goal/goal_run.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>

namespace nadi::goal {
namespace {

struct RunEvent {
  std::int64_t time;
  std::uint64_t number;  // of those at one time the first one asked for comes first
  bool is_arrival;       // of the message of a receive; else the operation is ready
  GoalPlace place;
  auto operator<=>(const RunEvent&) const = default;
};

struct OpState {
  std::size_t waits_for = 0;
  std::int64_t ready = 0;
  bool is_posted = false, has_message = false;
  std::vector<std::size_t> behind_end, behind_start;
};

class GoalExecutor {
 public:
  GoalExecutor(const GoalSchedule& schedule, const GoalRunOptions& options)
      : schedule_(schedule), options_(options), states_(schedule.ranks.size()) {
    for (std::size_t r = 0; r < states_.size(); ++r) prepare(r);
  }

  GoalRun run() {
    for (std::size_t r = 0; r < states_.size(); ++r)
      for (std::size_t i = 0; i < states_[r].size(); ++i)
        if (states_[r][i].waits_for == 0) push(0, {r, i});
    while (!events_.empty()) {
      RunEvent event = events_.top();
      events_.pop();
      if (!handle(event)) continue;
      event.time = free_at(event.place);  // as early as its cpu allows
      events_.push(event);
    }
    GoalRun result;
    for (const auto& [cpu, free] : free_) result.makespan_ns = std::max(result.makespan_ns, free);
    for (const auto& states : states_) result.stuck += states.size();
    result.stuck -= ended_;
    return result;
  }

 private:
  void prepare(std::size_t r) {
    const std::vector<GoalOp>& ops = schedule_.ranks[r];
    states_[r].resize(ops.size());
    for (std::size_t i = 0; i < ops.size(); ++i) {
      states_[r][i].waits_for = ops[i].after.size() + ops[i].after_start.size();
      for (const std::size_t on : ops[i].after) states_[r][on].behind_end.push_back(i);
      for (const std::size_t on : ops[i].after_start) states_[r][on].behind_start.push_back(i);
    }
  }

  const GoalOp& op(const GoalPlace& place) const {
    return schedule_.ranks[place.first][place.second];
  }
  OpState& state(const GoalPlace& place) { return states_[place.first][place.second]; }
  std::int64_t& free_at(const GoalPlace& place) { return free_[{place.first, op(place).cpu}]; }
  void push(std::int64_t time, const GoalPlace& place, bool is_arrival = false) {
    events_.push({time, ++number_, is_arrival, place});
  }

  /// True where the cpu is taken.
  bool handle(const RunEvent& event) {
    const GoalOp& o = op(event.place);
    std::int64_t& free = free_at(event.place);
    if (o.kind == GoalOp::Kind::kReceive && !event.is_arrival) {
      post(event.place, event.time);
      return false;
    }
    if (free > event.time) return true;
    if (event.is_arrival) {
      free = event.time;
      receive(event.place, event.time);
    } else if (o.kind == GoalOp::Kind::kCalc) {
      free = event.time + o.amount;
      start(event.place, event.time);
      end(event.place, free);
    } else {
      free = event.time;
      send(event.place, event.time);
    }
    return false;
  }

  void post(const GoalPlace& place, std::int64_t time) {
    state(place).is_posted = true;
    start(place, time);
    if (state(place).has_message) receive(place, time);
  }

  void send(const GoalPlace& place, std::int64_t time) {
    start(place, time);
    const GoalPlace receiver = op(place).partner;
    if (is_eager(place)) end(place, time);
    state(receiver).has_message = true;
    if (state(receiver).is_posted) push(time, receiver, true);
  }

  bool is_eager(const GoalPlace& place) const { return op(place).amount <= options_.eager_bytes; }

  void receive(const GoalPlace& place, std::int64_t time) {
    const GoalPlace sender = op(place).partner;
    end(place, time);
    if (!is_eager(sender)) end(sender, time);
  }

  void start(const GoalPlace& place, std::int64_t time) {
    for (const std::size_t behind : state(place).behind_start) release({place.first, behind}, time);
  }
  void end(const GoalPlace& place, std::int64_t time) {
    ++ended_;
    for (const std::size_t behind : state(place).behind_end) release({place.first, behind}, time);
  }
  void release(const GoalPlace& place, std::int64_t time) {
    OpState& s = state(place);
    s.ready = std::max(s.ready, time);
    if (--s.waits_for > 0) return;
    push(options_.between == Between::kWaits ? s.ready : free_at(place), place);
  }

  const GoalSchedule& schedule_;
  const GoalRunOptions options_;
  std::vector<std::vector<OpState>> states_;
  std::map<std::pair<std::size_t, int>, std::int64_t> free_;  // by rank and cpu
  std::priority_queue<RunEvent, std::vector<RunEvent>, std::greater<>> events_;
  std::uint64_t number_ = 0;
  std::size_t ended_ = 0;
};

}  // namespace

GoalRun run_goal(const GoalSchedule& schedule, const GoalRunOptions& options) {
  return GoalExecutor(schedule, options).run();
}

}  // namespace nadi::goal
