// What is found of waits that no record tells: faults of the profiler x kinds of program.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "tests/invariants/spoilt_score.h"

namespace nadi {

/// What is asked; 0 = nothing.
struct InferenceLimits {
  double least_recall = 0;          ///< of all waits
  double least_binding_recall = 0;  ///< of those that held something up
  double least_precision = 0;       ///< of inferred waits
  double most_what_if = 0;          ///< %
};

/// One line of the table: what is not recorded, of which programs.
struct InferenceCase {
  Fault fault;
  std::string kind;  ///< as vm::seeded_program_names
  InferenceLimits limits;
  int first_seed = 1, first_held_back = 31;  ///< between these rules were made
  int seeds = 6;                             ///< of each half
  friend void PrintTo(const InferenceCase& what, std::ostream* out) {
    *out << what.fault.name << ", " << what.kind;
  }
};

/// Everything recorded (for comparison), no sync rows, no record rows either; each also with a
/// device clock that is 8.5 us off and with whole microseconds.
std::vector<InferenceCase> inference_cases();

/// Programs that call as today's frameworks do: all recorded as CUDA 12 and 13 do, with a clock off
/// and rows lost, by the default profiler, without record rows.
std::vector<InferenceCase> framework_cases();

/// Seeds programs are tuned with, or those kept for the last look.
std::vector<int> inference_seeds(const InferenceCase& what, bool held_back);

/// The program of that kind and seed: training as it is, random ones in 12 steps.
ScoredProgram scored_program(const InferenceCase& what, int seed);
/// Adds it.
void add_seed(const InferenceCase& what, int seed, SpoiltScore& score);

}  // namespace nadi
