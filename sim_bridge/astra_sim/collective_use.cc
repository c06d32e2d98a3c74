#include "nadi/sim_bridge/astra_sim/collective_use.h"

#include <algorithm>

#include "nadi/sim_bridge/astra_analytical/network_model.h"
#include "nadi/sim_bridge/job/grow_job.h"

namespace nadi::astra_sim {

void CollectiveUse::add_rank(std::int64_t rank, const std::set<GroupUse>& uses) {
  const GroupUse *last = nullptr, *last_part = nullptr;  // of the same type
  for (const GroupUse& use : uses) {
    if (implementations_of(use.type) == nullptr) continue;  // is not simulated
    TypeUse& type = types_[use.type];
    type.members.insert(use.members);
    type.is_of_all_npus |= use.group == 0;
    type.smallest_bytes = std::min(type.smallest_bytes, use.smallest_bytes);
    if (last != nullptr && last->type == use.type && !type.in_two)
      type.in_two = {rank, last->group, use.group};
    last = &use;
    if (use.group == 0 || use.members == npus_) continue;
    if (last_part != nullptr && last_part->type == use.type && !type.in_two_parts)
      type.in_two_parts = {rank, last_part->group, use.group};
    last_part = &use;
  }
}

CollectiveUse collective_use(const Job& job) {
  CollectiveUse use(std::ssize(job.ranks) * job.copies);
  const JobCopies copies(job);
  for (std::size_t rank = 0; rank < job.ranks.size(); ++rank) {
    const JobRank& r = job.ranks[rank];
    const auto communications = copies.of_copy(r.communications, 0);
    std::set<GroupUse> uses;
    for (std::uint32_t n = 0; n < r.size(); ++n) {
      if (r.is_dropped[n] || r.type[n] != NodeType::kCollective || r.communication[n] == kNoIndex)
        continue;
      const JobCommunication& c = communications[r.communication[n]];
      uses.insert(
          {c.type, std::int64_t{c.job_group} + 1, std::ssize(copies.groups()[c.job_group].ranks)});
    }
    use.add_rank(static_cast<std::int64_t>(rank), uses);
  }
  return use;
}

}  // namespace nadi::astra_sim
