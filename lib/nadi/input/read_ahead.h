// Reads a stream on another thread before its bytes are asked for.
#pragma once

#include <memory>

#include "nadi/input/raw_stream.h"

namespace nadi {

/// The same stream, of which one block is read ahead. Damage comes behind all bytes before it; an
/// error comes before the bytes of its block, and nothing behind it.
std::unique_ptr<ByteSource::Stream> read_ahead(std::unique_ptr<ByteSource::Stream> stream);

}  // namespace nadi
