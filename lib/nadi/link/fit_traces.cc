#include "nadi/link/fit_traces.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "nadi/base/count_text.h"
#include "nadi/base/error.h"
#include "nadi/base/id_map.h"
#include "nadi/link/match_cut.h"

namespace nadi {
namespace {

/// Adds a copy of the rows with ids moved up by the offset.
void append_iteration(HostOps& ops, const std::vector<HostOpIndex>& rows,
                      const IdSet<std::uint64_t>& copied_ids, std::uint64_t offset) {
  const HostOpIndex first(ops.size());
  append_copies(ops, rows);
  for (const HostOpIndex row : RowRange(first, HostOpIndex(ops.size()))) {
    ops.id[row] += offset;
    ops.rf_id[row] = 0;
    if (copied_ids.contains(ops.parent[row])) ops.parent[row] += offset;
    if (copied_ids.contains(ops.fw_parent[row])) ops.fw_parent[row] += offset;
  }
}

void take_sequence_numbers(const DeviceTrace& device, const OpMatch& match, HostOps& ops) {
  for (const HostOpIndex row : rows_of(ops)) {
    if (ops.seq_id[row] < 0) continue;
    const ProfilerOpIndex profiler = match.profiler_of_host[row];
    ops.seq_id[row] = profiler ? device.ops.seq_id[profiler] : -1;
  }
}

void report_unprofiled(const HostTrace& host, const OpMatch& match, Diagnostics& diagnostics) {
  for (const std::uint64_t tid : match.unprofiled_threads) {
    std::uint64_t ops = 0;
    for (const HostOpIndex row : rows_of(host.ops))
      ops += host.ops.tid[row] == tid && !is_root(host.strings[host.ops.name[row]]) ? 1 : 0;
    diagnostics.report(Finding::kHostThreadNotProfiled,
                       fmt::format("thread {}, {}", tid, count_text(ops, "op")));
  }
}

/// Reports the ops that are in none of the sequences, roots and unprofiled threads excepted.
void report_trimmed(Finding kind, const HostTrace& host, const ByRow<HostSequence>& sequences,
                    const OpMatch& match, Diagnostics& diagnostics) {
  ByRow<HostOps, bool> is_inside(host.ops.size(), false);
  for (const HostSequence& sequence : sequences)
    for (const HostOpIndex row : sequence.row) is_inside[row] = true;
  for (const HostOpIndex row : rows_of(host.ops)) {
    const std::string_view name = host.strings[host.ops.name[row]];
    if (is_inside[row] || is_root(name) || !match.is_profiled(host.ops.tid[row])) continue;
    diagnostics.report(kind,
                       [&] { return fmt::format("{} (host id {})", name, host.ops.id[row]); });
  }
}

/// By the row that an op of the host trace was: the one that it is now; none = it was left out.
using NewRows = ByRow<HostOps, HostOpIndex>;

/// Leaves the roots and the ops of the sequences, whose rows become the new ones.
NewRows keep_sequences(ByRow<HostSequence>& kept, HostTrace& host) {
  ByRow<HostOps, bool> is_kept(host.ops.size(), false);
  for (const HostOpIndex row : rows_of(is_kept))
    is_kept[row] = is_root(host.strings[host.ops.name[row]]);
  for (const HostSequence& sequence : kept)
    for (const HostOpIndex row : sequence.row) is_kept[row] = true;
  keep_marked(is_kept, host.ops);
  NewRows new_row = rows_after_keeping(is_kept);
  for (HostSequence& sequence : kept)
    for (HostOpIndex& row : sequence.row) row = new_row[row];
  return new_row;
}

/// Leaves the ops of the threads that the profiler knows.
NewRows keep_profiled(const OpMatch& match, HostTrace& host) {
  ByRow<HostOps, bool> is_kept(host.ops.size(), false);
  for (const HostOpIndex row : rows_of(is_kept))
    is_kept[row] = match.is_profiled(host.ops.tid[row]);
  keep_marked(is_kept, host.ops);
  return rows_after_keeping(is_kept);
}

/// Makes the match one of the rows that are left, so many.
void renumber(const NewRows& new_row, std::size_t host_rows, OpMatch& match) {
  ByRow<HostOps, ProfilerOpIndex> profiler(host_rows);
  for (const HostOpIndex row : rows_of(new_row))
    if (new_row[row]) profiler[new_row[row]] = match.profiler_of_host[row];
  match.profiler_of_host = std::move(profiler);
}

/// Copies every op once for each iteration after the first; gives the pairs of all.
OpMatch repeat_host(const SequenceMatch& match, const DeviceTrace& device, HostTrace& host) {
  std::vector<HostOpIndex> rows;  // of the ops, roots excluded
  ByRow<HostOps, std::size_t> position_in_rows(host.ops.size(), 0);
  IdSet<std::uint64_t> ids;
  std::uint64_t highest = 0;
  for (const HostOpIndex row : rows_of(host.ops)) {
    highest = std::max(highest, host.ops.id[row]);
    if (is_root(host.strings[host.ops.name[row]])) continue;
    position_in_rows[row] = rows.size();
    rows.push_back(row);
    ids.insert(host.ops.id[row]);
  }
  const std::size_t count = match.iterations.size();
  const HostOpIndex first_copy(host.ops.size());
  if (highest >= std::numeric_limits<std::int64_t>::max() / count)
    throw Error(ErrorCode::kInput, "host trace",
                "its ids are too large to be repeated for every iteration",
                "Link one iteration, without `repeat`");
  for (std::size_t k = 1; k < count; ++k) append_iteration(host.ops, rows, ids, k * (highest + 1));
  OpMatch ops;
  ops.host_ops = rows.size() * count;
  ops.profiler_of_host.resize(host.ops.size());
  for (std::size_t k = 0; k < count; ++k)
    for_each_pair(match, match.iterations[k], [&](HostOpIndex row, ProfilerOpIndex profiler) {
      const HostOpIndex copy = first_copy + ((k - 1) * rows.size() + position_in_rows[row]);
      ops.profiler_of_host[k == 0 ? row : copy] = profiler;
      ++ops.matched;
    });
  take_sequence_numbers(device, ops, host.ops);
  return ops;
}

}  // namespace

OpMatch fit_traces(MatchPlan plan, HostTrace& host, DeviceTrace& device, Diagnostics& diagnostics) {
  OpMatch ops = std::move(plan.ops);
  report_unprofiled(host, ops, diagnostics);
  if (!plan.part) {
    if (ops.unprofiled_threads.empty()) return ops;
    const NewRows new_row = keep_profiled(ops, host);
    renumber(new_row, host.ops.size(), ops);
    return ops;
  }
  LinkedPart& part = *plan.part;
  report_trimmed(part.host_left_out, host, part.host, ops, diagnostics);
  const NewRows new_row = keep_sequences(part.host, host);
  if (plan.repeats) {
    plan.repeats->names = {std::move(part.host), std::move(part.profiler)};
    ops = repeat_host(*plan.repeats, device, host);
    part.profiler = std::move(plan.repeats->names.profiler);
  } else {
    renumber(new_row, host.ops.size(), ops);
  }
  diagnostics.report(part.device_left_out, {}, cut_to_matched(part.profiler, device, ops));
  return ops;
}

}  // namespace nadi
