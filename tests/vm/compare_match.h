// Finds which converted node stands for which node of the truth.
#pragma once

#include <vector>

#include "compare.h"

namespace nadi::vm {

struct Matching {
  std::vector<int> truth_of;                   ///< by converted node; -1 = none
  std::vector<std::vector<int>> converted_of;  ///< by truth node; the longest first
};

/// Ops by rf id, parts by rf id and start (nearest free one), calls by correlation, rows by
/// correlation, then stream, name and start (nearest free one; several for one that carries
/// several). Starts are equal within the tolerance.
Matching match(const Truth& truth, const ConvertedGraph& graph, const CompareOptions& options);

}  // namespace nadi::vm
