// The host trace's process-group node `## process_group:init ##` (H8).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nadi/model/comm_record.h"

namespace nadi {

struct HostGroups {
  std::vector<ProcessGroup> groups;
  std::vector<std::string> backend_ids;  ///< beside groups; old traces name groups by it
  bool is_cut = false;  ///< the recorder cut the text: the last entries are missing
};

/// `text`: the JSON list in the node's first input, its escapes resolved. What is whole of a cut
/// text is read.
HostGroups read_host_groups(std::string_view text);

}  // namespace nadi
