#include "nadi/converters/html/profile_page.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "nadi/converters/html/drawn_job.h"
#include "nadi/converters/html/write_page.h"
#include "nadi/converters/json_members.h"
#include "nadi/sim_bridge/replay/what_if.h"

namespace nadi::html {
namespace {

constexpr std::size_t kNameBytes = 1000, kMostRows = 2000, kMostSteps = 5000, kMostPaths = 5000,
                      kMostWaits = 8;

Json name_json(std::string_view name) { return cut_end(name, kNameBytes); }

/// Positions of the rows that measure() gives the most, as many as a page may have, in their order.
template <class Row, class Measure>
std::vector<std::size_t> largest(const std::vector<Row>& rows, std::size_t most,
                                 const Measure& measure) {
  std::vector<std::size_t> positions(rows.size());
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  if (positions.size() <= most) return positions;
  std::stable_sort(positions.begin(), positions.end(), [&](std::size_t a, std::size_t b) {
    return measure(rows[a]) > measure(rows[b]);
  });
  positions.resize(most);
  std::sort(positions.begin(), positions.end());
  return positions;
}

/// Sets data[name] to a list of what row_json() makes of each row, and counts what is left out.
template <class Row, class Measure, class MakeRow>
void add_rows(Json& data, const char* name, const std::vector<Row>& rows, const Measure& measure,
              const MakeRow& row_json) {
  Json list = Json::array();
  for (const std::size_t position : largest(rows, kMostRows, measure))
    list.push_back(row_json(rows[position]));
  data["left_out"][name] = rows.size() - list.size();
  data[name] = std::move(list);
}

/// [rank, device, step, length, computation, communication: exposed waiting, exposed transfer,
/// hidden, copies: exposed, hidden, [idle by cause]], ns.
Json step_json(const StepTimes& step) {
  return {step.rank,
          step.device,
          optional_json(step.step),
          step.length_ns,
          step.computation_ns,
          step.exposed_waiting_ns,
          step.exposed_communication_ns - step.exposed_waiting_ns,
          step.hidden_communication_ns(),
          step.exposed_copies_ns,
          step.hidden_copies_ns(),
          step.idle_ns};
}

Json steps_json(const std::vector<StepTimes>& steps) {
  Json json = Json::array();
  for (std::size_t i = 0; i < std::min(kMostSteps, steps.size()); ++i)
    json.push_back(step_json(steps[i]));
  return json;
}

Json causes_json() {
  Json json = Json::array();
  for (std::size_t cause = 0; cause < kIdleCauses; ++cause)
    json.push_back(to_string(static_cast<IdleCause>(cause)));
  return json;
}

/// [[rank, ns]] of the members that waited, the longest first.
Json waits_json(const CollectiveTimes& collective) {
  std::vector<CollectiveTimes::Member> waits;
  for (const CollectiveTimes::Member& member : collective.members)
    if (member.waiting_ns > 0) waits.push_back(member);
  std::stable_sort(waits.begin(), waits.end(),
                   [](const auto& a, const auto& b) { return a.waiting_ns > b.waiting_ns; });
  Json json = Json::array();
  for (std::size_t i = 0; i < std::min(kMostWaits, waits.size()); ++i)
    json.push_back({waits[i].rank, waits[i].waiting_ns});
  return json;
}

/// The times from the first begin to the last end, in the job's clock.
JobSpan span_of(const CollectiveTimes& collective) {
  JobSpan span{collective.members.front().start_ns, collective.members.front().end_ns};
  for (const CollectiveTimes::Member& member : collective.members)
    span = {std::min(span.begin_ns, member.start_ns), std::max(span.end_ns, member.end_ns)};
  return span;
}

/// [kind, group, size, members known, bytes, last rank, waiting, [[rank, its waiting]], transfer,
/// algorithm GB/s, bus GB/s, begin, length].
Json collective_json(const CollectiveTimes& collective) {
  return {name_json(collective.kind),
          name_json(collective.group),
          collective.size,
          collective.members.size(),
          collective.bytes,
          optional_json(collective.last_rank),
          collective.last_rank ? Json(collective.waiting_ns()) : Json(),
          waits_json(collective),
          collective.transfer_ns(),
          collective.algorithm_gb_per_s(),
          collective.bus_gb_per_s(),
          span_of(collective).begin_ns,
          span_of(collective).length()};
}

void add_job(const Profile& profile, Json& data) {
  data["what_if"] = what_if_text(profile.what_if);
  data["clock"] = profile.ranks.size() > 1 ? to_string(profile.clock) : "";
  data["ranks_count"] = profile.ranks.size();
  data["knows_waiting"] = profile.knows_waiting();
  add_rows(
      data, "ranks", profile.ranks, [](const ProfiledRank& rank) { return -rank.rank; },
      [](const ProfiledRank& rank) {
        return Json{rank.rank,        name_json(rank.name), rank.nodes,
                    rank.device_rows, rank.clock.shift_ns,  rank.clock.drift};
      });
  data["causes"] = causes_json();
  data["devices"] = steps_json(profile.devices);
  data["steps"] = steps_json(profile.steps);
  data["left_out"]["steps"] = profile.steps.size() - data["steps"].size();
  add_rows(
      data, "idle", profile.idle, [](const IdleShare& idle) { return idle.ns; },
      [](const IdleShare& idle) {
        return Json{idle.rank, to_string(idle.cause), name_json(idle.what), idle.count, idle.ns};
      });
  add_rows(
      data, "problems", profile.findings, [](const ProfileFinding& one) { return one.share; },
      [](const ProfileFinding& one) {
        return Json{name_json(one.what), name_json(one.place), name_json(one.remedy), one.share};
      });
}

void add_communication(const Profile& profile, Json& data) {
  add_rows(
      data, "collectives", profile.collectives,
      [](const CollectiveTimes& one) { return one.waiting_ns() + one.transfer_ns(); },
      collective_json);
  add_rows(
      data, "waiting", profile.waiting,
      [](const RankWaiting& one) { return one.made_others_wait_ns + one.waited_ns; },
      [](const RankWaiting& one) {
        return Json{one.rank, one.was_last, one.made_others_wait_ns, one.waited_ns};
      });
  data["path_ns"] = profile.path_ns();
  add_rows(
      data, "path", profile.path, [](const PathShare& one) { return one.ns; },
      [](const PathShare& one) {
        return Json{to_string(one.kind), name_json(one.name), one.rank, one.pieces, one.ns};
      });
}

/// [[caller, name, is device, count, own, with callees, device rows, device ns]]: the longest and
/// their callers, callers first; the first entry is the root.
void add_paths(const HotSpots& spots, Json& data) {
  std::vector<std::uint32_t> position(spots.paths.size(), 0);  // in the page
  Ns inclusive_ns = 0;
  for (const HotPath& path : spots.paths)
    if (path.parent == kNoIndex) inclusive_ns = nadi::add_times(inclusive_ns, path.inclusive_ns);
  Json list = Json::array({Json{0, "", false, 0, 0, inclusive_ns, 0, spots.device_ns}});
  // No path takes longer than its caller, which stands before it.
  const auto time = [](const HotPath& path) { return path.host_ns + path.device_ns; };
  for (const std::size_t i : largest(spots.paths, kMostPaths, time)) {
    const HotPath& path = spots.paths[i];
    position[i] = static_cast<std::uint32_t>(list.size());
    list.push_back({path.parent == kNoIndex ? 0 : position[path.parent], name_json(path.name),
                    path.is_device, path.count, path.own_ns, path.inclusive_ns, path.launched,
                    path.device_ns});
  }
  data["left_out"]["calls"] = spots.paths.size() + 1 - list.size();
  data["calls"] = std::move(list);
}

void add_spots(const HotSpots& spots, const Roofline& roofline, Json& data) {
  data["device_ns"] = spots.device_ns;
  data["host_ns"] = spots.host_ns;
  const auto sum = [](const auto& one) { return one.sum_ns; };
  add_rows(data, "kernels", spots.kernels, sum, [&](const HotKernel& kernel) {
    return Json{name_json(kernel.name),
                kernel.family,
                name_json(kernel.op),
                kernel.count,
                kernel.sum_ns,
                kernel.mean_ns(),
                kernel.longest_ns,
                optional_json(kernel.work.tflops_per_s()),
                optional_json(kernel.work.gb_per_s()),
                optional_json(roofline_share(kernel.work, roofline))};
  });
  add_rows(data, "families", spots.families, sum, [](const HotFamily& family) {
    return Json{family.name, family.count, family.sum_ns};
  });
  add_rows(
      data, "ops", spots.ops, [](const HotOp& op) { return op.own_ns + op.device_ns; },
      [](const HotOp& op) {
        return Json{name_json(op.name), op.count,    op.own_ns,
                    op.inclusive_ns,    op.launched, op.device_ns};
      });
  add_paths(spots, data);
}

Json drawn_json(const ProfiledJob& found, DrawnNames& names) {
  return drawn_job(found.job, std::vector<DrawnTimes>{{"", found.measured, true}}, 0, found.inputs,
                   found.graphs.size(), names);
}

}  // namespace

void write_profile_page(const ProfilePage& page, const ByteSink& sink) {
  Json data;
  add_job(page.profile, data);
  add_communication(page.profile, data);
  add_spots(page.spots, page.roofline, data);
  data["findings"] = findings_json(page.profile.diagnostics);
  DrawnNames names;
  data["drawn"] = page.drawn == nullptr ? Json() : drawn_json(*page.drawn, names);
  data["names"] = names.json();
  write_page({"profile.html",
              {"lane_pieces.js", "lane_rows.js", "lane_drawing.js", "lane_node.js", "lanes.js",
               "call_tree.js", "profile.js"},
              std::move(data)},
             sink);
}

}  // namespace nadi::html
