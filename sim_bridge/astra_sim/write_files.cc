#include "nadi/sim_bridge/astra_sim/write_files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>
#include <vector>

#include "nadi/base/error.h"
#include "nadi/base/time.h"
#include "nadi/chakra/attribute_value.h"
#include "nadi/chakra/chakra_reader.h"
#include "nadi/chakra/groups.h"
#include "nadi/chakra/node_writer.h"
#include "nadi/chakra/whole_micros.h"
#include "nadi/chakra/wire_writer.h"
#include "nadi/sim_bridge/astra_sim/stream_overflow.h"
#include "nadi/sim_bridge/replay/what_if.h"

namespace nadi::astra_sim {
namespace {

using ChakraProtoMsg::GlobalMetadata;

/// Gives the bytes to the sink, if they are many.
void flush_many(std::string& bytes, const ByteSink& sink) {
  constexpr std::size_t kMany = 1 << 20;
  if (bytes.size() < kMany) return;
  sink(bytes);
  bytes.clear();
}

/// The first bytes of the file of a rank. `metadata`: as they were recorded.
std::string framed_metadata(const Job& job, std::size_t rank, GlobalMetadata metadata) {
  for (auto& row : *metadata.mutable_attr())
    if (row.name() == "rank") row.set_int64_val(static_cast<std::int64_t>(rank));
  // The groups are in a file of their own, with the job's numbering.
  remove_attribute(metadata, "process_groups");
  remove_attribute(metadata, "world_size");
  add_attribute(metadata, "world_size")->set_int64_val(std::ssize(job.ranks));
  if (job.is_grown()) name_growth(std::ssize(job.graphs), metadata);
  std::string bytes;
  append_framed(metadata, bytes);
  return bytes;
}

class RankWriter {
 public:
  RankWriter(const Graph& graph, const JobRank& rank, const ByteSink& sink)
      : graph_(graph),
        r_(rank),
        sink_(sink),
        id_(r_.size(), 0),
        micros_(whole_micros(rank)),
        dependencies_(dependencies_by_node(r_)) {
    for (std::size_t position = 0; position < r_.order.size(); ++position)
      id_[r_.order[position]] = position + 1;
  }

  /// Behind the metadata.
  void write(std::string metadata) {
    bytes_ = std::move(metadata);
    for (const std::uint32_t node : r_.order) {
      fill(node);
      writer_.append(node_, bytes_);
      flush_many(bytes_, sink_);
    }
    sink_(bytes_);
  }

 private:
  void fill(std::uint32_t n) {
    node_.clear();
    node_.id = id_[n];
    node_.name = r_.name_of(n, graph_);
    if (r_.merged[n] > 1) node_.name = name_ = merged_name(n);
    node_.type = static_cast<std::uint64_t>(r_.type[n]);
    for (const std::uint32_t on : dependencies_.of(n)) node_.data_deps.push_back(id_[on]);
    node_.set(WireNumber::kIsCpuOp, r_.is_host[n]);
    if (r_.lane[n] != kNoIndex) set_lane(graph_.lanes[r_.lane[n]], node_);
    if (graph_.tells_starts) set_start(r_.start_ns[n], node_);
    set_duration(r_.duration_ns[n], micros_[n], node_);
    set_delay(r_.is_delay[n] != 0, node_);
    if (r_.has_row(n)) fill_from_row(r_.row[n]);
    if (r_.communication[n] != kNoIndex) fill_communication(n);
    if (r_.num_ops[n] > 0) node_.set(WireNumber::kNumOps, r_.num_ops[n]);
    if (r_.tensor_size[n] > 0) node_.set(WireNumber::kTensorSize, r_.tensor_size[n]);
    if (r_.merged[n] > 1) node_.set(WireNumber::kMerged, r_.merged[n]);
  }

  std::string merged_name(std::uint32_t n) const {
    return std::string(r_.name_of(n, graph_)) + " + " + std::to_string(r_.merged[n] - 1);
  }

  void fill_from_row(std::uint32_t row) {
    if (graph_.rf_id[row] != 0) node_.set(WireNumber::kRfId, graph_.rf_id[row]);
    if (graph_.step[row] >= 0) node_.set(WireNumber::kStep, graph_.step[row]);
    if (graph_.is_unrecorded_communication(row)) node_.set(WireNumber::kCommUnrecorded, 1);
  }

  /// Messages have no group that the group file lists.
  void fill_communication(std::uint32_t n) {
    const JobCommunication& c = r_.communication_of(n);
    set_communication(c, node_);
    if (r_.type[n] == NodeType::kCollective)
      node_.pg_name = group_ = std::to_string(group_number(c.job_group));
  }

  const Graph& graph_;
  const JobRank& r_;
  const ByteSink& sink_;
  std::vector<std::uint64_t> id_;            // by node
  const std::vector<std::uint64_t> micros_;  // by node
  const Adjacency dependencies_;
  NodeWriter writer_;
  WireNode node_;
  std::string name_, group_;  // that node_ points to
  std::string bytes_;
};

/// Of each communication: receives from all members, the compute nodes, and sends to all.
class ProxyWriter {
 public:
  ProxyWriter(const ProxyRank& proxy, std::size_t rank, double memory_gb_per_s,
              const ByteSink& sink)
      : proxy_(proxy),
        rank_(static_cast<std::int64_t>(rank)),
        memory_gb_per_s_(memory_gb_per_s),
        sink_(sink),
        last_receive_(proxy.members.size(), 0) {}

  /// Behind the metadata.
  void write(std::string metadata) {
    bytes_ = std::move(metadata);
    for (const std::uint32_t communication : proxy_.order) {
      write_communication(communication);
      flush_many(bytes_, sink_);
    }
    sink_(bytes_);
  }

 private:
  void write_communication(std::uint32_t communication) {
    std::vector<const ProxyRank::EarlyMember*> early(proxy_.members.size(), nullptr);
    auto one = std::lower_bound(
        proxy_.early.begin(), proxy_.early.end(), communication,
        [](const auto& known, std::uint32_t wanted) { return known.communication < wanted; });
    for (; one != proxy_.early.end() && one->communication == communication; ++one)
      early[one->member] = &*one;
    std::vector<std::uint64_t> receives;
    receives.reserve(early.size());
    for (std::size_t member = 0; member < early.size(); ++member) {
      begin(NodeType::kReceive, "arrival");
      // Few are ready at a time: each waits for the one before it, which comes first anyway.
      std::uint64_t& last = last_receive_[member];
      if (early[member] == nullptr && last != 0) node_.data_deps.push_back(last);
      add_ends(proxy_.members[member], rank_, communication);
      receives.push_back(end());
      if (early[member] == nullptr) last = receives.back();
    }
    for (std::size_t member = 0; member < early.size(); ++member)
      if (early[member] != nullptr)
        release({member}, compute({receives[member]}, early[member]->duration_ns, 1),
                communication);
    std::vector<std::size_t> waiting;
    for (std::size_t member = 0; member < early.size(); ++member)
      if (early[member] == nullptr) waiting.push_back(member);
    release(waiting, compute(receives, proxy_.transfer_ns[communication], waiting.size()),
            communication);
  }

  /// Returns the id of a node that ends, with the messages to the members, after the time.
  std::uint64_t compute(const std::vector<std::uint64_t>& behind, Ns time, std::size_t members) {
    const Ns messages = kProxyMessageNs * (1 + static_cast<Ns>(members));
    begin(NodeType::kCompute, "transfer");
    node_.data_deps = behind;
    node_.duration_micros = micros_.take(time - messages);
    node_.set(WireNumber::kDurationNs, time);
    node_.set(WireNumber::kNumOps, 1);
    node_.set(WireNumber::kTensorSize, bytes_moved_in(time, memory_gb_per_s_));
    return end();
  }

  void release(const std::vector<std::size_t>& members, std::uint64_t behind,
               std::uint32_t communication) {
    for (const std::size_t member : members) {
      begin(NodeType::kSend, "release");
      node_.data_deps.push_back(behind);
      add_ends(rank_, proxy_.members[member], communication);
      end();
    }
  }

  void begin(NodeType type, const char* name) {
    node_.clear();
    node_.id = ++last_id_;
    node_.name = name;
    node_.type = static_cast<std::uint64_t>(type);
    node_.set(WireNumber::kIsCpuOp, 0);
  }

  std::uint64_t end() {
    writer_.append(node_, bytes_);
    return last_id_;
  }

  void add_ends(std::int64_t source, std::int64_t destination, std::uint32_t communication) {
    GraphCommunication byte;
    byte.bytes = 1;
    byte.src = source;
    byte.dst = destination;
    byte.tag = communication;
    set_communication(byte, node_);
  }

  const ProxyRank& proxy_;
  const std::int64_t rank_;
  const double memory_gb_per_s_;
  const ByteSink& sink_;
  std::vector<std::uint64_t> last_receive_;  // by member; 0 = none
  std::uint64_t last_id_ = 0;
  WholeMicros micros_;  // behind where messages took longer
  NodeWriter writer_;
  WireNode node_;
  std::string bytes_;
};

/// The shortest text that reads back as the same number, whatever the locale of the program is.
std::string number_text(double number) {
  std::array<char, 32> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::general);
  return {text.data(), end.ptr};
}

template <class Element, class TextOf>
std::string list_text(const std::vector<Element>& elements, const char* open, const char* close,
                      const TextOf& text_of) {
  std::string text = open;
  for (const Element& element : elements) {
    if (text.size() > std::string_view(open).size()) text += ", ";
    text += text_of(element);
  }
  return text + close;
}

}  // namespace

std::vector<std::uint64_t> whole_micros(const JobRank& rank) {
  std::vector<std::uint64_t> micros(rank.size(), 0);
  std::map<std::uint32_t, WholeMicros> lanes;
  for (const std::uint32_t node : rank.order)
    micros[node] = lanes[rank.lane[node]].take_nearest(rank.duration_ns[node]);
  return micros;
}

void write_rank(const Job& job, std::size_t rank, const Graph& graph, const JobRank& whole,
                const ByteSink& sink) {
  RankWriter(graph, whole, sink).write(framed_metadata(job, rank, metadata_of(graph)));
}

void write_idle_npu(std::int64_t npu, const ByteSink& sink) {
  GlobalMetadata metadata;
  metadata.set_version(kSchemaVersion);
  add_attribute(metadata, "rank")->set_int64_val(npu);
  WireNode node;
  node.id = 1;
  node.name = "idle";
  node.type = static_cast<std::uint64_t>(NodeType::kCompute);
  node.set(WireNumber::kIsCpuOp, 1);
  set_start(0, node);
  set_duration(1, 0, node);
  std::string bytes;
  append_framed(metadata, bytes);
  NodeWriter().append(node, bytes);
  sink(bytes);
}

void write_proxy_rank(const Job& job, std::size_t rank, const ProxyRank& proxy,
                      double memory_gb_per_s, const ByteSink& sink) {
  ProxyWriter(proxy, rank, memory_gb_per_s, sink)
      .write(framed_metadata(job, rank, metadata_of(job.graphs.front())));
}

GroupMembers comm_groups(const Job& job) {
  if (job.groups.size() > static_cast<std::size_t>(kMostGroups))
    throw Error(
        ErrorCode::kInput, job.graphs.front().name,
        "the job has " + std::to_string(job.groups.size()) + " process groups; ASTRA-sim keeps " +
            std::to_string(kMostGroups) + " apart",
        "Convert the traces of fewer ranks (`missing=drop`), or write GOAL (`target=goal`), "
        "which has no such limit");
  GroupMembers groups;
  for (std::uint32_t i = 0; i < job.groups.size(); ++i)
    if (job.groups[i].ranks.size() > 1) groups[group_number(i)] = job.groups[i].ranks;
  return groups;
}

std::string comm_groups_text(const Job& job) { return comm_groups_json(comm_groups(job)); }

JobNetwork switch_network(std::int64_t ranks) {
  JobNetwork result;
  result.network.dimensions = {{Topology::kSwitch, ranks}};
  CollectiveSystem& system = result.system;
  system.all_reduce = system.all_gather = system.reduce_scatter = {Implementation::kRing};
  system.all_to_all = {Implementation::kDirect1};
  return result;
}

JobNetwork replay_network(std::int64_t ranks, NetworkBackend backend) {
  JobNetwork result = switch_network(ranks);
  result.network.backend = backend;
  NetworkDimension& links = result.network.dimensions.front();
  links.topology = Topology::kFullyConnected;
  links.latency_ns = static_cast<double>(kProxyMessageNs);
  result.system.all_to_all = {Implementation::kRing};  // no node asks for a collective
  return result;
}

std::string system_text(const CollectiveSystem& system, double peak_tflops) {
  const auto list = [](const std::vector<Implementation>& implementations) {
    return list_text(implementations, "[", "]", [](Implementation implementation) {
      return "\"" + std::string(to_string(implementation)) + "\"";
    });
  };
  std::string implementations;
  for (const ImplementationSetting& row : implementation_settings())
    implementations += ",\n  \"" + std::string(row.name) + "\": " + list(system.*row.list);
  return "{\n  \"scheduling-policy\": \"FIFO\",\n  \"endpoint-delay\": " +
         std::to_string(system.endpoint_delay_ns) +
         ",\n  \"active-chunks-per-dimension\": " + std::to_string(system.active_chunks) +
         ",\n  \"preferred-dataset-splits\": " + std::to_string(system.dataset_splits) +
         implementations +
         ",\n  \"collective-optimization\": \"localBWAware\",\n  \"local-mem-bw\": " +
         number_text(system.memory_gb_per_s) +
         ",\n  \"boost-mode\": 0,\n  \"roofline-enabled\": 0,\n  \"peak-perf\": " +
         number_text(peak_tflops) + "\n}\n";
}

std::string network_text(const Network& network) {
  const auto list = [&](const auto& text_of) {
    return list_text(network.dimensions, "[ ", " ]", text_of);
  };
  using Dimension = NetworkDimension;
  return "topology: " +
         list([](const Dimension& d) { return std::string(to_string(d.topology)); }) +
         "\nnpus_count: " + list([](const Dimension& d) { return std::to_string(d.npus); }) +
         "\nbandwidth: " +
         list([](const Dimension& d) { return number_text(d.bandwidth_gb_per_s); }) +
         "  # GB/s\nlatency: " +
         list([](const Dimension& d) { return number_text(d.latency_ns); }) + "  # ns\n";
}

std::string memory_text(bool has_remote_memory) {
  if (!has_remote_memory) return "{\n  \"memory-type\": \"NO_MEMORY_EXPANSION\"\n}\n";
  return "{\n  \"memory-type\": \"PER_NPU_MEMORY_EXPANSION\",\n  \"remote-mem-latency\": 1000,\n"
         "  \"remote-mem-bw\": 63\n}\n";
}

std::string command_line(const std::string& prefix, NetworkBackend backend, bool has_groups) {
  const char* const program = backend == NetworkBackend::kAware
                                  ? "AstraSim_Analytical_Congestion_Aware"
                                  : "AstraSim_Analytical_Congestion_Unaware";
  return std::string(program) + " --workload-configuration=" + prefix +
         (has_groups ? " \\\n    --comm-group-configuration=" + prefix + ".comm_groups.json" : "") +
         " \\\n    --system-configuration=" + prefix + ".system.json" +
         " \\\n    --network-configuration=" + prefix + ".network.yml" +
         " \\\n    --remote-memory-configuration=" + prefix + ".memory.json\n";
}

}  // namespace nadi::astra_sim
