#include "nadi/sim_bridge/astra_sim/network_choice.h"

#include <algorithm>
#include <string>

#include "nadi/base/error.h"

namespace nadi::astra_sim {
namespace {

/// GB of links are 2^30 bytes; vendors' are 10^9.
constexpr double links_of(double vendors_gb_per_s) { return vendors_gb_per_s * 1e9 / 0x1p30; }

constexpr NamedNetwork kNamedNetworks[] = {
    {"h100", 400, 936, "ASTRA-sim's validated HGX-H100 example"},
    {"a100", links_of(300), 936, "NVLink 3, 600 GB/s both ways (NVIDIA); latency of h100"},
    {"b200", links_of(900), 936, "NVLink 5, 1,800 GB/s both ways (NVIDIA); latency of h100"},
};

}  // namespace

std::span<const NamedNetwork> named_networks() { return kNamedNetworks; }

bool have_one_link(const std::vector<NetworkDimension>& dimensions) {
  return std::all_of(dimensions.begin(), dimensions.end(), [&](NetworkDimension dimension) {
    dimension.npus = dimensions.front().npus;
    return dimension == dimensions.front();
  });
}

void tell_nodes_apart(std::int64_t ranks_of_node, Network& network) {
  const std::int64_t ranks = npus_of(network);
  network.dimensions.assign(2, network.dimensions.front());
  network.dimensions[0].npus = ranks_of_node;
  network.dimensions[1].npus = ranks / ranks_of_node + 1;
}

void choose_links(const NetworkChoice& choice, Network& network) {
  if (choice.dimensions.empty()) {
    for (NetworkDimension& dimension : network.dimensions) {
      const std::int64_t npus = dimension.npus;
      dimension = choice.link;
      dimension.npus = npus;
    }
    return;
  }
  const Network chosen{network.backend, choice.dimensions};
  const std::int64_t wanted = npus_of(network), given = npus_of(chosen);
  // The network fitted to another run, with links in nodes and between them, has an idle node
  // (tell_nodes_apart).
  const bool has_idle_node = chosen.dimensions.size() == 2 &&
                             given - chosen.dimensions.front().npus == wanted &&
                             !have_one_link(chosen.dimensions);
  if (given != wanted && !has_idle_node)
    throw Error(ErrorCode::kUsage, "the network (`dims`, or the file of `network`)",
                "holds " + npus_text(given) + ", and the job has " + std::to_string(wanted),
                "Give numbers whose product is " + std::to_string(wanted) + ", or leave them out");
  network = chosen;
}

}  // namespace nadi::astra_sim
