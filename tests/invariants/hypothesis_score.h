// What each hypothesis of the table is worth: programs converted with it, and without it.
#pragma once

#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "nadi/base/hypothesis.h"
#include "tests/invariants/inference_score.h"

namespace nadi {

/// Of the programs whose graph is another one without the hypothesis.
struct HypothesisScore {
  SpoiltScore with, without;
  std::size_t programs = 0;
};

/// Of the programs that nadi is tuned with, and of those held back.
struct HypothesisHalves {
  std::array<HypothesisScore, 2> halves;
  std::set<std::string> kinds;  ///< of programs whose graph is another one
};

/// The cases of which something is inferred: without sync rows, without record rows, with ids
/// alone, with rows lost, and with a profiler that begins late.
std::vector<InferenceCase> hypothesis_cases();

/// By hypothesis, of the cases whose fault and kind (as `no sync rows, sync_heavy`) hold the text.
std::vector<HypothesisHalves> score_hypotheses(const std::string& text);

}  // namespace nadi
