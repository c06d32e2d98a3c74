#include "nadi/chakra/chakra_check.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nadi/base/adjacency.h"
#include "nadi/base/error.h"
#include "nadi/chakra/chakra_reader.h"
#include "nadi/chakra/findings.h"
#include "nadi/chakra/node_check.h"
#include "nadi/chakra/node_ids.h"

namespace nadi {
namespace {

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

/// By place in that order, as are those that each node waits for.
Adjacency resolve(FileNodes& nodes, const std::vector<std::uint32_t>& order,
                  CheckFindingList& findings) {
  const auto add_missing = [&](std::size_t position, std::uint64_t id, bool is_control) {
    findings.add(
        is_control ? CheckRule::kDanglingCtrlDep : CheckRule::kDanglingDataDep,
        "node " + std::to_string(nodes.id[position]) + " depends on " + std::to_string(id));
  };
  const Adjacency sources =
      find_sources(std::move(nodes.dependencies), nodes.id, order, add_missing)
          .together(nodes.id.size(), order);
  const auto id_of = [&](std::size_t position) {
    return nodes.id[position_by_id(order, position)];
  };
  Adjacency waits;
  for (std::size_t n = 0; n < nodes.id.size(); ++n) {
    for (const std::uint32_t on : sources.of(n))
      if (id_of(on) == id_of(n))
        findings.add(CheckRule::kSelfDependency, "node " + std::to_string(id_of(n)));
      else
        waits.node.push_back(on);
    waits.end_node();
  }
  return waits;
}

void report_cycle(const FileNodes& nodes, const std::vector<std::uint32_t>& order,
                  const Cycle& cycle, CheckFindingList& findings) {
  if (cycle.nodes.empty()) return;
  std::vector<std::uint64_t> ids;
  for (const std::uint32_t member : cycle.nodes)
    ids.push_back(nodes.id[position_by_id(order, member)]);
  findings.add(CheckRule::kCycle, cycle_text(ids), cycle.tangled);
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
  ChakraCheck check;
  check.nodes = nodes.id.size();
  check.data_edges = nodes.dependencies.data.node.size();
  check.ctrl_edges = nodes.dependencies.ctrl.node.size();
  report_cycle(nodes, order, find_shortest_cycle(resolve(nodes, order, findings)), findings);
  check.findings = std::move(findings).sorted();
  return check;
}

}  // namespace nadi
