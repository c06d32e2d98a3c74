#include "nadi/converters/html/page_json.h"

#include "nadi/base/json_document.h"
#include "nadi/base/utf8.h"

namespace nadi::html {

std::string text_for_page(const Json& json) {
  const std::string plain = document_text(json);
  std::string text;
  text.reserve(plain.size() + plain.size() / 64);
  for (const char c : plain) {
    if (c == '<')
      text += "\\u003c";  // only strings hold it
    else
      text += c;
  }
  return text;
}

std::string cut_end(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  return std::string(whole_prefix(text, most)) + "…";
}

Json findings_json(const std::vector<Diagnostic>& findings, WordPlace word) {
  constexpr std::size_t kPlace = 2000;
  Json json = Json::array();
  for (const Diagnostic& found : findings) {
    Json places = Json::array();
    for (const std::string& place : found.first) places.push_back(cut_end(word(place), kPlace));
    json.push_back({to_string(severity_of(found.kind)), to_string(found.kind), found.count,
                    std::move(places)});
  }
  return json;
}

}  // namespace nadi::html
