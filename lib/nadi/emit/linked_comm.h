// What a trace recorded of an operation's communication, as linked JSON carries it.
#pragma once

#include <string>

#include "nadi/base/string_table.h"
#include "nadi/model/communication.h"

namespace nadi {

/// Appends the record as an object of what is known: {"collective": "allreduce", "dtype": "Float",
/// "in_nelems": 8, …}. Format: schema/chakra.md.
void append_comm(const CommRecord& record, const StringTable& strings, std::string& out);

}  // namespace nadi
