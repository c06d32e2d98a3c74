// A replay as a page: measured beside replayed, lanes over time, where the time goes.
#pragma once

#include <string>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/converters/html/delay_modes.h"
#include "nadi/converters/load_job.h"
#include "nadi/emit/atomic_file.h"
#include "nadi/sim_bridge/replay/report.h"

namespace nadi::html {

struct ReplayPage {
  const ReplayJob& job;
  const ReplayReport& report;
  const ReplayTimes &measured, &replayed;
  const ReplayTimes* scaled;           ///< with --scale; null without
  std::vector<DelayModeTime> by_mode;  ///< see replay_by_delay_mode()
  const GraphInputs& inputs;
  const std::vector<Diagnostic>& diagnostics;
};

void write_replay_page(const ReplayPage& page, const ByteSink& sink);

}  // namespace nadi::html
