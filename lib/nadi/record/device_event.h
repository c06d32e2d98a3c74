// Events of the device trace, in Kineto's form (schema/kineto.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "nadi/record/closed_op.h"
#include "nadi/record/host_node.h"

namespace nadi::record {

/// A thread or stream as an event names it, and the time that is the file's zero.
struct EventPlace {
  std::int64_t pid = 0, tid = 0;
  Ns origin_ns = 0;
};

/// The row of an op, number `index` of the file, and the flow ends that tie forward and backward.
void append_op_event(std::string& text, const EventPlace& place, const ClosedOp& op,
                     std::uint64_t index, const JobPlace& job);
/// The row of a call; of a launch also the beginning of its flow; of a sync its sync row.
void append_call_event(std::string& text, const EventPlace& place, const ClosedCall& call);
void append_device_row_event(std::string& text, Ns origin_ns, const ClosedDeviceRow& row,
                             const JobPlace& job);
/// what: "process_name", "thread_name"; key: "name", "labels".
void append_metadata_event(std::string& text, const EventPlace& place, std::string_view what,
                           std::string_view key, std::string_view value);

}  // namespace nadi::record
