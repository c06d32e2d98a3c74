// The data of a page, as JSON that an HTML file can hold.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/base/diagnostics.h"

namespace nadi::html {

using Json = nlohmann::ordered_json;

/// Without "<", so that nothing in it ends or begins an element: names come from strangers. Bytes
/// that are no UTF-8 become U+FFFD.
std::string text_for_page(const Json& json);

/// The first `most` bytes and "…" where there are more; never within a character.
std::string cut_end(std::string_view text, std::size_t most);

/// [[severity, kind, count, [places]]].
Json findings_json(const std::vector<Diagnostic>& findings, WordPlace word = in_library_words);

}  // namespace nadi::html
