#include "tests/invariants/inference_score.h"

#include <fmt/format.h>

#include <numeric>

#include "tests/vm/programs.h"
#include "tests/vm/repeat.h"

namespace nadi {
namespace {

constexpr int kFrameworkSeeds = 3, kRandomSteps = 12;

constexpr InferenceLimits kNothing{}, kNoSync{0.95, 0, 0.995, 5}, kNoSyncOffClock{0.9, 0, 0.99, 6},
    kNoRecords{0.9, 0, 0.99, 8}, kRandom{0.75, 0.95, 0.99, 12};

Fault without_sync_rows() {
  Fault fault;
  fault.name = "no sync rows";
  fault.write.sync = vm::SyncRows::kNone;
  return fault;
}

/// As the profiler of 2023 wrote (K26).
Fault without_record_rows() {
  Fault fault = without_sync_rows();
  fault.name = "no record rows either";
  fault.write.has_record_rows = fault.write.has_comm_args = fault.write.has_rf_ids = false;
  fault.write.host_schema = vm::HostSchema::kFlat;
  return fault;
}

Fault with_clock_off(Fault fault) {
  fault.name += ", device clock +8.5 us";
  fault.spoil.device_clock.offset_ns = 8500;
  return fault;
}

Fault with_whole_micros(Fault fault) {
  fault.name += ", whole us";
  fault.write.has_whole_micros = true;
  return fault;
}

/// 0.03 to 0.2.
double jitter_of(int seed) {
  constexpr int kParts = 18, kStride = 7;
  return 0.03 + 0.01 * ((seed * kStride) % kParts);
}

vm::Program program_of(const std::string& kind, int seed) {
  const vm::Program program = vm::make_program(fmt::format("{}:{}", kind, seed));
  if (kind != "random") return program;
  vm::Rounds rounds;
  rounds.has_steps = true;
  rounds.jitter = jitter_of(seed);
  rounds.seed = static_cast<std::uint64_t>(seed);
  return vm::repeated(program, kRandomSteps, rounds);
}

}  // namespace

std::vector<InferenceCase> inference_cases() {
  const std::vector<std::string> training{"data_parallel", "pipeline_tensor", "autograd",
                                          "sync_heavy"};
  const std::vector<std::string> old{"data_parallel_2023", "pipeline_tensor_2023"};
  std::vector<InferenceCase> cases;
  const auto add = [&](const Fault& fault, const std::vector<std::string>& kinds,
                       const InferenceLimits& limits) {
    for (const std::string& kind : kinds) cases.push_back({fault, kind, limits});
  };
  Fault recorded;
  recorded.name = "all recorded";
  add(recorded, training, kNothing);
  add(recorded, {"random"}, kNothing);
  add(without_sync_rows(), training, kNoSync);
  add(with_clock_off(without_sync_rows()), training, kNoSyncOffClock);
  add(with_whole_micros(without_sync_rows()), training, kNoSyncOffClock);
  add(without_record_rows(), old, kNoRecords);
  add(with_clock_off(without_record_rows()), old, kNoRecords);
  add(with_whole_micros(without_record_rows()), old, kNoRecords);
  add(without_sync_rows(), {"random"}, kRandom);
  Fault elsewhere = without_sync_rows();
  elsewhere.name += ", seeds 19 to 24 and 37 to 42";
  cases.push_back({elsewhere, "random", kNothing, 19, 37});
  return cases;
}

namespace {

/// Limits of what-ifs: of each kind with clean records and without sync rows.
struct FrameworkKind {
  const char* name;
  double clean, unrecorded;
};

constexpr FrameworkKind kFrameworks[] = {
    {"server", 5, 8}, {"scheduler", 5, 8}, {"offload", 2, 8},   {"fsdp2", 2, 5},
    {"moe", 2, 5},    {"two_gpus", 2, 5},  {"compiled", 15, 15}};

}  // namespace

std::vector<InferenceCase> framework_cases() {
  std::vector<InferenceCase> cases;
  const auto add = [&](Fault fault, const auto& limits) {
    fault.write.has_waits_of_idle_streams = false;
    for (const FrameworkKind& kind : kFrameworks)
      cases.push_back({fault, kind.name, limits(kind), 1, 41, kFrameworkSeeds});
  };
  Fault recorded, events, spoilt;
  recorded.name = "all recorded";
  recorded.write.has_event_rows = true;
  events.name = "sync rows name an event alone";
  events.write.sync = vm::SyncRows::kIds;
  spoilt = with_clock_off(recorded);
  spoilt.name += ", 1 % of rows lost";
  spoilt.spoil.loss.share = 0.01;
  using Kind = const FrameworkKind&;
  const auto clean = [](Kind kind) { return InferenceLimits{1, 1, 1, kind.clean}; };
  add(recorded, clean);
  add(events, clean);
  add(spoilt, [](Kind kind) { return InferenceLimits{0.97, 0.97, 1, kind.clean + 2}; });
  add(without_sync_rows(), [](Kind kind) {
    return InferenceLimits{0, 0.95, 0.995, kind.unrecorded};
  });
  add(without_record_rows(), [](Kind) { return InferenceLimits{0, 0.9, 0.99, 8}; });
  return cases;
}

std::vector<int> inference_seeds(const InferenceCase& what, bool held_back) {
  std::vector<int> seeds(vm::u(what.seeds));
  std::iota(seeds.begin(), seeds.end(), held_back ? what.first_held_back : what.first_seed);
  return seeds;
}

ScoredProgram scored_program(const InferenceCase& what, int seed) {
  Fault fault = what.fault;
  fault.spoil.seed = static_cast<std::uint64_t>(seed);
  return {program_of(what.kind, seed), fault, fault.spoil.late_start == 0};
}

void add_seed(const InferenceCase& what, int seed, SpoiltScore& score) {
  ScoredProgram program = scored_program(what, seed);
  program.add(program.convert({}), score);
}

}  // namespace nadi
