#include "nadi/converters/html/write_page.h"

#include <cassert>

#include "nadi/converters/html/page_files.h"

namespace nadi::html {
namespace {

constexpr std::string_view kLibraries[] = {"jquery.min.js", "jquery.dataTables.min.js",
                                           "chart.min.js"};
constexpr std::string_view kOfAllPages[] = {"elements.js", "format.js", "charts.js", "tables.js",
                                            "start.js"};

std::string_view file(std::string_view name) {
  const std::string_view text = page_file(name);
  assert(!text.empty());
  return text;
}

void write_scripts(const Page& page, const ByteSink& sink) {
  for (const std::string_view library : kLibraries) {
    sink("<script>\n");
    sink(file(library));
    sink("\n</script>\n");
  }
  sink("<script>\n'use strict';\n");
  for (const std::string_view script : kOfAllPages) sink(file(script));
  for (const std::string_view script : page.scripts) sink(file(script));
  sink("</script>\n");
}

}  // namespace

void write_page(const Page& page, const ByteSink& sink) {
  sink("<!DOCTYPE html>\n");
  sink(file("licences.html"));
  sink(file("head.html"));
  sink("<style>\n");
  sink(file("page.css"));
  sink("</style>\n</head>\n<body>\n");
  sink(file(page.body));
  sink(file("foot.html"));
  sink("<script type=\"application/json\" id=\"data\">");
  Json data = page.data;
  data["version"] = NADI_VERSION;
  sink(text_for_page(data));
  sink("</script>\n");
  write_scripts(page, sink);
  sink("</body>\n</html>\n");
}

}  // namespace nadi::html
