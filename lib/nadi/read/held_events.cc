#include "nadi/read/held_events.h"

#include <fmt/format.h>

#include <utility>

#include "nadi/read/json_repair.h"
#include "nadi/read/window.h"

namespace nadi {
void HeldEvents::add(std::string_view event, std::uint64_t number) {
  events_.push_back({text_.size(), number});
  text_ += event;
}

void HeldEvents::release(const Take& take, Diagnostics& diagnostics) {
  std::string text = std::exchange(text_, {});
  const std::vector<HeldEvent> events = std::exchange(events_, {});
  const std::size_t end = text.size();
  text.append(Window::kPadding, '\0');
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto [begin, number] = events[i];
    const std::size_t next = i + 1 < events.size() ? events[i + 1].begin : end;
    const std::string_view event = std::string_view(text).substr(begin, next - begin);
    if (take(event, number)) continue;
    const bool is_repaired = take_repaired(
        event, [&, number = number](std::string_view mended) { return take(mended, number); });
    diagnostics.report(is_repaired ? Finding::kBrokenJsonRepaired : Finding::kBrokenJsonSkipped,
                       fmt::format("event {}", number));
  }
}

}  // namespace nadi
