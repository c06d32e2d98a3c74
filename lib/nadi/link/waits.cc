#include <algorithm>
#include <numeric>

#include "nadi/link/waits.h"

namespace nadi {

void add_host_wait(LinkedTrace& linked, StreamAction wait, std::uint32_t call) {
  const RuntimeCalls& calls = linked.device.calls;
  wait.call = CallIndex(call);
  wait.time_ns = calls.start_ns[call];
  wait.correlation = calls.correlation[call];
  linked.actions.push_back(wait);
  mark_blocking(linked, call);
}

void mark_blocking(LinkedTrace& linked, std::uint32_t call) {
  CallRole& role = linked.calls.role[call];
  role = static_cast<CallRole>(static_cast<int>(role) | static_cast<int>(CallRole::kBlocks));
}

bool is_blocking(const LinkedTrace& linked, std::uint32_t call) {
  const CallRole role = linked.calls.role[call];
  return role == CallRole::kBlocks || role == CallRole::kLaunchesAndBlocks;
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

void sort_actions(LinkedTrace& linked) {
  ByRow<StreamAction>& actions = linked.actions;
  std::vector<std::uint32_t> order(actions.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (actions[a].time_ns != actions[b].time_ns) return actions[a].time_ns < actions[b].time_ns;
    return actions[a].correlation < actions[b].correlation;
  });
  ByRow<StreamAction, StreamActionIndex> place(actions.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = StreamActionIndex(i);
  ByRow<StreamAction> sorted;
  sorted.reserve(actions.size());
  for (std::uint32_t old : order) {
    sorted.push_back(actions[old]);
    if (sorted.back().record) sorted.back().record = place[sorted.back().record];
  }
  actions = std::move(sorted);
}

}  // namespace nadi
