// Writes a graph as a Chakra file (.et): metadata, then the nodes in id order.
#pragma once

#include <filesystem>
#include <string>

#include "nadi/base/diagnostics.h"
#include "nadi/emit/atomic_file.h"
#include "nadi/graph/built_graph.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

struct ChakraOptions {
  unsigned threads = 0;  ///< 0 = as many as the machine has; the bytes do not depend on it
};

/// Writes graph (built from trace) to output, whole or not at all. Throws Error (kInput) when the
/// file cannot be written. Holds a few MB. Format: schema/chakra.md.
void write_chakra(const LinkedTrace& trace, const BuiltGraph& graph, const ChakraOptions& options,
                  const std::filesystem::path& output, Diagnostics& diagnostics);

/// The same bytes to any sink, in pieces.
void write_chakra(const LinkedTrace& trace, const BuiltGraph& graph, const ChakraOptions& options,
                  const ByteSink& sink, Diagnostics& diagnostics);

}  // namespace nadi
