#include "nadi/converters/archive/pair_ranks.h"

#include <algorithm>
#include <map>
#include <set>

#include "nadi/base/error.h"
#include "nadi/converters/rank_of_name.h"

namespace nadi {
namespace {

/// True where the whole name fits a pattern of letters and *. Linear but for the last star.
bool fits_glob(std::string_view name, std::string_view pattern) {
  std::size_t star = std::string_view::npos, from = 0, n = 0, p = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++from;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool names_kind_of_trace(std::string_view folder) {
  static constexpr std::string_view kKinds[] = {
      "device", "devices", "device_trace", "device_traces", "et",          "host",
      "hosts",  "kineto",  "host_trace",   "host_traces",   "kineto_trace"};
  return std::find(std::begin(kKinds), std::end(kKinds), folder) != std::end(kKinds);
}

/// Finds the one trace of several that a key stands for.
class OnlyOne {
 public:
  void add(std::int64_t key, std::size_t trace) {
    if (key < 0) return;
    const auto [place, is_new] = trace_of_.try_emplace(key, trace);
    if (!is_new && place->second != trace) place->second = kNoTrace;
  }
  /// kNoTrace where there is none, or several.
  std::size_t of(std::int64_t key) const {
    const auto place = trace_of_.find(key);
    return place == trace_of_.end() ? kNoTrace : place->second;
  }

 private:
  std::map<std::int64_t, std::size_t> trace_of_;
};

constexpr const char* kGivePattern =
    "Pass the folder of one job, or name its files with `pattern='trace.{rank}.*'`";

class TracePairs {
 public:
  TracePairs(const std::vector<FoundTrace>& found, bool needs_hosts)
      : found_(found), needs_hosts_(needs_hosts) {
    std::set<std::int64_t> ranks_with_json;
    for (const FoundTrace& trace : found)
      if (!trace.is_host() && !trace.is_perfetto() && !trace.is_passed_over)
        ranks_with_json.insert(trace.rank());
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i].is_passed_over) continue;
      if (found[i].is_host()) {
        hosts_.push_back(i);
        host_of_process_.add(found[i].peek.pid, i);
        continue;
      }
      const std::int64_t rank = found[i].rank();
      if (found[i].is_perfetto() && rank >= 0 && ranks_with_json.contains(rank) &&
          other_forms_.try_emplace(rank, i).second)
        continue;
      devices_.push_back(i);
      device_of_process_.add(found[i].peek.pid, i);
      device_of_number_.add(found[i].name.number, i);
      device_of_rank_.add(found[i].rank(), i);
    }
  }

  Pairing pair() {
    for (const std::size_t device : devices_) add_device(device);
    for (auto& [rank, traces] : ranks_)
      if (traces.devices.size() > 1) refuse_two(rank, "device", traces.devices);
    for (const std::size_t host : hosts_) add_host(host);
    for (auto& [rank, traces] : ranks_) finish(rank, traces);
    return std::move(pairing_);
  }

 private:
  struct Traces {
    std::vector<std::size_t> devices, hosts;
  };

  const std::string& name_of(std::size_t trace) const { return found_[trace].path; }

  void add_device(std::size_t device) {
    std::int64_t rank = found_[device].rank();
    if (rank < 0 && devices_.size() == 1) rank = 0;
    if (rank < 0)
      pairing_.problems.push_back(
          {-1, {device}, "nothing tells the rank of " + name_of(device), kGivePattern});
    else
      ranks_[rank].devices.push_back(device);
    rank_of_device_[device] = rank;
  }

  void add_host(std::size_t host) {
    const std::size_t device = device_of(host);
    if (device == kNoTrace) {
      const std::string device_problem = devices_.empty()
                                             ? "there is no device trace for "
                                             : "nothing tells which device trace belongs to ";
      pairing_.problems.push_back({-1, {host}, device_problem + name_of(host), kGivePattern});
    } else if (rank_of_device_[device] >= 0) {
      ranks_[rank_of_device_[device]].hosts.push_back(host);
    }
  }

  /// Process ids are told apart only within a machine, so one that several share says nothing.
  std::size_t device_of(std::size_t host) const {
    const FoundTrace& trace = found_[host];
    if (!trace.name.by_pattern && host_of_process_.of(trace.peek.pid) == host)
      if (const std::size_t device = device_of_process_.of(trace.peek.pid); device != kNoTrace)
        return device;
    for (const OnlyOne* device_of_key : {&device_of_number_, &device_of_rank_})
      if (const std::size_t device = device_of_key->of(trace.name.number); device != kNoTrace)
        return device;
    return devices_.size() == 1 && hosts_.size() == 1 ? devices_.front() : kNoTrace;
  }

  void refuse_two(std::int64_t rank, const char* kind, const std::vector<std::size_t>& traces) {
    pairing_.problems.push_back({rank, traces,
                                 "holds two " + std::string(kind) + " traces of rank " +
                                     std::to_string(rank) + ": " + name_of(traces[0]) + " and " +
                                     name_of(traces[1]),
                                 kGivePattern});
  }

  void finish(std::int64_t rank, const Traces& traces) {
    if (traces.devices.size() > 1) return;
    if (traces.hosts.size() > 1) return refuse_two(rank, "host", traces.hosts);
    if (traces.hosts.empty() && !hosts_.empty() && needs_hosts_) {
      pairing_.problems.push_back({rank, traces.devices,
                                   "holds no host trace of rank " + std::to_string(rank),
                                   "Add it, or pass a folder with the device traces alone"});
      return;
    }
    const auto other = other_forms_.find(rank);
    pairing_.ranks.push_back({rank, traces.hosts.empty() ? kNoTrace : traces.hosts.front(),
                              traces.devices.front(),
                              other == other_forms_.end() ? kNoTrace : other->second});
  }

  const std::vector<FoundTrace>& found_;
  const bool needs_hosts_;
  std::vector<std::size_t> hosts_, devices_;
  OnlyOne host_of_process_, device_of_process_, device_of_number_, device_of_rank_;
  std::map<std::size_t, std::int64_t> rank_of_device_;
  std::map<std::int64_t, Traces> ranks_;
  std::map<std::int64_t, std::size_t> other_forms_;  // by rank
  Pairing pairing_;
};

}  // namespace

std::int64_t rank_by_pattern(std::string_view name, std::string_view pattern) {
  constexpr std::string_view kRank = "{rank}";
  const std::size_t place = pattern.find(kRank);
  if (place == std::string_view::npos)
    throw Error(ErrorCode::kUsage, "`pattern` " + std::string(pattern), "has no {rank}",
                "Pass for example 'trace.{rank}.json.gz'");
  const std::string_view before = pattern.substr(0, place);
  const std::string_view behind = pattern.substr(place + kRank.size());
  for (std::size_t at = 0; at < name.size(); ++at) {
    const std::string_view digits = leading_digits(name.substr(at));
    const bool is_inside = at > 0 && !leading_digits(name.substr(at - 1)).empty();
    if (digits.empty() || is_inside) continue;
    if (fits_glob(name.substr(0, at), before) && fits_glob(name.substr(at + digits.size()), behind))
      return rank_number(digits);
  }
  return -1;
}

TraceName name_of_trace(std::string_view path, std::string_view pattern, bool is_one_job) {
  TraceName name;
  const std::string_view whole = path;
  std::size_t slash;
  while ((slash = path.find('/')) != std::string_view::npos) {
    const std::string_view folder = path.substr(0, slash);
    path.remove_prefix(slash + 1);
    const bool is_of_rank = rank_of_folder(folder) >= 0;
    if (is_of_rank || is_one_job || folder.empty() || names_kind_of_trace(folder)) continue;
    name.job.append(name.job.empty() ? "" : "/").append(folder);
  }
  name.file = path;
  name.by_pattern = !pattern.empty();
  name.rank = name.by_pattern ? rank_by_pattern(path, pattern) : rank_in_path(whole);
  const bool tells_none = name.rank < 0 && !name.by_pattern;
  name.number = tells_none ? last_number_in(path) : name.rank;
  return name;
}

Pairing pair_traces(const std::vector<FoundTrace>& found, bool needs_hosts) {
  return TracePairs(found, needs_hosts).pair();
}

}  // namespace nadi
