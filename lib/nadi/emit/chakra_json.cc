#include "nadi/emit/chakra_json.h"

#include <google/protobuf/util/json_util.h>

#include <string>

#include "nadi/base/error.h"

namespace nadi {
namespace {

constexpr std::size_t kJsonFlushBytes = 1 << 18;

void append_json(const google::protobuf::Message& message, const std::string& where,
                 std::string& out) {
  const auto status = google::protobuf::util::MessageToJsonString(message, &out);
  if (!status.ok())
    throw Error(ErrorCode::kInput, where, "cannot be shown as JSON: " + status.ToString(),
                "Run nadi check on the file");
}

}  // namespace

void write_chakra_json(ChakraReader& reader, const ByteSink& sink) {
  std::string text = "{\"metadata\": ", message;
  append_json(reader.metadata(), reader.name(), message);
  text += message + ",\n\"nodes\": [";
  ChakraProtoMsg::Node node;
  for (bool is_first = true; reader.next(node); is_first = false) {
    message = std::string();  // not clear(): protobuf would fill what a large node left
    append_json(node, reader.name() + ", node " + std::to_string(node.id()), message);
    text += is_first ? "\n" : ",\n";
    text += message;
    if (text.size() < kJsonFlushBytes) continue;
    sink(text);
    text.clear();
  }
  sink(text + "\n]}\n");
}

}  // namespace nadi
