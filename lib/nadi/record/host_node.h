// Nodes of the host trace, schema 1.1.1 (schema/host-trace.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "nadi/record/closed_op.h"

namespace nadi::record {

/// The place of this process in its job.
struct JobPlace {
  std::int64_t rank = -1, world_size = -1;  ///< -1 = no job of several processes
};

/// A communication's group with what the process groups say of it.
struct CommGroup {
  std::string description;
  std::int64_t size = -1;                       ///< ranks in it; -1 = not known
  std::int64_t start = 0;                       ///< first global rank
  std::int64_t stride = 1;                      ///< from rank to rank; -1 = not always the same
  const ProcessGroup* process_group = nullptr;  ///< nullptr = all ranks

  /// Global rank of a rank within the group; -1 = there is none.
  std::int64_t global_rank(std::int64_t rank) const;
};
CommGroup group_of(const LoggedComm& comm, const JobPlace& job);

void append_op_node(std::string& text, const ClosedOp& op, std::uint64_t tid, const JobPlace& job);
/// what: "process" or "thread"; tid 0 = the process.
void append_root_node(std::string& text, std::string_view what, std::uint64_t id,
                      std::uint64_t tid);

}  // namespace nadi::record
