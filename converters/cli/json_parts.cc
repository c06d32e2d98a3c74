#include "nadi/converters/cli/json_parts.h"

#include <nlohmann/json.hpp>

namespace nadi::cli {

nlohmann::ordered_json diagnostics_json(const std::vector<Diagnostic>& diagnostics) {
  auto json = nlohmann::ordered_json::array();
  for (const Diagnostic& diagnostic : diagnostics)
    json.push_back({{"kind", diagnostic.kind},
                    {"severity", std::string(to_string(diagnostic.severity))},
                    {"count", diagnostic.count},
                    {"first", diagnostic.first}});
  return json;
}

std::string json_text(const nlohmann::ordered_json& json) {
  constexpr int kBlanks = 2;
  return json.dump(kBlanks, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace nadi::cli
