#include <algorithm>
#include <numeric>

#include "nadi/link/waits.h"

namespace nadi {

StreamActionIndex WaitList::add(const StreamAction& action) {
  actions_.push_back(action);
  return StreamActionIndex(actions_.size() - 1);
}

void WaitList::add_host_wait(StreamAction wait, CallIndex call) {
  wait.call = call;
  wait.time_ns = calls_.start_ns[call];
  wait.correlation = calls_.correlation[call];
  add(wait);
  mark_blocking(call);
}

std::vector<std::uint32_t> calls_in_time_order(const RuntimeCalls& calls,
                                               const std::vector<CallKind>& kinds,
                                               std::initializer_list<CallKind> wanted) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t call = 0; call < calls.size(); ++call)
    if (std::find(wanted.begin(), wanted.end(), kinds[call]) != wanted.end()) order.push_back(call);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return calls.start_ns[a] != calls.start_ns[b] ? calls.start_ns[a] < calls.start_ns[b] : a < b;
  });
  return order;
}

ByRow<StreamAction> WaitList::in_api_order() const {
  std::vector<std::uint32_t> order(actions_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (actions_[a].time_ns != actions_[b].time_ns)
      return actions_[a].time_ns < actions_[b].time_ns;
    return actions_[a].correlation < actions_[b].correlation;
  });
  ByRow<StreamAction, StreamActionIndex> place(actions_.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = StreamActionIndex(i);
  ByRow<StreamAction> sorted;
  sorted.reserve(actions_.size());
  for (std::uint32_t old : order) {
    sorted.push_back(actions_[old]);
    if (sorted.back().record) sorted.back().record = place[sorted.back().record];
  }
  return sorted;
}

}  // namespace nadi
