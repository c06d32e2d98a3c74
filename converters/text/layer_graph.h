// The graph of a text workload: which node of a pass waits for which.
#pragma once

#include <cstdint>

#include "nadi/converters/text/layer_file.h"
#include "nadi/emit/node_stream.h"

namespace nadi {

/// Appends `passes` passes over all layers, the same on every rank. Nodes per layer and pass:
/// F forward compute, Fc its collective, W and Wc of the weight gradient, I and Ic of the input
/// gradient; b = the layer before in the backward pass, which runs from the last layer to the
/// first.
///
/// | parallelism | forward of layer i | backward of layer i |
/// |---|---|---|
/// | MICRO | Wc alone, waits for nothing | - |
/// | DATA | F <- F(i-1), Wc(i) of the pass before | W <- I(b), first: last F; Wc <- W; I <- W |
/// | MODEL | F <- Fc(i-1), W(i) of the pass before; Fc <- F |
///   I <- W(b), Ic(b), first: last Fc; Ic <- I; W <- I |
/// | HYBRID_DATA_MODEL, HYBRID_MODEL_DATA | as MODEL, but Wc(i) of the pass before |
///   as MODEL; Wc <- W |
/// | HYBRID_DLRM | as DATA; F of the last bottom layer <- Fc(0); Fc <- F where it is ALLTOALL |
///   as DATA; Ic(0) <- I of the layer above the last bottom one, where there is one; W(0) <- Ic(0)
///   |
///
/// Layer 0 has no I (DATA, DLRM) or no Ic (others). What waits for a collective that is none waits
/// for what that would have waited for. One rank exchanges nothing: all collectives are none.
void append_passes(const TextWorkload& workload, std::int64_t passes, bool communicates,
                   NodeStream& nodes);

}  // namespace nadi
