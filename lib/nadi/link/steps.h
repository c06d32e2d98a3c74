// Training steps: the spans of ProfilerStep#N and which op, call and device row lies in which.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "nadi/model/linked_trace.h"

namespace nadi {

/// N of an op named ProfilerStep#N; nothing of other names.
std::optional<std::int32_t> step_number(std::string_view op_name);

/// Fills the step columns of ops, calls and rows: host work by its start, a device row by its
/// launch (else by its own start).
void find_steps(LinkedTrace& linked);

}  // namespace nadi
