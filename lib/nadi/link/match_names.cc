#include "nadi/link/match_names.h"

#include <algorithm>
#include <map>
#include <span>

namespace nadi {
namespace {

/// A name's number is its StringId in the host trace; names only the profiler has come after these.
std::vector<std::uint32_t> numbers_of_device_names(const HostTrace& host,
                                                   const DeviceTrace& device) {
  std::vector<std::uint32_t> numbers(device.strings.size(), kNoIndex);
  for (StringId name : device.ops.name) {
    std::uint32_t& number = numbers[static_cast<std::size_t>(name)];
    if (number != kNoIndex) continue;
    const std::string_view text = device.strings[name];
    const StringId known = host.strings.find(text);
    number =
        known != StringId::kEmpty || text.empty()
            ? static_cast<std::uint32_t>(known)
            : static_cast<std::uint32_t>(host.strings.size()) + static_cast<std::uint32_t>(name);
  }
  return numbers;
}

std::vector<NameSequence> host_sequences(const HostTrace& host) {
  const HostOps& ops = host.ops;
  std::map<std::uint64_t, NameSequence> by_tid;
  for (std::uint32_t row = 0; row < ops.size(); ++row)
    if (!is_root(host.strings[ops.name[row]])) by_tid[ops.tid[row]].row.push_back(row);
  std::vector<NameSequence> result;
  for (auto& [tid, sequence] : by_tid) {
    sequence.thread = tid;
    std::sort(sequence.row.begin(), sequence.row.end(), [&](std::uint32_t a, std::uint32_t b) {
      return ops.id[a] != ops.id[b] ? ops.id[a] < ops.id[b] : a < b;
    });
    for (std::uint32_t row : sequence.row)
      sequence.name.push_back(static_cast<std::uint32_t>(ops.name[row]));
    result.push_back(std::move(sequence));
  }
  return result;
}

/// Sorts rows that start together by External id if every later start has a higher one.
void order_ties_by_id(const ProfilerOps& ops, std::vector<std::uint32_t>& rows) {
  const auto end_of_tie = [&](std::size_t first) {
    std::size_t end = first + 1;
    while (end < rows.size() && ops.start_ns[rows[end]] == ops.start_ns[rows[first]]) ++end;
    return end;
  };
  std::uint64_t highest = 0;
  for (std::size_t first = 0, end = 0; first < rows.size(); first = end) {
    end = end_of_tie(first);
    const std::uint64_t before = highest;
    for (std::size_t i = first; i < end; ++i) {
      const std::uint64_t id = ops.external_id[rows[i]];
      if (id != 0 && id <= before) return;
      highest = std::max(highest, id);
    }
  }
  for (std::size_t first = 0, end = 0; first < rows.size(); first = end) {
    end = end_of_tie(first);
    const std::span<std::uint32_t> tie(rows.data() + first, end - first);
    if (std::all_of(tie.begin(), tie.end(), [&](auto row) { return ops.external_id[row] != 0; }))
      std::stable_sort(tie.begin(), tie.end(), [&](std::uint32_t a, std::uint32_t b) {
        return ops.external_id[a] < ops.external_id[b];
      });
  }
}

std::vector<NameSequence> profiler_sequences(const HostTrace& host, const DeviceTrace& device) {
  const ProfilerOps& ops = device.ops;
  std::vector<NameSequence> by_thread(device.threads.size());
  for (std::uint32_t row = 0; row < ops.size(); ++row)
    by_thread[ops.thread[row].value].row.push_back(row);
  const std::vector<std::uint32_t> numbers = numbers_of_device_names(host, device);
  std::vector<NameSequence> result;
  for (std::size_t thread = 0; thread < by_thread.size(); ++thread) {
    NameSequence& sequence = by_thread[thread];
    if (sequence.row.empty()) continue;
    sequence.thread = thread;
    std::sort(sequence.row.begin(), sequence.row.end(), [&](std::uint32_t a, std::uint32_t b) {
      if (ops.start_ns[a] != ops.start_ns[b]) return ops.start_ns[a] < ops.start_ns[b];
      return ops.duration_ns[a] != ops.duration_ns[b] ? ops.duration_ns[a] > ops.duration_ns[b]
                                                      : a < b;
    });
    order_ties_by_id(ops, sequence.row);
    for (std::uint32_t row : sequence.row)
      sequence.name.push_back(numbers[static_cast<std::size_t>(ops.name[row])]);
    result.push_back(std::move(sequence));
  }
  return result;
}

}  // namespace

NameSequences name_sequences(const HostTrace& host, const DeviceTrace& device) {
  return {host_sequences(host), profiler_sequences(host, device)};
}

}  // namespace nadi
