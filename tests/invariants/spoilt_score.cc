#include "tests/invariants/spoilt_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tests/invariants/replay_job_files.h"
#include "tests/vm/programs.h"
#include "tests/vm/repeat.h"
#include "tests/vm/truth.h"

namespace nadi {
namespace {

constexpr int kFirstSeed = 301, kSeeds = 10;
/// A single step is too short for three tenths of it to say anything of a clock, and traces of
/// different windows need a hundred ops in common.
constexpr int kLeastSteps = 12;
constexpr std::size_t kLeastOps = 260;
/// A wait that its sync row alone tells lasts as long as that row, which lies inside the call.
constexpr Ns kSyncRowInset = 1;

constexpr Limits kOfClocks{1, 2.5}, kOfWholeMicros{1, 4}, kOfOneLost{0.97, 5},
    kOfThreeLost{0.93, 10}, kOfTenLost{0.9, 0}, kOfWindows{0.97, 0};

Fault named(const std::string& name, std::optional<Limits> limits = {}) {
  Fault fault;
  fault.name = name;
  fault.limits = limits;
  return fault;
}

Fault clock_fault(const std::string& name, Ns offset_ns, double drift_ppm) {
  Fault fault = named(name, kOfClocks);
  fault.spoil.device_clock = {offset_ns, drift_ppm * 1e-6};
  return fault;
}

/// Clocks of devices, and how exactly they are read.
std::vector<Fault> clock_faults() {
  std::vector<Fault> faults{named("none", kOfClocks)};
  for (double offset_us : {8.5, 40.0, 1000.0, -8.5, -40.0, -1000.0})
    faults.push_back(clock_fault(fmt::format("device clock {:+} us", offset_us),
                                 static_cast<Ns>(offset_us * 1000), 0));
  for (int ppm : {200, 500, -200, -500})
    faults.push_back(clock_fault(fmt::format("drift {:+} ppm", ppm), 0, ppm));
  faults.push_back(clock_fault("device clock +40 us, drift -500 ppm", 40'000, -500));
  Fault whole = named("whole microseconds", kOfWholeMicros);
  whole.write.has_whole_micros = true;
  Fault misread = named("device stamps off by up to 1 us");
  misread.spoil.reading_error_ns = 1000;
  Fault damaged = named("a damaged row");
  damaged.spoil.damaged_rows = 1;
  faults.insert(faults.end(), {whole, misread, damaged});
  return faults;
}

/// call: whose records are lost; empty = those of any call.
Fault loss_fault(int percent, const std::string& call, const Limits& limits) {
  const std::string whose = call.empty() ? "" : " of " + call;
  Fault fault = named(fmt::format("{} % of rows{} lost", percent, whose), limits);
  fault.spoil.loss = {percent / 100.0, call};
  return fault;
}

std::vector<Fault> loss_faults() {
  std::vector<Fault> faults{loss_fault(1, "", kOfOneLost), loss_fault(3, "", kOfThreeLost)};
  for (const char* call : {"cudaLaunchKernel", "cudaMemcpyAsync", "cudaEventRecord",
                           "cudaStreamWaitEvent", "cudaStreamSynchronize"})
    faults.push_back(loss_fault(10, call, kOfTenLost));
  return faults;
}

std::vector<Fault> window_faults() {
  Fault late = named("profiler begins at 30 %", kOfWindows),
        early = named("profiler ends at 70 %", kOfWindows),
        rows = named("no device rows of the first 30 %", kOfWindows);
  late.spoil.late_start = early.spoil.early_end = rows.spoil.late_device_rows = 0.3;
  return {late, early, rows};
}

/// Ranks of different hosts: with clocks of their own, and with losses of their own, too.
std::vector<Fault> rank_faults() {
  constexpr int kMostRanks = 4;
  Fault hosts = named("host clocks +-1 ms, +-100 ppm", kOfClocks),
        ranks = named("ranks with other clocks, 1 % lost", kOfOneLost);
  for (int rank = 1; rank < kMostRanks; ++rank) {
    const double side = rank % 2 == 0 ? 1 : -1;
    const auto clock = [&](double offset_us, double ppm) {
      return vm::Clock{static_cast<Ns>(side * offset_us * 1000 / rank), side * ppm * 1e-6 / rank};
    };
    hosts.spoil.host_clocks[rank] = clock(1000, 100);
    ranks.spoil.host_clocks[rank] = clock(400, 50);
    ranks.spoil.device_clocks[rank] = clock(-40, -200);
  }
  ranks.spoil.loss.share = 0.01;
  return {hosts, ranks};
}

vm::Program long_enough(const vm::Program& step) {
  std::size_t ops = step.ranks.front().ops.size();
  for (const vm::RankProgram& rank : step.ranks) ops = std::min(ops, rank.ops.size());
  return vm::repeated(step, std::max(kLeastSteps, static_cast<int>(kLeastOps / ops) + 1));
}

bool is_cut(const vm::Spoil& spoil) {
  return spoil.late_start > 0 || spoil.early_end > 0 || spoil.late_device_rows > 0;
}

void append(std::vector<std::string>& all, std::size_t most, const std::vector<std::string>& more,
            const std::string& place) {
  for (const std::string& line : more)
    if (all.size() < most) all.push_back(place + ": " + line);
}

void add(vm::Tally& sum, const vm::Tally& more) {
  sum.total += more.total;
  sum.good += more.good;
}

void add_comparison(const vm::Truth& truth, const vm::Comparison& result, const std::string& place,
                    SpoiltScore& score) {
  for (const auto& [kind, tally] : result.required) add(score.required[kind], tally);
  for (const auto& [evidence, tally] : result.edges) {
    add(score.by_evidence[evidence], tally);
    add(score.edges, tally);
  }
  const vm::WaitRecall waits = vm::recall_of_waits(truth, result);
  add(score.waits, waits.all);
  add(score.needed_waits, waits.needed);
  add(score.binding_waits, waits.binding);
  add(score.binding_queues, waits.binding_queues);
  append(score.missing, score.most_findings, result.missing, place);
  append(score.false_edges, score.most_findings, result.false_edges, place);
  append(score.missing_waits, score.most_findings, waits.missing, place);
}

GraphOptions with_delays(Delays delays) {
  GraphOptions options;
  options.delays = delays;
  return options;
}

/// conversion: of the rank, without delays.
void add_dependencies(const Conversion& conversion, const vm::Program& program,
                      const vm::Execution& shown, int rank, const Fault& fault,
                      SpoiltScore& score) {
  vm::CompareOptions compare;
  compare.origin_ns = fault.write.origin_ns;
  const Ns blur = fault.write.has_whole_micros ? kNsPerMicro : 0;
  compare.least_host_ns = blur;
  compare.tolerance_ns = std::max(blur, kSyncRowInset);
  const vm::Truth truth = vm::make_truth(program, shown, rank, blur);
  add_comparison(truth, vm::compare(truth, plain_graph(conversion), compare),
                 fmt::format("{} rank {}", program.name, rank), score);
}

}  // namespace

std::vector<Fault> all_faults() {
  std::vector<Fault> faults = clock_faults();
  for (const std::vector<Fault>& more : {loss_faults(), window_faults(), rank_faults()})
    faults.insert(faults.end(), more.begin(), more.end());
  return faults;
}

double SpoiltScore::least_recall() const {
  double least = 1;
  for (const auto& [kind, tally] : required) least = std::min(least, tally.share());
  return least;
}

vm::Tally SpoiltScore::inferred_waits() const {
  vm::Tally sum;
  for (const auto& [evidence, tally] : by_evidence) {
    const bool is_wait = evidence.starts_with("event wait") || evidence.starts_with("synchronis");
    if (is_wait && evidence.find("inferred") != evidence.npos) add(sum, tally);
  }
  return sum;
}

vm::Tally SpoiltScore::inferred_edges() const {
  vm::Tally sum = inferred_waits();
  for (const auto& [evidence, tally] : by_evidence)
    if (evidence.starts_with("thread hand-off (inferred")) add(sum, tally);
  return sum;
}

SpoiltScore& SpoiltScore::operator+=(const SpoiltScore& more) {
  for (const auto& [kind, tally] : more.required) add(required[kind], tally);
  for (const auto& [evidence, tally] : more.by_evidence) add(by_evidence[evidence], tally);
  add(edges, more.edges);
  add(waits, more.waits);
  add(needed_waits, more.needed_waits);
  add(binding_waits, more.binding_waits);
  add(binding_queues, more.binding_queues);
  what_ifs.insert(what_ifs.end(), more.what_ifs.begin(), more.what_ifs.end());
  if (more.worst_what_if <= worst_what_if) return *this;
  worst_what_if = more.worst_what_if;
  worst_program = more.worst_program;
  worst_change = more.worst_change;
  return *this;
}

vm::Tally SpoiltScore::recall_of(vm::EdgeKind kind) const {
  const auto found = required.find(to_string(kind));
  return found == required.end() ? vm::Tally{} : found->second;
}

void add_program(const std::string& name, Fault fault, SpoiltScore& score) {
  // Each program has damage and losses of its own.
  for (const char letter : name)
    fault.spoil.seed = fault.spoil.seed * 31 + static_cast<unsigned char>(letter);
  // Random programs draw a latency for every launch, which no trace shows where it did not count.
  const bool has_whole_run = fault.spoil.damaged_rows == 0 && !is_cut(fault.spoil);
  ScoredProgram program(long_enough(vm::make_program(name)), fault,
                        !name.starts_with("random:") && has_whole_run);
  program.add(program.convert({}), score);
}

ScoredProgram::ScoredProgram(vm::Program program, Fault fault, bool has_what_ifs)
    : program_(std::move(program)), fault_(std::move(fault)) {
  if (has_what_ifs) changes_ = changes_of(program_);
  const vm::Execution run = vm::execute(program_);
  const vm::Execution recorded = vm::spoil(program_, run, fault_.spoil);
  shown_ = vm::lose_records(program_, run, fault_.spoil);
  for (int rank = 0; rank < static_cast<int>(program_.ranks.size()); ++rank)
    ranks_.push_back(read_texts(vm::write_host_trace(program_, recorded, rank, fault_.write),
                                vm::write_device_trace(program_, recorded, rank, fault_.write)));
}

std::vector<Conversion> ScoredProgram::convert(const Hypotheses& hypotheses) const {
  LinkOptions link;
  link.hypotheses = hypotheses;
  std::vector<Conversion> ranks;
  for (const ReadTraces& rank : ranks_)
    ranks.push_back(convert_traces(rank, with_delays(Delays::kNone), link));
  return ranks;
}

void ScoredProgram::add(const std::vector<Conversion>& ranks, SpoiltScore& score) {
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    add_dependencies(ranks[rank], program_, shown_, static_cast<int>(rank), fault_, score);
  if (!changes_.empty()) add_what_ifs(ranks, score);
}

void ScoredProgram::add_what_ifs(const std::vector<Conversion>& ranks, SpoiltScore& score) {
  std::vector<Graph> graphs;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    Diagnostics diagnostics;
    const BuiltGraph graph =
        build_graph(ranks[rank].linked, with_delays(Delays::kAll), diagnostics);
    graphs.push_back(
        reload(ranks[rank].linked, graph, fmt::format("{}.{}.et", program_.name, rank)));
  }
  if (true_spans_.empty())
    for (const Change& change : changes_)
      true_spans_.push_back(true_span(program_, vm::execute(program_, change.scale)));
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    const Ns truth = true_spans_[i], replayed = replayed_span(graphs, {changes_[i].text});
    const double error =
        100 * std::abs(static_cast<double>(replayed - truth)) / static_cast<double>(truth);
    score.what_ifs.push_back(fmt::format("{}, {}: {:.2f} % (true {} us, replayed {} us)",
                                         program_.name, changes_[i].text, error,
                                         truth / kNsPerMicro, replayed / kNsPerMicro));
    if (error <= score.worst_what_if) continue;
    score.worst_what_if = error;
    score.worst_program = program_.name;
    score.worst_change = changes_[i].text;
  }
}

std::vector<std::string> scored_programs(bool held_back) {
  std::vector<std::string> programs = vm::program_names();
  const int first = kFirstSeed + (held_back ? kSeeds : 0);
  for (int seed = first; seed < first + kSeeds; ++seed)
    programs.push_back(fmt::format("random:{}", seed));
  return programs;
}

}  // namespace nadi
