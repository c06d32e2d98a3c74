#include "nadi/sim_bridge/astra_sim/choose_network.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <string>
#include <utility>

#include "nadi/base/error.h"
#include "nadi/chakra/communication_name.h"
#include "nadi/sim_bridge/astra_sim/exit_crash.h"

namespace nadi::astra_sim {
namespace {

using namespace ChakraProtoMsg;

/// From so many members on, `halvingDoubling`. A ring's pieces of 25 MB (the gradient bucket of
/// DistributedDataParallel) in 2 splits are then below 0.8 MB, which 400 GB/s carry in the two
/// latencies of a switch (2 x 936 ns): the 2 (n-1) latencies of a ring would rule.
constexpr std::int64_t kLargeGroup = 16;

/// A collective that names no group waits for all NPUs.
void require_none_idle(const CollectiveUse& use, const Network& network) {
  if (npus_of(network) <= use.npus()) return;
  for (const auto& [type, of_type] : use.types())
    if (of_type.is_of_all_npus)
      throw Error(ErrorCode::kUsage, "the network (`dims`, or the file of `network`)",
                  "has idle NPUs beyond the " + std::to_string(use.npus()) + " ranks, which an " +
                      collective_name(type) + " that names no group would wait for",
                  "Choose one of as many NPUs as ranks");
}

/// Groups and pairs whose time is the network's; the ranks of each ascend.
std::set<std::vector<std::int64_t>> communicating_ranks(const Job& job) {
  std::set<std::uint32_t> groups;
  std::set<std::vector<std::int64_t>> result;
  for (const JobRank& rank : job.ranks)
    for (std::uint32_t n = 0; n < rank.size(); ++n) {
      if (rank.is_dropped[n] || rank.communication[n] == kNoIndex) continue;
      const JobCommunication& c = rank.communication_of(n);
      if (rank.type[n] == NodeType::kSend)
        result.insert({std::min(c.src, c.dst), std::max(c.src, c.dst)});
      if (rank.type[n] == NodeType::kCollective && c.type != BROADCAST) groups.insert(c.job_group);
    }
  for (const std::uint32_t group : groups) result.insert(job.groups[group].ranks);
  return result;
}

/// Whether nodes of so many ranks are those that ranks_of_node looks for.
bool are_nodes(std::int64_t size, const std::set<std::vector<std::int64_t>>& communicating) {
  bool are_in_nodes = false, are_between = false;
  for (const auto& ranks : communicating) {
    const bool is_in_node = ranks.front() / size == ranks.back() / size;
    const bool is_between = std::all_of(ranks.begin(), ranks.end(), [&](std::int64_t rank) {
      return rank % size == ranks.front() % size;
    });
    if (!is_in_node && !is_between) return false;
    (is_in_node ? are_in_nodes : are_between) = true;
  }
  return are_in_nodes && are_between;
}

}  // namespace

Implementation choose_implementation(std::int64_t type, const TypeUse& use, NetworkBackend backend,
                                     std::int64_t dataset_splits) {
  if (type == ALL_TO_ALL)
    return backend == NetworkBackend::kAware ? Implementation::kDirect : Implementation::kDirect1;
  if (backend == NetworkBackend::kAware || use.members.empty()) return Implementation::kRing;
  const bool are_powers =
      std::all_of(use.members.begin(), use.members.end(), [](std::int64_t members) {
        return std::has_single_bit(static_cast<std::uint64_t>(members));
      });
  const std::int64_t largest = *use.members.rbegin();
  if (!are_powers || largest < kLargeGroup) return Implementation::kRing;
  const auto halved = Implementation::kHalvingDoubling;
  return use.smallest_bytes < least_bytes(type, halved, largest, largest, dataset_splits)
             ? Implementation::kRing
             : halved;
}

std::optional<std::int64_t> ranks_of_node(const Job& job) {
  const CollectiveUse use = collective_use(job);
  for (const auto& [type, of_type] : use.types())
    if (!may_be_ring(type, of_type) ||
        (type != ALL_TO_ALL && choose_implementation(type, of_type, NetworkBackend::kUnaware, 1) !=
                                   Implementation::kRing))
      return std::nullopt;
  const auto communicating = communicating_ranks(job);
  std::set<std::int64_t> sizes;  // of blocks of ranks that communicate
  for (const auto& ranks : communicating)
    if (ranks.size() > 1 && ranks.back() - ranks.front() + 1 == std::ssize(ranks))
      sizes.insert(std::ssize(ranks));
  for (const std::int64_t size : sizes)
    if (use.npus() % size == 0 && size < use.npus() && are_nodes(size, communicating)) return size;
  return std::nullopt;
}

JobNetwork choose_network(const CollectiveUse& use, JobNetwork plain, Diagnostics& diagnostics) {
  JobNetwork result = std::move(plain);
  const NetworkBackend backend = result.network.backend;
  const std::size_t dimensions = result.network.dimensions.size();
  if (backend == NetworkBackend::kAware && dimensions > 1)
    throw Error(ErrorCode::kUsage, "`backend=aware`",
                "the congestion-aware program refuses more than one dimension",
                "Choose a network of one, or `backend=unaware`");
  require_none_idle(use, result.network);
  const bool has_idle = add_idle_dimension(use, result.network, diagnostics);
  for (const ImplementationSetting& setting : implementation_settings()) {
    const std::int64_t type = setting.type;
    const auto found = use.types().find(type);
    const TypeUse of_type = found == use.types().end() ? TypeUse{} : found->second;
    assert(!has_idle || !of_type.is_of_all_npus);  // idle NPUs would never join
    std::vector<Implementation>& list = result.system.*setting.list;
    list.assign(dimensions,
                choose_implementation(type, of_type, backend, result.system.dataset_splits));
    if (dimensions == 1) give_groups_their_own(type, of_type, has_idle, list, diagnostics);
  }
  return result;
}

}  // namespace nadi::astra_sim
