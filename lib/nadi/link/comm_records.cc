#include "nadi/link/comm_records.h"

#include <algorithm>
#include <map>
#include <string>

#include "nadi/link/tensor_bytes.h"
#include "nadi/model/communication_kernels.h"

namespace nadi {

CommRecord merge_records(const CommRecord& first, const CommRecord& second,
                         const StringTable& strings) {
  CommRecord merged = first;
  for (const auto& [name, member] : kCommTexts)
    if (merged.*member == StringId::kEmpty) merged.*member = second.*member;
  for (const auto& [name, member] : kCommNumbers)
    if (merged.*member < 0) merged.*member = second.*member;
  for (const auto member : {&CommRecord::in_split, &CommRecord::out_split})
    if (is_cut_list(strings[merged.*member]) && second.*member != StringId::kEmpty)
      merged.*member = second.*member;
  merged.is_p2p = first.is_p2p || second.is_p2p;
  return merged;
}

namespace {

/// "all_reduce" of "nccl:all_reduce"; empty where the name is none of a communication backend.
std::string_view annotated_collective(std::string_view name) {
  // Of very many names hardly one is such: not every prefix is compared with each.
  const std::size_t colon = name.find(':');
  if (colon == name.npos || name.substr(colon).starts_with("::")) return {};
  for (std::string_view prefix : {"nccl:", "rccl:", "gloo:", "hccl:", "xccl:", "mpi:", "ucc:"})
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  return {};
}

CommIndex add_record(LinkedTrace& linked, const CommRecord& record) {
  linked.comms.push_back(record);
  return CommIndex(linked.comms.size() - 1);
}

CommIndex record_of_annotation(LinkedTrace& linked, ProfilerOpIndex profiler) {
  const ProfilerOps& ops = linked.device.ops;
  const std::string_view collective = annotated_collective(linked.strings[ops.name[profiler]]);
  if (collective.empty() || collective == "coalesced") return {};
  CommRecord record;
  record.collective = linked.strings.intern(collective);
  record.input_bytes = tensor_bytes(linked.strings[ops.input_dims[profiler]],
                                    linked.strings[ops.input_type[profiler]]);
  return add_record(linked, record);
}

}  // namespace

void join_op_records(LinkedTrace& linked) {
  for (const LinkedOpIndex op : rows_of(linked.ops)) {
    const HostOpIndex host = linked.ops.host[op];
    const ProfilerOpIndex profiler = linked.ops.profiler[op];
    const CommIndex on_host = host ? linked.host.ops.comm[host] : CommIndex();
    const CommIndex on_device = profiler ? linked.device.ops.comm[profiler] : CommIndex();
    CommIndex& joined = linked.ops.comm[op];
    if (on_host && on_device)
      joined = add_record(linked, merge_records(linked.device.comms[on_device],
                                                linked.host.comms[on_host], linked.strings));
    else if (on_host)
      joined = add_record(linked, linked.host.comms[on_host]);
    else if (on_device)
      joined = add_record(linked, linked.device.comms[on_device]);
    else if (profiler)
      joined = record_of_annotation(linked, profiler);
  }
}

namespace {

/// Records that move data; "wait", "init" and the like do not.
bool moves_data(const LinkedTrace& linked, CommIndex comm) {
  const std::string_view name = linked.strings[linked.comms[comm].collective];
  return !name.empty() && name != "wait" && name != "init" && name != "coalesced" &&
         !name.starts_with("start_coalescing") && !name.starts_with("end_coalescing") &&
         !name.starts_with("startCoalescing") && !name.starts_with("endCoalescing");
}

/// By op: the innermost op around it, or itself, that records a moving operation; an annotation
/// only where there is no other, which says more. None = there is no such op.
ByRow<LinkedOps, LinkedOpIndex> enclosing_records(const LinkedTrace& linked) {
  const LinkedOps& ops = linked.ops;
  ByRow<LinkedOps, LinkedOpIndex> enclosing(ops.size());
  for (const LinkedOpIndex op : rows_of(ops)) {  // parents stand before their children
    const LinkedOpIndex parent = ops.parent[op];
    const LinkedOpIndex outer = parent ? enclosing[parent] : LinkedOpIndex();
    const bool records = ops.comm[op] && moves_data(linked, ops.comm[op]);
    const bool says_less = ops.is_annotation[op] != 0 && outer && ops.is_annotation[outer] == 0;
    enclosing[op] = records && !says_less ? op : outer;
  }
  return enclosing;
}

/// Ops that record a moving operation, by lane in start order.
ByRow<Lane, std::vector<LinkedOpIndex>> recording_ops(const LinkedTrace& linked) {
  ByRow<Lane, std::vector<LinkedOpIndex>> by_lane(linked.lanes.size());
  for (const LinkedOpIndex op : rows_of(linked.ops))
    if (linked.ops.comm[op] && linked.ops.is_annotation[op] == 0 &&
        moves_data(linked, linked.ops.comm[op]))
      by_lane[linked.ops.lane[op]].push_back(op);
  return by_lane;
}

/// Gives out records to the communication kernels of all threads, in API order.
class Claims {
 public:
  explicit Claims(const LinkedTrace& linked)
      : linked_(linked),
        enclosing_(enclosing_records(linked)),
        records_(recording_ops(linked)),
        next_(linked.lanes.size(), 0) {}

  /// Ops whose records the row carries; empty where only the row itself has one. Records that no
  /// launch is inside are those of process groups.
  std::vector<LinkedOpIndex> claim(DeviceRowIndex row, bool is_of_group) {
    const LaneIndex thread = linked_.rows.launch_lane[row];
    if (!thread) return {};
    const LinkedOpIndex parent = linked_.rows.parent[row];
    const LinkedOpIndex around = parent ? enclosing_[parent] : LinkedOpIndex();
    if (!is_of_group && !around) return {};
    std::size_t& next = next_[thread];
    const std::vector<LinkedOpIndex>& records = records_[thread];
    const Ns time = linked_.rows.launch_ns[row];
    std::vector<LinkedOpIndex> claimed;
    for (; next < records.size() && linked_.ops.start_ns[records[next]] <= time; ++next)
      claimed.push_back(records[next]);
    if (around) return {around};
    return claimed;
  }

 private:
  const LinkedTrace& linked_;
  ByRow<LinkedOps, LinkedOpIndex> enclosing_;
  ByRow<Lane, std::vector<LinkedOpIndex>> records_;
  ByRow<Lane, std::size_t> next_;
};

}  // namespace

void find_carried_records(LinkedTrace& linked) {
  ByRow<DeviceRows, std::vector<CommIndex>> carried(linked.rows.lane.size());
  Claims claims(linked);
  CommKernelNames kernels(linked.strings);
  for (const DeviceRowIndex row : linked.rows_in_api_order) {
    if (linked.device.rows.kind[row] != DeviceRowKind::kKernel) continue;
    const CommIndex own = linked.device.rows.comm[row];
    const CommKernelOrigin kernel = kernels.of(linked.device.rows.name[row]);
    if (!own && kernel == CommKernelOrigin::kNone) continue;
    const bool is_of_group = own || kernel == CommKernelOrigin::kProcessGroup;
    const std::vector<LinkedOpIndex> ops = claims.claim(row, is_of_group);
    const CommRecord on_row = own ? linked.device.comms[own] : CommRecord{};
    const bool is_by_nccl = on_row.pg_name == StringId::kEmpty && on_row.group_size < 0;
    for (const LinkedOpIndex op : ops) {
      const CommRecord& on_op = linked.comms[linked.ops.comm[op]];
      carried[row].push_back(add_record(
          linked, ops.size() == 1 && !is_by_nccl ? merge_records(on_row, on_op, linked.strings)
                                                 : merge_records(on_op, on_row, linked.strings)));
    }
    if (ops.empty()) carried[row].push_back(add_record(linked, on_row));
  }
  linked.first_carried.assign(1, CarriedIndex(0));
  for (const auto& records : carried) {
    linked.carried.insert(linked.carried.end(), records.begin(), records.end());
    linked.first_carried.push_back(CarriedIndex(linked.carried.size()));
  }
}

std::vector<ProcessGroup> merged_groups(const std::vector<ProcessGroup>& of_device,
                                        const std::vector<ProcessGroup>& of_host) {
  std::vector<ProcessGroup> groups = of_device;
  std::map<std::string, std::size_t> group_of;  // by name, the first of it
  for (std::size_t i = 0; i < groups.size(); ++i) group_of.try_emplace(groups[i].name, i);
  for (const ProcessGroup& group : of_host) {
    const auto [known_at, is_new] = group_of.try_emplace(group.name, groups.size());
    if (is_new) {
      groups.push_back(group);
      continue;
    }
    ProcessGroup& known = groups[known_at->second];
    if (known.ranks.empty()) known.ranks = group.ranks;
    if (known.size < 0) known.size = group.size;
    if (known.desc.empty()) known.desc = group.desc;
  }
  return groups;
}

}  // namespace nadi
