// What each thread did, and when it was idle.
#pragma once

#include <cstdint>
#include <vector>

#include "nadi/graph/edge_list.h"
#include "nadi/graph/graph_draft.h"

namespace nadi {

/// What a thread did: a node, or a call between nodes, which shows that the thread was awake.
struct Activity {
  Ns begin, end;
  /// What ends last before the activity is over, but for calls that neither launch nor block: the
  /// node itself, if it is no such call. None = there is none.
  NodeIndex last;
  NodeIndex next;       ///< the node, or the first behind the call
  std::uint64_t path;   ///< equal for the same place of the program, whatever thread runs it
  std::uint64_t place;  ///< equal for the same place of the program and the same thread
  bool is_query = false;
  bool is_explained = false;  ///< it is known what the thread waited for before it
};
using ActivityIndex = Index<Activity>;
/// By lane, in time order; none overlap.
using Activities = ByRow<Lane, ByRow<Activity>>;

/// The activity of that number on the lane.
struct ActivityOf {
  LaneIndex lane;
  ActivityIndex number;
  auto operator<=>(const ActivityOf&) const = default;
};

/// Returns what all threads did; `found` holds the hand-offs found so far, which explain some of
/// it.
Activities thread_activities(const GraphDraft& draft, const EdgeList& found);

}  // namespace nadi
