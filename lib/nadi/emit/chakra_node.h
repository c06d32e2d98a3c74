// What one graph node of a linked trace says, as a Chakra node.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/chakra/node_writer.h"
#include "nadi/emit/node_facts.h"
#include "nadi/emit/repr_cache.h"
#include "nadi/graph/built_graph.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Encodes nodes one after the other; one per thread. The arguments must outlive it.
class NodeEncoder {
 public:
  NodeEncoder(const LinkedTrace& trace, const BuiltGraph& graph, const NodeFactFinder& facts,
              const std::vector<std::uint16_t>& remainders);

  /// Appends length and message of a node to out. Format: schema/chakra.md.
  void append(std::uint32_t node, std::string& out, Diagnostics& diagnostics);

 private:
  void fill(std::uint32_t node, Diagnostics& diagnostics);
  void fill_dependencies(std::uint32_t node);
  void set_evidence(std::uint32_t from, std::uint32_t to, const Edge& edge);
  void fill_io(const NodeFacts& facts, Diagnostics& diagnostics);
  void fill_common_attributes(std::uint32_t node, const NodeFacts& facts);
  void fill_kind_attributes(std::uint32_t node);
  void fill_lane(std::uint32_t node);
  void fill_communication(std::uint32_t node);

  const LinkedTrace& trace_;
  const BuiltGraph& graph_;
  const NodeFactFinder& facts_;
  const std::vector<std::uint16_t>& remainders_;
  ReprCache reprs_;
  NodeWriter writer_;
  WireNode filled_;
  // Texts that filled_ points to.
  std::array<std::string, 6> io_;
  std::string schema_, evidence_;
};

}  // namespace nadi
