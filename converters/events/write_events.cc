#include "nadi/converters/events/write_events.h"

#include <array>
#include <utility>

#include "nadi/base/compression.h"
#include "nadi/base/error.h"

namespace nadi {

EventFormat event_format_of(const std::string& path) {
  constexpr std::array<std::pair<std::string_view, EventFormat>, 5> kEndings{
      {{".csv", EventFormat::kCsv},
       {".jsonl", EventFormat::kJsonLines},
       {".ndjson", EventFormat::kJsonLines},
       {".sqlite", EventFormat::kSqlite},
       {".db", EventFormat::kSqlite}}};
  for (const auto& [ending, format] : kEndings)
    if (without_compression(path).ends_with(ending)) return format;
  throw Error(ErrorCode::kUsage, path, "nothing tells the format",
              "Let the name end in .csv, .jsonl, .ndjson, .sqlite or .db");
}

}  // namespace nadi
