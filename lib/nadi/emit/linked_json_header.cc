#include "nadi/emit/linked_json_header.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "nadi/emit/clock_json.h"
#include "nadi/emit/process_groups.h"
#include "nadi/emit/trace_header.h"

namespace nadi {
namespace {

using Json = nlohmann::ordered_json;

// What MLCommons' converter takes; it refuses all others.
constexpr std::string_view kKnownSchemas[] = {"1.0.2-chakra.0.0.4", "1.0.3-chakra.0.0.4",
                                              "1.1.0-chakra.0.0.4"};
constexpr std::string_view kNearestSchema = "1.0.3-chakra.0.0.4";

/// The device trace's own form of it, with what recorded operations tell of their groups.
Json job_json(const LinkedTrace& trace) {
  Json job = Json::object();
  if (trace.device.world_size >= 0) job["world_size"] = trace.device.world_size;
  if (const std::string_view backend = trace.strings[trace.device.backend]; !backend.empty())
    job["backend"] = backend;
  const std::string text = process_groups_json(trace);
  if (text.empty()) return job;
  const Json groups = Json::parse(text);
  Json& list = job["pg_config"] = Json::array();
  for (const auto& [name, group] : groups.items()) {
    Json entry = {{"pg_name", name}, {"pg_desc", group["desc"]}};
    if (group.contains("size")) entry["pg_size"] = group["size"];
    entry["ranks"] = group["ranks"];
    list.push_back(std::move(entry));
  }
  return job;
}

/// In the order of the lanes.
Json threads_json(const LinkedTrace& trace) {
  Json threads = Json::array();
  for (const Lane& lane : trace.lanes)
    if (!lane.is_device) threads.push_back({{"tid", lane.tid}, {"name", lane.name}});
  return threads;
}

Json own_facts(const LinkedTrace& trace) {
  Json facts = {{"rank", trace.rank}, {"base_time_ns", trace.device.base_time_ns}};
  if (Json job = job_json(trace); !job.empty()) facts["distributedInfo"] = std::move(job);
  facts["threads"] = threads_json(trace);
  if (const std::string clocks = clocks_json(trace); !clocks.empty())
    facts["clock_corrections"] = Json::parse(clocks);
  return facts;
}

}  // namespace

void write_linked_header(const LinkedTrace& trace, const Graph& graph, JsonWriter& json) {
  const TraceHeader header = header_of(trace, graph);
  const bool is_known = std::find(std::begin(kKnownSchemas), std::end(kKnownSchemas),
                                  header.schema) != std::end(kKnownSchemas);
  json.member("schema", is_known ? std::string_view(header.schema) : kNearestSchema);
  if (!is_known) json.member("source_schema", header.schema);
  json.member("pid", header.pid);
  json.member("time", header.time);
  json.member("start_ts", header.start_ts);
  json.member("finish_ts", header.finish_ts);
  json.key("nadi").raw() += own_facts(trace).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace nadi
