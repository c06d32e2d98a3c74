#include "tests/unit/goal/goal_reader.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <tuple>

namespace nadi::goal {
namespace {

class Reader {
 public:
  explicit Reader(const std::string& text) : lines_(text) {}

  GoalSchedule read() {
    std::string line;
    while (std::getline(lines_, line)) read_line(line);
    pair_messages();
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
    } else if (second == "requires" || second == "irequires") {
      const auto from = labels_.find(first), on = labels_.find(third);
      if (from == labels_.end() || on == labels_.end()) return problem("no such label: " + line);
      GoalOp& op = ops()[from->second];
      (second == "requires" ? op.after : op.after_start).push_back(on->second);
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
    if (op.cpu < 0 || op.cpu > 255) problem("no such cpu: " + line);
    if (op.kind != GoalOp::Kind::kCalc &&
        (op.peer < 0 || op.peer >= std::ssize(schedule_.ranks) || op.amount < 1))
      problem(line);
    if (!labels_.emplace(label, ops().size()).second) problem("label twice: " + line);
    ops().push_back(op);
  }

  /// By (source, destination, tag) in order, sizes must agree.
  void pair_messages() {
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::vector<GoalPlace>> sends,
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
        at(others[i]).partner = places[i];
        at(places[i]).partner = others[i];
      }
    }
  }

  GoalOp& at(const GoalPlace& place) { return schedule_.ranks[place.first][place.second]; }
  std::string text_of(const GoalPlace& place) {
    return "rank " + std::to_string(place.first) + " " + at(place).label;
  }

  std::istringstream lines_;
  GoalSchedule schedule_;
  std::size_t rank_ = 0, next_rank_ = 0;
  std::map<std::string, std::size_t> labels_;  // of the rank being read
};

}  // namespace

GoalSchedule read_goal(const std::string& text) { return Reader(text).read(); }

}  // namespace nadi::goal
