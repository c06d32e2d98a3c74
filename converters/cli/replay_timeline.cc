#include "nadi/converters/cli/replay_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "nadi/chakra/communication_name.h"
#include "nadi/converters/picture/graph_facts.h"
#include "nadi/converters/profile/path_names.h"
#include "nadi/graph/built_graph.h"
#include "nadi/model/step_names.h"
#include "nadi/read/foreign_forms.h"
#include "nadi/sim_bridge/replay/critical_path.h"
#include "nadi/sim_bridge/replay/report.h"

namespace nadi::cli {

namespace {

constexpr std::uint64_t kPathProcess = 1, kFirstRankProcess = 2;

/// As profilers name the categories of their events.
std::string_view category_of(const Graph& graph, std::uint32_t row) {
  switch (picture_kind_of(graph, row)) {
    case PictureKind::kCall:
      return "cuda_runtime";
    case PictureKind::kKernel:
      return "kernel";
    case PictureKind::kCopy:
      return graph.name_of(row).find("emset") == std::string_view::npos ? "gpu_memcpy"
                                                                        : "gpu_memset";
    case PictureKind::kCommunication:
      return "communication";
    case PictureKind::kHost:
    case PictureKind::kDelay:
      break;
  }
  return is_step_name(graph.name_of(row)) ? "user_annotation" : "cpu_op";
}

/// The tracks of one lane. A slice goes on the track of what called it, where that is what is open
/// there, else on the first track on which nothing is.
class LaneTracks {
 public:
  /// `add` gives the number of a further track, whose position on the lane it gets.
  LaneTracks(TimelineWriter& writer, std::function<std::uint32_t(std::size_t)> add)
      : writer_(writer), add_(std::move(add)) {}

  /// Returns the track for a slice; those of a lane come by their starts. `parent`: what called it
  /// on this lane, kNoIndex = nothing, and the track that it has.
  std::uint32_t place(std::uint32_t row, Ns start, Ns end, std::uint32_t parent,
                      std::uint32_t parent_track) {
    if (parent != kNoIndex) {
      Track& around = tracks_[position_of_[parent_track]];
      close(around, start);
      if (!around.open.empty() && around.open.back().row == parent) {
        around.open.push_back({row, end});
        return around.number;
      }
    }
    // What has no length has room within anything.
    const bool needs_room = start < end || tracks_.empty();
    const std::size_t position = needs_room ? find_idle(start) : 0;
    Track& track = tracks_[position];
    close(track, start);
    track.open.push_back({row, end});
    if (needs_room) busy_.emplace(end, position);
    return track.number;
  }

  void finish() {
    for (Track& track : tracks_) close(track, std::numeric_limits<Ns>::max());
  }

 private:
  struct Open {
    std::uint32_t row;
    Ns end;
  };
  struct Track {
    std::uint32_t number = 0;
    std::vector<Open> open;  // outermost first
  };

  void close(Track& track, Ns until) {
    for (; !track.open.empty() && track.open.back().end <= until; track.open.pop_back())
      writer_.end_slice(track.number, track.open.back().end);
  }

  std::size_t find_idle(Ns start) {
    for (; !busy_.empty() && busy_.top().first <= start; busy_.pop())
      idle_.insert(busy_.top().second);
    if (idle_.empty()) {
      const std::uint32_t number = add_(tracks_.size());
      position_of_[number] = tracks_.size();
      tracks_.push_back({number, {}});
      return tracks_.size() - 1;
    }
    return idle_.extract(idle_.begin()).value();
  }

  using Busy = std::pair<Ns, std::size_t>;  // end of the outermost slice, and position
  TimelineWriter& writer_;
  std::function<std::uint32_t(std::size_t)> add_;
  std::vector<Track> tracks_;
  std::map<std::uint32_t, std::size_t> position_of_;  // by number of the track
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy_;
  std::set<std::size_t> idle_;
};

/// The reasons of what nodes wait for, as texts.
class EvidenceTexts {
 public:
  /// "launch, stream order (inferred)"; empty where the node waits for nothing.
  const std::string& of(const Graph& graph, std::uint32_t row) {
    std::uint32_t reasons = 0;
    const Sources sources = graph.data_dependencies(row);
    for (auto source = sources.begin(); source != sources.end(); ++source) {
      const Edge edge = source.edge();
      const auto reason = static_cast<std::size_t>(edge.evidence);
      reasons |= 1U << (is_guess(edge.inferred) ? reason + kEvidenceCount : reason);
    }
    const auto [text, is_new] = texts_.try_emplace(reasons);
    if (is_new) text->second = text_of(reasons);
    return text->second;
  }

 private:
  static_assert(2 * kEvidenceCount <= 32);

  static std::string text_of(std::uint32_t reasons) {
    std::string text;
    for (std::size_t i = 0; i < 2 * kEvidenceCount; ++i) {
      if ((reasons >> i & 1) == 0) continue;
      text += text.empty() ? "" : ", ";
      text += to_string(static_cast<Evidence>(i % kEvidenceCount));
      if (i >= kEvidenceCount) text += " (inferred)";
    }
    return text;
  }

  std::map<std::uint32_t, std::string> texts_;  // by bits: recorded ones, then inferred ones
};

class ReplayTimeline {
 public:
  ReplayTimeline(const ReplayJob& job, TimelineWriter& writer) : job_(job), writer_(writer) {}

  void write(std::span<const TimelineRun> runs, std::optional<std::uint32_t> flows_of) {
    find_origin(runs);
    writer_.name_process(kPathProcess, kTimelineProcess);
    for (std::size_t run = 0; run < runs.size(); ++run) add_path(runs[run], run);
    for (of_ = 0; of_ < job_.graphs.size(); ++of_)
      for (run_ = 0; run_ < runs.size(); ++run_) add_rank(runs, flows_of);
    writer_.finish();
  }

 private:
  const Graph& graph() const { return job_.graphs[of_]; }
  std::uint32_t node(std::uint32_t row) const { return job_.first_node[of_] + row; }

  void find_origin(std::span<const TimelineRun> runs) {
    bool is_first = true;
    for (const TimelineRun& run : runs)
      for (const Ns start : run.times.start_ns) {
        origin_ = is_first ? start : std::min(origin_, start);
        is_first = false;
      }
  }

  // ---- the critical path

  void add_path(const TimelineRun& run, std::size_t order) {
    const std::uint32_t track = writer_.add_track(kPathProcess, order, run.name);
    PathNames names(job_, run.times);
    for (const PathPiece& piece : joined_path(run)) {
      const Graph& graph = job_.graph(piece.node);
      const std::uint32_t row = job_.row(piece.node);
      const bool is_work = takes_time(piece.kind);
      const std::uint32_t named = is_work ? row : behind_delays(graph, row);
      const auto [kind, name] = names.of(piece);
      arguments_.clear();
      arguments_.push_back({"rank", job_.rank[job_.graph_index(piece.node)]});
      arguments_.push_back({is_work ? "id" : "before", graph.id[named]});
      if (!is_work) arguments_.push_back({"before_name", graph.name_of(named)});
      writer_.add_slice({track,
                         piece.begin_ns - origin_,
                         piece.end_ns - origin_,
                         to_string(kind),
                         name,
                         arguments_,
                         {}});
    }
  }

  /// Stretches of one op that follow each other at once are one piece.
  std::vector<PathPiece> joined_path(const TimelineRun& run) const {
    std::vector<PathPiece> path = critical_path(job_, run.times);
    std::size_t kept = 0;
    for (const PathPiece& piece : path) {
      PathPiece own = piece;
      const Graph& graph = job_.graph(piece.node);
      const std::uint32_t row = job_.row(piece.node);
      const bool is_part = takes_time(piece.kind) && graph.kind[row] == NodeKind::kPart &&
                           !graph.parent.empty() && graph.parent[row] != kNoIndex;
      if (is_part) own.node += graph.parent[row] - row;
      PathPiece* const last = kept == 0 ? nullptr : &path[kept - 1];
      if (last != nullptr && last->node == own.node && last->kind == own.kind)
        last->end_ns = own.end_ns;
      else
        path[kept++] = own;
    }
    path.resize(kept);
    return path;
  }

  // ---- one run of a rank

  void add_rank(std::span<const TimelineRun> runs, std::optional<std::uint32_t> flows_of) {
    times_ = &runs[run_].times;
    process_ = kFirstRankProcess + of_ * runs.size() + run_;
    writer_.name_process(
        process_, fmt::format("rank {} {} ({})", job_.rank[of_], runs[run_].name, graph().name));
    find_slices();
    std::vector<std::vector<std::uint32_t>> by_lane(graph().lanes.size());
    for (std::uint32_t row = 0; row < graph().size(); ++row)
      if (slice_[row] == row) by_lane[graph().lane[row]].push_back(row);
    track_.assign(graph().size(), 0);
    next_order_ = 0;
    for (std::size_t lane = 0; lane < by_lane.size(); ++lane) add_lane(lane, by_lane[lane]);
    add_launches();
    if (flows_of && job_.graph_index(*flows_of) == of_) add_flows(job_.row(*flows_of));
  }

  /// The op around a row on its lane; kNoIndex = none.
  std::uint32_t op_around(std::uint32_t row) const {
    const std::uint32_t parent = graph().parent.empty() ? kNoIndex : graph().parent[row];
    const bool is_here = parent < row && graph().kind[parent] == NodeKind::kOp &&
                         graph().lane[parent] == graph().lane[row];
    return is_here ? parent : kNoIndex;
  }

  /// Parts are within the slice of their op, and delays have none. What an op calls on its thread
  /// makes it last as long, and what it was inside of beyond that follows from its measured time.
  void find_slices() {
    const std::size_t size = graph().size();
    slice_.assign(size, kNoIndex);
    begin_.assign(size, 0);
    end_.assign(size, 0);
    for (std::uint32_t row = 0; row < size; ++row) {
      if (graph().kind[row] == NodeKind::kDelay) continue;
      const std::uint32_t around = op_around(row);
      slice_[row] = graph().kind[row] == NodeKind::kPart && around != kNoIndex ? around : row;
      begin_[row] = times_->start_ns[node(row)];
      end_[row] = times_->end_ns[node(row)];
    }
    std::vector<std::uint32_t> last(size);  // row of an op and of all it called on its thread
    std::iota(last.begin(), last.end(), 0U);
    std::vector<std::uint32_t> next(size), first_of_lane(graph().lanes.size(), kNoIndex);
    for (auto row = static_cast<std::uint32_t>(size); row-- > 0;) {
      if (slice_[row] == kNoIndex) continue;
      next[row] = first_of_lane[graph().lane[row]];
      first_of_lane[graph().lane[row]] = row;
      end_[row] = std::max(end_[row], end_of_op(row, last[row], next[last[row]]));
      const std::uint32_t around = op_around(row);
      if (around == kNoIndex) continue;
      begin_[around] = std::min(begin_[around], begin_[row]);
      end_[around] = std::max(end_[around], end_[row]);
      last[around] = std::max(last[around], last[row]);
    }
  }

  /// When an op ends that lasted longer than its last row: as long before the next row of its
  /// thread, or where there is none behind its last, as was measured.
  Ns end_of_op(std::uint32_t row, std::uint32_t last, std::uint32_t next) const {
    const Ns length =
        graph().inclusive_ns.empty() || !job_.is_measured ? 0 : graph().inclusive_ns[row];
    if (length <= 0) return kNoTime;
    const Ns measured_ns = job_.start_ns(node(row)) + length;
    if (next == kNoIndex)
      return times_->end_ns[node(last)] + std::max<Ns>(measured_ns - job_.end_ns(node(last)), 0);
    return times_->start_ns[node(next)] - std::max<Ns>(job_.start_ns(node(next)) - measured_ns, 0);
  }

  void add_lane(std::size_t lane, std::vector<std::uint32_t>& rows) {
    std::sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tuple(begin_[a], end_[b], a) < std::tuple(begin_[b], end_[a], b);
    });
    const std::string name = lane_text(graph().lanes[lane]);
    LaneTracks tracks(writer_, [&](std::size_t position) {
      // Perfetto merges tracks of one name.
      const std::string beside = position == 0 ? "" : fmt::format(" (beside {})", position);
      return writer_.add_track(process_, next_order_++, name + beside);
    });
    for (const std::uint32_t row : rows) {
      const std::uint32_t around = op_around(row);
      track_[row] = tracks.place(row, begin_[row], end_[row], around,
                                 around == kNoIndex ? 0 : track_[around]);
      add_slice(row);
    }
    tracks.finish();
  }

  void add_slice(std::uint32_t row) {
    set_arguments(row);
    std::vector<std::uint64_t> arrows;
    if (launch_of(row) != kNoIndex) arrows.push_back(arrow_to(row));
    writer_.begin_slice({track_[row], begin_[row] - origin_, end_[row] - origin_,
                         category_of(graph(), row), graph().name_of(row), arguments_, arrows});
  }

  void set_arguments(std::uint32_t row) {
    const Graph& graph = this->graph();
    arguments_.clear();
    arguments_.push_back({"id", graph.id[row]});
    if (graph.step[row] >= 0) arguments_.push_back({"step", std::int64_t{graph.step[row]}});
    arguments_.push_back({"kind", to_string(graph.kind[row])});
    if (!graph.input_shapes.empty()) {
      add_text("Input Dims", graph.input_shapes[row]);
      add_text("Input type", graph.input_types[row]);
    }
    if (graph.communication[row] != kNoIndex)
      add_communication(graph.type[row], graph.communications[graph.communication[row]]);
    if (const std::string& evidence = evidence_.of(graph, row); !evidence.empty())
      arguments_.push_back({"evidence", evidence});
    if (const std::uint32_t source = waited_for(row); source != kNoIndex)
      arguments_.push_back({"waited_for", graph.id[source]});
  }

  /// Named as profilers do; none where nothing is known.
  void add_text(const char* name, StringId text) {
    if (text != StringId::kEmpty) arguments_.push_back({name, graph().strings[text]});
  }

  void add_communication(NodeType type, const GraphCommunication& communication) {
    const auto number = [&](const char* name, std::int64_t value) {
      if (value != GraphCommunication::kUnknown) arguments_.push_back({name, value});
    };
    const auto [name, is_new] = operations_.try_emplace({type, communication.type});
    if (is_new) name->second = communication_name(type, communication.type);
    if (!name->second.empty()) arguments_.push_back({"operation", name->second});
    arguments_.push_back({"bytes", communication.bytes});
    const std::string_view group = graph().strings[communication.group];
    if (!group.empty()) arguments_.push_back({"group", group});
    number("src", communication.src);
    number("dst", communication.dst);
  }

  /// What the node waited for last, behind delays: of its own rank.
  std::uint32_t waited_for(std::uint32_t row) const {
    std::uint32_t source = times_->waited_for[node(row)];
    for (std::size_t i = 0; i < graph().size() && source != kNoIndex; ++i) {
      if (job_.graph_index(source) != of_) return kNoIndex;
      if (graph().kind[job_.row(source)] != NodeKind::kDelay) return job_.row(source);
      source = times_->waited_for[source];
    }
    return kNoIndex;
  }

  // ---- arrows

  /// The host node that launched a row; kNoIndex = none is known.
  std::uint32_t launch_of(std::uint32_t row) const {
    if (!graph().is_device(row)) return kNoIndex;
    const Sources sources = graph().data_dependencies(row);
    for (auto source = sources.begin(); source != sources.end(); ++source)
      if (source.edge().evidence == Evidence::kLaunch && slice_[*source] != kNoIndex)
        return *source;
    return kNoIndex;
  }

  std::uint64_t arrow_to(std::uint32_t row) const { return 1 + run_ * job_.size() + node(row); }

  void add_launches() {
    for (std::uint32_t row = 0; row < graph().size(); ++row)
      if (const std::uint32_t source = launch_of(row); source != kNoIndex && slice_[row] == row)
        writer_.begin_arrow({track_[slice_[source]], leave_ns(source), arrow_to(row), "launch"});
  }

  /// Arrows begin and end inside their slices: Perfetto hangs them on what encloses the time.
  Ns leave_ns(std::uint32_t row) const {
    return std::max(times_->start_ns[node(row)], times_->end_ns[node(row)] - 1) - origin_;
  }

  void add_flows(std::uint32_t row) {
    std::set<std::uint32_t> sources;
    collect_sources(row, sources);
    if (slice_[row] == kNoIndex) return;
    std::uint64_t arrow = job_.size() * (run_ + 1) * kMostRuns;  // behind all those of launches
    for (const std::uint32_t source : sources) {
      writer_.begin_arrow({track_[slice_[source]], leave_ns(source), ++arrow, "dependency"});
      writer_.end_arrow(
          {track_[slice_[row]], times_->start_ns[node(row)] - origin_, arrow, "dependency"});
    }
  }

  void collect_sources(std::uint32_t row, std::set<std::uint32_t>& sources) const {
    std::vector<std::uint32_t> open = {row};
    std::set<std::uint32_t> delays;
    while (!open.empty()) {
      const std::uint32_t target = open.back();
      open.pop_back();
      for (const std::uint32_t source : graph().dependencies(target)) {
        if (slice_[source] != kNoIndex)
          sources.insert(source);
        else if (delays.insert(source).second)
          open.push_back(source);
      }
    }
  }

  static constexpr std::uint64_t kMostRuns = 4;

  const ReplayJob& job_;
  TimelineWriter& writer_;
  Ns origin_ = 0;
  EvidenceTexts evidence_;
  std::map<std::pair<NodeType, std::int64_t>, std::string> operations_;  // names, by comm_type
  std::vector<TimelineArgument> arguments_;                              // of one slice

  // Of the rank and run that is being written.
  std::size_t of_ = 0, run_ = 0;
  const ReplayTimes* times_ = nullptr;
  std::uint64_t process_ = 0, next_order_ = 0;
  std::vector<std::uint32_t> slice_;  // by row: the row whose slice shows it; kNoIndex = none
  std::vector<std::uint32_t> track_;  // by row that has a slice
  std::vector<Ns> begin_, end_;       // of the slices
};

}  // namespace

void write_timeline(const ReplayJob& job, std::span<const TimelineRun> runs,
                    std::optional<std::uint32_t> flows_of, TimelineWriter& writer) {
  ReplayTimeline(job, writer).write(runs, flows_of);
}

}  // namespace nadi::cli
