// The two files of a recording while they grow: the host trace and the device trace.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "nadi/record/closed_op.h"
#include "nadi/record/device_event.h"
#include "nadi/record/host_node.h"
#include "nadi/record/session.h"
#include "nadi/record/thread_log.h"
#include "nadi/record/trace_file.h"

namespace nadi::record {

class TracePair {
 public:
  /// Creates both files and writes their beginnings. start_ns: now, in the recording's clock.
  TracePair(const Settings& settings, Ns start_ns);

  void add_thread(const ThreadIdentity& thread);
  void name_thread(const ThreadIdentity& thread, std::string_view name);
  void add_op(const ThreadIdentity& thread, const ClosedOp& op);
  void add_call(const ThreadIdentity& thread, const ClosedCall& call);
  void add_device_row(const ClosedDeviceRow& row);
  /// Hands all there is to the system.
  void write_out();
  /// Writes the ends. Throws Error(kInput) where either file could not be written.
  void finish(Summary& summary);

 private:
  EventPlace place_of(const ThreadIdentity& thread) const;
  void begin_host();
  void begin_device(const Settings& settings);
  void write_out_much();
  void name_lane(std::int64_t device, std::int64_t stream);

  const JobPlace job_;
  const std::int64_t pid_;
  const Ns origin_ns_;
  TraceFile host_, device_;
  std::uint64_t op_count_ = 0;
  std::unordered_map<std::uint64_t, std::int64_t> tids_;  ///< as the device trace names threads
  std::unordered_map<std::int64_t, std::int64_t> uses_of_os_tid_;
  std::set<std::pair<std::int64_t, std::int64_t>> named_lanes_;
};

}  // namespace nadi::record
