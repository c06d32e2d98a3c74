// A simulator of one rank: one host, one device, one network link. Each runs a node at a time, the
// ready node of the smallest id first; communication takes latency + bytes / bandwidth.
// Usage: simulator GRAPH.et [BANDWIDTH_GB_PER_S]
#include <nadi/base/error.h>
#include <nadi/sim_bridge/feeder/feeder.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <queue>
#include <vector>

namespace {

using Ns = std::int64_t;
template <class T>
using SmallestFirst = std::priority_queue<T, std::vector<T>, std::greater<T>>;

constexpr Ns kLatency = 10'000;

struct Resource {
  const char* name;
  SmallestFirst<std::uint64_t> ready;  // ids
  bool is_busy = false;
  Ns busy = 0;
};

struct Event {
  Ns end;
  std::uint64_t id;
  Resource* resource;
  auto operator<=>(const Event&) const = default;
};

class Simulator {
 public:
  Simulator(const char* path, double bytes_per_ns) : feeder_(path), bytes_per_ns_(bytes_per_ns) {}

  /// Runs all nodes; the time the last one ends.
  Ns run() {
    for (const std::uint64_t id : feeder_.ready()) resource_of(id).ready.push(id);
    start_all(0);
    Ns now = 0;
    for (; !events_.empty(); start_all(now)) {
      const Event event = events_.top();
      events_.pop();
      now = event.end;
      event.resource->is_busy = false;
      for (const std::uint64_t id : feeder_.finish(event.id)) resource_of(id).ready.push(id);
    }
    return now;
  }

  void print(Ns makespan) const {
    std::cout << feeder_.finished_count() << " of " << feeder_.size() << " nodes, makespan "
              << makespan << " ns\n";
    for (const Resource& resource : resources_)
      std::cout << resource.name << " busy " << resource.busy << " ns\n";
  }

 private:
  Resource& resource_of(std::uint64_t id) {
    const nadi::FeederNode node = feeder_.lookup(id);
    if (is_communication(node)) return resources_[2];
    return resources_[node.attribute_bool("is_cpu_op", false) ? 0 : 1];
  }

  static bool is_communication(const nadi::FeederNode& node) {
    return node.type() == ChakraProtoMsg::COMM_COLL_NODE ||
           node.type() == ChakraProtoMsg::COMM_SEND_NODE ||
           node.type() == ChakraProtoMsg::COMM_RECV_NODE;
  }

  Ns duration_of(const nadi::FeederNode& node) const {
    if (is_communication(node))
      return kLatency +
             static_cast<Ns>(static_cast<double>(node.attribute_int("comm_size")) / bytes_per_ns_);
    const auto micros = static_cast<Ns>(node.duration_micros());
    return node.attribute_int("duration_ns", micros * 1000);
  }

  void start_all(Ns now) {
    for (Resource& resource : resources_) {
      if (resource.is_busy || resource.ready.empty()) continue;
      const std::uint64_t id = resource.ready.top();
      resource.ready.pop();
      feeder_.take(id);
      const Ns duration = duration_of(feeder_.lookup(id));
      resource.is_busy = true;
      resource.busy += duration;
      events_.push({now + duration, id, &resource});
    }
  }

  nadi::Feeder feeder_;
  double bytes_per_ns_;
  Resource resources_[3] = {{"host", {}}, {"device", {}}, {"link", {}}};
  SmallestFirst<Event> events_;
};

}  // namespace

int main(int count, char** words) try {
  if (count < 2) throw nadi::Error(nadi::ErrorCode::kUsage, "simulator", "no graph named");
  Simulator simulator(words[1], count > 2 ? std::atof(words[2]) : 100);  // GB/s = bytes/ns
  simulator.print(simulator.run());
  return 0;
} catch (const nadi::Error& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
