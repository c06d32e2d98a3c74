#include "nadi/converters/load_graph.h"

#include <memory>

#include "nadi/base/error.h"
#include "nadi/input/byte_source.h"
#include "nadi/read/trace_start.h"

namespace nadi {

SimGraph load_graph(const std::string& path, LoadOptions options) {
  refuse_trace_as_graph(path);
  if (path == "-") return load_sim_graph(path, options);
  const auto source = std::make_shared<ByteSource>(ByteSource::open(path));
  if (source->container().empty() || source->container() == "gzip")
    return load_sim_graph(path, options);
  options.read = [source](std::span<char> into) {
    const std::size_t size = source->read(into);
    if (size == 0 && !source->damage().empty())
      throw Error(ErrorCode::kInput, source->name(), "is damaged (" + source->damage() + ")",
                  "Write the file again: a simulator would silently lose its tail");
    return size;
  };
  return load_sim_graph(path, options);
}

}  // namespace nadi
