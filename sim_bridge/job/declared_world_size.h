// What the metadata of a job's graphs tell of its ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "nadi/chakra/sim_graph.h"
#include "nadi/sim_bridge/job/group_json.h"
#include "nadi/sim_bridge/job/rank_list.h"

namespace nadi {

/// The attribute `world_size`; nothing where no graph has it. `ranks`: of each graph. Throws
/// Error(kInput) that names file and rank where two graphs tell different sizes.
std::optional<std::int64_t> declared_world_size(std::span<const SimGraph> graphs,
                                                std::span<const std::int64_t> ranks);

/// An empty list of a described group means all ranks of the job (H8), unless its size says
/// otherwise.
bool is_of_all_ranks(const DescribedGroup& group, std::int64_t world_size);

/// 0 to world_size - 1.
RankList all_ranks(std::int64_t world_size);

}  // namespace nadi
