// The graph of one rank as ASTRA-sim's issue rules see it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "et_def.pb.h"
#include "nadi/base/index.h"
#include "nadi/base/string_table.h"
#include "nadi/base/time.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi::astra_sim {

struct IssueCommunication {
  std::int64_t type = -1, bytes = 0;
  std::int64_t src = -1, dst = -1, tag = -1;
  std::int64_t group = 0;  ///< number of the group file; 0 = all ranks
};

/// Columns in ascending id order.
struct IssueGraph {
  StringTable strings;
  std::vector<std::uint64_t> id;
  std::vector<StringId> name;
  std::vector<ChakraProtoMsg::NodeType> type;
  std::vector<bool> is_host;  ///< `is_cpu_op`
  std::vector<Ns> duration_ns;
  std::vector<std::uint32_t> communication;  ///< into communications; kNoIndex = none
  std::vector<IssueCommunication> communications;
  std::vector<std::uint32_t> waits_for;  ///< number of dependencies
  Adjacency dependents;

  std::size_t size() const { return id.size(); }
  /// "node 7 (nccl:all_reduce)"
  std::string place_of(std::uint32_t node) const {
    return "node " + std::to_string(id[node]) + " (" + std::string(strings[name[node]]) + ")";
  }
};

}  // namespace nadi::astra_sim
