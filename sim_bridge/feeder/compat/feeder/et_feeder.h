// The interface of MLCommons' older Chakra feeder, fed by nadi::Feeder: data dependencies only, the
// lowest id first, plain and gzip files. How to switch a simulator over: the README of
// sim_bridge/feeder.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "nadi/base/id_map.h"
#include "nadi/sim_bridge/feeder/compat/feeder/et_feeder_node.h"

namespace nadi {
class Feeder;
}

namespace Chakra {

/// Looked-up and issued nodes stay the same object until removeNode.
class ETFeeder {
 public:
  /// Throws nadi::Error (a std::runtime_error) that says what is wrong with the graph.
  ETFeeder(std::string filename);
  ~ETFeeder();
  ETFeeder(const ETFeeder&) = delete;
  ETFeeder& operator=(const ETFeeder&) = delete;

  /// Puts a node of the caller's own beside those of the file: it is issued when its data_deps have
  /// finished. A node whose id the file has takes that node's place at lookup.
  void addNode(std::shared_ptr<ETFeederNode> node);
  void removeNode(std::uint64_t node_id);
  /// True while some node is not removed.
  bool hasNodesToIssue();
  /// Issues and returns the issuable node of the smallest id; null = none now.
  std::shared_ptr<ETFeederNode> getNextIssuableNode();
  void pushBackIssuableNode(std::uint64_t node_id);
  /// Throws nadi::Error where there is no such node, or it is removed.
  std::shared_ptr<ETFeederNode> lookupNode(std::uint64_t node_id);
  /// Finishes the node. Throws nadi::Error where it is not issued.
  void freeChildrenNodes(std::uint64_t node_id);

  /// Does nothing: the constructor has read it.
  void readGlobalMetadata();
  /// Returns the file's nodes one after the other, by ascending id; null after the last. Issues
  /// nothing.
  std::shared_ptr<ETFeederNode> readNode();
  /// Does nothing: the whole file is indexed.
  void readNextWindow();
  void resolveDep();

 private:
  friend class ETFeederNode;

  struct AddedNode {
    std::shared_ptr<ETFeederNode> node;
    std::set<std::uint64_t> waits_for;
    bool is_finished = false;
  };
  bool is_in_file(std::uint64_t id) const;
  bool has_finished(std::uint64_t id) const;
  std::shared_ptr<ETFeederNode> node_of_file(std::uint64_t id);
  void free_added_nodes(std::uint64_t finished_id);

  std::unique_ptr<nadi::Feeder> feeder_;
  nadi::IdMap<std::uint64_t, std::shared_ptr<ETFeederNode>> held_;  // of the file
  std::vector<bool> is_removed_;                                    // by the feeder's row
  std::size_t removed_ = 0, next_read_ = 0;
  std::map<std::uint64_t, AddedNode> added_;
  std::set<std::uint64_t> issuable_added_;
};

}  // namespace Chakra
