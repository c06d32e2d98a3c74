#include "nadi/sim_bridge/job/declared_world_size.h"

#include <numeric>
#include <utility>
#include <vector>

#include "nadi/base/error.h"
#include "nadi/chakra/attribute_value.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi {

std::optional<std::int64_t> declared_world_size(std::span<const SimGraph> graphs,
                                                std::span<const std::int64_t> ranks) {
  std::optional<std::int64_t> declared;
  std::size_t by = 0;
  for (std::size_t of = 0; of < graphs.size(); ++of) {
    const auto* attribute = find_attribute(graphs[of].metadata, "world_size");
    if (attribute == nullptr) continue;
    const std::optional<std::int64_t> size = whole_number_of(*attribute);
    if (!size) continue;
    if (declared && *declared != *size)
      throw Error(ErrorCode::kInput, graphs[of].name,
                  "rank " + std::to_string(ranks[of]) + " is of a job of " + count_of_ranks(*size) +
                      ", " + graphs[by].name + " of one of " + std::to_string(*declared),
                  "Pass the graphs or traces of one job");
    declared = size;
    by = of;
  }
  return declared;
}

bool is_of_all_ranks(const DescribedGroup& group, std::int64_t world_size) {
  return group.ranks.empty() && (group.size < 0 || group.size == world_size);
}

RankList all_ranks(std::int64_t world_size) {
  std::vector<std::int64_t> ranks(static_cast<std::size_t>(world_size));
  std::iota(ranks.begin(), ranks.end(), 0);
  return RankList(std::move(ranks));
}

}  // namespace nadi
