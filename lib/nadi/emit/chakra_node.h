// One graph node as the bytes of a Chakra Node message, with its framing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nadi/base/diagnostics.h"
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
  void append_fields(std::uint32_t node, Diagnostics& diagnostics);
  void append_dependencies(std::uint32_t node);
  void tell_evidence(std::uint32_t from, std::uint32_t to, const Edge& edge);
  void append_io(unsigned field, const IoText& io, Diagnostics& diagnostics);
  void append_common_attributes(std::uint32_t node, const NodeFacts& facts);
  void append_kind_attributes(std::uint32_t node);
  void append_lane_attributes(std::uint32_t node);
  void append_communication(NodeType type, const GraphCommunication& communication);
  std::string_view checked_text(StringId text);

  const LinkedTrace& trace_;
  const BuiltGraph& graph_;
  const NodeFactFinder& facts_;
  const std::vector<std::uint16_t>& remainders_;
  const StringId delay_name_;
  ReprCache reprs_;
  std::string body_, io_, repaired_;
  std::string evidence_text_;  // of the node's edges
  std::vector<std::uint64_t> data_deps_, ctrl_deps_;
};

}  // namespace nadi
