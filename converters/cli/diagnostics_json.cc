#include "nadi/converters/cli/diagnostics_json.h"

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

}  // namespace nadi::cli
