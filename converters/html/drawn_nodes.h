// What a page shows of the nodes that it draws: attributes, and what they depend on.
#pragma once

#include <unordered_map>

#include "nadi/converters/html/drawn_lanes.h"

namespace nadi::html {

/// Collects the nodes of one graph that are drawn, each once.
class DrawnNodes {
 public:
  /// Both must outlive it.
  DrawnNodes(const Graph& graph, DrawnNames& names) : graph_(graph), names_(names) {}

  /// The node's place in the list.
  std::size_t add(std::uint32_t row);
  /// As drawn_lanes() says.
  Json take() { return std::move(nodes_); }

 private:
  Json edges_json(std::uint32_t row);
  std::string shapes_text(std::uint32_t row) const;
  std::string communication_text(std::uint32_t row) const;

  const Graph& graph_;
  DrawnNames& names_;
  Json nodes_ = Json::array();
  std::unordered_map<std::uint32_t, std::size_t> places_;  // by row
};

}  // namespace nadi::html
