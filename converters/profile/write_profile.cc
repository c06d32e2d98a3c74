#include "nadi/converters/profile/write_profile.h"

#include <nlohmann/json.hpp>

#include "nadi/converters/events/cell_text.h"
#include "nadi/converters/report_json.h"

namespace nadi {

namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json optional_json(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

template <class Row, class MakeJson>
Json list_of(const std::vector<Row>& rows, const MakeJson& row_json) {
  Json list = Json::array();
  for (const Row& row : rows) list.push_back(row_json(row));
  return list;
}

/// Null of 0, which says that it is not known.
template <class Number>
Json positive_json(Number value) {
  return value > 0 ? Json(value) : Json();
}

/// knows_waiting: one rank alone does not show it.
Json times_json(const StepTimes& times, bool knows_waiting) {
  Json idle;
  for (std::size_t cause = 0; cause < kIdleCauses; ++cause)
    idle[std::string(to_string(static_cast<IdleCause>(cause)))] = times.idle_ns[cause];
  return {{"rank", times.rank},
          {"device", times.device},
          {"step", optional_json(times.step)},
          {"begin_ns", times.begin_ns},
          {"length_ns", times.length_ns},
          {"computation_ns", times.computation_ns},
          {"communication_ns", times.communication_ns},
          {"exposed_communication_ns", times.exposed_communication_ns},
          {"exposed_waiting_ns", knows_waiting ? Json(times.exposed_waiting_ns) : Json()},
          {"copies_ns", times.copies_ns},
          {"exposed_copies_ns", times.exposed_copies_ns},
          {"idle_ns", times.sum_of_idle_ns()},
          {"idle_by_cause_ns", std::move(idle)}};
}

Json rank_json(const ProfiledRank& rank) {
  return {{"rank", rank.rank},
          {"name", rank.name},
          {"nodes", rank.nodes},
          {"device_rows", rank.device_rows}};
}

Json idle_json(const IdleShare& idle) {
  return {{"rank", idle.rank}, {"cause", to_string(idle.cause)},
          {"at", idle.what},   {"count", idle.count},
          {"ns", idle.ns},     {"longest_ns", idle.longest_ns}};
}

Json collective_json(const CollectiveTimes& collective) {
  return {{"kind", collective.kind},
          {"group", collective.group},
          {"size", positive_json(collective.size)},
          {"bytes", positive_json(collective.bytes)},
          {"bytes_of_kernel", positive_json(collective.all_bytes)},
          {"last_rank", optional_json(collective.last_rank)},
          {"waiting_ns", collective.last_rank ? Json(collective.waiting_ns()) : Json()},
          {"transfer_ns", collective.transfer_ns()},
          {"algorithm_gb_per_s", positive_json(collective.algorithm_gb_per_s())},
          {"bus_gb_per_s", positive_json(collective.bus_gb_per_s())},
          {"members", list_of(collective.members, [&](const CollectiveTimes::Member& member) {
             return Json{{"rank", member.rank},
                         {"start_ns", member.start_ns},
                         {"end_ns", member.end_ns},
                         {"waiting_ns", collective.last_rank ? Json(member.waiting_ns) : Json()}};
           })}};
}

Json waiting_json(const RankWaiting& waiting) {
  return {{"rank", waiting.rank},
          {"was_last", waiting.was_last},
          {"made_others_wait_ns", waiting.made_others_wait_ns},
          {"waited_ns", waiting.waited_ns}};
}

Json path_json(const PathShare& part) {
  return {{"rank", part.rank},
          {"kind", to_string(part.kind)},
          {"at", part.name},
          {"pieces", part.pieces},
          {"ns", part.ns}};
}

Json step_path_json(const StepPath& path) {
  Json json;
  json["step"] = path.step ? Json(*path.step) : Json();
  for (std::size_t kind = 0; kind < kPathKindCount; ++kind)
    json["ns"][std::string(to_string(static_cast<PathKind>(kind)))] = path.ns[kind];
  json["longest"] = path_json(path.longest);
  return json;
}

Json kernel_json(const HotKernel& kernel, const Roofline& roofline) {
  return {{"name", kernel.name},
          {"family", kernel.family},
          {"op", kernel.op},
          {"count", kernel.count},
          {"sum_ns", kernel.sum_ns},
          {"longest_ns", kernel.longest_ns},
          {"operations", positive_json(kernel.work.operations)},
          {"bytes", positive_json(kernel.work.bytes)},
          {"tflops_per_s", optional_json(kernel.work.tflops_per_s())},
          {"gb_per_s", optional_json(kernel.work.gb_per_s())},
          {"roofline_share", optional_json(roofline_share(kernel.work, roofline))}};
}

Json family_json(const HotFamily& family) {
  return {{"name", family.name}, {"count", family.count}, {"sum_ns", family.sum_ns}};
}

void add_times(const HotTimes& times, Json& json) {
  json["count"] = times.count;
  json["own_ns"] = times.own_ns;
  json["host_ns"] = times.host_ns;
  json["inclusive_ns"] = times.inclusive_ns;
  json["launched"] = times.launched;
  json["device_ns"] = times.device_ns;
}

Json op_json(const HotOp& op) {
  Json json{{"name", op.name}};
  add_times(op, json);
  return json;
}

/// The parent by its place in the list.
Json call_path_json(const HotPath& path) {
  Json json{{"name", path.name}, {"parent", Json()}, {"is_device", path.is_device}};
  if (path.parent != kNoIndex) json["parent"] = path.parent;
  add_times(path, json);
  return json;
}

Json finding_json(const ProfileFinding& finding) {
  return {{"what", finding.what},
          {"place", finding.place},
          {"remedy", finding.remedy},
          {"share", finding.share}};
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
    csv.add({"collective", id}, name, "bytes", collective.bytes);
    csv.add({"collective", id}, name, "size", collective.size);
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
  const bool knows_waiting = !profile.waiting.empty();
  add_step_rows("device", profile.devices, knows_waiting, csv);
  add_step_rows("step", profile.steps, knows_waiting, csv);
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
  json["ranks"] = list_of(profile.ranks, rank_json);
  json["clock"] = to_string(profile.clock);
  if (!profile.what_if.empty()) json["what_if"] = profile.what_if;
  json["findings"] = list_of(profile.findings, finding_json);
  const auto of_times = [knows_waiting = profile.ranks.size() > 1](const StepTimes& times) {
    return times_json(times, knows_waiting);
  };
  json["devices"] = list_of(profile.devices, of_times);
  json["steps"] = list_of(profile.steps, of_times);
  json["idle"] = list_of(profile.idle, idle_json);
  json["collectives"] = list_of(profile.collectives, collective_json);
  json["waiting"] = list_of(profile.waiting, waiting_json);
  json["path_ns"] = profile.path_ns();
  json["path"] = list_of(profile.path, path_json);
  json["path_steps"] = list_of(profile.path_steps, step_path_json);
  json["device_ns"] = profile.spots.device_ns;
  json["host_ns"] = profile.spots.host_ns;
  json["kernels"] = list_of(profile.spots.kernels,
                            [&](const HotKernel& kernel) { return kernel_json(kernel, roofline); });
  json["families"] = list_of(profile.spots.families, family_json);
  json["ops"] = list_of(profile.spots.ops, op_json);
  json["call_paths"] = list_of(profile.spots.paths, call_path_json);
  json["diagnostics"] = diagnostics_json(profile.diagnostics);
  return json_text(json);
}

}  // namespace nadi
