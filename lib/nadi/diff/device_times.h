// Measures how long each device of a trace works and stands idle within each iteration.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "nadi/base/busy_times.h"
#include "nadi/diff/table_rows.h"

namespace nadi {

struct DeviceUse {
  std::string device;  ///< TableRows::device_name()
  Ns busy_ns = 0;      ///< in which any of its rows runs
  Ns idle_ns = 0;      ///< the rest of the iteration
};

/// Made from the whole table, before iterations are chosen: what a device does while an iteration
/// lasts may have been launched by the one before.
class DeviceTimes {
 public:
  explicit DeviceTimes(const TableRows& rows);

  /// The use of each device of the trace, by name, while the steps ProfilerStep#`iteration` last;
  /// of a trace without iterations (-1) from its first op, call or device row to the end of the
  /// last.
  std::vector<DeviceUse> in(std::int32_t iteration) const;

 private:
  struct Span {
    Ns start_ns, end_ns;
  };
  static void widen(std::map<std::int32_t, Span>& windows, std::int32_t iteration, Span span);

  std::map<std::int32_t, Span> windows_;      // by iteration
  std::map<std::string, BusyTimes> devices_;  // by name
};

}  // namespace nadi
