#include "nadi/converters/generate/single_nodes.h"

#include <string>

namespace nadi {
namespace {

using namespace ChakraProtoMsg;
using ChakraNode = ChakraProtoMsg::Node;

constexpr int kListed = 10;  // values of the longer lists

AttributeProto& add(ChakraNode& node, const char* name) {
  AttributeProto& attribute = *node.add_attr();
  attribute.set_name(name);
  return attribute;
}

/// A number in the member of its name, and two in the list member.
#define NADI_NUMBERS(member, first, second)                             \
  add(node, #member).set_##member##_val(first);                         \
  {                                                                     \
    auto& list = *add(node, #member "_list").mutable_##member##_list(); \
    list.add_values(first);                                             \
    list.add_values(second);                                            \
  }

/// One attribute of every type there is.
void append_metadata(const SingleNodeSizes&, RankOf, NodeStream& nodes) {
  ChakraNode node;
  node.set_name("METADATA_NODE");
  node.set_type(METADATA_NODE);
  NADI_NUMBERS(double, 1.2345, 2.3456)
  NADI_NUMBERS(float, 1.2345F, 2.3456F)
  NADI_NUMBERS(int32, 12345, 23456)
  NADI_NUMBERS(int64, 9876543210, 1234567890)
  NADI_NUMBERS(uint32, 12345, 23456)
  NADI_NUMBERS(uint64, 9876543210, 1234567890)
  NADI_NUMBERS(sint32, -12345, 23456)
  NADI_NUMBERS(sint64, -9876543210, 1234567890)
  NADI_NUMBERS(fixed32, 12345, 23456)
  NADI_NUMBERS(fixed64, 9876543210, 1234567890)
  NADI_NUMBERS(sfixed32, -12345, 23456)
  NADI_NUMBERS(sfixed64, -9876543210, 1234567890)
  add(node, "bool").set_bool_val(true);
  add(node, "string").set_string_val("12345");
  add(node, "bytes").set_bytes_val("12345");
  auto& bools = *add(node, "bool_list").mutable_bool_list();
  auto& strings = *add(node, "string_list").mutable_string_list();
  auto& bytes = *add(node, "bytes_list").mutable_bytes_list();
  for (int i = 0; i < kListed; ++i) {
    bools.add_values(i % 2 == 0);
    strings.add_values(std::to_string(12345 + i));
    bytes.add_values(std::to_string(12345 + i));
  }
  nodes.append(std::move(node));
}
#undef NADI_NUMBERS

void append_memory(const char* name, NodeType type, const SingleNodeSizes& sizes,
                   NodeStream& nodes) {
  SyntheticNode node;
  node.name = name;
  node.type = type;
  node.tensor_size = sizes.tensor_bytes;
  nodes.append(node);
}
void append_load(const SingleNodeSizes& sizes, RankOf, NodeStream& nodes) {
  append_memory("MEM_LOAD_NODE", NodeType::kMemoryLoad, sizes, nodes);
}
void append_store(const SingleNodeSizes& sizes, RankOf, NodeStream& nodes) {
  append_memory("MEM_STORE_NODE", NodeType::kMemoryStore, sizes, nodes);
}

std::uint64_t append_compute(const SingleNodeSizes& sizes, std::uint64_t after, NodeStream& nodes) {
  SyntheticNode node;
  node.name = "COMP_NODE";
  node.after = {after};
  node.duration_ns = sizes.runtime_us * kNsPerMicro;
  return nodes.append(node);
}
void append_one(const SingleNodeSizes& sizes, RankOf, NodeStream& nodes) {
  append_compute(sizes, 0, nodes);
}
void append_independent(const SingleNodeSizes& sizes, RankOf, NodeStream& nodes) {
  append_compute(sizes, 0, nodes);
  append_compute(sizes, 0, nodes);
}
void append_dependent(const SingleNodeSizes& sizes, RankOf, NodeStream& nodes) {
  append_compute(sizes, append_compute(sizes, 0, nodes), nodes);
}

template <CollectiveCommType type>
void append_collective(const SingleNodeSizes& sizes, RankOf, NodeStream& nodes) {
  SyntheticNode node;
  node.name = CollectiveCommType_Name(type);
  node.type = NodeType::kCollective;
  node.comm_type = type;
  node.comm_size = type == BARRIER ? 0 : sizes.comm_bytes;
  nodes.append(node);
}

/// Ranks 2i and 2i + 1 exchange one message.
void append_message(bool is_send, const SingleNodeSizes& sizes, RankOf rank, NodeStream& nodes) {
  const std::int64_t peer = rank.rank ^ 1;
  if (peer >= rank.ranks) return append_one(sizes, rank, nodes);
  SyntheticNode node;
  node.name = is_send ? "COMM_SEND_NODE" : "COMM_RECV_NODE";
  node.type = is_send ? NodeType::kSend : NodeType::kReceive;
  node.comm_size = sizes.comm_bytes;
  node.tensor_size = sizes.tensor_bytes;
  node.peer = static_cast<std::int32_t>(peer);
  nodes.append(node);
}
void append_send(const SingleNodeSizes& sizes, RankOf rank, NodeStream& nodes) {
  append_message(rank.rank % 2 == 0, sizes, rank, nodes);
}
void append_receive(const SingleNodeSizes& sizes, RankOf rank, NodeStream& nodes) {
  append_message(rank.rank % 2 == 1, sizes, rank, nodes);
}

constexpr SingleNodeKind kNodeKinds[] = {
    {"one_metadata_node_all_types", "", append_metadata, false},
    {"one_remote_mem_load_node", "", append_load, true, true},
    {"one_remote_mem_store_node", "", append_store, true, true},
    {"one_comp_node", "", append_one},
    {"two_comp_nodes_independent", "", append_independent},
    {"two_comp_nodes_dependent", "", append_dependent},
    {"ALL_REDUCE", "one_comm_coll_node_allreduce", append_collective<ALL_REDUCE>},
    {"ALL_TO_ALL", "one_comm_coll_node_alltoall", append_collective<ALL_TO_ALL>},
    {"ALL_GATHER", "one_comm_coll_node_allgather", append_collective<ALL_GATHER>},
    {"REDUCE_SCATTER", "one_comm_coll_node_reducescatter", append_collective<REDUCE_SCATTER>},
    {"BROADCAST", "one_comm_coll_node_broadcast", append_collective<BROADCAST>},
    {"BARRIER", "one_comm_coll_node_barrier", append_collective<BARRIER>, false},
    {"one_comm_send_node", "", append_send},
    {"one_comm_recv_node", "", append_receive},
};

}  // namespace

std::span<const SingleNodeKind> single_node_kinds() { return kNodeKinds; }

}  // namespace nadi
