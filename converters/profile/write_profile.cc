#include "nadi/converters/profile/write_profile.h"

#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "nadi/converters/events/cell_text.h"
#include "nadi/converters/json_members.h"
#include "nadi/converters/profile/profile_fields.h"
#include "nadi/converters/report_json.h"

namespace nadi {

namespace {

using Json = nlohmann::ordered_json;

/// With times in ns.
template <class Row>
struct ProfileMembers : JsonMembers<Row> {
  using JsonMembers<Row>::JsonMembers;

  template <class NsOf>
  void time(std::string_view name, const NsOf& ns_of) const {
    (*this)(fmt::format(fmt::runtime(name), "ns"), ns_of);
  }
};

template <class Row, class ListFields>
Json object_of(const Row& row, const ListFields& list_fields) {
  Json json;
  list_fields(ProfileMembers<Row>(row, json));
  return json;
}

template <class Row, class ListFields>
Json rows_json(const std::vector<Row>& rows, const ListFields& list_fields) {
  Json list = Json::array();
  for (const Row& row : rows) list.push_back(object_of(row, list_fields));
  return list;
}

constexpr auto kRankFields = [](const auto& add) {
  add("rank", &ProfiledRank::rank);
  add("name", &ProfiledRank::name);
  add("nodes", &ProfiledRank::nodes);
  add("device_rows", &ProfiledRank::device_rows);
};

Json collectives_json(const std::vector<CollectiveTimes>& collectives) {
  Json list = Json::array();
  for (const CollectiveTimes& collective : collectives) {
    Json json = object_of(collective, kCollectiveFields);
    Json& members = json["members"] = Json::array();
    for (const CollectiveTimes::Member& member : collective.members)
      members.push_back(
          object_of(MemberRow{member, collective.last_rank.has_value()}, kMemberFields));
    list.push_back(std::move(json));
  }
  return list;
}

/// What the rows of a table that follow each other have in common.
struct CsvPlace {
  const char* table;
  std::size_t id;  ///< of the row in its table
  std::optional<std::int64_t> rank = {}, device = {}, step = {};
};

class ProfileCsv {
 public:
  explicit ProfileCsv(const ByteSink& sink) : sink_(sink) {
    buffer_ = "table,id,rank,device,step,name,measure,value\n";
  }

  void add(const CsvPlace& place, std::string_view name, const char* measure, std::int64_t value) {
    buffer_ += place.table;
    buffer_.push_back(',');
    append_number(place.id, buffer_);
    for (const std::optional<std::int64_t>& number : {place.rank, place.device, place.step}) {
      buffer_.push_back(',');
      if (number) append_number(*number, buffer_);
    }
    buffer_.push_back(',');
    append_csv_text(name, buffer_);
    buffer_.push_back(',');
    buffer_ += measure;
    buffer_.push_back(',');
    append_number(value, '\n', buffer_);
    if (buffer_.size() >= kBufferBytes) flush();
  }
  void flush() {
    sink_(buffer_);
    buffer_.clear();
  }

 private:
  static constexpr std::size_t kBufferBytes = 1 << 16;

  const ByteSink& sink_;
  std::string buffer_;
};

void add_step_rows(const char* table, const std::vector<StepTimes>& steps, bool knows_waiting,
                   ProfileCsv& csv) {
  for (std::size_t id = 0; id < steps.size(); ++id) {
    const StepTimes& times = steps[id];
    const CsvPlace place{table, id, times.rank, times.device, times.step};
    csv.add(place, "", "length_ns", times.length_ns);
    csv.add(place, "", "computation_ns", times.computation_ns);
    csv.add(place, "", "communication_ns", times.communication_ns);
    csv.add(place, "", "exposed_communication_ns", times.exposed_communication_ns);
    if (knows_waiting) csv.add(place, "", "exposed_waiting_ns", times.exposed_waiting_ns);
    csv.add(place, "", "copies_ns", times.copies_ns);
    csv.add(place, "", "exposed_copies_ns", times.exposed_copies_ns);
    for (std::size_t cause = 0; cause < kIdleCauses; ++cause)
      csv.add(place, to_string(static_cast<IdleCause>(cause)), "idle_ns", times.idle_ns[cause]);
  }
}

void add_spot_rows(const HotSpots& spots, ProfileCsv& csv) {
  for (std::size_t id = 0; id < spots.kernels.size(); ++id) {
    const HotKernel& kernel = spots.kernels[id];
    const auto add = [&](const char* measure, std::int64_t value) {
      csv.add({"kernel", id}, kernel.name, measure, value);
    };
    add("count", static_cast<std::int64_t>(kernel.count));
    add("sum_ns", kernel.sum_ns);
    add("longest_ns", kernel.longest_ns);
    if (kernel.work.operations > 0) add("operations", kernel.work.operations);
    if (kernel.work.bytes > 0) add("bytes", kernel.work.bytes);
  }
  for (std::size_t id = 0; id < spots.families.size(); ++id) {
    const HotFamily& family = spots.families[id];
    csv.add({"family", id}, family.name, "count", static_cast<std::int64_t>(family.count));
    csv.add({"family", id}, family.name, "sum_ns", family.sum_ns);
  }
  for (std::size_t id = 0; id < spots.ops.size(); ++id) {
    const HotOp& op = spots.ops[id];
    const auto add = [&](const char* measure, std::int64_t value) {
      csv.add({"op", id}, op.name, measure, value);
    };
    add("count", static_cast<std::int64_t>(op.count));
    add("own_ns", op.own_ns);
    add("host_ns", op.host_ns);
    add("inclusive_ns", op.inclusive_ns);
    add("launched", static_cast<std::int64_t>(op.launched));
    add("device_ns", op.device_ns);
  }
}

void add_collective_rows(const std::vector<CollectiveTimes>& collectives, ProfileCsv& csv) {
  for (std::size_t id = 0; id < collectives.size(); ++id) {
    const CollectiveTimes& collective = collectives[id];
    const std::string name = collective.group.empty()
                                 ? collective.kind
                                 : collective.kind + " of group " + collective.group;
    if (collective.bytes > 0) csv.add({"collective", id}, name, "bytes", collective.bytes);
    if (collective.size > 0) csv.add({"collective", id}, name, "size", collective.size);
    csv.add({"collective", id}, name, "transfer_ns", collective.transfer_ns());
    for (const CollectiveTimes::Member& member : collective.members) {
      csv.add({"collective", id, member.rank}, name, "start_ns", member.start_ns);
      if (collective.last_rank)
        csv.add({"collective", id, member.rank}, name, "waiting_ns", member.waiting_ns);
      csv.add({"collective", id, member.rank}, name, "end_ns", member.end_ns);
    }
  }
}

}  // namespace

void write_profile_csv(const Profile& profile, const ByteSink& sink) {
  ProfileCsv csv(sink);
  add_step_rows("device", profile.devices, profile.knows_waiting(), csv);
  add_step_rows("step", profile.steps, profile.knows_waiting(), csv);
  for (std::size_t id = 0; id < profile.idle.size(); ++id) {
    const IdleShare& idle = profile.idle[id];
    const std::string name = std::string(to_string(idle.cause)) + ": " + idle.what;
    csv.add({"idle", id, idle.rank}, name, "count", static_cast<std::int64_t>(idle.count));
    csv.add({"idle", id, idle.rank}, name, "ns", idle.ns);
    csv.add({"idle", id, idle.rank}, name, "longest_ns", idle.longest_ns);
  }
  add_collective_rows(profile.collectives, csv);
  for (std::size_t id = 0; id < profile.waiting.size(); ++id) {
    const RankWaiting& waiting = profile.waiting[id];
    const CsvPlace place{"waiting", id, waiting.rank};
    csv.add(place, "", "was_last", static_cast<std::int64_t>(waiting.was_last));
    csv.add(place, "", "made_others_wait_ns", waiting.made_others_wait_ns);
    csv.add(place, "", "waited_ns", waiting.waited_ns);
  }
  for (std::size_t id = 0; id < profile.path.size(); ++id) {
    const PathShare& part = profile.path[id];
    const std::string name = std::string(to_string(part.kind)) + ": " + part.name;
    csv.add({"path", id, part.rank}, name, "pieces", static_cast<std::int64_t>(part.pieces));
    csv.add({"path", id, part.rank}, name, "ns", part.ns);
  }
  for (std::size_t id = 0; id < profile.path_steps.size(); ++id) {
    const StepPath& path = profile.path_steps[id];
    for (std::size_t kind = 0; kind < kPathKindCount; ++kind)
      csv.add({"path_step", id, {}, {}, path.step}, to_string(static_cast<PathKind>(kind)), "ns",
              path.ns[kind]);
  }
  add_spot_rows(profile.spots, csv);
  csv.flush();
}

std::string profile_json(const Profile& profile, const Roofline& roofline) {
  Json json;
  json["ranks"] = rows_json(profile.ranks, kRankFields);
  json["clock"] = to_string(profile.clock);
  if (!profile.what_if.empty()) json["what_if"] = profile.what_if;
  json["findings"] = rows_json(profile.findings, kFindingFields);
  const auto of_steps = step_fields(profile.knows_waiting());
  json["devices"] = rows_json(profile.devices, of_steps);
  json["steps"] = rows_json(profile.steps, of_steps);
  json["idle"] = rows_json(profile.idle, kIdleFields);
  json["collectives"] = collectives_json(profile.collectives);
  json["waiting"] = rows_json(profile.waiting, kWaitingFields);
  json["path_ns"] = profile.path_ns();
  json["path"] = rows_json(profile.path, kShareFields);
  json["path_steps"] = rows_json(profile.path_steps, kStepPathFields);
  json["device_ns"] = profile.spots.device_ns;
  json["host_ns"] = profile.spots.host_ns;
  json["kernels"] = rows_json(profile.spots.kernels, kernel_fields(roofline));
  json["families"] = rows_json(profile.spots.families, kFamilyFields);
  json["ops"] = rows_json(profile.spots.ops, kOpFields);
  json["call_paths"] = rows_json(profile.spots.paths, kCallPathFields);
  json["diagnostics"] = diagnostics_json(profile.diagnostics);
  return json_text(json);
}

}  // namespace nadi
