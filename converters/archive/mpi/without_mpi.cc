#include "nadi/base/error.h"
#include "nadi/converters/archive/mpi/mpi_ranks.h"
#include "nadi/converters/archive/mpi/processes_started.h"

namespace nadi {

std::optional<ConvertArchiveReport> convert_archive_with_mpi(const ConvertArchiveOptions&) {
  throw Error(ErrorCode::kUsage, "",
              "MPI started " + std::to_string(mpi_processes_started()) +
                  " processes, but this nadi was built without MPI: each would convert all ranks",
              "Build with -DNADI_WITH_MPI=ON, or convert with `shard`");
}

}  // namespace nadi
