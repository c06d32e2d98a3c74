// Tells what each stretch of a critical path is, in words that one can act on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nadi/converters/profile/step_times.h"
#include "nadi/sim_bridge/replay/critical_path.h"

namespace nadi {

struct PathName {
  PathKind kind = PathKind::kHost;
  std::string name;
};

/// Job and times must outlive it; rows are sorted as they are asked for.
class PathNames {
 public:
  /// times: those whose path it is.
  PathNames(const ReplayJob& job, const ReplayTimes& times);

  /// kHost: the op; kKernel, kCommunication: the kernel, or "while NAME runs" of a row that nothing
  /// holds up but that began as that one ended; else "before NAME" of the row that could not begin
  /// sooner, "thread 1 in NAME" of a thread that waits, or "rank 3 had not begun".
  PathName of(const PathPiece& piece);

 private:
  std::uint32_t row_meanwhile(std::size_t of, std::uint32_t next, const PathPiece& piece);
  const std::vector<std::uint32_t>& rows_by_end(std::size_t of);

  const ReplayJob& job_;
  const ReplayTimes& times_;
  const Ns begin_ns_;                             // of the path
  std::vector<DeviceWorks> works_;                // by graph
  std::vector<std::vector<std::uint32_t>> rows_;  // by graph, of its devices, by end
};

}  // namespace nadi
