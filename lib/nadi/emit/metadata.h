// The first message of a Chakra file: what holds of the whole graph.
#pragma once

#include "et_def.pb.h"
#include "nadi/graph/built_graph.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Returns the attributes that schema/chakra.md, "Metadata", lists. Text is valid UTF-8.
ChakraProtoMsg::GlobalMetadata make_metadata(const LinkedTrace& trace, const BuiltGraph& graph);

}  // namespace nadi
