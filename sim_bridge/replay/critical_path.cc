#include "nadi/sim_bridge/replay/critical_path.h"

#include <algorithm>
#include <cstdlib>

namespace nadi {

namespace {

bool is_delay(const ReplayJob& job, std::uint32_t node) {
  return job.graph(node).kind[job.row(node)] == NodeKind::kDelay;
}

bool is_device(const ReplayJob& job, std::uint32_t node) {
  return job.graph(node).is_device(job.row(node));
}

/// A node of the path and what it stood on: from `since` on the end waited for it.
struct Link {
  std::uint32_t node = kNoIndex;
  std::uint32_t before = kNoIndex;  ///< node of the next link; kNoIndex = the path begins here
};

/// From the last node back to the first. Where a kernel waited for another rank's, the path goes on
/// with what that one waited for.
std::vector<Link> walk_back(const ReplayJob& job, const ReplayTimes& times) {
  std::uint32_t last = kNoIndex;
  for (std::uint32_t node = 0; node < job.size(); ++node)
    if (!is_delay(job, node) && (last == kNoIndex || times.end_ns[node] > times.end_ns[last]))
      last = node;
  std::vector<Link> links;
  // Times never grow on the way back, but nodes without length could go round in foreign data.
  for (std::uint32_t node = last; node != kNoIndex && links.size() <= job.size();) {
    std::uint32_t waiting = node;
    if (const std::uint32_t kernel = job.kernel_index(node); kernel != kNoIndex) {
      const std::uint32_t met = times.last_to_meet[kernel];
      if (met != kernel) waiting = job.kernels[met].nodes.front();
    }
    links.push_back({node, times.waited_for[waiting]});
    node = links.back().before;
  }
  return links;
}

/// Of the nodes from `first` on, before `end`.
JobSpan span_of_nodes(const ReplayJob& job, const ReplayTimes& times, std::size_t first,
                      std::size_t end) {
  JobSpan span;
  bool is_first = true;
  for (auto node = static_cast<std::uint32_t>(first); node < end; ++node) {
    if (is_delay(job, node)) continue;
    span.begin_ns = is_first ? times.start_ns[node] : std::min(span.begin_ns, times.start_ns[node]);
    span.end_ns = is_first ? times.end_ns[node] : std::max(span.end_ns, times.end_ns[node]);
    is_first = false;
  }
  return span;
}

}  // namespace

std::string_view to_string(PathKind kind) {
  constexpr std::string_view kNames[kPathKindCount] = {"host",           "kernel", "communication",
                                                       "launch latency", "delay",  "gap"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::uint32_t behind_delays(const Graph& graph, std::uint32_t row) {
  while (graph.kind[row] == NodeKind::kDelay && !graph.dependents(row).empty())
    row = graph.dependents(row).front();
  return row;
}

JobSpan span_of(const ReplayJob& job, const ReplayTimes& times) {
  return span_of_nodes(job, times, 0, job.size());
}

JobSpan span_of_rank(const ReplayJob& job, const ReplayTimes& times, std::size_t graph) {
  return span_of_nodes(job, times, job.first_node[graph], job.first_node[graph + 1]);
}

std::vector<PathPiece> critical_path(const ReplayJob& job, const ReplayTimes& times) {
  const std::vector<Link> links = walk_back(job, times);
  std::vector<PathPiece> path;
  const JobSpan span = span_of(job, times);
  Ns until = span.end_ns;
  const auto add = [&](std::uint32_t node, PathKind kind, Ns since) {
    since = std::clamp(since, span.begin_ns, until);
    if (since < until) path.push_back({node, kind, since, until});
    until = since;
  };
  for (std::size_t i = 0; i < links.size(); ++i) {
    const auto [node, before] = links[i];
    PathKind kind = is_device(job, node) ? PathKind::kKernel : PathKind::kHost;
    if (job.graph(node).communicates(job.row(node))) kind = PathKind::kCommunication;
    if (is_delay(job, node)) {
      const bool is_launch = is_device(job, node) && before != kNoIndex && !is_device(job, before);
      kind = is_launch ? PathKind::kLaunchLatency : PathKind::kDelay;
    }
    Ns start = times.start_ns[node];
    if (const std::uint32_t kernel = job.kernel_index(node); kernel != kNoIndex) {
      const CommKernel& met = job.kernels[times.last_to_meet[kernel]];
      start =
          std::max(start, met.latest([&](std::uint32_t other) { return times.start_ns[other]; }));
    }
    add(node, kind, start);
    add(node, PathKind::kGap, before == kNoIndex ? span.begin_ns : times.end_ns[before]);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

std::vector<Difference> largest_differences(const ReplayJob& job, const ReplayTimes& from,
                                            const ReplayTimes& to, std::size_t count) {
  const JobSpan from_span = span_of(job, from), to_span = span_of(job, to);
  const bool is_longer = to_span.length() > from_span.length();
  std::vector<Difference> differences;
  for (const auto& [node, before] : walk_back(job, is_longer ? to : from)) {
    const Ns from_since = before == kNoIndex ? from_span.begin_ns : from.end_ns[before];
    const Ns to_since = before == kNoIndex ? to_span.begin_ns : to.end_ns[before];
    differences.push_back({node, from.end_ns[node] - from_since, to.end_ns[node] - to_since});
  }
  std::erase_if(differences, [](const Difference& d) { return d.ns() == 0; });
  const auto is_larger = [](const Difference& a, const Difference& b) {
    const auto key = [](const Difference& d) { return std::pair(-std::abs(d.ns()), d.node); };
    return key(a) < key(b);
  };
  const std::size_t kept = std::min(count, differences.size());
  std::partial_sort(differences.begin(), differences.begin() + static_cast<std::ptrdiff_t>(kept),
                    differences.end(), is_larger);
  differences.resize(kept);
  return differences;
}

}  // namespace nadi
