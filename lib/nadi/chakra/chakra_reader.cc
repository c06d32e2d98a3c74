#include "nadi/chakra/chakra_reader.h"

#include <google/protobuf/stubs/logging.h>

#include <utility>

#include "nadi/chakra/attribute_value.h"

namespace nadi {
namespace {

using ChakraProtoMsg::GlobalMetadata;

constexpr const char* kNoNode = "here is no Chakra node, or one whose text is not UTF-8";

// Protobuf would write its own complaints to standard error.
template <class Message>
bool parse(std::string_view bytes, Message& message) {
  const google::protobuf::LogSilencer silence;
  return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

// A node has numbers as its fields 1 (id) and 3 (type); metadata has text as its field 1 and no 3.
bool has_node_fields(const GlobalMetadata& metadata) {
  const auto& unknown = metadata.GetReflection()->GetUnknownFields(metadata);
  for (int i = 0; i < unknown.field_count(); ++i) {
    const auto& field = unknown.field(i);
    const bool is_number = field.type() == google::protobuf::UnknownField::TYPE_VARINT;
    if (is_number && (field.number() == 1 || field.number() == 3)) return true;
  }
  return false;
}

}  // namespace

bool parse_metadata(std::string_view message, GlobalMetadata& metadata) {
  if (parse(message, metadata) && !has_node_fields(metadata)) return true;
  metadata.Clear();
  return false;
}

GlobalMetadata read_metadata(MessageStream& stream) {
  std::string_view message;
  if (!stream.next(message)) stream.fail("is empty", kPassAGraph);
  GlobalMetadata metadata;
  if (!parse_metadata(message, metadata))
    stream.fail("the first message is no GlobalMetadata",
                "Pass a Chakra graph (.et) that begins with it: readers lose the first message");
  return metadata;
}

void take_metadata(GlobalMetadata metadata, Graph& graph) {
  for (const auto& attribute : metadata.attr()) {
    if (attribute.name() == "rank") graph.rank = whole_number_of(attribute);
    if (attribute.name() == "base_time_ns") graph.base_time_ns = whole_number_of(attribute);
    if (attribute.name() == "device_name") graph.device_name = attribute.string_val();
  }
  graph.metadata = std::make_shared<const GlobalMetadata>(std::move(metadata));
}

const GlobalMetadata& metadata_of(const Graph& graph) {
  return graph.metadata ? *graph.metadata : GlobalMetadata::default_instance();
}

ChakraReader::ChakraReader(MessageStream stream, MissingMetadata missing)
    : stream_(std::move(stream)) {
  if (missing == MissingMetadata::kError) {
    metadata_ = read_metadata(stream_);
    has_metadata_ = true;
    return;
  }
  if (!stream_.next(message_)) stream_.fail("is empty", kPassAGraph);
  has_metadata_ = parse_metadata(message_, metadata_);
  is_first_a_node_ = !has_metadata_;
}

bool ChakraReader::next_message() {
  if (!is_first_a_node_ && !stream_.next(message_)) return false;
  is_first_a_node_ = false;
  ++node_count_;
  return true;
}

bool ChakraReader::next(ChakraProtoMsg::Node& node) {
  if (!next_message()) return false;
  if (!parse(message_, node)) stream_.fail(kNoNode, kPassAGraph);
  return true;
}

bool ChakraReader::next(WireNode& node) {
  if (!next_message()) return false;
  if (!parse_wire_node(message_, node)) stream_.fail(kNoNode, kPassAGraph);
  return true;
}

}  // namespace nadi
