// Says whether nadi was started as an MPI job.
#pragma once

namespace nadi {

/// The number of processes with which mpirun or srun started this one, as its environment says; 1 =
/// it was not started so.
int mpi_processes_started();

}  // namespace nadi
