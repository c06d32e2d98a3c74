#include "nadi/sim_bridge/astra_sim/side_streams.h"

#include <algorithm>
#include <map>

#include "nadi/sim_bridge/astra_sim/proxy_ranks.h"
#include "nadi/sim_bridge/job/host_clocks.h"

namespace nadi::astra_sim {
namespace {

using namespace ChakraProtoMsg;

bool is_kernel(const JobNode& node) {
  return node.type == COMP_NODE && !node.is_host && node.lane != kNoIndex;
}

/// Lanes with kernels that run beside those of a busier one.
class SideLanes {
 public:
  explicit SideLanes(const JobRank& rank) : rank_(rank) {
    for (const std::uint32_t n : rank.order)
      if (is_kernel(rank.nodes[n])) {
        kernels_.push_back(n);
        busy_ns_[rank.nodes[n].lane] += rank.nodes[n].duration_ns;
      }
    std::stable_sort(kernels_.begin(), kernels_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return rank.nodes[a].start_ns < rank.nodes[b].start_ns;
    });
  }

  /// By lane: the number of its rank, from 0 on.
  std::map<std::uint32_t, std::size_t> find() {
    std::uint32_t running = kNoIndex;  // that ended last of those on no side lane
    for (const std::uint32_t kernel : kernels_) {
      const JobNode& node = rank_.nodes[kernel];
      if (sides_.contains(node.lane)) continue;
      if (running != kNoIndex && !sides_.contains(rank_.nodes[running].lane)) {
        const JobNode& other = rank_.nodes[running];
        if (other.lane != node.lane && end_of(other) > node.start_ns + kClockResolution)
          sides_.try_emplace(less_busy(node.lane, other.lane), sides_.size());
        if (sides_.contains(node.lane)) continue;
        if (!sides_.contains(other.lane) && end_of(other) >= end_of(node)) continue;
      }
      running = kernel;
    }
    return std::move(sides_);
  }

 private:
  std::uint32_t less_busy(std::uint32_t a, std::uint32_t b) const {
    const Ns of_a = busy_ns_.at(a), of_b = busy_ns_.at(b);
    return of_a == of_b ? std::max(a, b) : of_a < of_b ? a : b;
  }

  const JobRank& rank_;
  std::vector<std::uint32_t> kernels_;   // by start
  std::map<std::uint32_t, Ns> busy_ns_;  // by lane
  std::map<std::uint32_t, std::size_t> sides_;
};

JobRank stream_of(const JobRank& whole) {
  JobRank stream;
  stream.recorded_rank = whole.recorded_rank;
  stream.graph = whole.graph;
  return stream;
}

std::uint32_t add_node(JobRank& rank, JobNode node) {
  const auto number = static_cast<std::uint32_t>(rank.nodes.size());
  rank.order.push_back(number);
  rank.nodes.push_back(node);
  return number;
}

std::uint32_t add_message(JobRank& stream, NodeType type, const char* name, Ns start_ns,
                          const JobCommunication& message) {
  JobNode node;
  node.type = type;
  node.synthetic_name = name;
  node.start_ns = start_ns;
  node.communication = static_cast<std::uint32_t>(stream.communications.size());
  stream.communications.push_back(message);
  return add_node(stream, node);
}

/// A receive, the kernel, and a send. The messages take their time from the kernel's.
void add_kernel(JobRank& stream, std::size_t r, const JobNode& kernel, JobCommunication message) {
  const auto own = message.dst;
  message.src = static_cast<std::int64_t>(r);
  const std::uint32_t before = stream.nodes.empty() ? kNoIndex : stream.order.end()[-3];
  const std::uint32_t arrival =
      add_message(stream, COMM_RECV_NODE, "arrival", kernel.start_ns, message);
  if (before != kNoIndex) stream.dependencies.push_back({arrival, before});
  JobNode compute = kernel;
  compute.duration_ns = std::max<Ns>(kernel.duration_ns - 2 * kProxyMessageNs, 0);
  const std::uint32_t work = add_node(stream, compute);
  message.src = own;
  message.dst = static_cast<std::int64_t>(r);
  const std::uint32_t release =
      add_message(stream, COMM_SEND_NODE, "release", end_of(kernel), message);
  stream.dependencies.push_back({work, arrival});
  stream.dependencies.push_back({release, work});
}

}  // namespace

std::vector<JobRank> move_side_streams(std::size_t r, std::size_t first, JobRank& whole) {
  const std::map<std::uint32_t, std::size_t> sides = SideLanes(whole).find();
  std::vector<JobRank> streams(sides.size(), stream_of(whole));
  for (const std::uint32_t n : whole.order) {
    JobNode& node = whole.nodes[n];
    const auto side = is_kernel(node) ? sides.find(node.lane) : sides.end();
    if (side == sides.end()) continue;
    JobRank& stream = streams[side->second];
    JobCommunication message;
    message.bytes = 1;
    message.dst = static_cast<std::int64_t>(first + side->second);
    message.tag = std::ssize(stream.nodes);
    add_kernel(stream, r, node, message);
    node.communication = static_cast<std::uint32_t>(whole.communications.size());
    node.num_ops = node.tensor_size = 0;
    whole.communications.push_back(message);
  }
  return streams;
}

}  // namespace nadi::astra_sim
