#include "nadi/converters/cli/synthetic_ranks.h"

#include <fmt/format.h>

#include "nadi/converters/cli/log.h"
#include "nadi/converters/cli/summary.h"

namespace nadi::cli {

std::function<void(std::int64_t)> ranks_on(ProgressBar& bar, std::int64_t ranks) {
  return [&bar, ranks](std::int64_t done) {
    bar.update("writing ranks", static_cast<std::uint64_t>(done),
               static_cast<std::uint64_t>(ranks));
  };
}

void log_synthetic_ranks(const std::string& prefix, std::int64_t ranks, const std::string& what,
                         const Diagnostics& diagnostics) {
  const std::string last = ranks > 1 ? fmt::format(" to {}.{}.et", prefix, ranks - 1) : "";
  log_summary(fmt::format("{}.0.et{}: {}\n", prefix, last, what));
  log_findings(diagnostics.table());
}

void log_command(const std::string& command) {
  if (!command.empty()) log_summary("\nRun it with\n  " + command);
}

}  // namespace nadi::cli
