#include "nadi/converters/load_graph.h"

#include <memory>
#include <utility>

#include "nadi/read/trace_start.h"

namespace nadi {

MessageStream messages_of(ByteSource source) {
  const auto bytes = std::make_shared<ByteSource>(std::move(source));
  return {bytes->name(), [bytes](std::span<char> into) { return bytes->read(into); },
          [bytes] { return bytes->damage(); }};
}

Graph load_graph(const std::string& path, const GraphColumns& options) {
  refuse_trace_as_graph(path);
  ByteSource source = ByteSource::open(path);
  if (path == "-") return load_chakra_graph(messages_of(std::move(source)), options);
  if (source.container().empty() || source.container() == "gzip")
    return load_chakra_graph(path, options);
  return load_chakra_graph(messages_of(std::move(source)), options);
}

}  // namespace nadi
