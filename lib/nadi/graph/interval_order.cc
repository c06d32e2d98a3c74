#include "nadi/graph/interval_order.h"

#include <algorithm>

namespace nadi {

const std::deque<IntervalOrder::Entry>& IntervalOrder::waited_for(Ns start_ns) {
  for (; !running_.empty() && running_.top().end_ns <= start_ns; running_.pop()) {
    if (ended_.empty() || running_.top().position > latest_.position) latest_ = running_.top();
    ended_.push_back(running_.top());
  }
  const auto is_implied = [&](const Entry& e) {
    return e.position < latest_.position && e.end_ns <= latest_.start_ns;
  };
  while (!ended_.empty() && is_implied(ended_.front())) ended_.pop_front();
  return ended_;
}

void IntervalOrder::add(NodeIndex node, Ns start_ns, Ns end_ns) {
  newest_ = {node, start_ns, end_ns, count_++};
  running_.push(newest_);
}

std::vector<NodeIndex> IntervalOrder::last() const {
  std::vector<Entry> entries(ended_.begin(), ended_.end());
  for (auto running = running_; !running.empty(); running.pop()) entries.push_back(running.top());
  std::erase_if(entries, [&](const Entry& e) {
    return e.position != newest_.position && e.end_ns <= newest_.start_ns;
  });
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.position < b.position; });
  std::vector<NodeIndex> nodes;
  nodes.reserve(entries.size());
  for (const Entry& e : entries) nodes.push_back(e.node);
  return nodes;
}

}  // namespace nadi
