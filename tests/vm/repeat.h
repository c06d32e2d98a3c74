// A program run over and over, as training loops run their step.
#pragma once

#include <cstdint>

#include "program.h"

namespace nadi::vm {

/// How the rounds differ and what the profiler sees of them.
struct Rounds {
  double jitter = 0;  ///< own times, calls and rows are longer or shorter by up to this share
  std::uint64_t seed = 1;
  bool has_steps = false;  ///< each round of the first thread stands in a ProfilerStep#N
};

/// Every thread does its code `times` over, with ops, calls, events and tokens of its own each
/// time. The first thread ends each fourth round by a synchronisation of the stream it launched on
/// last, if any.
Program repeated(const Program& program, int times, const Rounds& rounds = {});

}  // namespace nadi::vm
