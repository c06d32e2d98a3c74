// Questions "what if", as a user of replay asks them and as the virtual machine answers them.
#pragma once

#include <string>
#include <vector>

#include "nadi/base/time.h"
#include "nadi/model/graph.h"
#include "tests/vm/execute.h"
#include "tests/vm/program.h"

namespace nadi {

/// A change as the replay's user writes it and as the machine runs it.
struct Change {
  std::string text;
  vm::Scale scale;
};

/// Kernels x 0.5 and x 2, host ops x 0.5, communication x 2, the busiest stream x 3.
std::vector<Change> changes_of(const vm::Program& program);

/// How long a replay of the graphs takes with such scales.
Ns replayed_span(const std::vector<Graph>& graphs, const std::vector<std::string>& scales);

}  // namespace nadi
