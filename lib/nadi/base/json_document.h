// Reads and writes JSON documents in one place: nlohmann's parser and serializer would be compiled
// anew for each file that calls them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace nadi {

/// Throws nlohmann::json::parse_error. Keys are found by a search tree, and stand in its order.
nlohmann::json parse_json(std::string_view text);
/// The same with keys in the order of the text, all of which it searches for each new one.
nlohmann::ordered_json parse_ordered_json(std::string_view text);
bool is_json(std::string_view text);

/// `indent`: blanks for each level; -1 = all on one line. What is no UTF-8 becomes U+FFFD.
std::string document_text(const nlohmann::json& document, int indent = -1);
std::string document_text(const nlohmann::ordered_json& document, int indent = -1);

}  // namespace nadi
