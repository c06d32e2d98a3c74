// Graphs of one or two nodes, the set MLCommons' generator writes: one of each kind of node.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "nadi/emit/node_stream.h"

namespace nadi {

/// Defaults are MLCommons'.
struct SingleNodeSizes {
  std::int64_t runtime_us = 5;       ///< of compute nodes
  std::int64_t tensor_bytes = 1024;  ///< of memory nodes and messages
  std::int64_t comm_bytes = 65536;   ///< of communication nodes
};

struct RankOf {
  std::int64_t rank = 0, ranks = 1;
};

struct SingleNodeKind {
  std::string_view name;   ///< of the kind and its files
  std::string_view alias;  ///< name of MLCommons' function, where the files have another
  void (*append)(const SingleNodeSizes& sizes, RankOf rank, NodeStream& nodes);
  bool is_run = true;                ///< ASTRA-sim runs it
  bool needs_remote_memory = false;  ///< for that
};

/// In MLCommons' order. Two of them do on purpose what ASTRA-sim cannot run: a METADATA node with
/// every attribute type, and a barrier. In
/// `one_comm_send_node` ranks pair up and the even ones send, in `one_comm_recv_node` the odd ones;
/// a rank that is left over computes.
std::span<const SingleNodeKind> single_node_kinds();

}  // namespace nadi
