#include "nadi/sim_bridge/astra_analytical/dimension_links.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <utility>

namespace nadi::astra_sim {
namespace {

constexpr double kGigabyteOfLink = 0x1p30;  // memory's is 10^9
constexpr double kNsPerSecond = 1e9;

}  // namespace

Links::Links(const NetworkDimension& dimension, NetworkBackend backend,
             std::vector<std::int64_t> positions)
    : dimension_(dimension),
      bytes_per_ns_(dimension.bandwidth_gb_per_s * kGigabyteOfLink / kNsPerSecond),
      backend_(backend),
      positions_(std::move(positions)) {}

std::int64_t Links::size() const {
  return positions_.empty() ? dimension_.npus : std::ssize(positions_);
}

bool Links::is_symmetric() const {
  if (!is_ring() || positions_.empty()) return true;
  if (dimension_.npus % size() != 0) return false;
  for (std::size_t i = 0; i < positions_.size(); ++i)
    if (positions_[i] - positions_[0] != static_cast<std::int64_t>(i) * (dimension_.npus / size()))
      return false;
  return true;
}

bool Links::is_ascending() const {
  return std::adjacent_find(positions_.begin(), positions_.end(), std::greater_equal<>()) ==
         positions_.end();
}

/// The aware backend stores the whole message at each hop.
Ns Links::send(std::int64_t from, std::int64_t to, std::int64_t bytes) const {
  const std::int64_t passed = hops(from, to);
  const double transfer = static_cast<double>(bytes) / bytes_per_ns_;
  if (backend_ == NetworkBackend::kAware)
    return passed * static_cast<Ns>(dimension_.latency_ns + transfer);
  return static_cast<Ns>(static_cast<double>(passed) * dimension_.latency_ns + transfer);
}

double Links::longest_send(std::int64_t bytes) const {
  const auto most =
      static_cast<double>(is_ring() ? std::max<std::int64_t>(dimension_.npus / 2, 1) : 2);
  const double transfer = static_cast<double>(bytes) / bytes_per_ns_;
  return most * dimension_.latency_ns + (backend_ == NetworkBackend::kAware ? most : 1) * transfer;
}

std::int64_t Links::position(std::int64_t member) const {
  return positions_.empty() ? member : positions_[static_cast<std::size_t>(member)];
}

std::int64_t Links::hops(std::int64_t from, std::int64_t to) const {
  if (dimension_.topology == Topology::kSwitch) return 2;
  if (dimension_.topology == Topology::kFullyConnected) return 1;
  const std::int64_t distance = std::abs(position(from) - position(to));
  return std::min(distance, dimension_.npus - distance);
}

}  // namespace nadi::astra_sim
