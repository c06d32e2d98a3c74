#include "nadi/read/linked_json_starts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "nadi/base/id_map.h"
#include "nadi/base/index.h"

namespace nadi {
namespace {

/// A row that waits longer than a day waits for garbage.
constexpr Ns kLongestWait = Ns{24} * 3600 * 1'000'000'000;

/// Replays the rows in the order of their launches.
class RowStarts {
 public:
  RowStarts(LinkedJson& json, Diagnostics& diagnostics)
      : json_(json), rows_(json.device.rows), diagnostics_(diagnostics) {
    for (std::size_t row = 0; row < json.profiler_of_host.size(); ++row)
      if (const ProfilerOpIndex op = json.profiler_of_host[row])
        op_end_[json.host.ops.id[row]] =
            json.device.ops.start_ns[op] + json.device.ops.duration_ns[op];
    for (const LinkedJsonWait& wait : json.waits)
      if (!wait.is_hand_off) sources_[wait.target].push_back(wait.source);
  }

  void run() {
    std::vector<std::uint32_t> order(rows_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::erase_if(order, [&](std::uint32_t row) {
      return rows_.start_ns[row] == kNoTime || rows_.stream[row] < 0;
    });
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return rows_.start_ns[a] < rows_.start_ns[b];
    });
    for (const std::uint32_t row : order) place(row);
  }

 private:
  void place(std::uint32_t row) {
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

  void report(std::uint32_t row, Ns later) {
    diagnostics_.report("row-start-estimated", [&] {
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

void estimate_row_starts(LinkedJson& json, Diagnostics& diagnostics) {
  RowStarts(json, diagnostics).run();
}

}  // namespace nadi
