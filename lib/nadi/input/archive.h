// Opens one member of an archive.
#pragma once

#include <memory>
#include <string>

#include "nadi/input/raw_stream.h"

namespace nadi {

/// Unpacks `raw` with libarchive. `member` empty = the only one.
/// Throws Error(kInput) when it cannot be unpacked or the member is not there.
std::unique_ptr<ByteSource::Stream> open_archive(std::unique_ptr<RawFile> raw,
                                                 const std::string& name,
                                                 const std::string& member);

}  // namespace nadi
