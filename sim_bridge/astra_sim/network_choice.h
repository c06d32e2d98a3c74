// The dimensions and links of the network that a job is written for, as a user asks for them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "nadi/sim_bridge/astra_analytical/network_model.h"

namespace nadi::astra_sim {

// What links of a machine may have.
inline constexpr double kLeastBandwidth = 1e-6, kMostBandwidth = 1e9;  // GB/s
inline constexpr double kMostLatency = 1e9;                            // ns

struct NetworkChoice {
  bool is_fitted = true;  ///< to what the job measured (fit_network.h), else the links stay as here
  NetworkDimension link;  ///< of all dimensions; its npus are of no account
  std::vector<NetworkDimension> dimensions;  ///< with npus and links; empty = as the job needs them
};

struct NamedNetwork {
  std::string_view name;
  double bandwidth_gb_per_s, latency_ns;
  std::string_view source;
};

/// Networks that users name instead of numbers.
std::span<const NamedNetwork> named_networks();

/// True where the dimensions differ in nothing but their npus.
bool have_one_link(const std::vector<NetworkDimension>& dimensions);

/// Two dimensions in place of the one: the ranks of a node, and the nodes. One node's NPUs are idle
/// behind all ranks, so that the group of all ranks is a part of the network, too.
void tell_nodes_apart(std::int64_t ranks_of_node, Network& network);

/// Gives `network`, made for a job of so many NPUs, the links chosen. Throws Error(kUsage) where
/// the dimensions chosen hold another number of NPUs; one idle node more is taken with links that
/// differ.
void choose_links(const NetworkChoice& choice, Network& network);

}  // namespace nadi::astra_sim
