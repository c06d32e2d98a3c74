#include "nadi/chakra/chakra_check.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nadi/base/adjacency.h"
#include "nadi/base/error.h"
#include "nadi/base/index.h"
#include "nadi/chakra/chakra_reader.h"
#include "nadi/chakra/findings.h"
#include "nadi/chakra/node_check.h"
#include "nadi/chakra/node_ids.h"

namespace nadi {
namespace {

constexpr std::size_t kMaxShown = 24;  // nodes of a cycle

/// Nodes in the order of the file.
struct FileNodes {
  std::vector<std::uint64_t> id;
  FileDependencies dependencies;
};

void read_nodes(MessageStream stream, FileNodes& nodes, CheckFindingList& findings) {
  try {
    ChakraReader reader(std::move(stream), ChakraReader::MissingMetadata::kAccept);
    if (!reader.has_metadata()) findings.add(CheckRule::kMetadataMissing, "byte 0");
    ChakraProtoMsg::Node node;
    double sum_ns = 0;
    while (reader.next(node)) {
      nodes.dependencies.add_node(reader.name(), node.data_deps(), node.ctrl_deps());
      nodes.id.push_back(node.id());
      check_times(node, sum_ns, findings);
      check_node(node, findings);
    }
    if (reader.node_count() == 0) findings.add(CheckRule::kNoNodes, reader.name());
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInput) throw;
    findings.add(CheckRule::kFraming, error.where() + ": " + error.problem());
  }
}

/// By position in the file, as are those that each node waits for.
Adjacency resolve(const FileNodes& nodes, const std::vector<std::uint32_t>& order,
                  CheckFindingList& findings) {
  Adjacency waits;
  waits.begin.reserve(nodes.id.size() + 1);
  waits.node.reserve(nodes.dependencies.size());
  const auto add = [&](std::size_t n, std::uint64_t id, CheckRule dangling) {
    const std::uint32_t on = find_id(nodes.id, order, id);
    if (on == kNoIndex)
      findings.add(dangling,
                   "node " + std::to_string(nodes.id[n]) + " depends on " + std::to_string(id));
    else if (id == nodes.id[n])
      findings.add(CheckRule::kSelfDependency, "node " + std::to_string(id));
    else
      waits.node.push_back(place_by_id(order, on));
  };
  for (std::size_t n = 0; n < nodes.id.size(); ++n) {
    for (const std::uint64_t id : nodes.dependencies.data.of(n))
      add(n, id, CheckRule::kDanglingDataDep);
    for (const std::uint64_t id : nodes.dependencies.ctrl.of(n))
      add(n, id, CheckRule::kDanglingCtrlDep);
    waits.end_node();
  }
  return waits;
}

void report_cycle(const FileNodes& nodes, const Cycle& cycle, CheckFindingList& findings) {
  if (cycle.nodes.empty()) return;
  std::string place;
  for (std::size_t i = 0; i < std::min(cycle.nodes.size(), kMaxShown); ++i)
    place += "node " + std::to_string(nodes.id[cycle.nodes[i]]) + " waits for ";
  if (cycle.nodes.size() > kMaxShown)
    place += "… (" + std::to_string(cycle.nodes.size()) + " nodes in all) … waits for ";
  place += "node " + std::to_string(nodes.id[cycle.nodes[0]]);
  findings.add(CheckRule::kCycle, place, cycle.tangled);
}

}  // namespace

ChakraCheck check_chakra(const std::filesystem::path& path) {
  return check_chakra(MessageStream(path.string()));
}

ChakraCheck check_chakra(MessageStream stream) {
  CheckFindingList findings;
  FileNodes nodes;
  read_nodes(std::move(stream), nodes, findings);
  const std::vector<std::uint32_t> order = order_by_id(nodes.id);
  for_each_repeated_id(nodes.id, order, [&](std::uint32_t, std::uint32_t second) {
    findings.add(CheckRule::kDuplicateId, "node " + std::to_string(nodes.id[second]));
  });
  const Adjacency waits = resolve(nodes, order, findings);
  report_cycle(nodes, find_shortest_cycle(waits), findings);

  ChakraCheck check;
  check.nodes = nodes.id.size();
  check.data_edges = nodes.dependencies.data.node.size();
  check.ctrl_edges = nodes.dependencies.ctrl.node.size();
  check.findings = std::move(findings).sorted();
  return check;
}

}  // namespace nadi
