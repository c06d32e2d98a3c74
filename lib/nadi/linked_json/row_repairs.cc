#include "nadi/linked_json/row_repairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "nadi/base/id_map.h"
#include "nadi/base/index.h"

namespace nadi {
namespace {

/// The row that each row repeats.
class RepeatFinder {
 public:
  explicit RepeatFinder(const LinkedJson& json)
      : json_(json), rows_(json.device.rows), repeats_(rows_.size()) {
    const RuntimeCalls& calls = json.device.calls;
    launched_.insert(calls.correlation.begin(), calls.correlation.end());
  }

  ByRow<DeviceRows, DeviceRowIndex> run() {
    std::vector<DeviceRowIndex> order(rows_.size());
    std::iota(order.begin(), order.end(), DeviceRowIndex(0));
    const auto is_before = [&](DeviceRowIndex a, DeviceRowIndex b) { return key(a) < key(b); };
    std::stable_sort(order.begin(), order.end(), is_before);
    for (std::size_t begin = 0; begin < order.size();) {
      std::size_t end = begin + 1;
      while (end < order.size() && !is_before(order[begin], order[end])) ++end;
      find_in(order, begin, end);
      begin = end;
    }
    return std::move(repeats_);
  }

 private:
  std::tuple<Ns, std::int64_t, std::int64_t, StringId> key(DeviceRowIndex row) const {
    return {rows_.start_ns[row], rows_.device[row], rows_.stream[row], rows_.name[row]};
  }

  bool is_launched(DeviceRowIndex row) const {
    return rows_.correlation[row] >= 0 && launched_.contains(rows_.correlation[row]);
  }

  /// Rows order[begin, end) are equal in all of key().
  void find_in(const std::vector<DeviceRowIndex>& order, std::size_t begin, std::size_t end) {
    if (end - begin < 2 || rows_.start_ns[order[begin]] == kNoTime) return;
    std::map<std::int64_t, DeviceRowIndex> by_correlation;
    std::map<Ns, DeviceRowIndex> launched_by_length;
    for (std::size_t i = begin; i < end; ++i) {
      const DeviceRowIndex row = order[i];
      if (!is_launched(row)) continue;
      const auto [first, is_new] = by_correlation.try_emplace(rows_.correlation[row], row);
      if (!is_new && rows_.duration_ns[row] == 0) repeats_[row] = first->second;
      launched_by_length.try_emplace(rows_.duration_ns[row], row);
    }
    if (json_.is_by_nadi) return;
    for (std::size_t i = begin; i < end; ++i) {
      const auto launched = launched_by_length.find(rows_.duration_ns[order[i]]);
      if (!is_launched(order[i]) && launched != launched_by_length.end())
        repeats_[order[i]] = launched->second;
    }
  }

  const LinkedJson& json_;
  const DeviceRows& rows_;
  IdSet<std::int64_t> launched_;  // correlations
  ByRow<DeviceRows, DeviceRowIndex> repeats_;
};

/// A row that waits longer than a day waits for garbage.
constexpr Ns kLongestWait = Ns{24} * 3600 * 1'000'000'000;

/// Replays the rows in the order of their launches.
class RowStarts {
 public:
  RowStarts(LinkedJson& json, Diagnostics& diagnostics)
      : json_(json), rows_(json.device.rows), diagnostics_(diagnostics) {
    for (const HostOpIndex row : rows_of(json.match.profiler_of_host))
      if (const ProfilerOpIndex op = json.match.profiler_of_host[row])
        op_end_[json.host.ops.id[row]] =
            json.device.ops.start_ns[op] + json.device.ops.duration_ns[op];
    for (const LinkedJsonWait& wait : json.waits)
      if (!wait.is_hand_off) sources_[wait.target].push_back(wait.source.id);
  }

  void run() {
    std::vector<DeviceRowIndex> order(rows_.size());
    std::iota(order.begin(), order.end(), DeviceRowIndex(0));
    std::erase_if(order, [&](DeviceRowIndex row) {
      return rows_.start_ns[row] == kNoTime || rows_.stream[row] < 0;
    });
    std::stable_sort(order.begin(), order.end(), [&](DeviceRowIndex a, DeviceRowIndex b) {
      return rows_.start_ns[a] < rows_.start_ns[b];
    });
    for (const DeviceRowIndex row : order) place(row);
  }

 private:
  void place(DeviceRowIndex row) {
    Ns& stream_end =
        stream_end_.try_emplace({rows_.device[row], rows_.stream[row]}, kNoTime).first->second;
    Ns& start = rows_.start_ns[row];
    const std::uint64_t caller = json_.row_caller[row];
    const Ns free = std::max(stream_end, waits_until(caller));
    if (free > start && free - start <= kLongestWait) {
      report(row, free - start);
      start = free;
    }
    stream_end = std::max(stream_end, start + rows_.duration_ns[row]);
    Ns& last = launched_end_.try_emplace(caller, kNoTime).first->second;
    last = std::max(last, stream_end);
    json_.device.last_ns = std::max(json_.device.last_ns, stream_end);
  }

  /// When the rows have ended for which the op's rows wait, but not the op itself; kNoTime = none.
  Ns waits_until(std::uint64_t op) {
    const auto waits = sources_.find(op);
    if (waits == sources_.end()) return kNoTime;
    const auto [known, is_new] = waited_until_.try_emplace(op, kNoTime);
    if (!is_new) return known->second;
    const auto returned = op_end_.find(op);
    for (const std::uint64_t source : waits->second) {
      const auto launched = source == op ? launched_end_.end() : launched_end_.find(source);
      if (launched == launched_end_.end()) continue;
      const bool has_op_waited = returned != op_end_.end() && launched->second <= returned->second;
      if (!has_op_waited) known->second = std::max(known->second, launched->second);
    }
    return known->second;
  }

  void report(DeviceRowIndex row, Ns later) {
    diagnostics_.report(Finding::kRowStartEstimated, [&] {
      return fmt::format("node {}: {} us after its launch", json_.row_id[row],
                         static_cast<double>(later) / 1000);
    });
  }

  LinkedJson& json_;
  DeviceRows& rows_;
  Diagnostics& diagnostics_;
  IdMap<std::uint64_t, Ns> op_end_;                                 // by node id
  IdMap<std::uint64_t, std::vector<std::uint64_t>> sources_;        // by node id
  IdMap<std::uint64_t, Ns> launched_end_;                           // by caller's id
  IdMap<std::uint64_t, Ns> waited_until_;                           // by caller's id
  std::map<std::pair<std::int64_t, std::int64_t>, Ns> stream_end_;  // (device, stream)
};

}  // namespace

void drop_repeated_rows(LinkedJson& json, Diagnostics& diagnostics) {
  const ByRow<DeviceRows, DeviceRowIndex> repeats = RepeatFinder(json).run();
  std::map<std::uint64_t, std::uint64_t> kept_id;  // id of a dropped row -> of the one kept
  for (const DeviceRowIndex row : rows_of(repeats)) {
    if (!repeats[row]) continue;
    kept_id[json.row_id[row]] = json.row_id[repeats[row]];
    diagnostics.report(Finding::kDeviceRowRecordedTwice,
                       json.device.strings[json.device.rows.name[row]]);
  }
  if (kept_id.empty()) return;
  const auto rename = [&](std::uint64_t& id) {
    if (const auto kept = kept_id.find(id); kept != kept_id.end()) id = kept->second;
  };
  for (LinkedJsonWait& wait : json.waits) {
    rename(wait.source.id);
    rename(wait.target);
  }
  for (LinkedJsonBlock& block : json.blocks) rename(block.row.id);
  std::vector<bool> is_kept;
  is_kept.reserve(repeats.size());
  for (const DeviceRowIndex repeated : repeats) is_kept.push_back(!repeated);
  keep_marked(is_kept, json.device.rows);
  keep_marked(is_kept, json.row_id);
  keep_marked(is_kept, json.row_caller);
}

void estimate_row_starts(LinkedJson& json, Diagnostics& diagnostics) {
  RowStarts(json, diagnostics).run();
}

}  // namespace nadi
