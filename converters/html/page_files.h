// The files that pages consist of, compiled in: those of page/, and the JavaScript libraries.
#pragma once

#include <string_view>

namespace nadi::html {

/// The text of a file by its name: "page.css", "chart.min.js". Empty where there is none.
std::string_view page_file(std::string_view name);

}  // namespace nadi::html
