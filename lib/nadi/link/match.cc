#include "nadi/link/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "nadi/base/count_text.h"
#include "nadi/base/search_near.h"
#include "nadi/base/sort_rows.h"
#include "nadi/link/match_names.h"

namespace nadi {
namespace {

/// Profiler ops by record-function id and name; each is given out once.
class OpsByRfId {
 public:
  OpsByRfId(const DeviceTrace& device, NameNumbers& names) {
    const std::vector<NameNumber> numbers = names.of(device.strings, device.ops.name);
    entries_.reserve(device.ops.size());
    for (const ProfilerOpIndex row : rows_of(device.ops))
      if (device.ops.rf_id[row] != 0)
        entries_.push_back(
            {device.ops.rf_id[row], numbers[static_cast<std::size_t>(device.ops.name[row])], row});
    sort_rows(entries_);
    given_.assign(entries_.size(), 0);
  }

  /// The first op of the id and name that was not given out yet; none = there is no such op.
  ProfilerOpIndex take(std::uint64_t rf_id, NameNumber name) {
    const EntryIndex first = first_of(rf_id, name), end(entries_.size());
    if (first == end) return {};
    const EntryIndex next = first + given_[first];
    if (next == end || entries_[next].rf_id != rf_id || entries_[next].name != name) return {};
    ++given_[first];
    return entries_[next].row;
  }

  bool has(std::uint64_t rf_id) {
    const EntryIndex first = first_of(rf_id, NameNumber(0));
    return first < EntryIndex(entries_.size()) && entries_[first].rf_id == rf_id;
  }

 private:
  struct Entry {
    std::uint64_t rf_id;
    NameNumber name;
    ProfilerOpIndex row;
    auto operator<=>(const Entry&) const = default;
  };
  using EntryIndex = Index<Entry>;

  /// Ids of host ops count up, so that the next one is near the last.
  EntryIndex first_of(std::uint64_t rf_id, NameNumber name) {
    const auto begin = entries_.begin();
    const Entry wanted{rf_id, name, ProfilerOpIndex(0)};
    const auto first = partition_point_near(begin, entries_.end(), begin + last_,
                                            [&](const Entry& entry) { return entry < wanted; });
    last_ = first - begin;
    return EntryIndex(static_cast<std::size_t>(last_));
  }

  ByRow<Entry> entries_;
  ByRow<Entry, std::uint32_t> given_;  // how many of an id and name, by the first entry of them
  std::ptrdiff_t last_ = 0;            // where was looked last
};

struct ThreadOps {
  std::uint64_t all = 0, matched = 0;  ///< roots excluded
};

std::map<std::uint64_t, ThreadOps> ops_by_thread(const HostTrace& host, const OpMatch& match) {
  std::map<std::uint64_t, ThreadOps> threads;
  for (const HostOpIndex row : rows_of(host.ops)) {
    if (is_root(host.strings[host.ops.name[row]])) continue;
    ThreadOps& ops = threads[host.ops.tid[row]];
    ++ops.all;
    ops.matched += match.profiler_of_host[row] ? 1 : 0;
  }
  return threads;
}

/// Ids count up over all threads: a thread with ops between matched ones was at work then.
void leave_out_unprofiled_threads(const HostTrace& host, OpMatch& match) {
  const HostOps& ops = host.ops;
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max(), last = 0;
  for (const HostOpIndex row : rows_of(ops)) {
    if (!match.profiler_of_host[row]) continue;
    first = std::min(first, ops.id[row]);
    last = std::max(last, ops.id[row]);
  }
  std::set<std::uint64_t> at_work;
  for (const HostOpIndex row : rows_of(ops))
    if (!is_root(host.strings[ops.name[row]]) && first < ops.id[row] && ops.id[row] < last)
      at_work.insert(ops.tid[row]);
  for (const auto& [tid, of_thread] : ops_by_thread(host, match))
    if (of_thread.matched == 0 && at_work.contains(tid)) {
      match.unprofiled_threads.push_back(tid);
      match.host_ops -= of_thread.all;
    }
}

}  // namespace

bool is_share(std::uint64_t part, std::uint64_t whole, double least) {
  return static_cast<double>(part) >= least * static_cast<double>(whole);
}

OpMatch match_by_rf_id(const HostTrace& host, const DeviceTrace& device) {
  const HostOps& ops = host.ops;
  NameNumbers names;
  OpsByRfId by_rf_id(device, names);
  const std::vector<NameNumber> numbers = names.of(host.strings, ops.name);
  OpMatch match;
  match.profiler_of_host.resize(ops.size());
  for (const HostOpIndex row : rows_of(ops)) {
    if (is_root(host.strings[ops.name[row]])) continue;
    ++match.host_ops;
    if (ops.rf_id[row] == 0) continue;
    match.profiler_of_host[row] =
        by_rf_id.take(ops.rf_id[row], numbers[static_cast<std::size_t>(ops.name[row])]);
    if (match.profiler_of_host[row])
      ++match.matched;
    else if (by_rf_id.has(ops.rf_id[row]))
      ++match.same_id_other_name;
  }
  if (match.matched < match.host_ops) leave_out_unprofiled_threads(host, match);
  return match;
}

bool leave_out_threads_without_matches(const HostTrace& host, const DeviceTrace& device,
                                       OpMatch& match) {
  std::uint64_t ops_of_profiled = 0;
  std::vector<std::uint64_t> others;
  for (const auto& [tid, of_thread] : ops_by_thread(host, match))
    if (of_thread.matched > 0)
      ops_of_profiled += of_thread.all;
    else
      others.push_back(tid);
  if (match.matched == 0 ||
      !is_share(match.matched, std::max(ops_of_profiled, device.ops.size()), kLeastShare))
    return false;
  match.host_ops = ops_of_profiled;
  match.unprofiled_threads = std::move(others);
  return true;
}

namespace {

bool has_rf_ids(const DeviceTrace& device) {
  return std::any_of(device.ops.rf_id.begin(), device.ops.rf_id.end(),
                     [](std::uint64_t id) { return id != 0; });
}

std::string likely_cause(const OpMatch& match, const DeviceTrace& device) {
  const double ops = static_cast<double>(device.ops.size());
  if (device.ops.size() == 0)
    return "the device trace holds no cpu_op rows (was ProfilerActivity.CPU on?)";
  if (!has_rf_ids(device))
    return "the device trace holds no record-function ids (PyTorch before 2.3)";
  if (match.same_id_other_name > match.matched)
    return fmt::format("{} {} an op of another name, so these are traces of different runs",
                       count_text(match.same_id_other_name, "id"),
                       match.same_id_other_name == 1 ? "meets" : "meet");
  if (ops > 2.0 * static_cast<double>(match.host_ops))
    return "the device trace is much longer, perhaps many iterations against one";
  if (static_cast<double>(match.host_ops) > 2.0 * ops)
    return "the host trace is much longer, perhaps many iterations against one";
  return "the observer and the profiler recorded different spans";
}

}  // namespace

std::string describe_share(const OpMatch& match, const DeviceTrace& device) {
  return fmt::format("only {} of {} host ops ({:.1f} %) are in the device trace: {}", match.matched,
                     match.host_ops, 100.0 * match.share(), likely_cause(match, device));
}

const char* const kMismatchRemedy =
    "Pass two traces of the same steps of the same run, leave the host trace out to convert the "
    "device "
    "trace alone, or use `match=force` to keep only what fits";

const char* const kNoIdsRemedy =
    "Use `match=auto` or `match=order`, which go by names where ids do not fit, pass two traces of "
    "the same steps of the same run, or use `match=force` to keep only what fits";

}  // namespace nadi
