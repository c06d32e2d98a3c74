#include "nadi/converters/load_graph.h"

#include <filesystem>
#include <memory>
#include <utility>

#include "nadi/base/compression.h"
#include "nadi/base/error.h"
#include "nadi/read/trace_start.h"

namespace nadi {

namespace {

bool can_be_opened(const std::string& path) {
  try {
    (void)ByteSource::open(path);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

MessageStream messages_of(ByteSource source, Progress progress) {
  const auto bytes = std::make_shared<ByteSource>(std::move(source));
  const auto read = [bytes, progress = std::move(progress)](std::span<char> into) {
    const std::size_t size = bytes->read(into);
    if (progress) progress(bytes->consumed(), bytes->total());
    return size;
  };
  return {bytes->name(), read, [bytes] { return bytes->damage(); }};
}

Graph load_graph(const std::string& path, const GraphColumns& options, const Progress& progress,
                 BadDependencies bad) {
  refuse_trace_as_graph(path);
  ByteSource source = ByteSource::open(path);
  const bool is_plain = source.container().empty() || source.container() == "gzip";
  if (is_plain && path != "-" && !progress) return load_chakra_graph(path, options, bad);
  return load_chakra_graph(messages_of(std::move(source), progress), options, bad);
}

std::string file_beside(const std::string& graph, const char* ending) {
  const std::filesystem::path plain = without_compression(graph);
  const std::filesystem::path file = plain.parent_path() / (plain.stem().stem().string() + ending);
  std::error_code none;
  if (std::filesystem::is_regular_file(file, none)) return file.string();
  const bool is_member = graph != "-" && !std::filesystem::exists(graph, none);
  return is_member && can_be_opened(file.string()) ? file.string() : "";
}

}  // namespace nadi
