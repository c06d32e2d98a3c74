// Translates a recorded operation into a Chakra communication: type, bytes, group, peers.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include "nadi/base/diagnostics.h"
#include "nadi/graph/graph_draft.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Returns the kind by the recorded name ("_allgather_base", "nccl:all_reduce" without prefix);
/// kNone = unknown.
CommKind comm_kind_of_operation(std::string_view recorded);

/// Returns the kind by the kernel's name ("ncclDevKernel_AllReduce_Sum_f32_RING_LL"); kNone = the
/// name does not say.
CommKind comm_kind_of_kernel(std::string_view kernel);

/// Turns records into communications; remembers the ordinals that make send/recv tags, so give it
/// the rows in API order.
class CommunicationMaker {
 public:
  CommunicationMaker(const LinkedTrace& linked, Diagnostics& diagnostics)
      : linked_(linked), diagnostics_(diagnostics) {
    for (const ProcessGroup& group : linked.groups) group_of_name_.try_emplace(group.name, &group);
  }

  /// kind is kNone where no communication is known: the node computes then.
  Communication make(const CommRecord& record, std::string_view kernel);

 private:
  /// Sets the ranks of a message; false where its other end is not recorded: no simulator can run
  /// such a message.
  bool set_peers(Communication& communication, const CommRecord& record);
  /// Counts what moves data, but of an unknown size, or of none: simulators may never finish it
  /// (`comm-size-zero`).
  void report_size(const Communication& communication, std::string_view kernel);
  /// The bytes of an all-to-all by its recorded splits; nothing where they do not say
  /// (`splits-unknown`), or no bytes leave the rank.
  std::optional<std::int64_t> bytes_by_splits(const CommRecord& record);
  /// The rank's own position in the group; -1 = not recorded.
  std::int64_t position_in_group(const CommRecord& record) const;
  std::int64_t global_rank(const CommRecord& record, std::int64_t rank_in_group) const;

  const LinkedTrace& linked_;
  Diagnostics& diagnostics_;
  std::map<std::string_view, const ProcessGroup*> group_of_name_;  // the first of each
  std::map<std::tuple<StringId, std::int64_t, std::int64_t>, std::int64_t> messages_;
};

}  // namespace nadi
