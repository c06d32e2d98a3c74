#include "nadi/emit/clock_json.h"

#include <nlohmann/json.hpp>

namespace nadi {

std::string clocks_json(const LinkedTrace& trace) {
  if (trace.clocks.empty()) return {};
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ClockCorrection& clock : trace.clocks)
    list.push_back({{"device", clock.device},
                    {"offset_ns", clock.offset_ns},
                    {"drift_ppb", clock.drift_ppb},
                    {"bounds", clock.bounds},
                    {"asked_by", clock.asked_by},
                    {"outliers", clock.outliers},
                    {"slack_ns", clock.slack_ns}});
  return list.dump();
}

}  // namespace nadi
