#include "nadi/converters/profile/profile_tables.h"

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "nadi/base/error.h"
#include "nadi/converters/profile/profile_fields.h"

namespace nadi {

namespace {

double ms_of(Ns ns) { return static_cast<double>(ns) / 1e6; }
std::optional<double> ms_of(std::optional<Ns> ns) {
  return ns ? std::optional(ms_of(*ns)) : std::nullopt;
}

/// Takes fields as columns, times in ms.
template <class Row>
struct ProfileColumns {
  const std::vector<Row>& rows;
  ColumnTable& table;

  template <class ValueOf>
  void operator()(std::string name, const ValueOf& value_of) const {
    table.add(std::move(name), rows, value_of);
  }
  template <class NsOf>
  void time(std::string_view name, const NsOf& ns_of) const {
    table.add(fmt::format(fmt::runtime(name), "ms"), rows,
              [&](const Row& row) { return ms_of(std::invoke(ns_of, row)); });
  }
};

template <class Row, class ListFields>
ColumnTable table_of(const std::vector<Row>& rows, const ListFields& list_fields) {
  ColumnTable table;
  list_fields(ProfileColumns<Row>{rows, table});
  return table;
}

ColumnTable member_table(const std::vector<CollectiveTimes>& collectives) {
  std::vector<std::int64_t> places;
  std::vector<MemberRow> rows;
  for (std::size_t at = 0; at < collectives.size(); ++at)
    for (const CollectiveTimes::Member& member : collectives[at].members) {
      places.push_back(static_cast<std::int64_t>(at));
      rows.push_back({member, collectives[at].last_rank.has_value()});
    }
  ColumnTable table;
  table.take("collective", std::move(places));
  kMemberFields(ProfileColumns<MemberRow>{rows, table});
  return table;
}

}  // namespace

ColumnTable profile_table(const Profile& profile, std::string_view name, const Roofline& roofline) {
  const auto of_steps = step_fields(profile.knows_waiting());
  if (name == "devices") return table_of(profile.devices, of_steps);
  if (name == "steps") return table_of(profile.steps, of_steps);
  if (name == "idle") return table_of(profile.idle, kIdleFields);
  if (name == "collectives") return table_of(profile.collectives, kCollectiveFields);
  if (name == "collective_members") return member_table(profile.collectives);
  if (name == "waiting") return table_of(profile.waiting, kWaitingFields);
  if (name == "path") return table_of(profile.path, kShareFields);
  if (name == "path_steps") return table_of(profile.path_steps, kStepPathFields);
  if (name == "kernels") return table_of(profile.spots.kernels, kernel_fields(roofline));
  if (name == "families") return table_of(profile.spots.families, kFamilyFields);
  if (name == "ops") return table_of(profile.spots.ops, kOpFields);
  if (name == "call_paths") return table_of(profile.spots.paths, kCallPathFields);
  if (name == "findings") return table_of(profile.findings, kFindingFields);
  throw Error(ErrorCode::kUsage, std::string(name), "is no table of a profile");
}

}  // namespace nadi
