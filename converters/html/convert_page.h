// Shows what a conversion did as a page: lanes over time, explained and unexplained time, edges
// by evidence, diagnostics.
#pragma once

#include "nadi/converters/archive/convert_ranks.h"
#include "nadi/emit/atomic_file.h"

namespace nadi::html {

/// Writes the page. The lanes are those of the graphs written, which are read again, one at a time;
/// where there is no graph to read (a target of another format) the page has numbers only. Throws
/// what load_chakra_graph throws.
void write_convert_page(const ConvertRanksReport& report, const ByteSink& sink);

}  // namespace nadi::html
