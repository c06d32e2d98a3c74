// Reads a stream on another thread before its bytes are asked for.
#pragma once

#include <memory>

#include "nadi/input/raw_stream.h"

namespace nadi {

/// The same stream, of which one block is read ahead: its bytes, errors and damage come in their
/// order.
std::unique_ptr<ByteSource::Stream> read_ahead(std::unique_ptr<ByteSource::Stream> stream);

}  // namespace nadi
