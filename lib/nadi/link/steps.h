// Training steps: the spans of ProfilerStep#N and which op, call and device row lies in which.
#pragma once

#include "nadi/model/linked_trace.h"

namespace nadi {

/// Fills the step columns of ops, calls and rows: host work by its start, a device row by its
/// launch (else by its own start).
void find_steps(LinkedTrace& linked);

}  // namespace nadi
