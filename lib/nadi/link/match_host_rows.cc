#include "nadi/link/match_host_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "nadi/base/error.h"
#include "nadi/base/id_map.h"

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
    const std::uint32_t profiler = match.profiler_of_host[row];
    ops.seq_id[row] = profiler == kNoIndex ? -1 : device.ops.seq_id[profiler];
  }
}

}  // namespace

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

void repeat_host(const SequenceMatch& match, const DeviceTrace& device, HostTrace& host,
                 OpMatch& ops) {
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
                "Link one iteration, without --repeat");
  for (std::size_t k = 1; k < count; ++k) append_iteration(host.ops, rows, ids, k * (highest + 1));
  ops.host_ops = rows.size() * count;
  ops.profiler_of_host.assign(host.ops.size(), kNoIndex);
  for (std::size_t k = 0; k < count; ++k)
    for_each_pair(match, match.iterations[k], [&](std::uint32_t row, std::uint32_t profiler) {
      const std::size_t copy = first_copy + (k - 1) * rows.size() + place_of_row[row];
      ops.profiler_of_host[k == 0 ? row : copy] = profiler;
      ++ops.matched;
    });
  take_sequence_numbers(device, ops, host.ops);
}

}  // namespace nadi
