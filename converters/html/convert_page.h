// Shows what a conversion did as a page: lanes over time, explained and unexplained time, edges
// by evidence, diagnostics.
#pragma once

#include <span>

#include "nadi/converters/archive/convert_ranks.h"
#include "nadi/emit/atomic_file.h"
#include "nadi/model/graph.h"

namespace nadi::html {

/// Writes the page. The lanes are those of the graphs written: `graphs`, with the columns `shapes`
/// and `parents`, one for each of the report's ranks; empty = the report's files are read, one at a
/// time. Where there is no graph to read (a target of another format) the page has numbers only.
/// Throws what load_chakra_graph throws.
void write_convert_page(const ConvertRanksReport& report, std::span<const Graph> graphs,
                        const ByteSink& sink);

}  // namespace nadi::html
