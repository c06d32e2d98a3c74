// Streams of two runs that stand for each other, by what runs on them: another run numbers them
// anew.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "nadi/base/string_table.h"
#include "nadi/diff/diff_summary.h"

namespace nadi {

/// The number of rows by stream and name of a side.
struct StreamRows {
  StringTable streams, names;
  std::unordered_map<std::uint64_t, std::uint64_t> rows;  ///< by key_of()

  void add(std::string_view stream, std::string_view name);
  static std::uint64_t key_of(StringId stream, StringId name);
};

/// The name that both sides give a pair of streams ("stream 20 => stream 14"), by the name in the
/// side's trace. Streams without partner and pairs of one name have none.
struct StreamNames {
  std::unordered_map<std::string, std::string> control, test;
};

/// Pairs the streams that are most alike first. The likeness of two streams is the sum, over the
/// names of rows, of the smaller share that the name has of a stream's rows; of many streams with a
/// name those that have it most often are looked at together, then the next. Streams less alike
/// than a quarter are paired only if they have the same name. n log n in the entries of StreamRows.
StreamNames pair_streams(const StreamRows& control, const StreamRows& test);

/// The summary with its streams called as `names` says; ids stay.
DiffSummary with_stream_names(const DiffSummary& summary,
                              const std::unordered_map<std::string, std::string>& names);

}  // namespace nadi
