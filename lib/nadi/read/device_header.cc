#include "nadi/read/device_header.h"

#include <string>

#include "nadi/read/json_text.h"

namespace nadi {
namespace {

/// A list of ranks, also written as a string ("[0, 1]"); a cut list ("[0, …, ...]") is of no use.
std::vector<std::int64_t> ranks_of(std::string_view list) {
  std::vector<std::int64_t> ranks;
  for (std::string_view element : elements_of(list)) {
    const auto rank = integer_of(element);
    if (!rank) return {};
    ranks.push_back(*rank);
  }
  return ranks;
}

bool read_groups(JsonValue& value, DeviceTrace& trace) {
  simdjson::ondemand::array list;
  if (value.get_array().get(list) != simdjson::SUCCESS) return false;
  for (auto entry : list) {
    JsonObject object;
    ProcessGroup group;
    std::string backend_id;
    if (entry.get_object().get(object) != simdjson::SUCCESS ||
        !read_process_group(object, group, backend_id))
      return false;
    trace.groups.push_back(std::move(group));
  }
  return true;
}

bool read_distributed_info(JsonObject object, DeviceTrace& trace) {
  std::string scratch;
  return for_each_field(
      object, [&](std::string_view key, std::string_view token, JsonValue& value) {
        if (key == "rank") trace.rank = integer_of(token).value_or(-1);
        if (key == "world_size") trace.world_size = integer_of(token).value_or(-1);
        if (key == "backend") trace.backend = trace.strings.intern(text_of(trim(token), scratch));
        return key != "pg_config" || token.front() != '[' || read_groups(value, trace);
      });
}

bool read_devices(JsonParser& parser, std::string_view text, DeviceTrace& trace) {
  simdjson::ondemand::document document;
  simdjson::ondemand::array list;
  const auto error =
      parser.iterate(text.data(), text.size(), text.size() + Window::kPadding).get(document);
  if (error != simdjson::SUCCESS || document.get_array().get(list) != simdjson::SUCCESS)
    return false;
  std::string scratch;
  for (auto entry : list) {
    JsonObject object;
    if (entry.get_object().get(object) != simdjson::SUCCESS) return false;
    std::string name;
    const bool is_good =
        for_each_field(object, [&](std::string_view key, std::string_view token, JsonValue&) {
          if (key == "name") name = text_of(trim(token), scratch);
          return true;
        });
    if (!is_good) return false;
    trace.device_names.push_back(std::move(name));
  }
  return true;
}

}  // namespace

bool read_process_group(JsonObject object, ProcessGroup& group, std::string& backend_id) {
  std::string scratch;
  return for_each_field(object,
                        [&](std::string_view key, std::string_view token, JsonValue& value) {
                          const std::string_view whole = whole_token(token, value);
                          if (whole.empty()) return false;
                          if (whole == "null") return true;
                          if (key == "pg_name") group.name = text_of(whole, scratch);
                          if (key == "pg_desc") group.desc = text_of(whole, scratch);
                          if (key == "backend_config")
                            group.backend_config = text_of(whole, scratch);
                          if (key == "backend_id") backend_id = text_of(whole, scratch);
                          if (key == "pg_size" || key == "group_size")
                            group.size = integer_of(whole).value_or(-1);
                          if (key == "ranks") group.ranks = ranks_of(unquoted(whole));
                          return true;
                        });
}

bool is_device_header(std::string_view key) {
  return key == "distributedInfo" || key == "baseTimeNanoseconds" || key == "deviceProperties";
}

bool read_device_header(JsonParser& parser, std::string_view key, std::string_view value,
                        DeviceTrace& trace) {
  if (key == "baseTimeNanoseconds") {
    const auto base = integer_of(value);
    if (base) trace.base_time_ns = *base;
    return base.has_value();
  }
  if (key == "deviceProperties") {
    trace.device_names.clear();
    return read_devices(parser, value, trace);
  }
  trace.groups.clear();
  simdjson::ondemand::document document;
  JsonObject object;
  return open_object(parser, value, document, object) && read_distributed_info(object, trace);
}

}  // namespace nadi
