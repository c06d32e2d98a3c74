#include "nadi/converters/archive/look_at_files.h"

#include <span>
#include <utility>

#include "nadi/base/error.h"
#include "nadi/chakra/rank_name.h"

namespace nadi {

TracePeek look_at(const SourceFile& file) {
  if (file.archive == nullptr) return peek_trace(file.path);
  return look_at_member(file, [&](std::span<char> into) { return file.archive->read(into); }, {});
}

TracePeek look_at_member(const SourceFile& file, const ByteSource::ReadFunction& read,
                         const UnpackLimits& limits) {
  try {
    ByteSource source = ByteSource::unpack(file.path, read, file.size, limits);
    return peek_trace(source);
  } catch (const Error& error) {
    return peek_of(error);
  }
}

FoundTrace found_at(const std::string& path, const std::string& name, TracePeek peek) {
  FoundTrace found{name_of_trace(name, "", true), path, std::move(peek)};
  if (found.peek.type != TraceType::kChakra) return found;
  const auto named = rank_name_of_graph(found.name.file);
  found.name.rank = named ? named->rank : -1;
  return found;
}

std::vector<FoundTrace> look_at_files(const std::string& source, Diagnostics& diagnostics) {
  std::vector<FoundTrace> found;
  visit_sources(
      {.sources = {source}, .is_recursive = false, .limits = {}},
      [&](const SourceFile& file, const SourceProgress&) {
        found.push_back(found_at(file.path, file.name, look_at(file)));
        return true;
      },
      diagnostics);
  return found;
}

}  // namespace nadi
