// The graph of one rank as ASTRA-sim's issue rules see it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "et_def.pb.h"
#include "nadi/base/index.h"
#include "nadi/base/string_table.h"
#include "nadi/base/table.h"
#include "nadi/base/time.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi::astra_sim {

struct IssueCommunication {
  std::int64_t type = -1, bytes = 0;
  std::int64_t src = -1, dst = -1, tag = -1;
  std::int64_t group = 0;  ///< number of the group file; 0 = all ranks
};

/// Rows are in ascending id order.
struct IssueNodes {
  template <class T, auto absent = T{}>
  using Column = ColumnOf<IssueNodes, T, absent>;
  Column<std::uint64_t> id;
  Column<StringId> name;
  Column<NodeType> type;
  Column<std::uint8_t> is_host;  ///< `is_cpu_op`
  Column<Ns> duration_ns;
  Column<std::uint32_t, kNoIndex> communication;  ///< into IssueGraph::communications

  static constexpr auto columns() {
    return std::tuple(&IssueNodes::id, &IssueNodes::name, &IssueNodes::type, &IssueNodes::is_host,
                      &IssueNodes::duration_ns, &IssueNodes::communication);
  }
  std::size_t size() const { return id.size(); }
};

struct IssueGraph : IssueNodes {
  StringTable strings;
  std::vector<IssueCommunication> communications;
  std::vector<std::uint32_t> waits_for;  ///< number of dependencies
  Adjacency dependents;

  /// "node 7 (nccl:all_reduce)"
  std::string place_of(std::uint32_t node) const {
    return "node " + std::to_string(id[node]) + " (" + std::string(strings[name[node]]) + ")";
  }
};

}  // namespace nadi::astra_sim
