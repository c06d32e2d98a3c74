// The process groups of a rank as one text, so that a Chakra file alone says who communicates.
#pragma once

#include <string>

#include "nadi/model/linked_trace.h"

namespace nadi {

/// Compact JSON, keys ascending: {"0": {"desc": "default_pg", "ranks": [0, 1], "size": 2}}; groups
/// that only a recorded operation describes are there too. `ranks` is empty where all ranks are
/// meant or not all are known; `size` is absent where it is not recorded. Empty text: no groups.
std::string process_groups_json(const LinkedTrace& trace);

}  // namespace nadi
