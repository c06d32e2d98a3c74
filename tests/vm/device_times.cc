// When rows start and end: after all they wait for; communication ends after its last member came.
#include <fmt/format.h>

#include <algorithm>

#include "device.h"

namespace nadi::vm {

void Device::join_instances(int rank, int row) {
  RankState& state = at(states_, rank);
  RowRun& run = at(at(run_.ranks, rank).rows, row);
  for (const CommOp& comm : row_of(at(program_.ranks, rank), run).carried) {
    std::string key;
    std::size_t members = 2;
    if (comm.is_p2p()) {
      const int src = comm.collective == "send" ? rank : comm.peer;
      const int dst = comm.collective == "send" ? comm.peer : rank;
      const int ordinal = state.message_counts[{comm.group, src, dst}]++;
      key = fmt::format("{}:{}>{}:{}", comm.group, src, dst, ordinal);
    } else {
      key = fmt::format("{}:{}", comm.group, state.collective_counts[comm.group]++);
      members = at(program_.groups, comm.group).ranks.size();
      auto [last, is_first] = state.last_collective.try_emplace(comm.group, row);
      if (!is_first && last->second != row)
        run.after.push_back({last->second, EdgeKind::kGroupOrder, true});
      last->second = row;
    }
    instances_[key].members = members;
    at(at(row_states_, rank), row).instances.push_back(std::move(key));
  }
}

void Device::start_watching(int rank, int row) {
  auto& rows = at(run_.ranks, rank).rows;
  auto& states = at(row_states_, rank);
  for (const RowDependency& item : at(rows, row).after) {
    if (at(rows, item.row).span.end >= 0) continue;
    at(states, item.row).dependents.push_back(row);
    ++at(states, row).unknown;
  }
  if (at(states, row).unknown == 0) place(rank, row);
}

void Device::place(int rank, int row) {
  RowRun& run = at(at(run_.ranks, rank).rows, row);
  RowState& state = at(at(row_states_, rank), row);
  if (state.is_placed) return;
  state.is_placed = true;
  const Call& call = at(at(program_.ranks, rank).calls, run.call);
  run.span.start = at(at(run_.ranks, rank).calls, run.call).span.start + call.latency +
                   (launches_at_return(call) ? scaler_.call(call) : 0);
  if (!run.after.empty())
    run.span.start = std::max(run.span.start, latest_release(rank, run) + program_.row_gap);
  run.span.start += at(call.rows, run.ordinal).gap;
  for (const std::string& key : state.instances) {
    CommInstance& instance = instances_[key];
    instance.arrived.emplace_back(rank, row);
    instance.latest = std::max(instance.latest, run.span.start);
  }
  if (state.instances.empty())
    return ended(rank, row, run.span.start + scaler_.row(row_of(at(program_.ranks, rank), run)));
  const std::vector<std::string> keys = state.instances;
  for (const std::string& key : keys) {
    if (instances_[key].arrived.size() < instances_[key].members) continue;
    const auto members = instances_[key].arrived;
    for (const auto& [member_rank, member_row] : members) try_end(member_rank, member_row);
  }
}

/// When the last of what a row waits for lets it start.
Ns Device::latest_release(int rank, const RowRun& run) const {
  const Ns early = row_of(at(program_.ranks, rank), run).early;
  Ns latest = -1;
  for (const RowDependency& item : run.after) {
    const Span before = at(at(run_.ranks, rank).rows, item.row).span;
    const bool is_programmatic = item.kind == EdgeKind::kGraphOrder;
    latest =
        std::max(latest, is_programmatic ? std::max(before.start, before.end - early) : before.end);
  }
  return latest;
}

void Device::try_end(int rank, int row) {
  const RowRun& run = at(at(run_.ranks, rank).rows, row);
  if (run.span.end >= 0) return;
  Ns latest = 0;
  for (const std::string& key : at(at(row_states_, rank), row).instances) {
    const CommInstance& instance = instances_[key];
    if (instance.arrived.size() < instance.members) return;
    latest = std::max(latest, instance.latest);
  }
  ended(rank, row, latest + scaler_.row(row_of(at(program_.ranks, rank), run)));
}

void Device::ended(int rank, int row, Ns end) {
  at(at(run_.ranks, rank).rows, row).span.end = end;
  run_.makespan = std::max(run_.makespan, end);
  const std::vector<int> dependents = at(at(row_states_, rank), row).dependents;
  for (int dependent : dependents)
    if (--at(at(row_states_, rank), dependent).unknown == 0) place(rank, dependent);
}

}  // namespace nadi::vm
