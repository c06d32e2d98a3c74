// Looks at the files of a folder or an archive: what each is, and of which rank.
#pragma once

#include <string>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/converters/archive/pair_ranks.h"
#include "nadi/converters/archive/visit_sources.h"

namespace nadi {

/// What a file of a folder, or the member at which the walk over an archive stands, holds.
TracePeek look_at(const SourceFile& file);
/// The same of a member whose bytes `read` gives.
TracePeek look_at_member(const SourceFile& file, const ByteSource::ReadFunction& read,
                         const UnpackLimits& limits);

/// `name`: the path inside the folder that was given, or as given. A graph has the rank of its name
/// PREFIX.<rank>.et.
FoundTrace found_at(const std::string& path, const std::string& name, TracePeek peek);

/// Every file of a folder, but not of folders in it, or of all folders in an archive, traces or
/// not, as visit_sources gives them and throws.
std::vector<FoundTrace> look_at_files(const std::string& source, Diagnostics& diagnostics);

}  // namespace nadi
