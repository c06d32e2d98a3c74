// Writes the linked JSON ("ET+"): the host trace with times and device rows, as MLCommons' trace
// linker writes it and MLCommons' converter reads it.
#pragma once

#include <filesystem>

#include "nadi/base/diagnostics.h"
#include "nadi/emit/atomic_file.h"
#include "nadi/graph/built_graph.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Writes one valid JSON document, whole or not at all; a line per node. Times are µs with three
/// decimals in the device trace's clock. The schema is the host trace's if MLCommons' converter
/// knows it, else the nearest it knows; the trace's own then stands in `source_schema`. Throws
/// Error (kInput) when the file cannot be written. Format: schema/chakra.md.
void write_linked_json(const LinkedTrace& trace, const BuiltGraph& graph,
                       const std::filesystem::path& output, Diagnostics& diagnostics);

/// The same to any sink, in pieces.
void write_linked_json(const LinkedTrace& trace, const BuiltGraph& graph, const ByteSink& sink,
                       Diagnostics& diagnostics);

}  // namespace nadi
