#include "nadi/sim_bridge/feeder/compat/feeder/et_feeder.h"

#include "nadi/base/error.h"
#include "nadi/sim_bridge/feeder/feeder.h"

namespace Chakra {

namespace {

nadi::FeederOptions data_deps_only() {
  nadi::FeederOptions options;
  options.ctrl_deps = false;
  return options;
}

}  // namespace

ETFeeder::ETFeeder(std::string filename)
    : feeder_(std::make_unique<nadi::Feeder>(filename, data_deps_only())),
      is_removed_(feeder_->size()) {}

ETFeeder::~ETFeeder() {
  for (auto& [id, node] : held_) node->feeder_ = nullptr;
}

bool ETFeeder::is_in_file(std::uint64_t id) const { return feeder_->contains(id); }

void ETFeeder::addNode(std::shared_ptr<ETFeederNode> node) {
  const std::uint64_t id = node->id();
  if (is_in_file(id)) {
    node->feeder_ = this;
    held_[id] = std::move(node);
    return;
  }
  AddedNode& added = added_[id];
  added.node = std::move(node);
  for (const std::uint64_t parent : added.node->getChakraNode()->data_deps())
    if (!has_finished(parent)) added.waits_for.insert(parent);
  if (added.waits_for.empty()) issuable_added_.insert(id);
}

// A node that is nowhere may still be added.
bool ETFeeder::has_finished(std::uint64_t id) const {
  if (is_in_file(id)) return feeder_->is_finished(id);
  const auto added = added_.find(id);
  return added != added_.end() && added->second.is_finished;
}

void ETFeeder::removeNode(std::uint64_t node_id) {
  issuable_added_.erase(node_id);
  added_.erase(node_id);
  if (!is_in_file(node_id)) return;
  held_.erase(node_id);
  const std::size_t row = feeder_->row(node_id);
  removed_ += is_removed_[row] ? 0 : 1;
  is_removed_[row] = true;
}

bool ETFeeder::hasNodesToIssue() {
  return removed_ < feeder_->size() || !added_.empty() || feeder_->ready_count() > 0;
}

std::shared_ptr<ETFeederNode> ETFeeder::getNextIssuableNode() {
  const auto id = feeder_->next_ready();
  if (!issuable_added_.empty() && (!id || *issuable_added_.begin() < *id)) {
    const std::uint64_t added = *issuable_added_.begin();
    issuable_added_.erase(added);
    return added_.at(added).node;
  }
  if (!id) return nullptr;
  feeder_->take(*id);
  return node_of_file(*id);
}

void ETFeeder::pushBackIssuableNode(std::uint64_t node_id) {
  if (added_.count(node_id) != 0)
    issuable_added_.insert(node_id);
  else if (!feeder_->is_ready(node_id))
    feeder_->put_back(node_id);
}

std::shared_ptr<ETFeederNode> ETFeeder::lookupNode(std::uint64_t node_id) {
  const auto added = added_.find(node_id);
  if (added != added_.end()) return added->second.node;
  if (is_in_file(node_id) && is_removed_[feeder_->row(node_id)])
    throw nadi::Error(nadi::ErrorCode::kUsage,
                      feeder_->name() + ", node " + std::to_string(node_id), "is removed",
                      "Look it up before");
  return node_of_file(node_id);
}

std::shared_ptr<ETFeederNode> ETFeeder::node_of_file(std::uint64_t id) {
  auto& node = held_[id];
  if (node) return node;
  try {
    node = std::make_shared<ETFeederNode>(
        std::make_shared<ChakraProtoMsg::Node>(feeder_->lookup(id).message()));
  } catch (...) {
    held_.erase(id);
    throw;
  }
  node->feeder_ = this;
  return node;
}

void ETFeeder::freeChildrenNodes(std::uint64_t node_id) {
  const auto added = added_.find(node_id);
  if (added != added_.end())
    added->second.is_finished = true;
  else
    feeder_->finish(node_id);
  if (!added_.empty()) free_added_nodes(node_id);
}

void ETFeeder::free_added_nodes(std::uint64_t finished_id) {
  for (auto& [id, added] : added_)
    if (added.waits_for.erase(finished_id) != 0 && added.waits_for.empty())
      issuable_added_.insert(id);
}

void ETFeeder::readGlobalMetadata() {}
void ETFeeder::readNextWindow() {}
void ETFeeder::resolveDep() {}

std::shared_ptr<ETFeederNode> ETFeeder::readNode() {
  if (next_read_ == feeder_->size()) return nullptr;
  return node_of_file(feeder_->id_of_row(next_read_++));
}

}  // namespace Chakra
