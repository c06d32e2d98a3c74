#include "device.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi::vm {

namespace {

void add(Frontier& to, const Frontier& from, EdgeKind kind) {
  for (RowDependency item : from) {
    item.kind = kind;
    to.push_back(item);
  }
}

}  // namespace

Device::Device(const Program& program, const Scaler& scaler, Execution& run)
    : program_(program),
      scaler_(scaler),
      run_(run),
      states_(program.ranks.size()),
      row_states_(program.ranks.size()) {}

Frontier Device::frontier(const Stream& stream) const {
  Frontier all = stream.last;
  all.insert(all.end(), stream.pending.begin(), stream.pending.end());
  return all;
}

int Device::add_row(int rank, int call, int ordinal) {
  auto& rows = at(run_.ranks, rank).rows;
  RowRun row;
  row.call = call;
  row.ordinal = ordinal;
  rows.push_back(std::move(row));
  at(row_states_, rank).emplace_back();
  const int index = static_cast<int>(rows.size()) - 1;
  at(at(run_.ranks, rank).calls, call).rows.push_back(index);
  return index;
}

void Device::launch(int rank, int call) {
  const Call& what = at(at(program_.ranks, rank).calls, call);
  std::vector<int> rows;
  for (std::size_t i = 0; i < what.rows.size(); ++i)
    rows.push_back(add_row(rank, call, static_cast<int>(i)));
  if (what.kind == CallKind::kGraphLaunch) {
    wire_graph(rank, call, rows);
  } else {
    Stream& stream = at(states_, rank).streams[what.rows[0].stream];
    Frontier& after = at(at(run_.ranks, rank).rows, rows[0]).after;
    add(after, stream.last, EdgeKind::kStreamOrder);
    add(after, stream.pending, EdgeKind::kEventWait);
    stream.last = {{rows[0], EdgeKind::kStreamOrder, true}};
    stream.pending.clear();
  }
  for (int row : rows) join_instances(rank, row);
  for (int row : rows) start_watching(rank, row);
}

void Device::wire_graph(int rank, int call, const std::vector<int>& rows) {
  const Call& what = at(at(program_.ranks, rank).calls, call);
  auto& streams = at(states_, rank).streams;
  auto& runs = at(run_.ranks, rank).rows;
  const Stream before = streams[what.stream];
  std::map<int, Frontier> on_lane;
  Frontier all;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const int lane = what.rows[i].stream;
    Frontier& after = at(runs, rows[i]).after;
    add(after, before.last, EdgeKind::kStreamOrder);
    add(after, before.pending, EdgeKind::kEventWait);
    for (RowDependency& item : after) item.shown = item.shown && lane == what.stream;
    if (lane != what.stream) add(after, streams[lane].last, EdgeKind::kStreamOrder);
    for (int earlier : what.rows[i].after)
      after.push_back(
          {at(rows, earlier), EdgeKind::kGraphOrder, at(what.rows, earlier).stream == lane});
    on_lane[lane].push_back({rows[i], EdgeKind::kStreamOrder, true});
    all.push_back({rows[i], EdgeKind::kStreamOrder, lane == what.stream});
  }
  for (auto& [lane, work] : on_lane) streams[lane].last = work;
  if (!all.empty()) streams[what.stream] = {all, {}};
}

void Device::record_event(int rank, int call) {
  const Call& what = at(at(program_.ranks, rank).calls, call);
  RankState& state = at(states_, rank);
  state.events[what.event] = {call, frontier(state.streams[what.stream])};
}

void Device::stream_wait_event(int rank, int call) {
  const Call& what = at(at(program_.ranks, rank).calls, call);
  at(at(run_.ranks, rank).calls, call).record = last_record(rank, what.event);
  Frontier& pending = at(states_, rank).streams[what.stream].pending;
  const Frontier work = event_frontier(rank, what.event);
  // A stream that runs nothing would gather all the work of those it ever waited for.
  std::erase_if(pending, [&](const RowDependency& old) {
    return std::any_of(work.begin(), work.end(), [&](const RowDependency& item) {
      return old.row == item.row || is_before_on_stream(rank, old.row, item.row);
    });
  });
  add(pending, work, EdgeKind::kEventWait);
}

/// Does the order of their stream alone put the one before the other?
bool Device::is_before_on_stream(int rank, int row, int later) const {
  const RankProgram& code = at(program_.ranks, rank);
  const auto& rows = at(run_.ranks, rank).rows;
  const Call& first = at(code.calls, at(rows, row).call);
  const Call& second = at(code.calls, at(rows, later).call);
  return row < later && first.stream == second.stream && second.kind != CallKind::kGraphLaunch;
}

void Device::host_wait(int rank, int call) {
  const Call& what = at(at(program_.ranks, rank).calls, call);
  RankState& state = at(states_, rank);
  CallRun& run = at(at(run_.ranks, rank).calls, call);
  Frontier work;
  if (what.kind == CallKind::kBlockingCopy) {
    work.push_back({run.rows.at(0), EdgeKind::kSynchronisation, true});
  } else if (what.kind == CallKind::kEventSynchronize) {
    run.record = last_record(rank, what.event);
    work = event_frontier(rank, what.event);
  } else if (what.kind == CallKind::kStreamSynchronize) {
    work = frontier(state.streams[what.stream]);
  } else {
    for (const auto& [number, stream] : state.streams) {
      Frontier all = frontier(stream);
      for (RowDependency& item : all) item.shown = true;
      work.insert(work.end(), all.begin(), all.end());
    }
  }
  add(run.waited, work, EdgeKind::kSynchronisation);
}

int Device::last_record(int rank, int event) const {
  const auto& events = at(states_, rank).events;
  auto found = events.find(event);
  return found == events.end() ? -1 : found->second.record;
}

Frontier Device::event_frontier(int rank, int event) const {
  const auto& events = at(states_, rank).events;
  auto found = events.find(event);
  return found == events.end() ? Frontier{} : found->second.work;
}

bool Device::all_ended(int rank, const Frontier& rows) const {
  return std::all_of(rows.begin(), rows.end(), [&](const RowDependency& item) {
    return at(at(run_.ranks, rank).rows, item.row).span.end >= 0;
  });
}

Ns Device::latest_end(int rank, const Frontier& rows) const {
  Ns latest = -1;
  for (const RowDependency& item : rows)
    latest = std::max(latest, at(at(run_.ranks, rank).rows, item.row).span.end);
  return latest;
}

}  // namespace nadi::vm
