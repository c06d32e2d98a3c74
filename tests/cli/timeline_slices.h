// What a timeline shows, whichever form its file has.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nadi {

struct ShownSlice {
  std::string process, track, category, name;
  std::int64_t start_ns = 0, length_ns = 0;
  std::map<std::string, std::string> arguments;
  auto operator<=>(const ShownSlice&) const = default;
  std::int64_t end_ns() const { return start_ns + length_ns; }
};

/// Its ends are on tracks, "process / track", at a time.
struct ShownArrow {
  std::string name, from, to;
  std::int64_t from_ns = 0, to_ns = 0;
  auto operator<=>(const ShownArrow&) const = default;
};

/// Ascending.
struct Shown {
  std::vector<std::string> tracks;  ///< "process / track", as shown from top to bottom
  std::vector<ShownSlice> slices;
  std::vector<ShownArrow> arrows;

  /// The innermost slice around a time on a track.
  const ShownSlice& at(const std::string& track, std::int64_t time_ns) const;
};

/// Of Trace Event JSON.
Shown shown_by_json(const std::string& text);
/// Of a Perfetto trace: a slice ends where the one that began last on its track does. Throws
/// std::runtime_error where an end has no begin.
Shown shown_by_perfetto(const std::string& bytes);

}  // namespace nadi
