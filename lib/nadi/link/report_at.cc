#include "nadi/link/report_at.h"

#include <fmt/format.h>

#include "nadi/base/utf8.h"

namespace nadi {

void report_at(Diagnostics& diagnostics, Finding kind, const LinkedTrace& linked,
               std::string_view name, Ns time, std::int64_t correlation) {
  diagnostics.report(kind, [&] {
    constexpr std::size_t kLongest = 60;
    const char* const dots = name.size() > kLongest ? "..." : "";
    const Ns first = linked.device.first_ns;
    const bool is_known = time != kNoTime && first != kNoTime;
    const std::string when =
        is_known ? fmt::format("{:.3f} ms", static_cast<double>(time - first) / 1e6) : "no time";
    return fmt::format("{}{} at {}, correlation {}", whole_prefix(name, kLongest), dots, when,
                       correlation);
  });
}

}  // namespace nadi
