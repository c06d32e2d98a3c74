#include "nadi/converters/cli/watched_source.h"

#include <memory>

#include "nadi/base/error.h"

namespace nadi::cli {

ByteSource open_watched(std::string_view path, ProgressBar& bar) {
  auto source = std::make_shared<ByteSource>(ByteSource::open(path));
  const auto read = [source, &bar](std::span<char> into) {
    const std::size_t size = source->read(into);
    bar.update("reading", source->consumed(), source->total());
    if (size == 0 && !source->damage().empty()) {
      throw Error(ErrorCode::kInput, source->name(), "is damaged (" + source->damage() + ")",
                  "Write or copy the file again");
    }
    return size;
  };
  return {source->name(), read};
}

}  // namespace nadi::cli
