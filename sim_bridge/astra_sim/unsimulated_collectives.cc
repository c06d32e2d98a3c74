#include "nadi/sim_bridge/astra_sim/unsimulated_collectives.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "et_def.pb.h"
#include "nadi/base/error.h"
#include "nadi/sim_bridge/astra_sim/choose_network.h"
#include "nadi/sim_bridge/astra_sim/collective_use.h"
#include "nadi/sim_bridge/astra_sim/tensor_text.h"

namespace nadi::astra_sim {
namespace {

using namespace ChakraProtoMsg;

enum class Size : std::uint8_t { kSame, kTimesMembers };

/// What loads the links most alike. `bytes` of a reduce: the full buffer, and a ring moves about as
/// much over each link to reduce-scatter it; of a gather or scatter: one member's part, and the
/// root's link carries all parts but its own, as every link does in a ring all-gather of such parts
/// or a ring reduce-scatter of all parts.
struct Replacement {
  CollectiveCommType from, to;
  Size size;
};
constexpr std::array kReplacements = {
    Replacement{REDUCE, REDUCE_SCATTER, Size::kSame},
    Replacement{GATHER, ALL_GATHER, Size::kSame},
    Replacement{SCATTER, REDUCE_SCATTER, Size::kTimesMembers},
    Replacement{REDUCE_SCATTER_BLOCK, REDUCE_SCATTER, Size::kSame},
};

class Replacer {
 public:
  Replacer(Job& job, const RewriteOptions& options, Diagnostics& diagnostics)
      : job_(job), options_(options), diagnostics_(diagnostics) {}

  void replace(std::size_t rank, std::uint32_t node) {
    JobRank& r = job_.ranks[rank];
    JobCommunication& c = r.communication_of(node);
    if (c.type == BARRIER) {
      c.type = ALL_REDUCE;
      c.bytes = 1;
      diagnostics_.report(Finding::kBarrierReplaced, "by an all-reduce of one byte");
      return;
    }
    const auto* replacement =
        std::find_if(kReplacements.begin(), kReplacements.end(),
                     [&](const Replacement& row) { return row.from == c.type; });
    if (replacement != kReplacements.end())
      replace_unsupported(rank, node, *replacement);
    else if (c.type < 0 || c.type > BARRIER)
      replay(rank, node, "an unknown collective");
  }

 private:
  void replace_unsupported(std::size_t rank, std::uint32_t node, const Replacement& replacement) {
    JobCommunication& c = job_.ranks[rank].communication_of(node);
    const std::string from = CollectiveCommType_Name(static_cast<int>(c.type));
    if (options_.unsupported == Unsupported::kError)
      throw Error(
          ErrorCode::kInput, job_.graph_of(rank).name,
          job_.place_of(rank, node) + " is a " + from + ", which ASTRA-sim does not simulate",
          "`unsupported=map` takes the nearest collective, replay the measured duration");
    if (options_.unsupported == Unsupported::kReplay) return replay(rank, node, from);
    c.type = replacement.to;
    if (replacement.size == Size::kTimesMembers)
      c.bytes = saturating_product(c.bytes, job_.members_of(job_.groups[c.job_group]));
    diagnostics_.report(Finding::kCollectiveMapped,
                        from + " to " + CollectiveCommType_Name(replacement.to));
  }

  void replay(std::size_t rank, std::uint32_t node, const std::string& what) {
    job_.ranks[rank].type[node] = NodeType::kCompute;
    job_.ranks[rank].communication[node] = kNoIndex;
    diagnostics_.report(Finding::kCollectiveReplayed, what);
  }

  Job& job_;
  const RewriteOptions& options_;
  Diagnostics& diagnostics_;
};

/// Of all that the simulator simulates, to what its algorithm ends with.
void raise_sizes(Job& job, const RewriteOptions& options, Diagnostics& diagnostics) {
  const CollectiveUse use = collective_use(job);
  std::map<std::int64_t, Implementation> implementations;  // by type
  for (const auto& [type, of_type] : use.types())
    implementations[type] =
        choose_implementation(type, of_type, options.backend, options.dataset_splits);
  for (JobRank& rank : job.ranks)
    for (std::uint32_t node = 0; node < rank.size(); ++node) {
      if (rank.is_dropped[node] || rank.communication[node] == kNoIndex) continue;
      JobCommunication& c = rank.communication_of(node);
      const bool is_message = rank.type[node] != NodeType::kCollective;
      const std::int64_t least = is_message ? 1
                                            : least_bytes(c.type, implementations[c.type],
                                                          job.members_of(job.groups[c.job_group]),
                                                          use.npus(), options.dataset_splits);
      if (c.bytes >= least) continue;
      if (!is_message)
        diagnostics.report(Finding::kSizeRaised,
                           std::to_string(c.bytes) + " bytes to " + std::to_string(least));
      c.bytes = least;
    }
}

}  // namespace

void replace_collectives(Job& job, const RewriteOptions& options, Diagnostics& diagnostics) {
  Replacer replacer(job, options, diagnostics);
  for (std::size_t rank = 0; rank < job.ranks.size(); ++rank) {
    const JobRank& r = job.ranks[rank];
    for (std::uint32_t node = 0; node < r.size(); ++node)
      if (!r.is_dropped[node] && r.communication[node] != kNoIndex &&
          r.type[node] == NodeType::kCollective)
        replacer.replace(rank, node);
  }
  raise_sizes(job, options, diagnostics);
}

}  // namespace nadi::astra_sim
