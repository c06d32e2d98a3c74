// What each thread did, and when it was idle.
#pragma once

#include <cstdint>
#include <vector>

#include "nadi/base/mix.h"
#include "nadi/graph/edge_list.h"
#include "nadi/graph/graph_draft.h"

namespace nadi {

/// What a thread did: a node, or a call between nodes, which shows that the thread was awake.
struct Activity {
  Ns begin, end;
  /// What ends last before the activity is over, but for calls that neither launch nor block: the
  /// node itself, if it is no such call. None = there is none.
  NodeIndex last;
  NodeIndex next;  ///< the node, or the first behind the call
  /// Equal for the same place of the program, whatever thread runs it. Two bits shorter than a
  /// hash, so that an activity, of which there are more than nodes, takes 32 bytes.
  std::uint64_t path : 62;
  bool is_query : 1;
  bool is_explained : 1;  ///< it is known what the thread waited for before it

  /// Equal for the same place of the program and the same thread, on which it is.
  std::uint64_t place(LaneIndex lane) const { return mixed(path, lane.value); }
};
static_assert(sizeof(Activity) == 32);
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
