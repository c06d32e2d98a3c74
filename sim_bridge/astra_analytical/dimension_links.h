// The links between the members of a collective on one dimension of ASTRA-sim's network.
#pragma once

#include <cstdint>
#include <vector>

#include "nadi/base/time.h"
#include "nadi/sim_bridge/astra_analytical/network_model.h"

namespace nadi::astra_sim {

class Links {
 public:
  /// `dimension`: is read as long as this lives. `positions`: of the members on it; empty = they
  /// are all of it.
  Links(const NetworkDimension& dimension, NetworkBackend backend,
        std::vector<std::int64_t> positions);

  std::int64_t size() const;
  bool is_part() const { return !positions_.empty(); }
  bool is_ring() const { return dimension_.topology == Topology::kRing; }
  /// Whether what one member does, all do.
  bool is_symmetric() const;
  bool is_ascending() const;

  /// ns
  Ns send(std::int64_t from, std::int64_t to, std::int64_t bytes) const;
  /// ns, not truncated; no message takes longer.
  double longest_send(std::int64_t bytes) const;

 private:
  std::int64_t position(std::int64_t member) const;
  std::int64_t hops(std::int64_t from, std::int64_t to) const;

  const NetworkDimension& dimension_;
  double bytes_per_ns_;
  NetworkBackend backend_;
  std::vector<std::int64_t> positions_;
};

}  // namespace nadi::astra_sim
