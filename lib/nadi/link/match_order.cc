#include "nadi/link/match_order.h"

#include <algorithm>
#include <numeric>

#include "nadi/base/error.h"
#include "nadi/base/id_map.h"
#include "nadi/base/sort_rows.h"

namespace nadi {
namespace {

bool holds(std::string_view name, const std::string& annotation) {
  return name.find(annotation) != std::string_view::npos;
}

/// The highest id of each outermost annotated op and what it encloses, ascending.
std::vector<std::uint64_t> segment_end_ids(const HostTrace& host, const std::string& annotation) {
  const HostOps& ops = host.ops;
  std::vector<HostOpIndex> by_id(ops.size());
  std::iota(by_id.begin(), by_id.end(), HostOpIndex(0));
  sort_rows(by_id, [&](HostOpIndex a, HostOpIndex b) { return ops.id[a] < ops.id[b]; });
  std::vector<std::uint64_t> ends;
  IdSet<std::uint64_t> enclosed;  // by the annotated op seen last
  for (const HostOpIndex row : by_id) {
    if (enclosed.contains(ops.parent[row])) {
      ends.back() = ops.id[row];
    } else if (holds(host.strings[ops.name[row]], annotation)) {
      ends.push_back(ops.id[row]);
      enclosed.clear();
    } else {
      continue;
    }
    enclosed.insert(ops.id[row]);
  }
  return ends;
}

/// Ends of the profiler's ops whose name contains the annotation, ascending: where segments end.
/// Throws Error(kInput) where there is no such op.
std::vector<Ns> segment_ends(const DeviceTrace& device, const std::string& annotation) {
  std::vector<Ns> ends;
  for (const ProfilerOpIndex op : rows_of(device.ops))
    if (holds(device.strings[device.ops.name[op]], annotation))
      ends.push_back(op_end_ns(device.ops, op));
  if (ends.empty())
    throw Error(ErrorCode::kInput, "`annotation`",
                "no op of the device trace is named " + annotation,
                "Name an op that ends every iteration, or leave `annotation` out");
  std::sort(ends.begin(), ends.end());
  return ends;
}

/// Leaves of the host ops those of the first segment that begins and ends with an annotated op (all
/// ops where there are fewer than two such ops); what an annotated op encloses is before the cut.
void trim_to_segment(const HostTrace& host, const std::string& annotation,
                     ByRow<HostSequence>& sequences) {
  const std::vector<std::uint64_t> ends = segment_end_ids(host, annotation);
  if (ends.size() < 2) return;
  for (HostSequence& sequence : sequences)
    sequence.keep(
        [&](HostOpIndex row) { return host.ops.id[row] > ends[0] && host.ops.id[row] <= ends[1]; });
  std::erase_if(sequences, [](const HostSequence& s) { return s.size() == 0; });
}

/// Thread iterations as locate() gives them, each within one segment: alignments of at least half
/// of the host ops. Segments with fewer ops than that are not looked at, so the time stays
/// near-linear however many there are.
ByRow<ThreadIteration> locate_in_segments(const HostSequence& host,
                                          const ProfilerSequence& profiler,
                                          const DeviceTrace& device, const std::vector<Ns>& ends,
                                          MatchBudget& budget) {
  ByRow<ThreadIteration> result;
  NamePosition first(0);
  const NamePosition behind = profiler.end_position();
  for (std::size_t segment = 0; segment <= ends.size() && first < behind; ++segment) {
    NamePosition end = first;
    while (end < behind &&
           (segment == ends.size() || device.ops.start_ns[profiler.row[end]] < ends[segment]))
      ++end;
    if (2 * std::size_t{end - first} >= host.size()) {
      ThreadIteration thread_iteration = diff_range(host.name, profiler.name, {first, end}, budget);
      if (!thread_iteration.pairs.empty() && 2 * thread_iteration.pairs.size() >= host.size())
        result.push_back(std::move(thread_iteration));
    }
    first = end;
  }
  return result;
}

}  // namespace

SequenceMatch locate_by_order(const HostTrace& host, const DeviceTrace& device,
                              const std::string& annotation, DifferingToo differing) {
  SequenceMatch match;
  match.names = name_sequences(host, device);
  if (!annotation.empty()) trim_to_segment(host, annotation, match.names.host);
  const std::vector<Ns> cuts =
      annotation.empty() ? std::vector<Ns>{} : segment_ends(device, annotation);
  for (const HostSequence& sequence : match.names.host) match.host_ops += sequence.size();
  MatchBudget budget;
  match.threads = map_threads(match.names, [&](HostSequenceIndex h_at, ProfilerSequenceIndex p_at) {
    const HostSequence& h = match.names.host[h_at];
    const ProfilerSequence& p = match.names.profiler[p_at];
    return cuts.empty() ? locate(h.name, p.name, budget, differing)
                        : locate_in_segments(h, p, device, cuts, budget);
  });
  match.iterations = join_iterations(match, host, device, differing);
  return match;
}

}  // namespace nadi
