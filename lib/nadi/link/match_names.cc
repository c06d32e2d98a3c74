#include "nadi/link/match_names.h"

#include <algorithm>
#include <map>
#include <span>

#include "nadi/base/sort_rows.h"
#include "nadi/model/step_names.h"

namespace nadi {
namespace {

ByRow<HostSequence> host_sequences(const HostTrace& host, NameNumbers& names) {
  const HostOps& ops = host.ops;
  std::map<std::uint64_t, HostSequence> by_tid;
  for (const HostOpIndex row : rows_of(ops))
    if (!is_root(host.strings[ops.name[row]])) by_tid[ops.tid[row]].row.push_back(row);
  const std::vector<NameNumber> numbers = names.of(host.strings, ops.name);
  ByRow<HostSequence> result;
  for (auto& [tid, sequence] : by_tid) {
    sequence.tid = tid;
    sort_rows(sequence.row, [&](HostOpIndex a, HostOpIndex b) {
      return ops.id[a] != ops.id[b] ? ops.id[a] < ops.id[b] : a < b;
    });
    for (const HostOpIndex row : sequence.row)
      sequence.name.push_back(numbers[static_cast<std::size_t>(ops.name[row])]);
    result.push_back(std::move(sequence));
  }
  return result;
}

/// Sorts rows that start together by External id if every later start has a higher one.
void order_ties_by_id(const ProfilerOps& ops, std::vector<ProfilerOpIndex>& rows) {
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
    const std::span<ProfilerOpIndex> tie(rows.data() + first, end - first);
    if (std::all_of(tie.begin(), tie.end(), [&](auto row) { return ops.external_id[row] != 0; }))
      std::stable_sort(tie.begin(), tie.end(), [&](ProfilerOpIndex a, ProfilerOpIndex b) {
        return ops.external_id[a] < ops.external_id[b];
      });
  }
}

ByRow<ProfilerSequence> profiler_sequences(const DeviceTrace& device, NameNumbers& names) {
  const ProfilerOps& ops = device.ops;
  ByRow<ProfilerThread, ProfilerSequence> by_thread(device.threads.size());
  for (const ProfilerOpIndex row : rows_of(ops)) by_thread[ops.thread[row]].row.push_back(row);
  const std::vector<NameNumber> numbers = names.of(device.strings, ops.name);
  ByRow<ProfilerSequence> result;
  for (const ThreadIndex thread : rows_of(by_thread)) {
    ProfilerSequence& sequence = by_thread[thread];
    if (sequence.row.empty()) continue;
    sequence.thread = thread;
    sort_rows(sequence.row, [&](ProfilerOpIndex a, ProfilerOpIndex b) {
      if (ops.start_ns[a] != ops.start_ns[b]) return ops.start_ns[a] < ops.start_ns[b];
      return ops.duration_ns[a] != ops.duration_ns[b] ? ops.duration_ns[a] > ops.duration_ns[b]
                                                      : a < b;
    });
    order_ties_by_id(ops, sequence.row);
    for (const ProfilerOpIndex row : sequence.row)
      sequence.name.push_back(numbers[static_cast<std::size_t>(ops.name[row])]);
    result.push_back(std::move(sequence));
  }
  return result;
}

}  // namespace

std::vector<NameNumber> NameNumbers::of(const StringTable& strings,
                                        const std::vector<StringId>& names) {
  std::vector<NameNumber> numbers(strings.size());
  for (const StringId name : names) {
    NameNumber& number = numbers[static_cast<std::size_t>(name)];
    if (number) continue;
    const NameNumber next(by_name_.size());
    number = by_name_.try_emplace(name_without_step(strings[name]), next).first->second;
  }
  return numbers;
}

NameSequences name_sequences(const HostTrace& host, const DeviceTrace& device) {
  NameNumbers names;
  ByRow<HostSequence> of_host = host_sequences(host, names);
  return {std::move(of_host), profiler_sequences(device, names)};
}

}  // namespace nadi
