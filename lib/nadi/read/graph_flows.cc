#include "nadi/read/graph_flows.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <map>
#include <set>
#include <span>
#include <tuple>

#include "nadi/base/id_map.h"
#include "nadi/base/sort_unique.h"

namespace nadi {
namespace {

/// Stamps of a flow and of its row are rounded by themselves.
constexpr Ns kMostOff = 2;
/// Rows that fit one end of a flow, and pairs that fit a flow, are looked at up to so many.
constexpr std::size_t kMostFitting = 16;
/// So many launches are looked at, for each row, to find false pairs.
constexpr std::size_t kLaunchesPerRow = 16;
/// One pair found may rule out others, these further ones.
constexpr int kMostRounds = 8;

/// Place of a row's start or end.
struct Stamp {
  ThreadIndex thread;
  Ns time_ns;
  std::uint32_t row;
  friend auto operator<=>(const Stamp&, const Stamp&) = default;
};

/// The two ends of a flow.
struct Arrow {
  ThreadIndex source_thread, target_thread;
  Ns source_end_ns, target_start_ns;
  friend auto operator<=>(const Arrow&, const Arrow&) = default;
};

/// Two nodes of a CUDA graph.
struct NodePair {
  std::uint64_t graph, source, target;
  friend auto operator<=>(const NodePair&, const NodePair&) = default;
};
enum class Standing : std::uint8_t { kOpen, kProven, kRefuted };

struct Candidate {
  DeviceRowIndex source, target;
  std::uint32_t pair = 0;
};

/// Flows with equal ends, and the pairs of rows that fit them.
struct ArrowGroup {
  Arrow arrow;
  std::size_t arrows = 0;
  std::size_t first = 0, end = 0;  // of the candidates
  bool has_too_many = false, lacks_correlation = false;
};

bool has_correlation(const DeviceRows& rows, DeviceRowIndex row) {
  return rows.correlation[row] > 0;
}

bool is_one_launch(const DeviceRows& rows, DeviceRowIndex a, DeviceRowIndex b) {
  return has_correlation(rows, a) && rows.correlation[a] == rows.correlation[b] &&
         rows.graph_id[a] == rows.graph_id[b];
}

class FlowBinder {
 public:
  FlowBinder(const DeviceRows& rows, std::span<const GraphFlows::GraphRow> graph_rows,
             Diagnostics& diagnostics, Diagnostics& ambiguous)
      : rows_(rows), diagnostics_(diagnostics), ambiguous_(ambiguous) {
    for (const GraphFlows::GraphRow& row : last_of_each_node(graph_rows)) {
      const Ns start = rows.start_ns[row.row];
      if (start == kNoTime) continue;
      starts_.push_back({row.thread, start, row.row.value});
      ends_.push_back({row.thread, start + rows.duration_ns[row.row], row.row.value});
    }
    std::sort(starts_.begin(), starts_.end());
    std::sort(ends_.begin(), ends_.end());
  }

  void bind(std::vector<GraphFlows::FlowEnd> flow_ends, DeviceTrace& trace) {
    group(arrows_of(std::move(flow_ends)));
    name_pairs();
    resolve();
    if (std::any_of(groups_.begin(), groups_.end(),
                    [&](const ArrowGroup& of) { return is_ambiguous(of); })) {
      refute_by_launches();
      resolve();
    }
    for (const ArrowGroup& of : groups_) take(of, trace);
    sort_unique(partly_recorded_);
    for (const Stamp& start : partly_recorded_)
      for (const Stamp& row : around(starts_, start.thread, start.time_ns))
        trace.partly_recorded_rows.emplace_back(row.row);
  }

 private:
  using Launch = std::int64_t;  // its correlation

  /// Only the last of the rows of one node in one launch carries its dependencies (N36).
  std::vector<GraphFlows::GraphRow> last_of_each_node(
      std::span<const GraphFlows::GraphRow> graph_rows) {
    std::vector<GraphFlows::GraphRow> rows(graph_rows.begin(), graph_rows.end());
    const auto key = [&](const GraphFlows::GraphRow& row) {
      return std::tuple(rows_.graph_id[row.row], rows_.graph_node_id[row.row],
                        rows_.correlation[row.row]);
    };
    std::sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) {
      return std::tuple(key(a), rows_.start_ns[a.row], a.row) <
             std::tuple(key(b), rows_.start_ns[b.row], b.row);
    });
    std::vector<GraphFlows::GraphRow> last;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (i + 1 == rows.size() || key(rows[i]) != key(rows[i + 1])) last.push_back(rows[i]);
    for (const GraphFlows::GraphRow& row : last)
      launches_of_node_[{rows_.graph_id[row.row], rows_.graph_node_id[row.row]}].push_back(
          rows_.correlation[row.row]);
    return last;
  }

  std::vector<Arrow> arrows_of(std::vector<GraphFlows::FlowEnd> ends) {
    std::sort(ends.begin(), ends.end(), [](const auto& a, const auto& b) {
      return std::tuple(a.id, a.is_finish) < std::tuple(b.id, b.is_finish);
    });
    std::vector<Arrow> arrows;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const GraphFlows::FlowEnd& source = ends[i];
      const bool is_whole = i + 1 < ends.size() && ends[i + 1].id == source.id &&
                            !source.is_finish && ends[i + 1].is_finish;
      if (!is_whole) {
        report_unmatched(1, "a flow of one end");
        continue;
      }
      const GraphFlows::FlowEnd& target = ends[++i];
      arrows.push_back({source.thread, target.thread, source.time_ns, target.time_ns});
    }
    std::sort(arrows.begin(), arrows.end());
    return arrows;
  }

  void group(const std::vector<Arrow>& arrows) {
    for (std::size_t i = 0; i < arrows.size(); ++i) {
      if (groups_.empty() || groups_.back().arrow != arrows[i]) {
        ArrowGroup next{arrows[i], 0, candidates_.size(), candidates_.size(), false};
        find_candidates(next);
        groups_.push_back(next);
      }
      ++groups_.back().arrows;
    }
  }

  static std::span<const Stamp> around(const std::vector<Stamp>& stamps, ThreadIndex thread,
                                       Ns time_ns) {
    if (time_ns == kNoTime) return {};
    const auto first =
        std::lower_bound(stamps.begin(), stamps.end(), Stamp{thread, time_ns - kMostOff, 0});
    const auto end =
        std::upper_bound(first, stamps.end(), Stamp{thread, time_ns + kMostOff, kNoIndex});
    return {first, end};
  }

  void find_candidates(ArrowGroup& of) {
    const auto sources = around(ends_, of.arrow.source_thread, of.arrow.source_end_ns);
    const auto targets = around(starts_, of.arrow.target_thread, of.arrow.target_start_ns);
    of.has_too_many = sources.size() > kMostFitting || targets.size() > kMostFitting;
    if (of.has_too_many) return;
    bool lacks_correlation = false;
    for (const Stamp& source : sources)
      for (const Stamp& target : targets) {
        const DeviceRowIndex a(source.row), b(target.row);
        if (a == b) continue;
        lacks_correlation |= !has_correlation(rows_, a) || !has_correlation(rows_, b);
        if (is_one_launch(rows_, a, b)) candidates_.push_back({a, b});
      }
    of.end = candidates_.size();
    if (of.end - of.first > kMostFitting) {
      of.has_too_many = true;
      candidates_.resize(of.end = of.first);
    }
    of.lacks_correlation = lacks_correlation;
  }

  NodePair nodes_of(const Candidate& pair) const {
    return {rows_.graph_id[pair.source], rows_.graph_node_id[pair.source],
            rows_.graph_node_id[pair.target]};
  }

  void name_pairs() {
    for (const Candidate& candidate : candidates_) pairs_.push_back(nodes_of(candidate));
    sort_unique(pairs_);
    standing_.assign(pairs_.size(), Standing::kOpen);
    for (Candidate& candidate : candidates_) {
      const auto pair = std::lower_bound(pairs_.begin(), pairs_.end(), nodes_of(candidate));
      candidate.pair = static_cast<std::uint32_t>(pair - pairs_.begin());
    }
  }

  std::span<Candidate> candidates_of(const ArrowGroup& of) {
    return std::span(candidates_).subspan(of.first, of.end - of.first);
  }

  std::size_t count(const ArrowGroup& of, Standing standing) {
    const auto those = candidates_of(of);
    return static_cast<std::size_t>(std::count_if(
        those.begin(), those.end(),
        [&](const Candidate& candidate) { return standing_[candidate.pair] == standing; }));
  }

  bool is_ambiguous(const ArrowGroup& of) { return count(of, Standing::kOpen) > 0; }

  /// As many flows as pairs are left: all of these are meant. As many flows as pairs that are
  /// proven: no other is.
  void resolve() {
    bool has_changed = true;
    for (int round = 0; round < kMostRounds && has_changed; ++round) {
      has_changed = false;
      for (const ArrowGroup& of : groups_) {
        const std::size_t open = count(of, Standing::kOpen), proven = count(of, Standing::kProven);
        if (open == 0 || (open + proven > of.arrows && proven < of.arrows)) continue;
        const Standing known = open + proven <= of.arrows ? Standing::kProven : Standing::kRefuted;
        for (const Candidate& candidate : candidates_of(of))
          if (Standing& standing = standing_[candidate.pair]; standing == Standing::kOpen)
            standing = known;
        has_changed = true;
      }
    }
  }

  /// A pair is refuted by a launch that holds both of its rows and records dependencies, where no
  /// flow fits it.
  void refute_by_launches() {
    std::vector<std::tuple<std::uint32_t, Launch>> fitting;
    std::set<std::pair<std::uint64_t, Launch>> recording;  // (graph id, launch)
    for (const Candidate& candidate : candidates_) {
      const Launch launch = rows_.correlation[candidate.source];
      fitting.emplace_back(candidate.pair, launch);
      recording.emplace(rows_.graph_id[candidate.source], launch);
    }
    sort_unique(fitting);
    std::size_t looked_at = 0;
    for (std::size_t i = 0; i < fitting.size();) {
      const std::uint32_t pair = std::get<0>(fitting[i]);
      std::size_t fits = 0;
      for (; i < fitting.size() && std::get<0>(fitting[i]) == pair; ++i) ++fits;
      if (standing_[pair] != Standing::kOpen) continue;
      const std::vector<Launch>& of_source =
          launches_of_node_[{pairs_[pair].graph, pairs_[pair].source}];
      looked_at += of_source.size();
      if (looked_at > kLaunchesPerRow * rows_.size()) return;
      if (launches_of_both(pair, of_source, recording) > fits) standing_[pair] = Standing::kRefuted;
    }
  }

  std::size_t launches_of_both(std::uint32_t pair, const std::vector<Launch>& of_source,
                               const std::set<std::pair<std::uint64_t, Launch>>& recording) {
    const std::vector<Launch>& of_target =
        launches_of_node_[{pairs_[pair].graph, pairs_[pair].target}];
    return static_cast<std::size_t>(
        std::count_if(of_source.begin(), of_source.end(), [&](Launch launch) {
          return recording.contains({pairs_[pair].graph, launch}) &&
                 std::binary_search(of_target.begin(), of_target.end(), launch);
        }));
  }

  void take(const ArrowGroup& of, DeviceTrace& trace) {
    std::size_t taken = 0;
    for (const Candidate& candidate : candidates_of(of)) {
      if (standing_[candidate.pair] != Standing::kProven) continue;
      trace.graph_dependencies.push_back({candidate.target, candidate.source});
      ++taken;
    }
    if (taken >= of.arrows) return;
    const std::size_t left = of.arrows - taken;
    partly_recorded_.push_back({of.arrow.target_thread, of.arrow.target_start_ns, 0});
    const auto place = [&] {
      return fmt::format("from {} ns to {} ns", of.arrow.source_end_ns, of.arrow.target_start_ns);
    };
    if (of.has_too_many || is_ambiguous(of))
      ambiguous_.report(Finding::kGraphDependencyAmbiguous, place(), left);
    else if (of.lacks_correlation)
      diagnostics_.report(Finding::kGraphDependencyAcrossLaunches, place(), left);
    else
      report_unmatched(left, place());
  }

  void report_unmatched(std::size_t flows, const std::string& place) {
    diagnostics_.report(Finding::kGraphDependencyUnmatched, place, flows);
  }

  const DeviceRows& rows_;
  Diagnostics &diagnostics_, &ambiguous_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<Launch>>
      launches_of_node_;  // by (graph id, node id), ascending
  std::vector<Stamp> starts_, ends_;
  std::vector<Stamp> partly_recorded_;  // starts of rows that waited for more than is found
  std::vector<ArrowGroup> groups_;
  std::vector<Candidate> candidates_;
  std::vector<NodePair> pairs_;     // ascending
  std::vector<Standing> standing_;  // by pair
};

/// What names its sources by event id.
void bind_waits(std::span<const GraphFlows::GraphRow> graph_rows,
                std::span<const std::pair<std::uint64_t, DeviceRowIndex>> waits, DeviceTrace& trace,
                Diagnostics& diagnostics, Diagnostics& ambiguous) {
  if (waits.empty()) return;
  IdMap<std::uint64_t, DeviceRowIndex> row_of_event;  // none = several have the id
  for (const GraphFlows::GraphRow& row : graph_rows) {
    if (row.event_id == 0) continue;
    const auto [known, is_new] = row_of_event.try_emplace(row.event_id, row.row);
    if (!is_new) known->second = {};
  }
  for (const auto& [event, target] : waits) {
    const auto source = row_of_event.find(event);
    const auto place = [&, id = event] { return fmt::format("event id {}", id); };
    if (source != row_of_event.end() && !source->second) {
      trace.partly_recorded_rows.push_back(target);
      ambiguous.report(Finding::kGraphDependencyAmbiguous, place);
      continue;
    }
    const bool is_known = source != row_of_event.end() && source->second != target;
    if (is_known && is_one_launch(trace.rows, source->second, target)) {
      trace.graph_dependencies.push_back({target, source->second});
      continue;
    }
    trace.partly_recorded_rows.push_back(target);
    diagnostics.report(
        is_known ? Finding::kGraphDependencyAcrossLaunches : Finding::kGraphDependencyUnmatched,
        place);
  }
}

}  // namespace

void GraphFlows::bind(DeviceTrace& trace, Diagnostics& diagnostics, Diagnostics& ambiguous) {
  bind_waits(rows_, waits_, trace, diagnostics, ambiguous);
  if (!flow_ends_.empty())
    FlowBinder(trace.rows, rows_, diagnostics, ambiguous).bind(std::move(flow_ends_), trace);
  sort_unique(trace.graph_dependencies);
  sort_unique(trace.partly_recorded_rows);
}

}  // namespace nadi
