// A Chakra file as one valid JSON document, in protobuf's JSON mapping.
#pragma once

#include "nadi/chakra/chakra_reader.h"
#include "nadi/emit/atomic_file.h"

namespace nadi {

/// Sends `{"metadata": {…}, "nodes": [ {…}, … ]}` of all the reader has not given yet, node by
/// node, a line per node. 64-bit numbers are strings, as protobuf maps them:
/// https://protobuf.dev/programming-guides/json/. Throws what the reader throws.
void write_chakra_json(ChakraReader& reader, const ByteSink& sink);

}  // namespace nadi
