// Chakra's FeederV3 interface, as ASTRA-sim compiles against it, fed by nadi::Feeder: data and ctrl
// dependencies, plain and gzip files. How to switch a simulator over: the README of
// sim_bridge/feeder.
#pragma once

#include <memory>
#include <string>

#include "nadi/sim_bridge/feeder/compat/feeder_v3/dependancy_solver.h"
#include "nadi/sim_bridge/feeder/compat/feeder_v3/et_feeder_node.h"

namespace Chakra {
namespace FeederV3 {

class ETFeeder {
 public:
  /// Throws nadi::Error (a std::runtime_error) that says what is wrong with the graph.
  ETFeeder(const std::string& path);
  ~ETFeeder();
  ETFeeder(const ETFeeder&) = delete;
  ETFeeder& operator=(const ETFeeder&) = delete;

  ChakraGlobalMetadata global_metadata;

  DependancyResolver& getDependancyResolver() { return resolver_; }
  std::shared_ptr<ETFeederNode> lookupNode(const NodeId& id);

  // The older interface; ASTRA-sim calls none of it.
  /// True while some node is free.
  bool hasNodesToIssue();
  /// Takes the free node of the smallest id; null = there is none.
  std::shared_ptr<ETFeederNode> getNextIssuableNode();
  void pushBackIssuableNode(const NodeId& id);
  void freeChildrenNodes(const NodeId& id);
  /// Throws nadi::Error: the graph is that of the file.
  void addNode(std::shared_ptr<ETFeederNode> node);
  /// Does nothing: finished nodes are not held.
  void removeNode(const NodeId& id);

 private:
  friend class ETFeederNode;

  std::unique_ptr<nadi::Feeder> feeder_;
  DependancyResolver resolver_;
};

}  // namespace FeederV3
using ETFeeder = FeederV3::ETFeeder;
}  // namespace Chakra
