#include "tests/unit/goal/goal_reader.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <tuple>

namespace nadi::goal {
namespace {

using Place = std::pair<std::size_t, std::size_t>;  // rank, operation

class Reader {
 public:
  explicit Reader(const std::string& text) : lines_(text) {}

  GoalSchedule read() {
    std::string line;
    while (std::getline(lines_, line)) read_line(line);
    pair_messages();
    run();
    return std::move(schedule_);
  }

 private:
  void problem(const std::string& what) {
    if (schedule_.problems.size() < 5) schedule_.problems.push_back(what);
  }

  std::vector<GoalOp>& ops() { return schedule_.ranks[rank_]; }

  void read_line(const std::string& line) {
    std::istringstream words(line);
    std::string first, second, third;
    if (!(words >> first)) return;
    words >> second >> third;
    if (first == "num_ranks") {
      schedule_.ranks.resize(std::stoul(second));
    } else if (first == "rank") {
      rank_ = std::stoul(second);
      if (rank_ != next_rank_++ || rank_ >= schedule_.ranks.size() || third != "{")
        return problem(line);
      labels_.clear();
    } else if (second == "requires") {
      const auto from = labels_.find(first), on = labels_.find(third);
      if (from == labels_.end() || on == labels_.end()) return problem("no such label: " + line);
      ops()[from->second].after.push_back(on->second);
    } else if (first.ends_with(':')) {
      read_op(line, first.substr(0, first.size() - 1));
    } else if (first != "}") {
      problem(line);
    }
  }

  void read_op(const std::string& line, const std::string& label) {
    std::istringstream words(line);
    std::string skip, kind, amount, word;
    words >> skip >> kind >> amount;
    GoalOp op;
    op.label = label;
    op.kind = kind == "send"   ? GoalOp::Kind::kSend
              : kind == "recv" ? GoalOp::Kind::kReceive
                               : GoalOp::Kind::kCalc;
    op.amount = std::stoll(amount);
    if ((op.kind == GoalOp::Kind::kCalc) == amount.ends_with('b')) problem(line);
    while (words >> word) {
      if (word == "to" || word == "from")
        words >> op.peer;
      else if (word == "tag")
        words >> op.tag;
      else if (word == "cpu")
        words >> op.cpu;
      else
        problem(line);
    }
    if (op.kind != GoalOp::Kind::kCalc &&
        (op.peer < 0 || op.peer >= std::ssize(schedule_.ranks) || op.amount < 1))
      problem(line);
    if (!labels_.emplace(label, ops().size()).second) problem("label twice: " + line);
    ops().push_back(op);
  }

  /// By (source, destination, tag) in order, sizes must agree.
  void pair_messages() {
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::vector<Place>> sends,
        receives;
    for (std::size_t r = 0; r < schedule_.ranks.size(); ++r)
      for (std::size_t i = 0; i < schedule_.ranks[r].size(); ++i) {
        const GoalOp& op = schedule_.ranks[r][i];
        const auto own = static_cast<std::int64_t>(r);
        if (op.kind == GoalOp::Kind::kSend) sends[{own, op.peer, op.tag}].push_back({r, i});
        if (op.kind == GoalOp::Kind::kReceive) receives[{op.peer, own, op.tag}].push_back({r, i});
      }
    for (const auto& [key, places] : receives)
      if (sends[key].size() < places.size())
        problem("received, not sent: " + text_of(places.back()));
    for (const auto& [key, places] : sends) {
      const auto& others = receives[key];
      if (others.size() < places.size()) problem("sent, not received: " + text_of(places.back()));
      for (std::size_t i = 0; i < std::min(places.size(), others.size()); ++i) {
        if (at(places[i]).amount != at(others[i]).amount)
          problem("sizes differ: " + text_of(places[i]) + ", " + text_of(others[i]));
        sender_[others[i]] = places[i];
      }
    }
  }

  const GoalOp& at(const Place& place) const { return schedule_.ranks[place.first][place.second]; }
  std::string text_of(const Place& place) const {
    return "rank " + std::to_string(place.first) + " " + at(place).label;
  }

  /// Ends of all operations, in an order in which each comes after what it requires.
  void run() {
    std::map<Place, std::vector<Place>> next;
    std::map<Place, std::size_t> waits;
    std::vector<Place> order;
    std::size_t total = 0;
    for (std::size_t r = 0; r < schedule_.ranks.size(); ++r)
      for (std::size_t i = 0; i < schedule_.ranks[r].size(); ++i, ++total) {
        const Place place{r, i};
        for (const std::size_t on : at(place).after) next[{r, on}].push_back(place);
        waits[place] = at(place).after.size();
        if (const auto send = sender_.find(place); send != sender_.end()) {
          next[send->second].push_back(place);
          ++waits[place];
        }
        if (waits[place] == 0) order.push_back(place);
      }
    std::map<Place, std::int64_t> ready;
    std::map<std::pair<std::size_t, int>, std::int64_t> cpu_free;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Place place = order[i];
      const GoalOp& op = at(place);
      std::int64_t end = ready[place];
      if (op.kind == GoalOp::Kind::kCalc) {
        std::int64_t& free = cpu_free[{place.first, op.cpu}];
        end = std::max(end, op.amount > 0 ? free : end) + op.amount;
        if (op.amount > 0) free = end;
      }
      schedule_.makespan_ns = std::max(schedule_.makespan_ns, end);
      for (const Place& other : next[place]) {
        ready[other] = std::max(ready[other], end);
        if (--waits[other] == 0) order.push_back(other);
      }
    }
    if (order.size() != total)
      problem(std::to_string(total - order.size()) + " operations wait in a circle");
  }

  std::istringstream lines_;
  GoalSchedule schedule_;
  std::size_t rank_ = 0, next_rank_ = 0;
  std::map<std::string, std::size_t> labels_;  // of the rank being read
  std::map<Place, Place> sender_;              // receive -> send
};

}  // namespace

GoalSchedule read_goal(const std::string& text) { return Reader(text).read(); }

}  // namespace nadi::goal
