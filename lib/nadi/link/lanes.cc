#include "nadi/link/lanes.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>

namespace nadi {
namespace {

/// Logical tid -> how many of the thread's matched ops carry it.
using Votes = ByRow<ProfilerThread, std::map<std::uint64_t, std::uint64_t>>;

Votes count_votes(const LinkedTrace& linked, const OpMatch& match) {
  Votes votes(linked.device.threads.size());
  for (const HostOpIndex row : rows_of(match.profiler_of_host)) {
    const ProfilerOpIndex profiler = match.profiler_of_host[row];
    if (!profiler) continue;
    ++votes[linked.device.ops.thread[profiler]][linked.host.ops.tid[row]];
  }
  return votes;
}

ByRow<ProfilerThread, bool> used_threads(const DeviceTrace& device) {
  ByRow<ProfilerThread, bool> used(device.threads.size(), false);
  for (ThreadIndex thread : device.ops.thread) used[thread] = true;
  for (ThreadIndex thread : device.calls.thread) used[thread] = true;
  return used;
}

/// The tid most ops vote for that no other thread has taken; -1 = none.
std::int64_t elect(const std::map<std::uint64_t, std::uint64_t>& votes,
                   const std::set<std::int64_t>& taken) {
  std::int64_t winner = -1;
  std::uint64_t most = 0;
  for (const auto& [tid, count] : votes) {
    if (count <= most || taken.contains(static_cast<std::int64_t>(tid))) continue;
    most = count;
    winner = static_cast<std::int64_t>(tid);
  }
  return winner;
}

/// Gives tids that no thread has: the one after the greatest, else the smallest that is free.
class FreeTids {
 public:
  explicit FreeTids(const std::set<std::int64_t>& taken) : taken_(taken) {}

  std::int64_t next() {
    if (taken_.empty()) return 1;
    if (*taken_.rbegin() < std::numeric_limits<std::int64_t>::max()) return *taken_.rbegin() + 1;
    while (taken_.contains(smallest_)) ++smallest_;
    return smallest_;
  }

 private:
  const std::set<std::int64_t>& taken_;
  std::int64_t smallest_ = 1;
};

/// Callbacks of CUDA graphs run on threads of the driver, one lane for each stream that waits for
/// them.
void add_host_node_lanes(LinkedTrace& linked, LaneTable& lanes) {
  const DeviceRows& rows = linked.device.rows;
  std::int64_t last_tid = 0;
  for (const Lane& lane : linked.lanes) last_tid = std::max(last_tid, lane.tid);
  std::map<LaneIndex, LaneIndex>& of_stream = linked.host_node_lanes;
  for (const DeviceRowIndex row : rows_of(rows))
    if (rows.kind[row] == DeviceRowKind::kHostNode)
      of_stream[lanes.stream_lane(linked.lanes, rows.device[row], rows.stream[row])] = {};
  for (auto& [stream, host] : of_stream) {
    Lane lane;
    lane.tid = last_tid < std::numeric_limits<std::int64_t>::max() ? ++last_tid : -1;
    lane.is_of_host_nodes = true;
    lane.name = "host nodes of stream " + std::to_string(linked.lanes[stream].stream);
    host = LaneIndex(linked.lanes.size());
    linked.lanes.push_back(std::move(lane));
  }
}

}  // namespace

LaneIndex LaneTable::stream_lane(ByRow<Lane>& lanes, std::int64_t device, std::int64_t stream) {
  const auto [known, is_new] = of_stream.try_emplace({device, stream}, LaneIndex(lanes.size()));
  if (is_new) {
    Lane lane;
    lane.is_device = true;
    lane.device = device;
    lane.stream = stream;
    lanes.push_back(std::move(lane));
  }
  return known->second;
}

void make_stream_lanes(LinkedTrace& linked, LaneTable& lanes) {
  const DeviceRows& rows = linked.device.rows;
  std::set<std::pair<std::int64_t, std::int64_t>> streams;
  for (const DeviceRowIndex row : rows_of(rows))
    streams.insert({rows.device[row], rows.stream[row]});
  for (const auto& [device, stream] : streams) lanes.stream_lane(linked.lanes, device, stream);
  add_host_node_lanes(linked, lanes);
}

LaneTable make_host_lanes(LinkedTrace& linked, const OpMatch& match) {
  const DeviceTrace& device = linked.device;
  const Votes votes = count_votes(linked, match);
  const ByRow<ProfilerThread, bool> used = used_threads(device);
  LaneTable table;
  table.of_thread.assign(device.threads.size(), LaneIndex());

  std::set<std::int64_t> taken;
  ByRow<ProfilerThread, std::int64_t> logical(device.threads.size(), -1);
  for (const ThreadIndex thread : rows_of(device.threads)) {
    logical[thread] = elect(votes[thread], taken);
    if (logical[thread] >= 0) taken.insert(logical[thread]);
  }
  for (const HostOpIndex row : rows_of(linked.host.ops))
    taken.insert(static_cast<std::int64_t>(linked.host.ops.tid[row]));

  FreeTids free_tids(taken);
  for (const ThreadIndex thread : rows_of(device.threads)) {
    if (!used[thread]) continue;
    Lane lane;
    lane.tid = logical[thread];
    if (lane.tid < 0) {  // no op in common with the host trace: the OS tid, unless that is taken
      lane.tid = device.threads[thread].number;
      const bool is_taken = taken.contains(lane.tid) && !match.threads_are_logical;
      if (lane.tid < 0 || is_taken) lane.tid = free_tids.next();
      taken.insert(lane.tid);
    } else {
      table.of_logical_tid[static_cast<std::uint64_t>(lane.tid)] = LaneIndex(linked.lanes.size());
    }
    lane.name = std::string(linked.strings[device.threads[thread].name]);
    table.of_thread[thread] = LaneIndex(linked.lanes.size());
    linked.lanes.push_back(std::move(lane));
  }
  for (const HostOpIndex row : rows_of(linked.host.ops)) {
    const std::uint64_t tid = linked.host.ops.tid[row];
    if (is_root(linked.strings[linked.host.ops.name[row]]) || table.of_logical_tid.contains(tid))
      continue;
    table.of_logical_tid[tid] = LaneIndex(linked.lanes.size());
    linked.lanes.push_back({false, static_cast<std::int64_t>(tid), -1, -1, "", false});
  }
  return table;
}

}  // namespace nadi
