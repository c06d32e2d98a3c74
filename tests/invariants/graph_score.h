// How much of the order inside launches of CUDA graphs a converted trace holds.
#pragma once

#include <string>

#include "tests/vm/compare.h"
#include "tests/vm/execute.h"
#include "tests/vm/write.h"

namespace nadi {

/// Converts a rank, without delays, and holds it against the truth. Dependencies of graphs that a
/// profiler of graphs knows are asked for in whatever form the trace is. Copies and sets are known
/// by their first word, as not every form tells their direction (P17).
vm::Comparison compare_graphs(const vm::Program& program, const vm::Execution& recorded,
                              const vm::Execution& shown, const vm::WriteOptions& write,
                              int rank = 0);

/// The same of a program that runs without faults.
vm::Comparison compare_graphs(const vm::Program& program, const vm::WriteOptions& write,
                              int rank = 0);

/// The same of both forms of the new profiler together.
vm::Comparison compare_both_forms(const vm::Program& program, int rank = 0);

struct WorstWhatIf {
  double error = 0;  ///< %
  std::string change;
};

/// Replays what a trace of this form says of the changes that changes_of() names.
WorstWhatIf worst_what_if(const vm::Program& program, const vm::WriteOptions& write);

}  // namespace nadi
