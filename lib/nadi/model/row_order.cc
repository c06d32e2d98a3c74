#include "nadi/model/row_order.h"
#include "nadi/base/sort_rows.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace nadi {
namespace {

ByRow<Lane, std::vector<DeviceRowIndex>> rows_by_lane(const LinkedTrace& linked) {
  ByRow<Lane, std::vector<DeviceRowIndex>> lanes(linked.lanes.size());
  for (const DeviceRowIndex row : rows_of(linked.rows)) lanes[linked.rows.lane[row]].push_back(row);
  const DeviceRows& rows = linked.device.rows;
  const auto starts_before = [&](DeviceRowIndex a, DeviceRowIndex b) {
    const auto key = [&](DeviceRowIndex row) {
      return std::tuple(row_start_ns(linked, row), enqueue_ns(linked, row), rows.correlation[row],
                        rows.order[row]);
    };
    return key(a) < key(b);
  };
  for (auto& lane : lanes) sort_rows(lane, starts_before);
  return lanes;
}

ByRow<InApiOrder, DeviceRowIndex> rows_in_api_order(const LinkedTrace& linked) {
  const DeviceRows& rows = linked.device.rows;
  ByRow<InApiOrder, DeviceRowIndex> order(rows.size());
  std::iota(order.begin(), order.end(), DeviceRowIndex(0));
  sort_rows(order, [&](DeviceRowIndex a, DeviceRowIndex b) {
    const auto key = [&](DeviceRowIndex row) {
      return std::tuple(enqueue_ns(linked, row), rows.correlation[row], rows.order[row]);
    };
    return key(a) < key(b);
  });
  return order;
}

}  // namespace

void order_rows(LinkedTrace& linked) {
  linked.rows_by_lane = rows_by_lane(linked);
  linked.rows_in_api_order = rows_in_api_order(linked);
}

}  // namespace nadi
