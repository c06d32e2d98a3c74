#include "nadi/link/common_window.h"

#include <algorithm>
#include <limits>
#include <span>

#include "nadi/link/match_names.h"

namespace nadi {
namespace {

/// Ids of the host trace, which grow with time over all threads; both ends are inside.
struct IdRange {
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max(), last = 0;
  void add(std::uint64_t id) { first = std::min(first, id), last = std::max(last, id); }
  bool is_empty() const { return first > last; }
  bool contains(std::uint64_t id) const { return first <= id && id <= last; }
};

/// From the first to the last matched op of the threads.
IdRange ids_of(std::span<const HostSequence> threads, const HostTrace& host, const OpMatch& match) {
  IdRange ids;
  for (const HostSequence& thread : threads)
    for (const HostOpIndex row : thread.row)
      if (match.profiler_of_host[row]) ids.add(host.ops.id[row]);
  return ids;
}

/// The ops of each thread from its first to its last matched one, or of a thread that matched
/// nothing between those of all threads; of unprofiled threads none.
ByRow<HostSequence> ops_in_windows(const ByRow<HostSequence>& threads, const HostTrace& host,
                                   const OpMatch& match) {
  const IdRange of_all = ids_of(threads, host, match);
  ByRow<HostSequence> inside = threads;
  for (HostSequence& thread : inside) {
    const IdRange own = ids_of({&thread, 1}, host, match);
    const IdRange& ids = own.is_empty() ? of_all : own;
    const bool is_profiled = match.is_profiled(thread.tid);
    thread.keep([&](HostOpIndex row) { return is_profiled && ids.contains(host.ops.id[row]); });
  }
  return inside;
}

/// An op among those of all threads, threads in turn, ops by start.
struct OpInTurn;
using TurnOfOp = Index<OpInTurn>;

ByRow<ProfilerOps, TurnOfOp> turns_of(const ByRow<ProfilerSequence>& threads, std::size_t ops) {
  ByRow<ProfilerOps, TurnOfOp> turn(ops);
  TurnOfOp next(0);
  for (const ProfilerSequence& thread : threads)
    for (const ProfilerOpIndex row : thread.row) turn[row] = next++;
  return turn;
}

/// Matched ops that follow the matched op before them in the device trace too, on one thread.
std::uint64_t count_in_order(const NameSequences& names, const DeviceTrace& device,
                             const OpMatch& match) {
  const auto turn = turns_of(names.profiler, device.ops.size());
  std::uint64_t count = 0;
  for (const HostSequence& thread : names.host) {
    ProfilerOpIndex before;
    for (const HostOpIndex row : thread.row) {
      const ProfilerOpIndex op = match.profiler_of_host[row];
      if (!op) continue;
      const bool follows = !before || (device.ops.thread[before] == device.ops.thread[op] &&
                                       turn[before] < turn[op]);
      count += follows ? 1 : 0;
      before = op;
    }
  }
  return count;
}

std::uint64_t count_ops(const ByRow<HostSequence>& threads) {
  std::uint64_t count = 0;
  for (const HostSequence& thread : threads) count += thread.size();
  return count;
}

}  // namespace

bool is_same_window(const OpMatch& match, const DeviceTrace& device) {
  return match.share() >= kLeastShare && is_share(match.matched, device.ops.size(), kLeastShare);
}

bool is_common_window(std::uint64_t common, std::uint64_t host_ops, std::uint64_t profiler_ops) {
  constexpr std::uint64_t kLeastCommonOps = 100;
  return common >= kLeastCommonOps && is_share(common, std::min(host_ops, profiler_ops), 0.5);
}

std::optional<CommonWindow> find_common_window(const HostTrace& host, const DeviceTrace& device,
                                               const OpMatch& match) {
  const auto suffices = [&](std::uint64_t ops) {
    return is_common_window(ops, match.host_ops, device.ops.size());
  };
  if (!suffices(match.matched)) return std::nullopt;
  NameSequences names = name_sequences(host, device);
  const std::uint64_t in_order = count_in_order(names, device, match);
  ByRow<HostSequence> inside = ops_in_windows(names.host, host, match);
  const std::uint64_t host_ops = count_ops(inside);
  if (!suffices(in_order) || !is_share(in_order, host_ops, kLeastShare)) return std::nullopt;
  return CommonWindow{
      {std::move(inside), std::move(names.profiler), Finding::kHostOpsOutsideTheDeviceTrace,
       Finding::kDeviceOpsOutsideTheHostTrace},
      host_ops};
}

}  // namespace nadi
