// A program run over and over, as training loops run their step.
#pragma once

#include "program.h"

namespace nadi::vm {

/// Every thread does its code `times` over, with ops, calls, events and tokens of its own each
/// time. The first thread ends each round by a synchronisation of the stream it launched on last,
/// if any.
Program repeated(const Program& program, int times);

}  // namespace nadi::vm
