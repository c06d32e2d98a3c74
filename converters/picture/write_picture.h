// Pictures as files: DOT and GraphML by Boost.Graph, SVG and PDF by Graphviz.
#pragma once

#include <string>

#include "nadi/converters/picture/picture.h"
#include "nadi/emit/atomic_file.h"

namespace nadi {

enum class PictureFormat : std::uint8_t { kDot, kGraphml, kSvg, kPdf };

/// Returns the format by the name's ending: .dot, .gv, .graphml, .svg, .pdf; "-" is DOT. Throws
/// Error(kUsage) for others.
PictureFormat picture_format_of(const std::string& path);

/// Data edges end in an arrow, ctrl edges in a tee (as MLCommons' visualizer draws them); shapes
/// and colours show the kind of node and the evidence, and a legend above explains them; `group`
/// keeps a lane in one column. A path goes down columns beside each other. GraphML has id, label,
/// lane, kind (or "folded"), count, start_ns, duration_ns, delay_ns of nodes; evidence, is_ctrl,
/// inferred, edges (how many), delay_ns of edges. SVG and PDF need the program `dot`. Throws Error:
/// kUsage for SVG or PDF of more than kMostDrawnNodes nodes or four times as many edges, kInput
/// where `dot` is missing or fails.
void write_picture(const Picture& picture, PictureFormat format, const ByteSink& sink);

/// Graphviz needs minutes for more, and nobody reads it.
inline constexpr std::size_t kMostDrawnNodes = 2'000;

}  // namespace nadi
