// Applies a Scale: what a duration of the program becomes in this execution.
#pragma once

#include <regex>
#include <utility>
#include <vector>

#include "execute.h"

namespace nadi::vm {

class Scaler {
 public:
  explicit Scaler(const Scale& scale);
  Ns row(const Row& row) const;
  Ns call(const Call& call) const;
  /// Own time of op (index) of rank; -1 or an uncovered annotation: idle, which does not scale.
  Ns work(const RankProgram& rank, int op, Ns ns) const;

 private:
  double by_name(const std::string& name) const;

  const Scale& scale_;
  std::vector<std::pair<std::regex, double>> names_;
};

}  // namespace nadi::vm
