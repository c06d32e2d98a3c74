#include "nadi/converters/html/drawn_nodes.h"

#include <fmt/format.h>

#include <utility>

#include "nadi/base/evidence.h"
#include "nadi/chakra/communication_name.h"
#include "nadi/graph/built_graph.h"

namespace nadi::html {
namespace {

constexpr std::size_t kMostEdges = 8;

std::string reason_text(const Edge& edge) {
  const std::string reason(to_string(edge.evidence));
  return is_guess(edge.inferred) ? reason + ", inferred by " + std::string(to_string(edge.inferred))
                                 : reason;
}

/// Numbers are global ranks.
std::string ends_text(const GraphCommunication& what) {
  std::string text;
  if (what.src != GraphCommunication::kUnknown) text += fmt::format(" from rank {}", what.src);
  if (what.dst != GraphCommunication::kUnknown) text += fmt::format(" to rank {}", what.dst);
  return text;
}

}  // namespace

std::size_t DrawnNodes::add(std::uint32_t row) {
  const auto [known, is_new] = places_.emplace(row, nodes_.size());
  if (!is_new) return known->second;
  const std::uint32_t around = graph_.parent.empty() ? kNoIndex : graph_.parent[row];
  Json edges = edges_json(row);
  const std::size_t left_out = graph_.dependencies(row).size() - edges.size() / 3;
  nodes_.push_back({graph_.id[row], names_.add(graph_.name_of(row)),
                    names_.add(to_string(graph_.kind[row])), graph_.step[row],
                    graph_.correlation[row],
                    around == kNoIndex ? 0 : names_.add(graph_.name_of(around)),
                    names_.add_detail(shapes_text(row)), names_.add_detail(communication_text(row)),
                    left_out, std::move(edges)});
  return known->second;
}

/// Three numbers an edge.
Json DrawnNodes::edges_json(std::uint32_t row) {
  Json edges = Json::array();
  const Sources sources = graph_.dependencies(row);
  for (auto source = sources.begin(); source != sources.end(); ++source) {
    if (edges.size() == 3 * kMostEdges) break;
    edges.push_back(graph_.id[*source]);
    edges.push_back(names_.add(graph_.name_of(*source)));
    edges.push_back(names_.add(reason_text(source.edge())));
  }
  return edges;
}

std::string DrawnNodes::shapes_text(std::uint32_t row) const {
  if (graph_.input_shapes.empty()) return {};
  const auto side = [&](StringId shapes, StringId types) {
    const std::string_view text = graph_.strings[shapes];
    return text.empty() || text == "[]" ? std::string()
                                        : fmt::format("{} {}", text, graph_.strings[types]);
  };
  const std::string in = side(graph_.input_shapes[row], graph_.input_types[row]);
  const std::string out = side(graph_.output_shapes[row], graph_.output_types[row]);
  return out.empty() ? in : in + " → " + out;
}

std::string DrawnNodes::communication_text(std::uint32_t row) const {
  if (graph_.is_unrecorded_communication(row)) return "not recorded";
  if (graph_.communication[row] == kNoIndex) return {};
  const GraphCommunication& what = graph_.communications[graph_.communication[row]];
  std::string text = communication_name(graph_.type[row], what.type) + ends_text(what);
  if (const std::string_view group = graph_.strings[what.group]; !group.empty())
    text += fmt::format(", group {}", group);
  return text + fmt::format(", {} bytes", what.bytes);
}

}  // namespace nadi::html
