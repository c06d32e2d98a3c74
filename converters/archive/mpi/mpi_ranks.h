// Deals ranks out to the processes of an MPI job as they ask: the first process collects the traces
// and keeps the manifests, all others convert.
#pragma once

#include <optional>

#include "nadi/converters/archive/convert_archive.h"

namespace nadi {

/// convert_archive() by all processes of the MPI job, each of which calls it with the same options;
/// `jobs` and `memory` are of each process (0 = one rank at a time, and a share of 80 % of the
/// machine's). Gives the report in the first process, nothing in the others. Throws what
/// convert_archive throws, in the first process, and Error(kUsage) where nadi was built without
/// MPI.
std::optional<ConvertArchiveReport> convert_archive_with_mpi(const ConvertArchiveOptions& options);

}  // namespace nadi
