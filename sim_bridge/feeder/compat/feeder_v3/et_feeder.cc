#include "nadi/sim_bridge/feeder/compat/feeder_v3/et_feeder.h"

#include "nadi/base/error.h"
#include "nadi/sim_bridge/feeder/feeder.h"

namespace Chakra::FeederV3 {

namespace {

// Some hundred bytes each.
constexpr std::size_t kMaxLookedUp = 1 << 20;

}  // namespace

DependancyResolver::DependancyResolver(nadi::Feeder& feeder) : feeder_(feeder) {
  for (const NodeId id : feeder.ready()) free_.insert(id);
}

void DependancyResolver::take_node(const NodeId& node) {
  const NodeId id = node;  // it may be a reference into free_
  feeder_.take(id);
  free_.erase(id);
  ongoing_.insert(id);
}

void DependancyResolver::push_back_node(const NodeId& node) {
  const NodeId id = node;
  feeder_.put_back(id);
  ongoing_.erase(id);
  free_.insert(id);
}

void DependancyResolver::finish_node(const NodeId& node) {
  const NodeId id = node;
  for (const NodeId freed : feeder_.finish(id)) free_.insert(freed);
  ongoing_.erase(id);
  looked_up_.erase(id);
}

ETFeeder::ETFeeder(const std::string& path)
    : feeder_(std::make_unique<nadi::Feeder>(path)), resolver_(*feeder_) {
  global_metadata = feeder_->metadata();
}

ETFeeder::~ETFeeder() = default;

std::shared_ptr<ETFeederNode> ETFeeder::lookupNode(const NodeId& id) {
  const auto known = resolver_.looked_up_.find(id);
  if (known != resolver_.looked_up_.end()) return known->second;
  auto node = std::make_shared<ETFeederNode>(*this, id);
  if (resolver_.looked_up_.size() < kMaxLookedUp && !feeder_->is_finished(id))
    resolver_.looked_up_.emplace(id, node);
  return node;
}

bool ETFeeder::hasNodesToIssue() { return feeder_->ready_count() > 0; }

std::shared_ptr<ETFeederNode> ETFeeder::getNextIssuableNode() {
  const auto id = feeder_->next_ready();
  if (!id) return nullptr;
  resolver_.take_node(*id);
  return lookupNode(*id);
}

void ETFeeder::pushBackIssuableNode(const NodeId& id) { resolver_.push_back_node(id); }
void ETFeeder::freeChildrenNodes(const NodeId& id) { resolver_.finish_node(id); }
void ETFeeder::removeNode(const NodeId&) {}

void ETFeeder::addNode(std::shared_ptr<ETFeederNode>) {
  throw nadi::Error(nadi::ErrorCode::kUsage, feeder_->name(),
                    "a node cannot be added while it is fed", "Add it to the file");
}

}  // namespace Chakra::FeederV3
