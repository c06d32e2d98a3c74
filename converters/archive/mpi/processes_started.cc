#include "nadi/converters/archive/mpi/processes_started.h"

#include <algorithm>
#include <cstdlib>

#include "nadi/base/number_text.h"

namespace nadi {

int mpi_processes_started() {
  int processes = 1;
  // Of OpenMPI, and of MPICH and Intel MPI; srun with PMIx says how many in another place.
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char* const text = std::getenv(variable))
      processes = std::max(processes, number_of_text<int>(text).value_or(1));
  const char* const tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  if (tasks != nullptr && std::getenv("PMIX_RANK") != nullptr)
    processes = std::max(processes, number_of_text<int>(tasks).value_or(1));
  return processes;
}

}  // namespace nadi
