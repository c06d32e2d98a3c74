#include "nadi/link/report_at.h"

#include <fmt/format.h>

namespace nadi {

void report_at(Diagnostics& diagnostics, std::string_view kind, const LinkedTrace& linked,
               std::string_view name, Ns time, std::int64_t correlation) {
  if (!diagnostics.wants_place(kind)) return diagnostics.report(kind, Severity::kWarning, {});
  constexpr std::size_t kLongest = 60;
  const std::string shown =
      name.size() > kLongest ? std::string(name.substr(0, kLongest)) + "..." : std::string(name);
  const Ns first = linked.device.first_ns;
  const bool is_known = time != kNoTime && first != kNoTime;
  const std::string when =
      is_known ? fmt::format("{:.3f} ms", static_cast<double>(time - first) / 1e6) : "no time";
  diagnostics.report(kind, Severity::kWarning,
                     fmt::format("{} at {}, correlation {}", shown, when, correlation));
}

}  // namespace nadi
