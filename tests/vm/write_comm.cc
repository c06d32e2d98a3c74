#include "write_comm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace nadi::vm {

using nlohmann::ordered_json;

namespace {

// "[0, 1]"; PyTorch cuts after 30 entries.
std::string list_text(const std::vector<int>& ranks) {
  constexpr std::size_t kMost = 30;
  if (ranks.size() <= kMost) return fmt::format("[{}]", fmt::join(ranks, ", "));
  return fmt::format("[{}, ...]",
                     fmt::join(ranks.begin(), ranks.begin() + static_cast<long>(kMost), ", "));
}

}  // namespace

int rank_in_group(const Group& group, int rank) {
  for (std::size_t i = 0; i < group.ranks.size(); ++i)
    if (group.ranks[i] == rank) return static_cast<int>(i);
  return -1;
}

int stride_of(const Group& group) {
  return group.ranks.size() > 1 ? group.ranks[1] - group.ranks[0] : 1;
}

int bytes_per_element(const std::string& dtype) {
  if (dtype == "Double" || dtype == "Long") return 8;
  if (dtype == "BFloat16" || dtype == "Half") return 2;
  if (dtype == "Byte" || dtype == "Char") return 1;
  return 4;
}

ordered_json kineto_comm_args(const Program& program, const CommOp& comm) {
  const Group& group = program.groups[static_cast<std::size_t>(comm.group)];
  ordered_json args;
  args["Collective name"] = comm.collective;
  args["In msg nelems"] = comm.in_nelems;
  args["Out msg nelems"] = comm.out_nelems;
  args["Group size"] = group.ranks.size();
  args["dtype"] = comm.dtype;
  args["In split size"] = "[]";
  args["Out split size"] = "[]";
  args["Process Group Name"] = group.name;
  args["Process Group Description"] = group.desc;
  args["Process Group Ranks"] = list_text(group.ranks);
  if (comm.is_p2p()) args["Rank"] = rank_in_group(group, comm.peer);
  if (comm.collective == "send") args["Dst Rank"] = comm.peer;
  if (comm.collective == "recv") args["Src Rank"] = comm.peer;
  return args;
}

ordered_json kineto_wait_args() {
  return {{"Collective name", "wait"}, {"In msg nelems", 0},
          {"Out msg nelems", 0},       {"Group size", 1},
          {"dtype", "Byte"},           {"In split size", "[]"},
          {"Out split size", "[]"},    {"Process Group Ranks", "[]"}};
}

ordered_json process_groups(const Program& program) {
  ordered_json groups = ordered_json::array();
  for (const Group& group : program.groups)
    groups.push_back({{"pg_name", group.name},
                      {"pg_desc", group.desc},
                      {"backend_config", "cuda:nccl"},
                      {"pg_size", group.ranks.size()},
                      {"ranks", group.ranks}});
  return groups;
}

}  // namespace nadi::vm
