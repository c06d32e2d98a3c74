// Says what each stretch of a critical path is, in words that one can act on.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nadi/converters/profile/host_places.h"
#include "nadi/converters/profile/step_times.h"
#include "nadi/sim_bridge/replay/critical_path.h"

namespace nadi {

/// "rank 3 had not begun".
std::string late_rank_text(std::int64_t rank);

struct PathName {
  PathKind kind = PathKind::kHost;
  std::string name;
};

/// Job and times must outlive it; rows are sorted as they are asked for.
class PathNames {
 public:
  /// times: those whose path it is.
  PathNames(const ReplayJob& job, const ReplayTimes& times);

  /// kHost: the op; kKernel: the kernel; kCommunication: "ALL_REDUCE of group 7" where it is
  /// recorded, else the kernel; of both, too, "while NAME runs", which is what the device did for
  /// most of the time until a row began that nothing known held up. Else "before NAME" of the row
  /// that could not begin sooner, "thread 1 in NAME" of a thread that waits inside of it, or
  /// late_rank_text().
  PathName of(const PathPiece& piece);

 private:
  /// The rows of a device by their starts, and of those so far the one that ends last.
  struct DeviceRowTimes {
    std::vector<std::uint32_t> rows, last_to_end;
  };

  /// "thread 1 in aten::linear": what a host thread is inside of while it waits for so long until a
  /// node of it begins.
  std::string thread_text(std::size_t of, std::uint32_t next, Ns length);
  std::string name_of_work(std::size_t of, std::uint32_t row) const;
  std::string_view group_of(std::uint32_t node) const;
  std::uint32_t row_meanwhile(std::size_t of, std::uint32_t next, const PathPiece& piece);
  const DeviceRowTimes& rows_of(std::size_t of, std::int64_t device);

  const ReplayJob& job_;
  const ReplayTimes& times_;
  const Ns begin_ns_;                                                    // of the path
  std::vector<DeviceWorks> works_;                                       // by graph
  std::vector<HostPlaces> places_;                                       // the same
  std::map<std::pair<std::size_t, std::int64_t>, DeviceRowTimes> rows_;  // by graph and device
};

}  // namespace nadi
