#include "nadi/read/host_groups.h"

#include "nadi/read/device_header.h"
#include "nadi/read/object_scanner.h"

namespace nadi {

HostGroups read_host_groups(std::string_view text) {
  HostGroups result;
  std::string padded(text);
  padded.append(Window::kPadding, '\0');
  JsonParser parser;
  std::size_t at = text.find('{');
  while (at != std::string_view::npos) {
    const std::string_view rest = std::string_view(padded).substr(at, text.size() - at);
    const auto size = ObjectScanner<Brackets::kBraces>().find_end(rest);
    if (!size) break;
    simdjson::ondemand::document document;
    JsonObject object;
    ProcessGroup group;
    std::string backend_id;
    if (open_object(parser, rest.substr(0, *size), document, object) &&
        read_process_group(object, group, backend_id)) {
      result.groups.push_back(std::move(group));
      result.backend_ids.push_back(std::move(backend_id));
    }
    at = text.find('{', at + *size);
  }
  const std::string_view content = trim(text);
  result.is_cut = at != std::string_view::npos || (!content.empty() && content.back() != ']');
  return result;
}

}  // namespace nadi
