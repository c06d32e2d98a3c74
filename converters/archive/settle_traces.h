// Says what the device traces of one folder are to each other: ranks, windows of one rank, and
// traces that are of no rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/converters/archive/pair_ranks.h"
#include "nadi/input/byte_source.h"

namespace nadi {

/// Which windows of the profiler count where ranks have several (`schedule(repeat=2)`).
struct WindowChoice {
  enum class Kind : std::uint8_t { kNewest, kNumber, kAll };
  Kind kind = Kind::kNewest;
  std::int64_t number = 0;  ///< of kNumber: from 1, the oldest, on
  bool is_given = false;    ///< several windows are expected: nothing is begun before all are known
};

/// Opens a trace by its position among those found; nothing where its bytes cannot be read.
using OpenFound = std::function<std::optional<ByteSource>(std::size_t trace)>;

/// Gives traces that record no rank that of their name (ranks_in_names); device traces of one
/// process whose names differ in a time alone, where no other is there, are of rank 0.
void set_ranks_by_names(std::vector<FoundTrace>& found);
/// Sorts files each of which is all that is needed of a rank; a single one is of rank 0 if nothing
/// says its rank. Throws Error(kInput) where nothing says it of one of several, and where two are
/// of one rank, with these remedies.
void sort_one_per_rank(std::vector<FoundTrace>& found, const char* if_unknown,
                       const char* if_repeated);

/// Takes ranks from names, and passes over, with their names and counted:
/// - traces without device rows and calls beside others that have them, if their rank is not known
///   or another has it: those of coordinators ("trace-without-device-rows") and, of one process
///   with the other, windows that were cut ("trace-unread");
/// - of several traces of one rank and process those of windows that were not chosen
///   ("window-passed-over"). Windows are ordered by the times of their first events, else by the
///   times in their names, else by the one number that differs there; those of different ranks
///   belong together by order or, where ranks have not the same number of them or times contradict,
///   by time. Where nothing orders them, none is passed over.
/// Gives the number of windows; 0 = no rank has several. Throws Error(kUsage) where a window that
/// is chosen by number is not there.
std::size_t settle_traces(std::vector<FoundTrace>& found, const WindowChoice& choice,
                          const OpenFound& open, Diagnostics& diagnostics);

}  // namespace nadi
