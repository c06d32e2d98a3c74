#include "nadi/converters/archive/settle_traces.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "nadi/base/error.h"
#include "nadi/base/number_text.h"
#include "nadi/converters/rank_of_name.h"

namespace nadi {
namespace {

using TracePositions = std::vector<std::size_t>;  // by their position among those found
using WindowKey = std::int64_t;

bool counts_as_device(const FoundTrace& trace) {
  return !trace.is_host() && !trace.is_perfetto() && !trace.is_passed_over;
}

TracePositions devices_of(const std::vector<FoundTrace>& found) {
  TracePositions devices;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (counts_as_device(found[i])) devices.push_back(i);
  return devices;
}

/// Of traces of several windows of one process: names that differ in a time.
bool differ_by_stamp(const std::vector<FoundTrace>& found, const TracePositions& traces) {
  std::optional<NumberedName> first;
  std::set<std::size_t> differing;
  for (const std::size_t trace : traces) {
    const NumberedName name = numbered_name(found[trace].name.file);
    if (!first) first = name;
    if (name.text != first->text || found[trace].peek.pid != found[traces.front()].peek.pid)
      return false;
    for (std::size_t at = 0; at < name.numbers.size(); ++at)
      if (name.numbers[at] != first->numbers[at]) differing.insert(at);
  }
  return differing.size() == 1 && first->numbers[*differing.begin()].size() >= kDigitsOfStamp &&
         found[traces.front()].peek.pid >= 0;
}

void look_for_rows(FoundTrace& trace, std::size_t position, const OpenFound& open) {
  if (trace.peek.activity != DeviceActivity::kNotSeen) return;
  try {
    if (std::optional<ByteSource> source = open(position))
      trace.peek.activity = find_device_activity(*source);
  } catch (const Error&) {  // who converts it says what is wrong
  }
}

/// Those without device rows, where others have them: of a rank that another trace has, and of
/// none. One of the same process is a window whose end is missing, all else are of coordinators.
void pass_over_traces_without_rows(std::vector<FoundTrace>& found, const OpenFound& open,
                                   Diagnostics& diagnostics) {
  constexpr std::int64_t kAnyRank = -1;        // as FoundTrace::rank() of a trace that records none
  std::map<std::int64_t, std::size_t> traces;  // by rank
  std::map<std::int64_t, std::int64_t> pid_with_rows;
  for (const std::size_t device : devices_of(found)) ++traces[found[device].rank()];
  for (const std::size_t device : devices_of(found)) {
    FoundTrace& trace = found[device];
    const std::int64_t rank = trace.rank();
    if (rank == kAnyRank ? traces.size() > 1 : traces.at(rank) > 1)
      look_for_rows(trace, device, open);
    if (rank == kAnyRank || trace.peek.activity == DeviceActivity::kNone) continue;
    pid_with_rows.try_emplace(rank, trace.peek.pid);
    pid_with_rows.try_emplace(kAnyRank, -1);
  }
  for (const std::size_t device : devices_of(found)) {
    FoundTrace& trace = found[device];
    const auto other = pid_with_rows.find(trace.rank());
    if (trace.peek.activity != DeviceActivity::kNone || other == pid_with_rows.end()) continue;
    trace.is_passed_over = true;
    if (trace.peek.pid >= 0 && trace.peek.pid == other->second)
      diagnostics.report(Finding::kTraceUnread, trace.path +
                                                    ": no device rows, as another of rank " +
                                                    std::to_string(trace.rank()) + " has");
    else
      diagnostics.report(Finding::kTraceWithoutDeviceRows, trace.path);
  }
}

/// Which number of a name orders windows: the only one that differs between those of each rank.
std::optional<std::size_t> differing_number(const std::vector<FoundTrace>& found,
                                            const TracePositions& windows) {
  std::optional<std::size_t> differing;
  const NumberedName first = numbered_name(found[windows.front()].name.file);
  for (const std::size_t trace : windows) {
    const NumberedName name = numbered_name(found[trace].name.file);
    if (name.text != first.text) return std::nullopt;
    for (std::size_t at = 0; at < name.numbers.size(); ++at) {
      if (name.numbers[at] == first.numbers[at]) continue;
      if (differing && *differing != at) return std::nullopt;
      differing = at;
    }
  }
  return differing;
}

std::optional<WindowKey> key_of_digits(std::string_view digits) {
  return number_at_front<WindowKey>(digits);
}

/// The windows of the ranks of a job, and what decides their order.
class Windows {
 public:
  explicit Windows(const std::vector<FoundTrace>& found) : found_(found) {
    for (const std::size_t device : devices_of(found))
      if (found[device].rank() >= 0) of_rank_[found[device].rank()].push_back(device);
  }

  /// Gives each device trace its window, from 1 on, and the number of windows; 0 = no rank has
  /// several, or their order is not known.
  std::size_t number(std::map<std::size_t, std::size_t>& window_of) {
    if (!are_windows()) return 0;
    for (const auto& keys : {&Windows::key_of_time, &Windows::key_of_stamp, &Windows::key_of_name})
      if (take_keys(keys)) return is_in_order() ? by_order(window_of) : by_time(window_of);
    return 0;
  }

 private:
  using KeyOf = std::optional<WindowKey> (Windows::*)(std::size_t trace) const;

  /// Several traces of a rank are windows where one process wrote them.
  bool are_windows() const {
    bool has_several = false;
    for (const auto& [rank, traces] : of_rank_) {
      const std::int64_t pid = found_[traces.front()].peek.pid;
      has_several |= traces.size() > 1;
      if (traces.size() > 1 && (pid < 0 || std::any_of(traces.begin(), traces.end(), [&](auto i) {
                                  return found_[i].peek.pid != pid;
                                })))
        return false;
    }
    return has_several;
  }

  std::optional<WindowKey> key_of_time(std::size_t trace) const {
    const std::int64_t first = found_[trace].peek.first_us;
    return first >= 0 ? std::optional(first) : std::nullopt;
  }
  std::optional<WindowKey> key_of_stamp(std::size_t trace) const {
    const NumberedName name = numbered_name(found_[trace].name.file);
    for (std::size_t at = name.numbers.size(); at-- > 0;)
      if (name.numbers[at].size() >= kDigitsOfStamp) return key_of_digits(name.numbers[at]);
    return std::nullopt;
  }
  std::optional<WindowKey> key_of_name(std::size_t trace) const {
    const NumberedName name = numbered_name(found_[trace].name.file);
    for (const auto& [rank, traces] : of_rank_)
      if (traces.size() > 1)
        if (const auto at = differing_number(found_, traces); at && *at < name.numbers.size())
          return key_of_digits(name.numbers[*at]);
    return std::nullopt;
  }

  /// Sorts the windows of each rank; false where some have no key, or the same.
  bool take_keys(KeyOf key_of) {
    keys_.clear();
    for (auto& [rank, traces] : of_rank_) {
      for (const std::size_t trace : traces) {
        const std::optional<WindowKey> key = (this->*key_of)(trace);
        if (!key) return false;
        keys_[trace] = *key;
      }
      const auto is_before = [&](auto a, auto b) { return keys_.at(a) < keys_.at(b); };
      std::stable_sort(traces.begin(), traces.end(), is_before);
      if (std::adjacent_find(traces.begin(), traces.end(), [&](auto a, auto b) {
            return keys_.at(a) == keys_.at(b);
          }) != traces.end())
        return false;
    }
    return true;
  }

  /// The least time between windows of a rank.
  WindowKey least_gap() const {
    WindowKey least = std::numeric_limits<WindowKey>::max();
    for (const auto& [rank, traces] : of_rank_)
      for (std::size_t i = 1; i < traces.size(); ++i)
        least = std::min(least, keys_.at(traces[i]) - keys_.at(traces[i - 1]));
    return least;
  }

  /// True where all ranks have as many windows, and those of one number began closer together than
  /// windows of a rank.
  bool is_in_order() const {
    const std::size_t windows = of_rank_.begin()->second.size();
    const WindowKey gap = least_gap();
    for (std::size_t window = 0; window < windows; ++window) {
      WindowKey first = std::numeric_limits<WindowKey>::max(), last = 0;
      for (const auto& [rank, traces] : of_rank_) {
        if (traces.size() != windows) return false;
        first = std::min(first, keys_.at(traces[window]));
        last = std::max(last, keys_.at(traces[window]));
      }
      if (last - first >= gap) return false;
    }
    return true;
  }

  std::size_t by_order(std::map<std::size_t, std::size_t>& window_of) const {
    for (const auto& [rank, traces] : of_rank_)
      for (std::size_t i = 0; i < traces.size(); ++i) window_of[traces[i]] = i + 1;
    return of_rank_.begin()->second.size();
  }

  /// A window ends where a rank comes again, or half the time between windows has gone by.
  std::size_t by_time(std::map<std::size_t, std::size_t>& window_of) const {
    std::vector<std::pair<WindowKey, std::size_t>> all;
    for (const auto& [trace, key] : keys_) all.emplace_back(key, trace);
    std::sort(all.begin(), all.end());
    const WindowKey most = least_gap() / 2;
    std::size_t window = 0;
    WindowKey begin = 0;
    std::set<std::int64_t> ranks;
    for (const auto& [key, trace] : all) {
      if (window == 0 || key - begin > most || ranks.contains(found_[trace].rank())) {
        ++window;
        begin = key;
        ranks.clear();
      }
      ranks.insert(found_[trace].rank());
      window_of[trace] = window;
    }
    return window;
  }

  const std::vector<FoundTrace>& found_;
  std::map<std::int64_t, TracePositions> of_rank_;
  std::map<std::size_t, WindowKey> keys_;  // of device traces
};

/// Host traces of a process that wrote as many as its rank has windows belong to these, in the
/// order of their names; others to all.
void number_hosts(std::vector<FoundTrace>& found) {
  // By process, and by rank where a word in the name says it.
  std::map<std::pair<std::int64_t, std::int64_t>, TracePositions> hosts_of;
  std::map<std::int64_t, TracePositions> devices_of;  // by process
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].is_host())
      hosts_of[{found[i].peek.pid, rank_in_name(found[i].name.file)}].push_back(i);
    if (counts_as_device(found[i])) devices_of[found[i].peek.pid].push_back(i);
  }
  for (auto& [of, hosts] : hosts_of) {
    const auto& [pid, rank] = of;
    if (hosts.size() < 2) continue;
    std::set<std::size_t> windows;
    std::set<std::int64_t> ranks;
    for (const std::size_t device : devices_of[pid]) {
      const FoundTrace& trace = found[device];
      if (rank >= 0 && trace.rank() != rank) continue;
      windows.insert(trace.window);
      ranks.insert(trace.rank());
    }
    const auto differing = differing_number(found, hosts);
    if (ranks.size() != 1 || windows.size() != hosts.size() || !differing) continue;
    const auto key_of = [&, at = *differing](std::size_t host) {
      return key_of_digits(numbered_name(found[host].name.file).numbers[at]).value_or(0);
    };
    std::stable_sort(hosts.begin(), hosts.end(),
                     [&](std::size_t a, std::size_t b) { return key_of(a) < key_of(b); });
    auto window = windows.begin();
    for (const std::size_t host : hosts) found[host].window = *window++;
  }
}

/// The window that counts; nothing = all.
std::optional<std::size_t> chosen_window(const WindowChoice& choice, std::size_t windows,
                                         const FoundTrace& of) {
  if (choice.kind == WindowChoice::Kind::kAll) return std::nullopt;
  if (choice.kind == WindowChoice::Kind::kNewest) return windows;
  if (static_cast<std::size_t>(choice.number) <= std::max<std::size_t>(windows, 1))
    return static_cast<std::size_t>(choice.number);
  throw Error(ErrorCode::kUsage, "`window` " + std::to_string(choice.number),
              "is not there: the traces beside " + of.path + " are of " +
                  (windows == 0 ? "one window" : std::to_string(windows) + " windows"),
              "Choose one of them, newest or all");
}

void pass_over_windows(std::vector<FoundTrace>& found, std::size_t chosen, std::size_t windows,
                       Diagnostics& diagnostics) {
  std::set<std::int64_t> passed, there;
  for (FoundTrace& trace : found) {
    const bool is_of_device = counts_as_device(trace);
    if (trace.window == 0 || trace.window == chosen) {
      if (is_of_device) there.insert(trace.rank());
      continue;
    }
    trace.is_passed_over = true;
    if (is_of_device) passed.insert(trace.rank());
    diagnostics.report(
        Finding::kWindowPassedOver,
        trace.path + ": window " + std::to_string(trace.window) + " of " + std::to_string(windows));
  }
  for (const std::int64_t rank : passed)
    if (!there.contains(rank))
      diagnostics.report(Finding::kWindowLacksRank, "rank " + std::to_string(rank) + ", window " +
                                                        std::to_string(chosen) + " of " +
                                                        std::to_string(windows));
}

/// The rank follows only from the names of the files beside it.
bool is_ranked_by_others(const FoundTrace& trace) {
  const std::string_view file = trace.name.file;
  return trace.rank() < 0 ||
         (trace.peek.rank < 0 && needs_other_names(file) && trace.name.rank == rank_in_name(file));
}

/// Steps or epochs: the traces are of one process, and their numbers are not those of ranks, which
/// count from 0 (in containers of their own all ranks may have one pid).
bool are_of_one_process(const std::vector<FoundTrace>& found, const TracePositions& traces,
                        const std::vector<std::int64_t>& numbers) {
  const auto is_like_first = [&](std::size_t i) {
    return found[i].peek.pid >= 0 && found[i].peek.pid == found[traces.front()].peek.pid &&
           !needs_other_names(found[i].name.file);
  };
  const std::set<std::int64_t> distinct(numbers.begin(), numbers.end());
  const bool count_from_0 =
      !distinct.empty() && *distinct.begin() == 0 && *distinct.rbegin() + 1 == std::ssize(distinct);
  return traces.size() > 1 && !count_from_0 &&
         std::all_of(traces.begin(), traces.end(), is_like_first);
}

}  // namespace

void set_ranks_by_names(std::vector<FoundTrace>& found) {
  for (const bool of_hosts : {false, true}) {
    TracePositions traces;
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const bool is_asked = found[i].is_host() == of_hosts && is_ranked_by_others(found[i]);
      if (!is_asked || found[i].name.by_pattern) continue;
      traces.push_back(i);
      names.emplace_back(found[i].name.file);
    }
    std::vector<std::int64_t> ranks = ranks_in_names(names);
    if (!of_hosts && are_of_one_process(found, traces, ranks)) ranks.assign(ranks.size(), 0);
    for (std::size_t i = 0; i < traces.size(); ++i) {
      TraceName& name = found[traces[i]].name;
      name.rank = ranks[i];
      if (name.rank >= 0) name.number = name.rank;
    }
  }
  const TracePositions devices = devices_of(found);
  const bool is_any_known = std::any_of(devices.begin(), devices.end(),
                                        [&](std::size_t i) { return found[i].rank() >= 0; });
  if (devices.size() > 1 && !is_any_known && differ_by_stamp(found, devices))
    for (const std::size_t device : devices) found[device].name.rank = 0;
}

void sort_one_per_rank(std::vector<FoundTrace>& found, const char* if_unknown,
                       const char* if_repeated) {
  if (found.size() == 1 && found.front().rank() < 0) found.front().name.rank = 0;
  std::stable_sort(found.begin(), found.end(),
                   [](const FoundTrace& a, const FoundTrace& b) { return a.rank() < b.rank(); });
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::int64_t rank = found[i].rank();
    if (rank < 0)
      throw Error(ErrorCode::kInput, found[i].path, "nothing tells its rank", if_unknown);
    if (i > 0 && found[i - 1].rank() == rank)
      throw Error(ErrorCode::kInput, found[i].path,
                  "is of rank " + std::to_string(rank) + ", as " + found[i - 1].path, if_repeated);
  }
}

std::size_t settle_traces(std::vector<FoundTrace>& found, const WindowChoice& choice,
                          const OpenFound& open, Diagnostics& diagnostics) {
  if (found.empty()) return 0;
  set_ranks_by_names(found);
  pass_over_traces_without_rows(found, open, diagnostics);
  std::map<std::size_t, std::size_t> window_of;
  const std::size_t windows = Windows(found).number(window_of);
  for (const auto& [trace, window] : window_of) found[trace].window = window;
  const auto chosen = chosen_window(choice, windows, found.front());
  if (windows == 0) return 0;
  number_hosts(found);
  if (chosen) pass_over_windows(found, *chosen, windows, diagnostics);
  return windows;
}

}  // namespace nadi
