// The fields of a profile's rows, for JSON and for columns in memory. Each list calls
// add(name, value_of) for its fields, in order, and add.time(name, ns_of) for times, in whose names
// {} stands for the unit. value_of(row) and ns_of(row) give the field of a row, a std::optional
// where it may be unknown. "path.ns" names the member `ns` of an object `path`.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "nadi/converters/profile/profile.h"

namespace nadi {

/// Nothing of 0, which says that it is not known.
template <class Number>
std::optional<Number> positive(Number value) {
  return value > 0 ? std::optional(value) : std::nullopt;
}

inline auto step_fields(bool knows_waiting) {
  return [knows_waiting](const auto& add) {
    add("rank", &StepTimes::rank);
    add("device", &StepTimes::device);
    add("step", &StepTimes::step);
    add.time("begin_{}", &StepTimes::begin_ns);
    add.time("length_{}", &StepTimes::length_ns);
    add.time("computation_{}", &StepTimes::computation_ns);
    add.time("communication_{}", &StepTimes::communication_ns);
    add.time("exposed_communication_{}", &StepTimes::exposed_communication_ns);
    add.time("exposed_waiting_{}", [&](const StepTimes& times) {
      return knows_waiting ? std::optional(times.exposed_waiting_ns) : std::nullopt;
    });
    add.time("copies_{}", &StepTimes::copies_ns);
    add.time("exposed_copies_{}", &StepTimes::exposed_copies_ns);
    add.time("idle_{}", &StepTimes::sum_of_idle_ns);
    for (std::size_t cause = 0; cause < kIdleCauses; ++cause)
      add.time("idle_by_cause_{}." + std::string(to_string(static_cast<IdleCause>(cause))),
               [&](const StepTimes& times) { return times.idle_ns[cause]; });
  };
}

inline constexpr auto kIdleFields = [](const auto& add) {
  add("rank", &IdleShare::rank);
  add("cause", [](const IdleShare& idle) { return to_string(idle.cause); });
  add("at", &IdleShare::what);
  add("count", &IdleShare::count);
  add.time("{}", &IdleShare::ns);
  add.time("longest_{}", &IdleShare::longest_ns);
};

inline constexpr auto kCollectiveFields = [](const auto& add) {
  add("kind", &CollectiveTimes::kind);
  add("group", &CollectiveTimes::group);
  add("size", [](const CollectiveTimes& row) { return positive(row.size); });
  add("bytes", [](const CollectiveTimes& row) { return positive(row.bytes); });
  add("bytes_of_kernel", [](const CollectiveTimes& row) { return positive(row.all_bytes); });
  add("last_rank", &CollectiveTimes::last_rank);
  add.time("waiting_{}", [](const CollectiveTimes& row) {
    return row.last_rank ? std::optional(row.waiting_ns()) : std::nullopt;
  });
  add.time("transfer_{}", &CollectiveTimes::transfer_ns);
  add("algorithm_gb_per_s",
      [](const CollectiveTimes& row) { return positive(row.algorithm_gb_per_s()); });
  add("bus_gb_per_s", [](const CollectiveTimes& row) { return positive(row.bus_gb_per_s()); });
};

struct MemberRow {
  CollectiveTimes::Member member;
  bool knows_last = false;  ///< CollectiveTimes::last_rank is known
};

inline constexpr auto kMemberFields = [](const auto& add) {
  add("rank", [](const MemberRow& row) { return row.member.rank; });
  add.time("start_{}", [](const MemberRow& row) { return row.member.start_ns; });
  add.time("end_{}", [](const MemberRow& row) { return row.member.end_ns; });
  add.time("waiting_{}", [](const MemberRow& row) {
    return row.knows_last ? std::optional(row.member.waiting_ns) : std::nullopt;
  });
};

inline constexpr auto kWaitingFields = [](const auto& add) {
  add("rank", &RankWaiting::rank);
  add("was_last", &RankWaiting::was_last);
  add.time("made_others_wait_{}", &RankWaiting::made_others_wait_ns);
  add.time("waited_{}", &RankWaiting::waited_ns);
};

/// share_of(row) is the part; `before` stands before the names.
template <class Add, class ShareOf>
void list_share_fields(const std::string& before, const ShareOf& share_of, const Add& add) {
  const auto part = [&](auto member) {
    return [&, member](const auto& row) { return std::invoke(share_of, row).*member; };
  };
  add(before + "rank", part(&PathShare::rank));
  add(before + "kind", [&](const auto& row) { return to_string(std::invoke(share_of, row).kind); });
  add(before + "at", part(&PathShare::name));
  add(before + "pieces", part(&PathShare::pieces));
  add.time(before + "{}", part(&PathShare::ns));
}

inline constexpr auto kShareFields = [](const auto& add) {
  list_share_fields("", std::identity{}, add);
};

inline constexpr auto kStepPathFields = [](const auto& add) {
  add("step", &StepPath::step);
  for (std::size_t kind = 0; kind < kPathKindCount; ++kind)
    add.time("{}." + std::string(to_string(static_cast<PathKind>(kind))),
             [&](const StepPath& path) { return path.ns[kind]; });
  list_share_fields("longest.", &StepPath::longest, add);
};

inline auto kernel_fields(const Roofline& roofline) {
  return [roofline](const auto& add) {
    add("name", &HotKernel::name);
    add("family", &HotKernel::family);
    add("op", &HotKernel::op);
    add("count", &HotKernel::count);
    add.time("sum_{}", &HotKernel::sum_ns);
    add.time("longest_{}", &HotKernel::longest_ns);
    add("operations", [](const HotKernel& row) { return positive(row.work.operations); });
    add("bytes", [](const HotKernel& row) { return positive(row.work.bytes); });
    add("tflops_per_s", [](const HotKernel& row) { return row.work.tflops_per_s(); });
    add("gb_per_s", [](const HotKernel& row) { return row.work.gb_per_s(); });
    add("roofline_share", [&](const HotKernel& row) { return roofline_share(row.work, roofline); });
  };
}

inline constexpr auto kFamilyFields = [](const auto& add) {
  add("name", &HotFamily::name);
  add("count", &HotFamily::count);
  add.time("sum_{}", &HotFamily::sum_ns);
};

template <class Add>
void list_host_times(const Add& add) {
  add("count", &HotTimes::count);
  add.time("own_{}", &HotTimes::own_ns);
  add.time("host_{}", &HotTimes::host_ns);
  add.time("inclusive_{}", &HotTimes::inclusive_ns);
  add("launched", &HotTimes::launched);
  add.time("device_{}", &HotTimes::device_ns);
}

inline constexpr auto kOpFields = [](const auto& add) {
  add("name", &HotOp::name);
  list_host_times(add);
};

/// The parent by its place in the list.
inline constexpr auto kCallPathFields = [](const auto& add) {
  add("name", &HotPath::name);
  add("parent", [](const HotPath& row) {
    return row.parent == kNoIndex ? std::nullopt : std::optional(std::int64_t{row.parent});
  });
  add("is_device", &HotPath::is_device);
  list_host_times(add);
};

inline constexpr auto kFindingFields = [](const auto& add) {
  add("what", &ProfileFinding::what);
  add("place", &ProfileFinding::place);
  add("remedy", &ProfileFinding::remedy);
  add("share", &ProfileFinding::share);
};

}  // namespace nadi
