#include "nadi/emit/clock_json.h"

#include <nlohmann/json.hpp>

#include "nadi/base/json_document.h"

namespace nadi {

std::string clocks_json(const LinkedTrace& trace) {
  if (trace.clocks.empty()) return {};
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ClockCorrection& clock : trace.clocks) {
    auto& entry = list.emplace_back(nlohmann::ordered_json::object());
    for_each_number(clock, [&](const char* name, auto number) { entry[name] = number; });
  }
  return document_text(list);
}

}  // namespace nadi
