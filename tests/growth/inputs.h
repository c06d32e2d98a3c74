// Device traces of any size that are as hard on one loop as a file can be.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "tests/unit/link/trace_text.h"

namespace nadi::test {

struct HardInput {
  std::string name;
  Lines (*events)(int size);
  /// Nodes of a host trace; null = there is none.
  Lines (*nodes)(int size) = nullptr;
  MatchMethod method = MatchMethod::kForce;
  /// Beyond the streams of which a wait remembers all.
  int size = 1000;
  friend void PrintTo(const HardInput& input, std::ostream* out) { *out << input.name; }
};

const std::vector<HardInput>& hard_inputs();

/// Device traces of two ranks that communicate.
struct HardJob {
  std::string name;
  Lines (*events)(int size, int rank);
  friend void PrintTo(const HardJob& job, std::ostream* out) { *out << job.name; }
};

const std::vector<HardJob>& hard_jobs();

}  // namespace nadi::test
