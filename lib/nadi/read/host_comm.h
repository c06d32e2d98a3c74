// Communication as the host trace records it: attributes, or positional inputs (H7).
#pragma once

#include <optional>
#include <string>

#include "nadi/base/string_table.h"
#include "nadi/model/comm_record.h"
#include "nadi/read/node_fields.h"

namespace nadi {

/// Returns what a node records about communication; nothing where it records none.
std::optional<CommRecord> read_host_comm(const NodeFields& node, StringTable& strings,
                                         std::string& scratch);

}  // namespace nadi
