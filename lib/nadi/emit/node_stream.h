// Writes a Chakra file node by node, for graphs that nobody recorded: text workloads, generated
// patterns.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "et_def.pb.h"
#include "nadi/base/time.h"
#include "nadi/chakra/node_writer.h"
#include "nadi/chakra/whole_micros.h"
#include "nadi/emit/atomic_file.h"
#include "nadi/model/graph.h"

namespace nadi {

/// The content of the GlobalMetadata.
struct SyntheticGraph {
  std::string schema;           ///< where the graph comes from: "text", "generated"
  std::int64_t rank = 0;        ///< of the graph
  std::int64_t world_size = 1;  ///< ranks of the job
  std::string process_groups;   ///< JSON of the groups the rank is in (schema/chakra.md); may be ""
};

struct SyntheticNode {
  std::string_view name;  ///< UTF-8
  NodeType type = NodeType::kCompute;
  /// Ids of earlier nodes that must have finished; 0 = none, a repeated one counts once.
  std::vector<std::uint64_t> after;
  Ns duration_ns = 0;
  std::int64_t num_ops = 0;        ///< operations; 0 = not written
  std::int64_t tensor_size = 0;    ///< bytes moved by compute or memory nodes; 0 = not written
  std::int64_t comm_type = 0;      ///< CollectiveCommType of a collective
  std::int64_t comm_size = 0;      ///< bytes of a communication node
  std::string_view group = "0";    ///< pg_name of a collective; "0" = all ranks
  std::int32_t peer = 0, tag = 0;  ///< other end of a send or receive; global rank
};

/// The smallest `comm_size` by CollectiveCommType and pg_name.
using CollectiveSizes = std::map<std::pair<std::int64_t, std::string>, std::int64_t>;

/// All nodes are device nodes: compute on stream 0, collectives and sends on 1, receives on 2. The
/// whole microseconds carry the remainder along each stream, as `nadi convert` writes them.
class NodeStream {
 public:
  /// Sends the metadata. The sink must outlive the stream and gets pieces of about a MB.
  NodeStream(const SyntheticGraph& graph, const ByteSink& sink);

  /// The node's id: 1, 2, 3, … in order of appending.
  std::uint64_t append(const SyntheticNode& node);
  /// The same for a node as it is; gives it its id.
  std::uint64_t append(ChakraProtoMsg::Node node);
  /// Sends what is gathered; the last nodes need it.
  void finish();
  std::uint64_t node_count() const { return count_; }
  /// Of the collectives appended.
  const CollectiveSizes& collectives() const { return collectives_; }

 private:
  void flush_if_full();
  void fill_communication(const SyntheticNode& node);

  const std::int64_t rank_;
  const ByteSink& sink_;
  std::uint64_t count_ = 0;
  CollectiveSizes collectives_;
  std::array<WholeMicros, 3> micros_;  // by stream
  NodeWriter writer_;
  WireNode node_;
  std::string buffer_;
};

}  // namespace nadi
