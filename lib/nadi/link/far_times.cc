#include "nadi/link/far_times.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace nadi {

namespace {

constexpr double kFar = 3.6e12;
constexpr std::size_t kEventsPerFarOne = 10;

/// b - a, ns; stamps come from strangers, and their difference may overflow.
double apart(Ns a, Ns b) { return static_cast<double>(b) - static_cast<double>(a); }

/// The first and the last.
struct Starts {
  Ns first = std::numeric_limits<Ns>::max(), last = std::numeric_limits<Ns>::min();
  void add(Ns start) { first = std::min(first, start), last = std::max(last, start); }
  /// Over an hour before or after all of them, or its end is.
  bool is_far(Ns start, Ns duration) const {
    return apart(start, first) > kFar || apart(last, start) + static_cast<double>(duration) > kFar;
  }
};

/// The starts of ops and calls.
template <class Use>
void for_each_start(const DeviceTrace& device, const Use& use) {
  for (const Ns start : device.ops.start_ns) use(start);
  for (const Ns start : device.calls.start_ns) use(start);
}

/// Of groups of starts that are over an hour apart the one with the most.
Starts most_starts(std::vector<Ns> starts) {
  std::sort(starts.begin(), starts.end());
  Starts best;
  std::size_t most = 0;
  for (std::size_t first = 0, end = 0; first < starts.size(); first = end) {
    end = first + 1;
    while (end < starts.size() && apart(starts[end - 1], starts[end]) <= kFar) ++end;
    if (end - first <= most) continue;
    most = end - first;
    best = {starts[first], starts[end - 1]};
  }
  return best;
}

/// Of what the host did, far starts left out.
Starts host_starts(const DeviceTrace& device) {
  Starts all;
  for_each_start(device, [&](Ns start) { all.add(start); });
  if (apart(all.first, all.last) <= kFar) return all;
  std::vector<Ns> starts;
  starts.reserve(device.ops.size() + device.calls.size());
  for_each_start(device, [&](Ns start) { starts.push_back(start); });
  return most_starts(std::move(starts));
}

/// Rows of a table that are far; none if they are more than one in ten.
template <class Table>
std::vector<Index<Table>> far_rows(const Table& table, const Starts& starts) {
  std::vector<Index<Table>> far;
  for (const Index<Table> row : rows_of(table))
    if (table.start_ns[row] != kNoTime &&
        starts.is_far(table.start_ns[row], table.duration_ns[row]))
      far.push_back(row);
  const std::size_t most = std::max<std::size_t>(table.size() / kEventsPerFarOne, 1);
  if (far.size() > most || far.size() == table.size()) far.clear();
  return far;
}

/// Leaves them out.
template <class Table>
void drop_rows(const std::vector<Index<Table>>& far, Table& table, const StringTable& strings,
               Diagnostics& diagnostics) {
  if (far.empty()) return;
  ByRow<Table, bool> kept(table.size(), true);
  for (const Index<Table> row : far) {
    kept[row] = false;
    diagnostics.report(Finding::kGarbageTime, strings[table.name[row]]);
  }
  keep_marked(kept, table);
}

template <class Table>
void forget_times(const std::vector<Index<Table>>& far, Table& table) {
  for (const Index<Table> row : far) {
    table.start_ns[row] = kNoTime;
    table.duration_ns[row] = 0;
  }
}

}  // namespace

void forget_far_times(DeviceTrace& device, Diagnostics& diagnostics) {
  if (device.ops.size() + device.calls.size() == 0) return;
  const Starts starts = host_starts(device);
  const auto ops = far_rows(device.ops, starts);
  const auto calls = far_rows(device.calls, starts);
  const auto rows = far_rows(device.rows, starts);
  const auto syncs = far_rows(device.syncs, starts);
  if (ops.empty() && calls.empty() && rows.empty() && syncs.empty()) return;
  drop_rows(ops, device.ops, device.strings, diagnostics);
  drop_rows(calls, device.calls, device.strings, diagnostics);
  forget_times(rows, device.rows);
  forget_times(syncs, device.syncs);
  for (const DeviceRowIndex row : rows)
    diagnostics.report(Finding::kGarbageTimeOfRow, device.strings[device.rows.name[row]]);
  for (const SyncRowIndex row : syncs)
    diagnostics.report(Finding::kGarbageTimeOfRow, to_string(device.syncs.kind[row]));
  measure_span(device);
}

}  // namespace nadi
