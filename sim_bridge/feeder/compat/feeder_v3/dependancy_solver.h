// The dependency resolver of Chakra's FeederV3 interface, on top of nadi::Feeder.
#pragma once

#include <memory>
#include <unordered_set>

#include "nadi/base/id_map.h"
#include "nadi/sim_bridge/feeder/compat/feeder_v3/et_feeder_node.h"

namespace nadi {
class Feeder;
}

namespace Chakra {
namespace FeederV3 {

/// Each step is O(1), and finish_node also goes through the node's dependents once.
class DependancyResolver {
 public:
  explicit DependancyResolver(nadi::Feeder& feeder);

  /// Throws nadi::Error where the node is not free.
  void take_node(const NodeId& id);
  /// Frees a taken node again; throws nadi::Error where it is not taken.
  void push_back_node(const NodeId& id);
  /// Throws nadi::Error where the node is not taken.
  void finish_node(const NodeId& id);

  const std::unordered_set<NodeId>& get_dependancy_free_nodes() const { return free_; }
  const std::unordered_set<NodeId>& get_ongoing_nodes() const { return ongoing_; }

 private:
  friend class ETFeeder;

  nadi::Feeder& feeder_;
  std::unordered_set<NodeId> free_, ongoing_;
  // Looked up and not finished: simulators ask for all free nodes again at each event.
  nadi::IdMap<NodeId, std::shared_ptr<ETFeederNode>> looked_up_;
};

}  // namespace FeederV3
}  // namespace Chakra
