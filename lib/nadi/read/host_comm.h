// Communication as the host trace records it: attributes, or positional inputs (H7).
#pragma once

#include <optional>
#include <string>

#include "nadi/base/string_table.h"
#include "nadi/model/comm_record.h"
#include "nadi/read/node_fields.h"

namespace nadi {

/// What a node says about communication; nothing if it says nothing.
std::optional<CommRecord> read_host_comm(const NodeFields& node, StringTable& strings,
                                         std::string& scratch);

}  // namespace nadi
