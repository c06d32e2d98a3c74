#include "nadi/converters/html/drawn_job.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "nadi/sim_bridge/replay/critical_path.h"

namespace nadi::html {
namespace {

constexpr std::size_t kMostStretches = 5'000, kMostMembers = 8'000, kInputBytes = 2'000;

std::vector<DrawnRun> runs_of_rank(const ReplayJob& job, std::span<const DrawnTimes> runs,
                                   std::size_t of) {
  const auto part = [&](const std::vector<Ns>& column) {
    return std::span(column).subspan(job.first_node[of], job.graphs[of].size());
  };
  std::vector<DrawnRun> parts;
  for (const DrawnTimes& run : runs)
    parts.push_back({run.name, part(run.times.start_ns), part(run.times.end_ns), run.is_measured});
  return parts;
}

/// A part of the critical path on one lane.
struct Stretch {
  std::size_t graph = 0;
  std::uint32_t lane = 0;
  Ns begin_ns = 0, end_ns = 0;
  bool is_on_same_lane(const Stretch& other) const {
    return graph == other.graph && lane == other.lane;
  }
};

/// Stretches of at least the resolution; a shorter one belongs to the one before it.
std::vector<Stretch> join_stretches(const std::vector<Stretch>& path, Ns resolution_ns) {
  std::vector<Stretch> joined;
  for (const Stretch& stretch : path)
    if (!joined.empty() && (joined.back().is_on_same_lane(stretch) ||
                            stretch.end_ns - stretch.begin_ns < resolution_ns))
      joined.back().end_ns = stretch.end_ns;
    else
      joined.push_back(stretch);
  return joined;
}

void add_path(const ReplayJob& job, const ReplayTimes& times, const DrawnSpan& span, Json& drawn) {
  std::vector<Stretch> path;
  for (const PathPiece& piece : critical_path(job, times)) {
    const std::size_t of = job.graph_index(piece.node);
    path.push_back({of, job.graphs[of].lane[job.row(piece.node)], span.since_origin(piece.begin_ns),
                    span.since_origin(piece.end_ns)});
  }
  Ns resolution_ns = 0;
  std::vector<Stretch> stretches = join_stretches(path, 0);
  while (stretches.size() > kMostStretches) {
    resolution_ns = std::max(2 * resolution_ns, std::max<Ns>(1, span.length_ns >> 17));
    stretches = join_stretches(path, resolution_ns);
  }
  Json json = Json::array();
  if (!stretches.empty()) json.push_back(stretches.front().begin_ns);
  for (const Stretch& stretch : stretches) {
    json.push_back(stretch.graph);
    json.push_back(stretch.lane);
    json.push_back(stretch.end_ns - stretch.begin_ns);
  }
  drawn["path"] = std::move(json);
  drawn["path_resolution_ns"] = resolution_ns;
}

/// Kernels of one communication with their times.
struct Meeting {
  struct Member {
    std::uint32_t node = 0;  ///< the first of its kernel
    Ns begin_ns = 0, end_ns = 0;
  };
  std::vector<Member> members;
  bool is_message = false;

  Ns begin_ns() const {
    return std::min_element(members.begin(), members.end(),
                            [](const auto& a, const auto& b) { return a.begin_ns < b.begin_ns; })
        ->begin_ns;
  }
  Ns length_ns() const {
    return std::max_element(members.begin(), members.end(),
                            [](const auto& a, const auto& b) { return a.end_ns < b.end_ns; })
               ->end_ns -
           begin_ns();
  }
};

std::vector<Meeting> find_meetings(const ReplayJob& job, const ReplayTimes& times,
                                   const DrawnSpan& span, std::size_t ranks) {
  std::vector<Meeting> meetings;
  for (const CommInstance& instance : job.comm_instances) {
    Meeting meeting;
    for (const std::uint32_t index : instance.kernels) {
      const CommKernel& kernel = job.kernels[index];
      if (kernel.stands_for != kNoIndex || kernel.rank >= ranks) continue;
      Meeting::Member member{kernel.nodes.front(), 0, 0};
      member.begin_ns = span.since_origin(times.start_ns[member.node]);
      for (const std::uint32_t node : kernel.nodes)
        member.end_ns = std::max(member.end_ns, span.since_origin(times.end_ns[node]));
      meeting.members.push_back(member);
    }
    if (meeting.members.size() < 2) continue;
    const std::uint32_t first = meeting.members.front().node;
    meeting.is_message = job.graph(first).type[job.row(first)] != NodeType::kCollective;
    meetings.push_back(std::move(meeting));
  }
  return meetings;
}

/// The longest of them, by begin.
std::vector<Meeting> choose_meetings(std::vector<Meeting> meetings) {
  std::stable_sort(meetings.begin(), meetings.end(), [](const Meeting& a, const Meeting& b) {
    return a.length_ns() > b.length_ns();
  });
  std::size_t members = 0, kept = 0;
  while (kept < meetings.size() && members + meetings[kept].members.size() <= kMostMembers)
    members += meetings[kept++].members.size();
  meetings.resize(kept);
  std::stable_sort(meetings.begin(), meetings.end(),
                   [](const Meeting& a, const Meeting& b) { return a.begin_ns() < b.begin_ns(); });
  return meetings;
}

void add_meetings(const ReplayJob& job, const ReplayTimes& times, const DrawnSpan& span,
                  DrawnNames& names, Json& drawn) {
  std::vector<Meeting> all = find_meetings(job, times, span, drawn["ranks"].size());
  const std::size_t count = all.size();
  const std::vector<Meeting> chosen = choose_meetings(std::move(all));
  Json json = Json::array();
  for (const Meeting& meeting : chosen) {
    Json members = Json::array();
    for (const Meeting::Member& member : meeting.members) {
      members.push_back(job.graph_index(member.node));
      members.push_back(job.graph(member.node).lane[job.row(member.node)]);
      members.push_back(member.begin_ns);
      members.push_back(member.end_ns - member.begin_ns);
    }
    const std::uint32_t first = meeting.members.front().node;
    json.push_back({names.add(job.graph(first).name_of(job.row(first))), meeting.is_message,
                    std::move(members)});
  }
  drawn["meetings"] = std::move(json);
  drawn["meetings_left_out"] = count - chosen.size();
}

Json rank_json(const Graph& graph, std::int64_t rank, std::span<const DrawnRun> runs,
               const DrawnSpan& span, const GraphInputs& inputs, std::size_t most_pieces,
               DrawnNames& names) {
  Json json = drawn_lanes(graph, runs, span, most_pieces, names);
  json["rank"] = rank;
  const auto made_of = inputs.find(graph.name);
  json["input"] = Json::array();
  for (const std::string& file :
       made_of == inputs.end() ? std::vector{graph.name} : made_of->second)
    json["input"].push_back(cut_end(file, kInputBytes));
  return json;
}

}  // namespace

Json drawn_job(const ReplayJob& job, std::span<const DrawnTimes> runs, std::size_t of_path,
               const GraphInputs& inputs, std::size_t graphs_of_page, DrawnNames& names) {
  std::vector<DrawnRun> whole;
  for (const DrawnTimes& run : runs)
    whole.push_back({run.name, run.times.start_ns, run.times.end_ns, run.is_measured});
  const DrawnSpan span = span_of(whole);
  Json drawn = {{"origin_ns", span.origin_ns}, {"span_ns", span.length_ns}};
  Json ranks = Json::array();
  for (std::size_t of = 0; of < job.graphs.size(); ++of) {
    const std::size_t pieces = pieces_of(of, graphs_of_page);
    if (pieces == 0) break;
    ranks.push_back(rank_json(job.graphs[of], job.rank[of], runs_of_rank(job, runs, of), span,
                              inputs, pieces, names));
  }
  drawn["ranks_left_out"] = job.graphs.size() - ranks.size();
  drawn["ranks"] = std::move(ranks);
  drawn["run"] = runs[of_path].name;
  add_path(job, runs[of_path].times, span, drawn);
  add_meetings(job, runs[of_path].times, span, names, drawn);
  return drawn;
}

}  // namespace nadi::html
