// Time that the device itself takes before its rows: work that has no row, and work of other
// streams.
#pragma once

#include "nadi/graph/graph_draft.h"

namespace nadi {

/// Returns, by node, why its stream did nothing before it, where nothing else explains that time
/// and neither the host nor a wait can be its cause; kDelay = it is not known.
/// - kUnrecordedWork: the stream did work that the profiler did not record: inside one launch of a
///   CUDA graph, before a row that follows others of the launch; or before rows of one place of
///   known launches, if the time is the same in nearly every iteration and nothing made the stream
///   wait.
/// - kBusyDevice: kernels of other streams ran all that time.
/// in: in_edges of the draft. Empty = it is known of no node.
ByRow<Node, Evidence> reasons_of_device(const GraphDraft& draft,
                                        const ValuesByNode<DraftEdgeIndex>& in);

}  // namespace nadi
