// Reads a Chakra file node by node.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "et_def.pb.h"
#include "nadi/chakra/message_stream.h"
#include "nadi/chakra/wire_node.h"
#include "nadi/model/graph.h"

namespace nadi {

/// Fills metadata from the first message of a file; false where that is a node or no message.
bool parse_metadata(std::string_view message, ChakraProtoMsg::GlobalMetadata& metadata);

/// The metadata that a file begins with. Throws Error (kInput) where it has none.
ChakraProtoMsg::GlobalMetadata read_metadata(MessageStream& stream);
/// Gives a graph metadata, and what they say of its rank, clock and device.
void take_metadata(ChakraProtoMsg::GlobalMetadata metadata, Graph& graph);
/// The metadata of a graph; empty where it has none.
const ChakraProtoMsg::GlobalMetadata& metadata_of(const Graph& graph);
/// Gives the graph metadata of its own, as `change` makes them of those it has.
template <class Change>
void change_metadata(Graph& graph, const Change& change) {
  auto metadata = std::make_shared<ChakraProtoMsg::GlobalMetadata>(metadata_of(graph));
  change(*metadata);
  graph.metadata = std::move(metadata);
}

/// Throws Error (kInput) with the message's number and byte where the file is not what it should
/// be.
class ChakraReader {
 public:
  enum class MissingMetadata {
    kError,
    kAccept,  ///< a first message that is a node is read as a node
  };

  /// Reads the metadata.
  explicit ChakraReader(MessageStream stream, MissingMetadata missing = MissingMetadata::kError);

  const ChakraProtoMsg::GlobalMetadata& metadata() const { return metadata_; }
  bool has_metadata() const { return has_metadata_; }

  /// Reads the next node, in file order; false at the end of the file. What node held before is
  /// lost.
  bool next(ChakraProtoMsg::Node& node);
  /// Reads only the fields and attributes of the next node that say what it is and does; several
  /// times faster.
  bool next(WireNode& node);

  /// The node that was read last, as it stands in the file; until the next one is read.
  std::string_view message() const { return message_; }
  /// Throws Error (kInput) that names that node's place.
  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const {
    stream_.fail(problem, remedy);
  }

  /// Nodes read so far.
  std::uint64_t node_count() const { return node_count_; }
  const std::string& name() const { return stream_.name(); }

 private:
  bool next_message();

  MessageStream stream_;
  std::string_view message_;
  std::uint64_t node_count_ = 0;
  bool has_metadata_ = false, is_first_a_node_ = false;
  ChakraProtoMsg::GlobalMetadata metadata_;
};

}  // namespace nadi
