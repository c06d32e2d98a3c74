#include "nadi/emit/metadata.h"

#include <utility>

#include "nadi/chakra/attribute_value.h"
#include "nadi/chakra/wire_writer.h"
#include "nadi/emit/clock_json.h"
#include "nadi/emit/process_groups.h"
#include "nadi/emit/trace_header.h"

namespace nadi {

ChakraProtoMsg::GlobalMetadata make_metadata(const LinkedTrace& trace, const BuiltGraph& graph) {
  const TraceHeader header = header_of(trace, graph);
  ChakraProtoMsg::GlobalMetadata metadata;
  metadata.set_version(kSchemaVersion);
  add_attribute(metadata, "schema")->set_string_val(header.schema);
  add_attribute(metadata, "pid")->set_uint64_val(header.pid);
  add_attribute(metadata, "time")->set_string_val(header.time);
  add_attribute(metadata, "start_ts")->set_uint64_val(header.start_ts);
  add_attribute(metadata, "finish_ts")->set_uint64_val(header.finish_ts);
  add_attribute(metadata, "base_time_ns")->set_int64_val(header.base_time_ns);
  add_attribute(metadata, "rank")->set_int64_val(trace.rank);
  if (!header.device_name.empty())
    add_attribute(metadata, "device_name")->set_string_val(header.device_name);
  if (trace.device.world_size >= 0)
    add_attribute(metadata, "world_size")->set_int64_val(trace.device.world_size);
  if (std::string groups = process_groups_json(trace); !groups.empty())
    add_attribute(metadata, "process_groups")->set_string_val(std::move(groups));
  if (std::string clocks = clocks_json(trace); !clocks.empty())
    add_attribute(metadata, "clock_corrections")->set_string_val(std::move(clocks));
  add_attribute(metadata, "nadi_version")->set_string_val(NADI_VERSION);
  return metadata;
}

}  // namespace nadi
