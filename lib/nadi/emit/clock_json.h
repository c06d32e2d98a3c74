// Writes the corrections of device clocks as the metadata of graphs and linked JSON carry them.
#pragma once

#include <string>

#include "nadi/model/linked_trace.h"

namespace nadi {

/// [{"device": 0, "offset_ns": 8500, "drift_ppb": 0, …}, …]; empty where nothing was moved. Format:
/// schema/chakra.md.
std::string clocks_json(const LinkedTrace& trace);

}  // namespace nadi
