#include "nadi/base/json_document.h"

#include <nlohmann/json.hpp>

namespace nadi {
namespace {

template <class Document>
std::string text_of_document(const Document& document, int indent) {
  return document.dump(indent, ' ', false, Document::error_handler_t::replace);
}

}  // namespace

nlohmann::json parse_json(std::string_view text) { return nlohmann::json::parse(text); }

nlohmann::ordered_json parse_ordered_json(std::string_view text) {
  return nlohmann::ordered_json::parse(text);
}

bool is_json(std::string_view text) { return nlohmann::json::accept(text); }

std::string document_text(const nlohmann::json& document, int indent) {
  return text_of_document(document, indent);
}

std::string document_text(const nlohmann::ordered_json& document, int indent) {
  return text_of_document(document, indent);
}

}  // namespace nadi
