#include "nadi/link/damaged_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace nadi {
namespace {

/// Rows of one stream overlap by less: programmatic dependent launch by up to 5 us.
constexpr Ns kMostOverlap = 8'000;
/// So many rows inside another are no chance: one or two may be displaced themselves.
constexpr std::uint32_t kLeastInside = 3;
/// Rows behind a long one that are looked at.
constexpr std::size_t kMostLookedAt = 16;
constexpr std::size_t kRowsPerDamaged = 10;
constexpr int kMostRounds = 4;
constexpr Ns kEarliest = std::numeric_limits<Ns>::min();

/// What other rows of its stream say against a row.
struct Witnesses {
  std::uint32_t later = 0,
                later_inside = 0;  ///< given to the stream after it, begin before it ends
  std::uint32_t earlier = 0, earlier_inside = 0;  ///< given before it, end after it begins
};

struct Damage {
  bool is_of_start = false, is_of_end = false;
};

class DamagedTimes {
 public:
  DamagedTimes(DeviceTrace& device, const ByRow<DeviceRows, RowLimits>& limits)
      : device_(device), rows_(device.rows), limits_(limits) {}

  /// Cuts both ends of what is damaged, one after the other: what one end hides shows when it is
  /// cut. Returns the rows that were cut, with their lengths as recorded.
  std::map<DeviceRowIndex, Ns> cut() {
    std::map<DeviceRowIndex, Ns> recorded;
    for (int round = 0; round < kMostRounds; ++round) {
      const std::vector<Cut> cuts = find_cuts();
      if (cuts.empty()) break;
      for (const Cut& one : cuts) {
        recorded.try_emplace(one.row, device_.rows.duration_ns[one.row]);
        device_.rows.start_ns[one.row] = one.start;
        device_.rows.duration_ns[one.row] = one.end - one.start;
      }
    }
    return recorded;
  }

  /// Rows that are too many to be cut.
  std::size_t kept() const { return kept_; }

 private:
  struct Lane {
    std::vector<DeviceRowIndex> by_start, by_launch;
  };
  using Stream = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

  Stream stream_of(DeviceRowIndex row) const {
    return {rows_.device[row], rows_.context[row], rows_.stream[row]};
  }

  /// The begin and the end that others allow; both kNoTime = none.
  struct Cut {
    DeviceRowIndex row;
    Ns start, end;
  };

  std::vector<Cut> find_cuts() {
    find_lanes();
    witnesses_.assign(rows_.size(), {});
    for (const auto& [stream, lane] : lanes_) hear_witnesses(lane);
    find_usual_excess();
    std::map<std::int64_t, std::size_t> rows_of_device, damaged_of_device;
    std::vector<Cut> cuts;
    for (const DeviceRowIndex row : rows_of(rows_)) {
      ++rows_of_device[rows_.device[row]];
      const Damage damage = judge(row);
      if (!damage.is_of_start && !damage.is_of_end) continue;
      ++damaged_of_device[rows_.device[row]];
      if (const auto one = cut_of(row, damage)) cuts.push_back(*one);
    }
    const std::size_t found = cuts.size();
    std::erase_if(cuts, [&](const Cut& one) {
      const std::int64_t device = rows_.device[one.row];
      return damaged_of_device[device] >
             std::max<std::size_t>(rows_of_device[device] / kRowsPerDamaged, 1);
    });
    kept_ = found - cuts.size();
    return cuts;
  }

  /// Nothing where no time is left for the row: it is displaced as a whole.
  std::optional<Cut> cut_of(DeviceRowIndex row, const Damage& damage) const {
    const RowLimits& limits = limits_[row];
    Ns start = rows_.start_ns[row], end = end_of(row);
    const auto [before, after] = neighbours_in_stream(row);
    if (damage.is_of_start) {
      start = std::max(start, limits.launched_ns);
      if (before && end_of(before) < end) start = std::max(start, end_of(before));
    }
    if (damage.is_of_end) {
      if (limits.waited_ns != kNoTime) end = std::min(end, limits.waited_ns);
      if (after && rows_.start_ns[after] > start) end = std::min(end, rows_.start_ns[after]);
    }
    if (start >= end)
      return is_too_long(row) ? std::optional(Cut{row, kNoTime, kNoTime}) : std::nullopt;
    if (end - start == rows_.duration_ns[row]) return std::nullopt;  // no other end is known
    return Cut{row, start, end};
  }

  Ns end_of(DeviceRowIndex row) const { return rows_.start_ns[row] + rows_.duration_ns[row]; }

  /// A row that runs after the one and before the other row given to its stream.
  bool is_of_queue(DeviceRowIndex row) const {
    return limits_[row].launch_returned_ns != kNoTime && !limits_[row].is_of_graph;
  }

  void find_lanes() {
    lanes_.clear();
    for (const DeviceRowIndex row : rows_of(rows_))
      if (is_of_queue(row) && rows_.start_ns[row] != kNoTime &&
          !is_far_stamp(rows_.start_ns[row]) && !is_far_stamp(rows_.duration_ns[row]))
        lanes_[stream_of(row)].by_start.push_back(row);
    for (auto& [stream, lane] : lanes_) {
      lane.by_launch = lane.by_start;
      const auto order = [&](std::vector<DeviceRowIndex>& rows, const auto& key) {
        const auto is_less = [&](DeviceRowIndex a, DeviceRowIndex b) { return key(a) < key(b); };
        if (!std::is_sorted(rows.begin(), rows.end(), is_less))
          std::sort(rows.begin(), rows.end(), is_less);
      };
      order(lane.by_start, [&](DeviceRowIndex row) { return std::pair(rows_.start_ns[row], row); });
      order(lane.by_launch, [&](DeviceRowIndex row) { return launch_key(row); });
    }
  }

  /// Those launched before the trace come first; nothing but their correlation is known.
  std::tuple<Ns, std::int64_t, DeviceRowIndex> launch_key(DeviceRowIndex row) const {
    return {limits_[row].launched_ns, rows_.correlation[row], row};
  }

  /// Calls that overlap, of two threads, may have launched in either order.
  bool was_given_before(DeviceRowIndex a, DeviceRowIndex b) const {
    const bool were_both_earlier =
        limits_[a].launched_ns == kNoTime && limits_[b].launched_ns == kNoTime;
    return were_both_earlier ? rows_.correlation[a] < rows_.correlation[b]
                             : limits_[a].launch_returned_ns <= limits_[b].launched_ns;
  }

  void hear_witnesses(const Lane& lane) {
    const std::vector<DeviceRowIndex>& rows = lane.by_start;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const DeviceRowIndex row = rows[i];
      const Ns end = end_of(row);
      Witnesses& said = witnesses_[row];
      for (std::size_t j = i + 1; j < rows.size() && j <= i + kMostLookedAt; ++j) {
        const DeviceRowIndex other = rows[j];
        if (end - rows_.start_ns[other] <= kMostOverlap) break;
        const int inside = end_of(other) <= end ? 1 : 0;
        if (was_given_before(row, other)) {
          ++said.later;
          said.later_inside += inside;
        } else if (was_given_before(other, row)) {
          ++said.earlier;
          said.earlier_inside += inside;
        }
      }
    }
  }

  Ns after_wait(DeviceRowIndex row) const {
    return limits_[row].waited_ns == kNoTime ? kEarliest : end_of(row) - limits_[row].waited_ns;
  }
  Ns before_launch(DeviceRowIndex row) const {
    return limits_[row].launched_ns == kNoTime ? kEarliest
                                               : limits_[row].launched_ns - rows_.start_ns[row];
  }

  /// How far rows that no other contradicts end after their waits, or begin before their launches:
  /// their device's clock.
  void find_usual_excess() {
    usual_.clear();
    for (const auto& [stream, lane] : lanes_)
      for (const DeviceRowIndex row : lane.by_start) {
        if (witnesses_[row].later + witnesses_[row].earlier > 0 || is_too_long(row)) continue;
        auto& [after, before] = usual_[rows_.device[row]];
        after = std::max(after, after_wait(row));
        before = std::max(before, before_launch(row));
      }
  }

  bool is_too_long(DeviceRowIndex row) const {
    const RowLimits& limits = limits_[row];
    if (limits.launched_ns == kNoTime || limits.waited_ns == kNoTime) return false;
    const double most =
        static_cast<double>(limits.waited_ns) - static_cast<double>(limits.launched_ns);
    return static_cast<double>(rows_.duration_ns[row]) >
           most * (1 + kMostClockDrift) + kClockAgreement;
  }

  Damage judge(DeviceRowIndex row) const {
    Damage damage;
    if (rows_.start_ns[row] == kNoTime || is_far_stamp(rows_.start_ns[row]) ||
        is_far_stamp(rows_.duration_ns[row]))
      return damage;
    const Witnesses& said = witnesses_[row];
    const RowLimits& limits = limits_[row];
    if (is_too_long(row)) {
      const Ns after = after_wait(row), before = before_launch(row);
      damage.is_of_end = after > kClockAgreement || after >= before;
      damage.is_of_start = before > kClockAgreement || before > after;
    }
    const auto usual = usual_.find(rows_.device[row]);
    const auto [usual_after, usual_before] =
        usual == usual_.end() ? std::pair<Ns, Ns>{0, 0} : usual->second;
    damage.is_of_end |= said.later > 0 && after_wait(row) > usual_after + kClockAgreement;
    damage.is_of_start |= said.earlier > 0 && before_launch(row) > usual_before + kClockAgreement;
    damage.is_of_end |= limits.is_cuda && said.later_inside >= kLeastInside;
    damage.is_of_start |= limits.is_cuda && said.earlier_inside >= kLeastInside;
    return damage;
  }

  /// The rows given to its stream right before and after it; none = there is none.
  std::pair<DeviceRowIndex, DeviceRowIndex> neighbours_in_stream(DeviceRowIndex row) const {
    std::pair<DeviceRowIndex, DeviceRowIndex> found;
    const auto lane = lanes_.find(stream_of(row));
    if (!is_of_queue(row) || lane == lanes_.end()) return found;
    const std::vector<DeviceRowIndex>& rows = lane->second.by_launch;
    const auto here = std::lower_bound(
        rows.begin(), rows.end(), row,
        [&](DeviceRowIndex a, DeviceRowIndex b) { return launch_key(a) < launch_key(b); });
    if (here != rows.begin() && was_given_before(*std::prev(here), row))
      found.first = *std::prev(here);
    if (std::next(here) != rows.end() && was_given_before(row, *std::next(here)))
      found.second = *std::next(here);
    return found;
  }

  DeviceTrace& device_;
  const DeviceRows& rows_;
  const ByRow<DeviceRows, RowLimits>& limits_;
  std::map<Stream, Lane> lanes_;
  ByRow<DeviceRows, Witnesses> witnesses_;
  std::size_t kept_ = 0;
  /// By device: after waits, before launches; 0 where they fit.
  std::map<std::int64_t, std::pair<Ns, Ns>> usual_;
};

}  // namespace

void cut_damaged_times(DeviceTrace& device, const ByRow<DeviceRows, RowLimits>& limits,
                       Diagnostics& diagnostics) {
  DamagedTimes damaged(device, limits);
  const std::map<DeviceRowIndex, Ns> recorded = damaged.cut();
  diagnostics.report(Finding::kDamagedTimesKept, {}, damaged.kept());
  if (recorded.empty()) return;
  for (const auto& [row, duration] : recorded)
    diagnostics.report(Finding::kDamagedTime, [&, row = row, duration = duration] {
      const auto micros = [](Ns time) { return static_cast<double>(time) / kNsPerMicro; };
      return fmt::format("{}, correlation {}: {:.3f} us cut to {:.3f} us",
                         device.strings[device.rows.name[row]], device.rows.correlation[row],
                         micros(duration), micros(device.rows.duration_ns[row]));
    });
  measure_span(device);
}

}  // namespace nadi
