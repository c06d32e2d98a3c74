#include "tests/invariants/spoilt_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tests/invariants/replay_job_files.h"
#include "tests/invariants/vm_conversion.h"
#include "tests/invariants/what_if.h"
#include "tests/vm/programs.h"
#include "tests/vm/repeat.h"
#include "tests/vm/truth.h"

namespace nadi {
namespace {

constexpr std::size_t kMostFindings = 20;
constexpr int kFirstSeed = 301, kSeeds = 10;
/// A single step is too short for three tenths of it to say anything of a clock.
constexpr int kSteps = 12;

Fault clock_fault(const std::string& name, Ns offset_ns, double drift_ppm) {
  Fault fault;
  fault.name = name;
  fault.spoil.clock = {offset_ns, drift_ppm * 1e-6};
  return fault;
}

void append(std::vector<std::string>& all, const std::vector<std::string>& more,
            const std::string& program) {
  for (const std::string& line : more)
    if (all.size() < kMostFindings) all.push_back(program + ": " + line);
}

void add_dependencies(const vm::Program& program, const vm::Execution& run,
                      const vm::Execution& recorded, const Fault& fault, SpoiltScore& score) {
  GraphOptions options;
  options.delays = Delays::kNone;
  vm::CompareOptions compare;
  compare.origin_ns = fault.write.origin_ns;
  const Ns blur = fault.write.has_whole_micros ? kNsPerMicro : 0;
  compare.tolerance_ns = compare.least_host_ns = blur;
  for (int rank = 0; rank < static_cast<int>(program.ranks.size()); ++rank) {
    const Conversion conversion = convert_program(program, recorded, rank, fault.write, options);
    const vm::Comparison result =
        vm::compare(vm::make_truth(program, run, rank, blur), plain_graph(conversion), compare);
    for (const auto& [kind, tally] : result.required) {
      score.required[kind].total += tally.total;
      score.required[kind].good += tally.good;
    }
    for (const auto& [kind, tally] : result.edges) {
      score.edges.total += tally.total;
      score.edges.good += tally.good;
    }
    append(score.missing, result.missing, program.name);
    append(score.false_edges, result.false_edges, program.name);
  }
}

void add_what_ifs(const vm::Program& program, const vm::Execution& recorded, const Fault& fault,
                  SpoiltScore& score) {
  const std::vector<SimGraph> graphs = job_of_program(program, recorded, Delays::kAll, fault.write);
  for (const Change& change : changes_of(program)) {
    const Ns truth = true_span(program, vm::execute(program, change.scale));
    const Ns replayed = replayed_span(graphs, {change.text});
    const double error =
        100 * std::abs(static_cast<double>(replayed - truth)) / static_cast<double>(truth);
    score.what_ifs.push_back(fmt::format("{}, {}: {:.2f} %", program.name, change.text, error));
    if (error <= score.worst_what_if) continue;
    score.worst_what_if = error;
    score.worst_program = program.name;
    score.worst_change = change.text;
  }
}

}  // namespace

std::vector<Fault> all_faults() {
  std::vector<Fault> faults;
  faults.push_back(clock_fault("none", 0, 0));
  for (double offset_us : {8.5, 40.0, 1000.0, -8.5, -40.0, -1000.0})
    faults.push_back(clock_fault(fmt::format("device clock {:+} us", offset_us),
                                 static_cast<Ns>(offset_us * 1000), 0));
  for (int ppm : {200, 500, -200, -500})
    faults.push_back(clock_fault(fmt::format("drift {:+} ppm", ppm), 0, ppm));
  faults.push_back(clock_fault("device clock +40 us, drift -500 ppm", 40'000, -500));
  Fault whole;
  whole.name = "whole microseconds";
  whole.write.has_whole_micros = true;
  faults.push_back(whole);
  Fault damaged;
  damaged.name = "a damaged row";
  damaged.spoil.damaged_rows = 1;
  faults.push_back(damaged);
  for (int percent : {1, 3}) {
    Fault lost;
    lost.name = fmt::format("{} % of device rows lost", percent);
    lost.spoil.loss.share = percent / 100.0;
    faults.push_back(lost);
  }
  Fault late;
  late.name = "no device rows of the first 30 %";
  late.spoil.late_start = 0.3;
  faults.push_back(late);
  return faults;
}

double SpoiltScore::least_recall() const {
  double least = 1;
  for (const auto& [kind, tally] : required) least = std::min(least, tally.share());
  return least;
}

void add_program(const std::string& name, const Fault& fault, SpoiltScore& score) {
  const vm::Program program = vm::repeated(vm::make_program(name), kSteps);
  const vm::Execution run = vm::execute(program);
  const vm::Execution recorded = vm::spoil(program, run, fault.spoil);
  add_dependencies(program, run, recorded, fault, score);
  // Random programs draw a latency for every launch, which no trace shows where it did not count.
  const bool has_whole_run = fault.spoil.damaged_rows == 0 && fault.spoil.late_start == 0;
  if (!name.starts_with("random:") && has_whole_run) add_what_ifs(program, recorded, fault, score);
}

std::vector<std::string> scored_programs(bool held_back) {
  std::vector<std::string> programs = vm::program_names();
  const int first = kFirstSeed + (held_back ? kSeeds : 0);
  for (int seed = first; seed < first + kSeeds; ++seed)
    programs.push_back(fmt::format("random:{}", seed));
  return programs;
}

}  // namespace nadi
