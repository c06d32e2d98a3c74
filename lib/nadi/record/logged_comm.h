// A communication as it lies in a log, and the process groups it may name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nadi/record/communication.h"
#include "nadi/record/event_bytes.h"

namespace nadi::record {

struct LoggedComm {
  std::string collective, group, dtype;
  std::int64_t in_elements = 0, out_elements = 0, peer = -1, sequence = -1;
  std::vector<std::int64_t> in_split, out_split;
  const ProcessGroup* process_group =
      nullptr;  ///< the group at that time; nullptr = nobody added one

  bool is_send() const { return collective == "send"; }
  bool is_p2p() const { return is_send() || collective == "recv"; }
};

std::size_t comm_bound(const Communication& communication);
void put_comm(EventWriter& writer, const Communication& communication);
LoggedComm take_comm(EventReader& reader);

/// All groups there are now, in the order they were added. None is ever destroyed.
std::vector<const ProcessGroup*> all_process_groups();

/// `[{"pg_name": …, "ranks": […]}, …]`, as in the host trace's init node (H8) and distributedInfo.
std::string groups_json(const std::vector<const ProcessGroup*>& groups);

/// Records the op `## process_group:init ##` with these groups on the calling thread.
void record_process_groups(const std::vector<const ProcessGroup*>& groups);

}  // namespace nadi::record
