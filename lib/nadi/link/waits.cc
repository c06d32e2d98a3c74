#include "nadi/link/waits.h"

#include <numeric>

#include "nadi/base/sort_rows.h"

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

void WaitList::add_row_wait(CallIndex call, DeviceRowIndex row, Inference inferred) {
  StreamAction wait;
  wait.kind = StreamActionKind::kHostWaitRow;
  wait.inferred = inferred;
  wait.row = row;
  add_host_wait(wait, call);
}

ByRow<StreamAction> WaitList::in_api_order() const {
  std::vector<StreamActionIndex> order(actions_.size());
  std::iota(order.begin(), order.end(), StreamActionIndex(0));
  sort_rows(order, [&](StreamActionIndex a, StreamActionIndex b) {
    if (actions_[a].time_ns != actions_[b].time_ns)
      return actions_[a].time_ns < actions_[b].time_ns;
    return actions_[a].correlation < actions_[b].correlation;
  });
  ByRow<StreamAction, StreamActionIndex> new_row(actions_.size());
  for (const StreamActionIndex row : rows_of(new_row)) new_row[order[row.value]] = row;
  ByRow<StreamAction> sorted;
  sorted.reserve(actions_.size());
  for (const StreamActionIndex old : order) {
    sorted.push_back(actions_[old]);
    if (sorted.back().record) sorted.back().record = new_row[sorted.back().record];
  }
  return sorted;
}

}  // namespace nadi
