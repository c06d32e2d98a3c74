#include "nadi/graph/dependent_launch.h"

#include <map>
#include <set>
#include <span>
#include <tuple>

#include "nadi/model/graph_launch.h"
#include "nadi/model/row_order.h"

namespace nadi {
namespace {

/// Real traces (a B300): 0.2 to 4.6 us, at most 45 % of the row that is waited for.
constexpr Ns kMostEarly = 5'000;
/// A few rows may overlap so by chance, and then do in every launch of their graph.
constexpr std::size_t kLeastEarlyPositions = 16;

/// The same lane of the same graph: rows, graph id, and a sum over names that no order changes.
using LaneOfGraph = std::tuple<LaneIndex, std::size_t, std::uint64_t, std::uint64_t>;
/// Two neighbours of a lane: the position of the first, and both names.
using Neighbours = std::tuple<std::size_t, StringId, StringId>;

struct LaneCounts {
  std::uint64_t neighbours = 0, early = 0;
  std::set<std::size_t> early_positions;  // in a launch, of neighbours that are early in any
  std::map<Neighbours, bool> side_by_side;
};

enum class Overlap { kNone, kEarly, kOther };

class DependentLaunches {
 public:
  explicit DependentLaunches(const LinkedTrace& linked)
      : linked_(linked), result_(linked.rows.lane.size(), false) {}

  ByRow<DeviceRows, bool> run() {
    for_each_launch([&](std::span<const DeviceRowIndex> rows) { count(rows); });
    for_each_launch([&](std::span<const DeviceRowIndex> rows) { mark(rows); });
    return std::move(result_);
  }

 private:
  /// Calls visit(rows of one graph launch on one lane) for launches of several rows.
  template <class Visit>
  void for_each_launch(const Visit& visit) const {
    for (const auto& lane : linked_.rows_by_lane)
      for (std::size_t begin = 0, end = 0; begin < lane.size(); begin = end) {
        end = begin + 1;
        while (end < lane.size() && is_one_graph_launch(linked_, lane[begin], lane[end])) ++end;
        if (end - begin > 1) visit(std::span(lane).subspan(begin, end - begin));
      }
  }

  void count(std::span<const DeviceRowIndex> rows) {
    LaneCounts& counts = lanes_[graph_lane(rows)];
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
      const Overlap overlap = overlap_of(rows, i);
      ++counts.neighbours;
      if (overlap == Overlap::kEarly) {
        ++counts.early;
        counts.early_positions.insert(i);
      }
      if (overlap == Overlap::kOther) counts.side_by_side[neighbours(rows, i)] = true;
    }
  }

  void mark(std::span<const DeviceRowIndex> rows) {
    const LaneCounts& counts = lanes_[graph_lane(rows)];
    if (counts.early_positions.size() < kLeastEarlyPositions) return;
    if (counts.early * 4 < counts.neighbours * 3) return;
    for (std::size_t i = 0; i + 1 < rows.size(); ++i)
      result_[rows[i]] = overlap_of(rows, i) == Overlap::kEarly &&
                         !counts.side_by_side.contains(neighbours(rows, i));
  }

  LaneOfGraph graph_lane(std::span<const DeviceRowIndex> rows) const {
    std::uint64_t names = 0;
    for (const DeviceRowIndex row : rows) {
      const auto name = static_cast<std::uint64_t>(linked_.device.rows.name[row]);
      names += (name + 1) * (name + 0x9e3779b97f4a7c15);
    }
    return {linked_.rows.lane[rows.front()], rows.size(),
            linked_.device.rows.graph_id[rows.front()], names};
  }

  Neighbours neighbours(std::span<const DeviceRowIndex> rows, std::size_t i) const {
    const auto& names = linked_.device.rows.name;
    return {i, names[rows[i]], names[rows[i + 1]]};
  }

  Overlap overlap_of(std::span<const DeviceRowIndex> rows, std::size_t i) const {
    const Ns end = row_end_ns(linked_, rows[i]), next = row_start_ns(linked_, rows[i + 1]);
    if (end <= next) return Overlap::kNone;
    const bool is_third_clear = i == 0 || row_end_ns(linked_, rows[i - 1]) <= next;
    const bool is_early =
        end - next <= kMostEarly && 2 * (end - next) < linked_.device.rows.duration_ns[rows[i]];
    return is_third_clear && is_early ? Overlap::kEarly : Overlap::kOther;
  }

  const LinkedTrace& linked_;
  std::map<LaneOfGraph, LaneCounts> lanes_;
  ByRow<DeviceRows, bool> result_;
};

}  // namespace

ByRow<DeviceRows, bool> rows_with_early_successor(const LinkedTrace& linked) {
  return DependentLaunches(linked).run();
}

}  // namespace nadi
