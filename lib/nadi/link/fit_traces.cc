#include "nadi/link/fit_traces.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "nadi/base/error.h"
#include "nadi/base/id_map.h"
#include "nadi/link/match_cut.h"

namespace nadi {
namespace {

/// Adds a copy of the rows with ids moved up by the offset.
void append_iteration(HostOps& ops, const std::vector<std::uint32_t>& rows,
                      const IdSet<std::uint64_t>& copied_ids, std::uint64_t offset) {
  const std::size_t first = ops.size();
  append_copies(ops, rows);
  for (std::size_t row = first; row < ops.size(); ++row) {
    ops.id[row] += offset;
    ops.rf_id[row] = 0;
    if (copied_ids.contains(ops.parent[row])) ops.parent[row] += offset;
    if (copied_ids.contains(ops.fw_parent[row])) ops.fw_parent[row] += offset;
  }
}

void take_sequence_numbers(const DeviceTrace& device, const OpMatch& match, HostOps& ops) {
  for (std::size_t row = 0; row < ops.size(); ++row) {
    if (ops.seq_id[row] < 0) continue;
    const ProfilerOpIndex profiler = match.profiler_of_host[row];
    ops.seq_id[row] = profiler ? device.ops.seq_id[profiler] : -1;
  }
}

/// Reports the ops that are in none of the sequences, roots excepted.
void report_trimmed(DiagnosticKind kind, const HostTrace& host,
                    const std::vector<NameSequence>& sequences, Diagnostics& diagnostics) {
  std::vector<bool> is_inside(host.ops.size(), false);
  for (const NameSequence& sequence : sequences)
    for (std::uint32_t row : sequence.row) is_inside[row] = true;
  for (std::size_t row = 0; row < host.ops.size(); ++row) {
    const std::string_view name = host.strings[host.ops.name[row]];
    if (is_inside[row] || is_root(name)) continue;
    diagnostics.report(kind,
                       [&] { return fmt::format("{} (host id {})", name, host.ops.id[row]); });
  }
}

/// Leaves of the host trace the roots and the ops of the sequences, whose rows become the new ones.
/// Returns the new row of each old one; kNoIndex = it was left out.
std::vector<std::uint32_t> trim_host(std::vector<NameSequence>& kept, HostTrace& host) {
  std::vector<bool> is_kept(host.ops.size(), false);
  for (std::size_t row = 0; row < is_kept.size(); ++row)
    is_kept[row] = is_root(host.strings[host.ops.name[row]]);
  for (const NameSequence& sequence : kept)
    for (std::uint32_t row : sequence.row) is_kept[row] = true;
  std::vector<std::uint32_t> place(is_kept.size(), kNoIndex);
  std::uint32_t left = 0;
  for (std::size_t row = 0; row < is_kept.size(); ++row)
    if (is_kept[row]) place[row] = left++;
  keep_marked(is_kept, host.ops);
  for (NameSequence& sequence : kept)
    for (std::uint32_t& row : sequence.row) row = place[row];
  return place;
}

/// By new row, as new_row has them of the old ones.
void renumber(const std::vector<std::uint32_t>& new_row, std::size_t host_rows, OpMatch& match) {
  ByRow<HostOps, ProfilerOpIndex> profiler(host_rows);
  for (std::size_t row = 0; row < new_row.size(); ++row)
    if (new_row[row] != kNoIndex) profiler[new_row[row]] = match.profiler_of_host[row];
  match.profiler_of_host = std::move(profiler);
}

/// Copies every op once for each iteration after the first; gives the pairs of all.
OpMatch repeat_host(const SequenceMatch& match, const DeviceTrace& device, HostTrace& host) {
  std::vector<std::uint32_t> rows;  // of the ops, roots excluded
  std::vector<std::uint32_t> place_of_row(host.ops.size(), kNoIndex);
  IdSet<std::uint64_t> ids;
  std::uint64_t highest = 0;
  for (std::uint32_t row = 0; row < host.ops.size(); ++row) {
    highest = std::max(highest, host.ops.id[row]);
    if (is_root(host.strings[host.ops.name[row]])) continue;
    place_of_row[row] = static_cast<std::uint32_t>(rows.size());
    rows.push_back(row);
    ids.insert(host.ops.id[row]);
  }
  const std::size_t count = match.iterations.size(), first_copy = host.ops.size();
  if (highest >= std::numeric_limits<std::int64_t>::max() / count)
    throw Error(ErrorCode::kInput, "host trace",
                "its ids are too large to be repeated for every iteration",
                "Link one iteration, without `repeat`");
  for (std::size_t k = 1; k < count; ++k) append_iteration(host.ops, rows, ids, k * (highest + 1));
  OpMatch ops;
  ops.host_ops = rows.size() * count;
  ops.profiler_of_host.resize(host.ops.size());
  for (std::size_t k = 0; k < count; ++k)
    for_each_pair(match, match.iterations[k], [&](std::uint32_t row, std::uint32_t profiler) {
      const std::size_t copy = first_copy + (k - 1) * rows.size() + place_of_row[row];
      ops.profiler_of_host[k == 0 ? row : copy] = ProfilerOpIndex(profiler);
      ++ops.matched;
    });
  take_sequence_numbers(device, ops, host.ops);
  return ops;
}

}  // namespace

OpMatch fit_traces(MatchPlan plan, HostTrace& host, DeviceTrace& device, Diagnostics& diagnostics) {
  OpMatch ops = std::move(plan.ops);
  if (!plan.part) return ops;
  LinkedPart& part = *plan.part;
  report_trimmed(part.host_left_out, host, part.host, diagnostics);
  const std::vector<std::uint32_t> new_row = trim_host(part.host, host);
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
