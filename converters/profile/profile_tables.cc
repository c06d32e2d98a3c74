#include "nadi/converters/profile/profile_tables.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "nadi/base/error.h"

namespace nadi {

namespace {

/// Adds a column of times, which the function or the member gives in ns.
template <class Rows, class NsOf>
void add_ms(const std::string& name, const Rows& rows, const NsOf& ns_of, ColumnTable& table) {
  table.add(name, rows,
            [&](const auto& row) { return static_cast<double>(std::invoke(ns_of, row)) / 1e6; });
}

/// The same of times that are not always known.
template <class Rows, class NsOf, class IsKnown>
void add_known_ms(const char* name, const Rows& rows, const NsOf& ns_of, const IsKnown& is_known,
                  ColumnTable& table) {
  table.add(name, rows, [&](const auto& row) {
    const double ms = static_cast<double>(std::invoke(ns_of, row)) / 1e6;
    return is_known(row) ? std::optional(ms) : std::nullopt;
  });
}

/// 0 says that it is not known.
template <class Number>
std::optional<Number> positive(Number value) {
  return value > 0 ? std::optional(value) : std::nullopt;
}

ColumnTable times_table(const std::vector<StepTimes>& rows, bool knows_waiting) {
  ColumnTable table;
  table.add("rank", rows, &StepTimes::rank);
  table.add("device", rows, &StepTimes::device);
  table.add("step", rows, &StepTimes::step);
  add_ms("begin_ms", rows, &StepTimes::begin_ns, table);
  add_ms("length_ms", rows, &StepTimes::length_ns, table);
  add_ms("computation_ms", rows, &StepTimes::computation_ns, table);
  add_ms("communication_ms", rows, &StepTimes::communication_ns, table);
  add_ms("exposed_communication_ms", rows, &StepTimes::exposed_communication_ns, table);
  add_known_ms(
      "exposed_waiting_ms", rows, &StepTimes::exposed_waiting_ns,
      [&](const StepTimes&) { return knows_waiting; }, table);
  add_ms("copies_ms", rows, &StepTimes::copies_ns, table);
  add_ms("exposed_copies_ms", rows, &StepTimes::exposed_copies_ns, table);
  add_ms("idle_ms", rows, &StepTimes::sum_of_idle_ns, table);
  for (std::size_t cause = 0; cause < kIdleCauses; ++cause)
    add_ms(
        "idle_by_cause_ms." + std::string(to_string(static_cast<IdleCause>(cause))), rows,
        [=](const StepTimes& times) { return times.idle_ns[cause]; }, table);
  return table;
}

ColumnTable idle_table(const std::vector<IdleShare>& rows) {
  ColumnTable table;
  table.add("rank", rows, &IdleShare::rank);
  table.add("cause", rows, [](const IdleShare& idle) { return to_string(idle.cause); });
  table.add("at", rows, &IdleShare::what);
  table.add("count", rows, &IdleShare::count);
  add_ms("ms", rows, &IdleShare::ns, table);
  add_ms("longest_ms", rows, &IdleShare::longest_ns, table);
  return table;
}

ColumnTable collective_table(const std::vector<CollectiveTimes>& rows) {
  const auto knows_last = [](const CollectiveTimes& row) { return row.last_rank.has_value(); };
  ColumnTable table;
  table.add("kind", rows, &CollectiveTimes::kind);
  table.add("group", rows, &CollectiveTimes::group);
  table.add("size", rows, [](const CollectiveTimes& row) { return positive(row.size); });
  table.add("bytes", rows, [](const CollectiveTimes& row) { return positive(row.bytes); });
  table.add("bytes_of_kernel", rows,
            [](const CollectiveTimes& row) { return positive(row.all_bytes); });
  table.add("last_rank", rows, &CollectiveTimes::last_rank);
  add_known_ms("waiting_ms", rows, &CollectiveTimes::waiting_ns, knows_last, table);
  add_ms("transfer_ms", rows, &CollectiveTimes::transfer_ns, table);
  table.add("algorithm_gb_per_s", rows,
            [](const CollectiveTimes& row) { return positive(row.algorithm_gb_per_s()); });
  table.add("bus_gb_per_s", rows,
            [](const CollectiveTimes& row) { return positive(row.bus_gb_per_s()); });
  return table;
}

struct MemberRow {
  std::size_t collective = 0;
  CollectiveTimes::Member member;
  bool knows_last = false;
};

ColumnTable member_table(const std::vector<CollectiveTimes>& collectives) {
  std::vector<MemberRow> rows;
  for (std::size_t at = 0; at < collectives.size(); ++at)
    for (const CollectiveTimes::Member& member : collectives[at].members)
      rows.push_back({at, member, collectives[at].last_rank.has_value()});
  ColumnTable table;
  table.add("collective", rows, &MemberRow::collective);
  table.add("rank", rows, [](const MemberRow& row) { return row.member.rank; });
  add_ms(
      "start_ms", rows, [](const MemberRow& row) { return row.member.start_ns; }, table);
  add_ms(
      "end_ms", rows, [](const MemberRow& row) { return row.member.end_ns; }, table);
  add_known_ms(
      "waiting_ms", rows, [](const MemberRow& row) { return row.member.waiting_ns; },
      [](const MemberRow& row) { return row.knows_last; }, table);
  return table;
}

ColumnTable waiting_table(const std::vector<RankWaiting>& rows) {
  ColumnTable table;
  table.add("rank", rows, &RankWaiting::rank);
  table.add("was_last", rows, &RankWaiting::was_last);
  add_ms("made_others_wait_ms", rows, &RankWaiting::made_others_wait_ns, table);
  add_ms("waited_ms", rows, &RankWaiting::waited_ns, table);
  return table;
}

/// `before` stands before the columns' names.
template <class Rows, class ShareOf>
void add_path_share(const std::string& before, const Rows& rows, const ShareOf& share_of,
                    ColumnTable& table) {
  const auto part = [&](auto member) {
    return [&, member](const auto& row) { return share_of(row).*member; };
  };
  table.add(before + "rank", rows, part(&PathShare::rank));
  table.add(before + "kind", rows, [&](const auto& row) { return to_string(share_of(row).kind); });
  table.add(before + "at", rows, part(&PathShare::name));
  table.add(before + "pieces", rows, part(&PathShare::pieces));
  add_ms(before + "ms", rows, part(&PathShare::ns), table);
}

ColumnTable share_table(const std::vector<PathShare>& rows) {
  ColumnTable table;
  add_path_share(
      "", rows, [](const PathShare& row) -> const PathShare& { return row; }, table);
  return table;
}

ColumnTable path_step_table(const std::vector<StepPath>& rows) {
  ColumnTable table;
  table.add("step", rows, &StepPath::step);
  for (std::size_t kind = 0; kind < kPathKindCount; ++kind)
    add_ms(
        "ms." + std::string(to_string(static_cast<PathKind>(kind))), rows,
        [=](const StepPath& path) { return path.ns[kind]; }, table);
  add_path_share(
      "longest.", rows, [](const StepPath& row) -> const PathShare& { return row.longest; }, table);
  return table;
}

ColumnTable kernel_table(const std::vector<HotKernel>& rows, const Roofline& roofline) {
  ColumnTable table;
  table.add("name", rows, &HotKernel::name);
  table.add("family", rows, &HotKernel::family);
  table.add("op", rows, &HotKernel::op);
  table.add("count", rows, &HotKernel::count);
  add_ms("sum_ms", rows, &HotKernel::sum_ns, table);
  add_ms("longest_ms", rows, &HotKernel::longest_ns, table);
  table.add("operations", rows, [](const HotKernel& row) { return positive(row.work.operations); });
  table.add("bytes", rows, [](const HotKernel& row) { return positive(row.work.bytes); });
  table.add("tflops_per_s", rows, [](const HotKernel& row) { return row.work.tflops_per_s(); });
  table.add("gb_per_s", rows, [](const HotKernel& row) { return row.work.gb_per_s(); });
  table.add("roofline_share", rows,
            [&](const HotKernel& row) { return roofline_share(row.work, roofline); });
  return table;
}

ColumnTable family_table(const std::vector<HotFamily>& rows) {
  ColumnTable table;
  table.add("name", rows, &HotFamily::name);
  table.add("count", rows, &HotFamily::count);
  add_ms("sum_ms", rows, &HotFamily::sum_ns, table);
  return table;
}

template <class Rows>
void add_host_times(const Rows& rows, ColumnTable& table) {
  table.add("count", rows, &HotTimes::count);
  add_ms("own_ms", rows, &HotTimes::own_ns, table);
  add_ms("host_ms", rows, &HotTimes::host_ns, table);
  add_ms("inclusive_ms", rows, &HotTimes::inclusive_ns, table);
  table.add("launched", rows, &HotTimes::launched);
  add_ms("device_ms", rows, &HotTimes::device_ns, table);
}

ColumnTable op_table(const std::vector<HotOp>& rows) {
  ColumnTable table;
  table.add("name", rows, &HotOp::name);
  add_host_times(rows, table);
  return table;
}

ColumnTable call_path_table(const std::vector<HotPath>& rows) {
  ColumnTable table;
  table.add("name", rows, &HotPath::name);
  table.add("parent", rows, [](const HotPath& row) {
    return row.parent == kNoIndex ? std::nullopt : std::optional(std::int64_t{row.parent});
  });
  table.add("is_device", rows, &HotPath::is_device);
  add_host_times(rows, table);
  return table;
}

ColumnTable finding_table(const std::vector<ProfileFinding>& rows) {
  ColumnTable table;
  table.add("what", rows, &ProfileFinding::what);
  table.add("place", rows, &ProfileFinding::place);
  table.add("remedy", rows, &ProfileFinding::remedy);
  table.add("share", rows, &ProfileFinding::share);
  return table;
}

}  // namespace

ColumnTable profile_table(const Profile& profile, std::string_view name, const Roofline& roofline) {
  const bool knows_waiting = profile.ranks.size() > 1;
  if (name == "devices") return times_table(profile.devices, knows_waiting);
  if (name == "steps") return times_table(profile.steps, knows_waiting);
  if (name == "idle") return idle_table(profile.idle);
  if (name == "collectives") return collective_table(profile.collectives);
  if (name == "collective_members") return member_table(profile.collectives);
  if (name == "waiting") return waiting_table(profile.waiting);
  if (name == "path") return share_table(profile.path);
  if (name == "path_steps") return path_step_table(profile.path_steps);
  if (name == "kernels") return kernel_table(profile.spots.kernels, roofline);
  if (name == "families") return family_table(profile.spots.families);
  if (name == "ops") return op_table(profile.spots.ops);
  if (name == "call_paths") return call_path_table(profile.spots.paths);
  if (name == "findings") return finding_table(profile.findings);
  throw Error(ErrorCode::kUsage, std::string(name), "is no table of a profile");
}

}  // namespace nadi
