#include "nadi/link/launched_rows.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "nadi/model/row_order.h"

namespace nadi {
namespace {

constexpr std::ptrdiff_t kMostRows = 4096;
constexpr std::size_t kMostLanes = 16;

template <class Time>
std::vector<std::uint32_t> rows_by_time(const std::map<std::uint32_t, std::uint32_t>& by_lane,
                                        const Time& time_of) {
  std::vector<std::uint32_t> rows;
  rows.reserve(by_lane.size());
  for (const auto& entry : by_lane) rows.push_back(entry.second);
  std::stable_sort(rows.begin(), rows.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return time_of(a) < time_of(b); });
  return rows;
}

}  // namespace

LaunchedRows::LaunchedRows(const LinkedTrace& linked) : linked_(linked) {
  for (std::uint32_t row = 0; row < linked.rows.parent.size(); ++row)
    if (const LinkedOpIndex op = linked.rows.parent[row]) rows_.emplace_back(op.value, row);
  std::sort(rows_.begin(), rows_.end());
}

std::pair<LaunchedRows::Rows, LaunchedRows::Rows> LaunchedRows::rows_of(
    std::uint32_t first_op, std::uint32_t end_op) const {
  const auto end = std::lower_bound(rows_.begin(), rows_.end(), Row{end_op, 0});
  auto first = std::lower_bound(rows_.begin(), end, Row{first_op, 0});
  if (end - first > kMostRows) first = end - kMostRows;
  return {first, end};
}

/// Ops stand by lane and start, so what an op encloses stands behind it.
std::uint32_t LaunchedRows::end_of_subtree(LinkedOpIndex op) const {
  const LinkedOps& ops = linked_.ops;
  const Ns end_ns = ops.start_ns[op] + ops.duration_ns[op];
  const auto is_inside = [&](std::uint32_t other) {
    return ops.lane[other] == ops.lane[op] && ops.start_ns[other] < end_ns;
  };
  std::uint32_t inside = op.value + 1, end = static_cast<std::uint32_t>(ops.size());
  while (inside < end) {
    const std::uint32_t middle = inside + (end - inside) / 2;
    if (is_inside(middle))
      inside = middle + 1;
    else
      end = middle;
  }
  return inside;
}

const std::vector<std::uint32_t>& LaunchedRows::last_of(LinkedOpIndex op) {
  const auto [known, is_new] = last_.try_emplace(op.value);
  if (!is_new) return known->second;
  auto [row, end] = rows_of(op.value, op.value + 1);
  if (row == end) std::tie(row, end) = rows_of(op.value + 1, end_of_subtree(op));
  std::map<std::uint32_t, std::uint32_t> by_lane;
  for (; row != end; ++row) {
    const auto [last, is_first] =
        by_lane.try_emplace(linked_.rows.lane[row->second].value, row->second);
    if (!is_first && row_end_ns(linked_, row->second) >= row_end_ns(linked_, last->second))
      last->second = row->second;
  }
  std::vector<std::uint32_t>& rows = known->second;
  rows = rows_by_time(by_lane, [&](std::uint32_t r) { return row_end_ns(linked_, r); });
  if (rows.size() > kMostLanes) rows.erase(rows.begin(), rows.end() - kMostLanes);
  return rows;
}

std::vector<std::uint32_t> LaunchedRows::first_from(LinkedOpIndex op, Ns time,
                                                    LaneIndex except) const {
  std::map<std::uint32_t, std::uint32_t> by_lane;
  auto [row, end] = rows_of(op.value, op.value + 1);
  for (; row != end; ++row) {
    const LaneIndex lane = linked_.rows.lane[row->second];
    if (lane == except || row_start_ns(linked_, row->second) < time) continue;
    const auto [first, is_first] = by_lane.try_emplace(lane.value, row->second);
    if (!is_first && row_start_ns(linked_, row->second) < row_start_ns(linked_, first->second))
      first->second = row->second;
  }
  auto rows = rows_by_time(by_lane, [&](std::uint32_t r) { return row_start_ns(linked_, r); });
  if (rows.size() > kMostLanes) rows.resize(kMostLanes);
  return rows;
}

}  // namespace nadi
