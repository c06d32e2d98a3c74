#include "nadi/chakra/edge_evidence.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace nadi {
namespace {

/// Of "?pattern"; of a mark alone, as nadi once wrote it, the weakest.
Inference inference_after(std::string_view mark) {
  if (mark.empty()) return Inference::kNone;
  return inference_named(mark.substr(1)).value_or(Inference::kTiming);
}

}  // namespace

Evidence evidence_of_ends(const Graph& graph, std::uint32_t from, std::uint32_t to) {
  if (graph.kind[from] == NodeKind::kDelay || graph.kind[to] == NodeKind::kDelay)
    return Evidence::kDelay;
  const bool same_lane = graph.lane[from] == graph.lane[to], to_device = graph.is_device(to);
  if (!graph.is_device(from)) {
    if (to_device) return Evidence::kLaunch;
    return same_lane ? Evidence::kThreadOrder : Evidence::kThreadHandOff;
  }
  if (!to_device) return Evidence::kSynchronisation;
  return same_lane ? Evidence::kStreamOrder : Evidence::kEventWait;
}

void append_edge_evidence(std::uint64_t source_id, const Edge& edge, std::string& text) {
  if (!text.empty()) text += ';';
  text += std::to_string(source_id);
  text += '=';
  text += to_string(edge.evidence);
  if (!is_guess(edge.inferred)) return;
  text += '?';
  text += to_string(edge.inferred);
}

void append_recorded_edges(std::string_view text, std::vector<RecordedEdge>& edges) {
  const auto own = edges.size();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(';'), text.size());
    std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    std::uint64_t source_id = 0;
    const auto [next, error] = std::from_chars(part.data(), part.data() + part.size(), source_id);
    if (error != std::errc() || next == part.data() + part.size() || *next != '=') continue;
    part.remove_prefix(static_cast<std::size_t>(next + 1 - part.data()));
    const std::size_t mark = std::min(part.find('?'), part.size());
    if (const auto evidence = evidence_named(part.substr(0, mark)))
      edges.push_back({source_id, {*evidence, inference_after(part.substr(mark))}});
  }
  std::stable_sort(
      edges.begin() + static_cast<std::ptrdiff_t>(own), edges.end(),
      [](const RecordedEdge& a, const RecordedEdge& b) { return a.source_id < b.source_id; });
}

}  // namespace nadi
