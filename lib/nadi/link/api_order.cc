#include "nadi/link/api_order.h"

namespace nadi {

ApiOrder::ApiOrder(const DeviceTrace& device)
    : device_(device), calls_(device.calls.correlation, -1) {}

CallIndex ApiOrder::call_with(std::int64_t correlation) const {
  const auto found = calls_.rows(correlation);
  return correlation < 0 || found.empty() ? CallIndex() : found.front().row;
}

Ns ApiOrder::begin_before(std::int64_t correlation) const {
  const CallIndex call = calls_.row_below(correlation);
  return call ? device_.calls.start_ns[call] : device_.first_ns;
}

std::optional<Ns> ApiOrder::begin_after(std::int64_t correlation) const {
  const CallIndex call = calls_.row_above(correlation);
  if (!call) return {};
  return device_.calls.start_ns[call];
}

bool ApiOrder::is_by_correlation() const {
  constexpr std::size_t kShare = 100;
  const auto entries = calls_.entries();
  std::size_t backward = 0;
  for (std::size_t i = 1; i < entries.size(); ++i)
    if (device_.calls.start_ns[entries[i].row] < device_.calls.start_ns[entries[i - 1].row])
      ++backward;
  return !entries.empty() && backward * kShare <= entries.size();
}

}  // namespace nadi
