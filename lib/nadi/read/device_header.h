// The top-level members of a device trace: clock, rank, process groups, devices.
#pragma once

#include <string_view>

#include "nadi/model/device_trace.h"
#include "nadi/read/field_walk.h"

namespace nadi {

bool is_device_header(std::string_view key);
/// Takes one member over; `value` has Window::kPadding readable bytes behind it. false = broken.
bool read_device_header(JsonParser& parser, std::string_view key, std::string_view value,
                        DeviceTrace& trace);
/// One entry of `pg_config` or of the host trace's process-group node, as JSON object.
bool read_process_group(JsonObject object, ProcessGroup& group, std::string& backend_id);

}  // namespace nadi
