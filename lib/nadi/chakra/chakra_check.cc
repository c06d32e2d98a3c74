#include "nadi/chakra/chakra_check.h"

#include <algorithm>
#include <numeric>
#include <utility>

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

// Ids and edges of the file, node by node in file order.
struct Columns {
  std::vector<std::uint64_t> id;
  std::vector<std::size_t> begin{0};      // of the node's dependencies; one entry more than nodes
  std::vector<std::uint32_t> data_count;  // the first ones are data_deps, the rest ctrl_deps
  std::vector<std::uint64_t> depends_on;

  void add(const ChakraProtoMsg::Node& node) {
    id.push_back(node.id());
    depends_on.insert(depends_on.end(), node.data_deps().begin(), node.data_deps().end());
    depends_on.insert(depends_on.end(), node.ctrl_deps().begin(), node.ctrl_deps().end());
    data_count.push_back(static_cast<std::uint32_t>(node.data_deps_size()));
    begin.push_back(depends_on.size());
  }
};

void read_columns(MessageStream stream, Columns& columns, CheckFindingList& findings) {
  try {
    ChakraReader reader(std::move(stream), ChakraReader::MissingMetadata::kAccept);
    if (!reader.has_metadata()) findings.add("metadata-missing", "byte 0");
    ChakraProtoMsg::Node node;
    double sum_ns = 0;
    while (reader.next(node)) {
      columns.add(node);
      if (columns.depends_on.size() >= kNoIndex)
        throw Error(ErrorCode::kInput, reader.name(), "more than 4,294,967,294 dependencies",
                    "Convert fewer steps");
      check_times(node, sum_ns, findings);
      check_node(node, findings);
    }
    if (reader.node_count() == 0) findings.add("no-nodes", reader.name());
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInput) throw;
    findings.add("framing", error.where() + ": " + error.problem());
  }
}

void report_dangling(const Columns& columns, std::size_t n, std::size_t e,
                     CheckFindingList& findings) {
  const bool is_data = e - columns.begin[n] < columns.data_count[n];
  findings.add(is_data ? "dangling-data-dep" : "dangling-ctrl-dep",
               "node " + std::to_string(columns.id[n]) + " depends on " +
                   std::to_string(columns.depends_on[e]));
}

Adjacency resolve(const Columns& columns, const std::vector<std::uint32_t>& order,
                  CheckFindingList& findings) {
  Adjacency waits;
  waits.begin.reserve(columns.begin.size());
  waits.node.reserve(columns.depends_on.size());
  for (std::size_t n = 0; n < columns.id.size(); ++n) {
    for (std::size_t e = columns.begin[n]; e < columns.begin[n + 1]; ++e) {
      const std::uint32_t on = find_id(columns.id, order, columns.depends_on[e]);
      if (on == kNoIndex) {
        report_dangling(columns, n, e, findings);
      } else if (columns.depends_on[e] == columns.id[n]) {
        findings.add("self-dependency", "node " + std::to_string(columns.id[n]));
      } else {
        waits.node.push_back(place_by_id(order, on));
      }
    }
    waits.begin.push_back(static_cast<std::uint32_t>(waits.node.size()));
  }
  return waits;
}

void report_cycle(const Columns& columns, const Cycle& cycle, CheckFindingList& findings) {
  if (cycle.nodes.empty()) return;
  std::string place;
  for (std::size_t i = 0; i < std::min(cycle.nodes.size(), kMaxShown); ++i)
    place += "node " + std::to_string(columns.id[cycle.nodes[i]]) + " waits for ";
  if (cycle.nodes.size() > kMaxShown)
    place += "… (" + std::to_string(cycle.nodes.size()) + " nodes in all) … waits for ";
  place += "node " + std::to_string(columns.id[cycle.nodes[0]]);
  findings.add("cycle", place,
               "data and ctrl dependencies together go round (" + std::to_string(cycle.tangled) +
                   " nodes involved; the shortest is shown): those nodes never run");
}

}  // namespace

ChakraCheck check_chakra(const std::filesystem::path& path) {
  return check_chakra(MessageStream(path.string()));
}

ChakraCheck check_chakra(MessageStream stream) {
  CheckFindingList findings(CheckProfile::kChakra);
  Columns columns;
  read_columns(std::move(stream), columns, findings);
  const std::vector<std::uint32_t> order = order_by_id(columns.id);
  for_each_repeated_id(columns.id, order, [&](std::uint32_t, std::uint32_t second) {
    findings.add("duplicate-id", "node " + std::to_string(columns.id[second]));
  });
  const Adjacency waits = resolve(columns, order, findings);
  report_cycle(columns, find_shortest_cycle(waits), findings);

  ChakraCheck check;
  check.nodes = columns.id.size();
  check.data_edges =
      std::accumulate(columns.data_count.begin(), columns.data_count.end(), std::uint64_t{0});
  check.ctrl_edges = columns.depends_on.size() - check.data_edges;
  check.findings = std::move(findings).sorted();
  return check;
}

}  // namespace nadi
