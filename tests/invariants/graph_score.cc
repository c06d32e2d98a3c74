#include "tests/invariants/graph_score.h"

#include <cmath>
#include <string_view>

#include "tests/invariants/replay_job_files.h"
#include "tests/invariants/vm_conversion.h"
#include "tests/invariants/what_if.h"
#include "tests/vm/truth.h"

namespace nadi {
namespace {

/// Host rows of a Perfetto trace went through doubles of microseconds (P3).
constexpr Ns kMostOffInPftrace = 2;

template <class Nodes>
void forget_directions(Nodes& nodes) {
  for (auto& node : nodes)
    if (node.name.starts_with("Memcpy ") || node.name.starts_with("Memset "))
      node.name.erase(node.name.find(' '));
}

GraphOptions without_delays() {
  GraphOptions options;
  options.delays = Delays::kNone;
  return options;
}

vm::Comparison compare_to_truth(vm::Truth truth, vm::ConvertedGraph graph,
                                const vm::CompareOptions& compare) {
  forget_directions(truth.nodes);
  forget_directions(graph.nodes);
  return vm::compare(truth, graph, compare);
}

}  // namespace

vm::Comparison compare_graphs(const vm::Program& program, const vm::Execution& recorded,
                              const vm::Execution& shown, const vm::WriteOptions& write, int rank) {
  const bool is_pftrace = write.form == vm::DeviceForm::kPftrace;
  vm::CompareOptions compare;
  compare.origin_ns = write.origin_ns + (is_pftrace ? write.base_time_ns : 0);
  compare.tolerance_ns = is_pftrace ? kMostOffInPftrace : 0;
  return compare_to_truth(
      vm::make_truth(program, shown, rank, 0, true),
      plain_graph(convert_program(program, recorded, rank, write, without_delays())), compare);
}

vm::Comparison compare_graphs(const vm::Program& program, const vm::WriteOptions& write, int rank) {
  const vm::Execution run = vm::execute(program);
  return compare_graphs(program, run, run, write, rank);
}

vm::Comparison compare_both_forms(const vm::Program& program, int rank) {
  const vm::Execution run = vm::execute(program);
  const vm::WriteOptions write;
  vm::CompareOptions compare;
  compare.origin_ns = write.origin_ns;
  return compare_to_truth(
      vm::make_truth(program, run, rank, 0, true),
      plain_graph(convert_both_forms(program, run, rank, write, without_delays())), compare);
}

WorstWhatIf worst_what_if(const vm::Program& program, const vm::WriteOptions& write) {
  const std::vector<Graph> graphs =
      job_of_program(program, vm::execute(program), Delays::kAll, write);
  WorstWhatIf worst;
  for (const Change& change : changes_of(program)) {
    const Ns truth = true_span(program, vm::execute(program, change.scale));
    const Ns replayed = replayed_span(graphs, {change.text});
    const double error =
        100 * std::abs(static_cast<double>(replayed - truth)) / static_cast<double>(truth);
    if (error > worst.error) worst = {error, change.text};
  }
  return worst;
}

}  // namespace nadi
