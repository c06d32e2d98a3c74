// The data that a page holds for its scripts.
#pragma once

#include <string>

#include "nadi/converters/html/page_json.h"

namespace nadi::html {

/// The data between the page's own tags.
inline Json data_of(const std::string& page) {
  const std::string begin = "id=\"data\">";
  const std::size_t from = page.find(begin) + begin.size();
  return Json::parse(page.substr(from, page.find("</script>", from) - from));
}

}  // namespace nadi::html
