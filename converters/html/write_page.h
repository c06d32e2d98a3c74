// One self-contained HTML file: style, scripts and data inside, nothing fetched from anywhere.
#pragma once

#include <string_view>
#include <vector>

#include "nadi/converters/html/page_json.h"
#include "nadi/emit/atomic_file.h"

namespace nadi::html {

struct Page {
  std::string_view body;                  ///< file of page/: "diff.html"
  std::vector<std::string_view> scripts;  ///< files of page/, after those all pages have
  Json data;                              ///< an object; the page's scripts know its members
};

/// Same page, same bytes. The licences of what is inside stand at the top of the page.
void write_page(const Page& page, const ByteSink& sink);

}  // namespace nadi::html
