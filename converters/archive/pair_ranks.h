// Finds which traces are those of one rank: by what they say, else by their names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/converters/archive/peek_trace.h"
#include "nadi/converters/read_traces.h"
#include "nadi/read/detect.h"

namespace nadi {

struct RankTraces {
  std::int64_t rank = 0;
  TraceFiles traces;
};

/// What the path of a trace inside its folder or archive says.
struct TraceName {
  std::string job;           ///< its folders but those that name a rank or a kind of trace
  std::string file;          ///< without folders
  std::int64_t rank = -1;    ///< that it has, where the content has none; -1 = none
  std::int64_t number = -1;  ///< by which the traces of a rank find each other; -1 = none
  bool by_pattern = false;   ///< the number is that of a pattern, and goes before the content
};

/// Folders named "rank3", or "host", "device" and the like, are part of no job's name; with
/// `is_one_job` none is. `pattern`, if not empty, is a file name with {rank}, whose number is the
/// rank, and any number of *; a name that does not fit it has the rank and number -1.
TraceName name_of_trace(std::string_view path, std::string_view pattern, bool is_one_job);

/// A host trace or a device trace.
struct FoundTrace {
  TraceName name;
  std::string path;  ///< for messages, and to open it
  TracePeek peek;
  std::size_t window = 0;       ///< of the profiler, from 1 on; 0 = of all
  bool is_passed_over = false;  ///< it is of no rank, or its window does not count

  bool is_perfetto() const { return peek.what == kPerfettoTrace; }
  bool is_host() const { return peek.type == TraceType::kHostTrace; }
  /// The rank that a device trace is taken for; -1 = unknown.
  std::int64_t rank() const { return name.by_pattern || peek.rank < 0 ? name.rank : peek.rank; }
};

constexpr std::size_t kNoTrace = static_cast<std::size_t>(-1);

/// Traces by their position among those found.
struct RankPair {
  std::int64_t rank = 0;
  std::size_t host = kNoTrace;  ///< kNoTrace = there is none
  std::size_t device = kNoTrace;
  std::size_t other_form = kNoTrace;  ///< the device trace as Perfetto trace, beside its JSON
};

/// Traces of unknown kind, or of which too many are the same.
struct PairingProblem {
  std::int64_t rank = -1;  ///< -1 = unknown
  std::vector<std::size_t> traces;
  std::string what, remedy;
};

struct Pairing {
  std::vector<RankPair> ranks;           ///< by rank
  std::vector<PairingProblem> problems;  ///< in the order in which they were met
};

/// Pairs the traces of one job but those passed over. A device trace's rank is what its
/// distributedInfo says, else its name; a host trace belongs to the device trace of the same
/// process, else of the same number. A device trace without a host trace is a problem where others
/// have one and `needs_hosts`. Two device traces of one rank are a problem unless they are the two
/// forms of one.
Pairing pair_traces(const std::vector<FoundTrace>& found, bool needs_hosts = true);

/// The number at {rank} of a name that fits the pattern; -1 = it does not fit. Throws Error(kUsage)
/// for a pattern without {rank}.
std::int64_t rank_by_pattern(std::string_view name, std::string_view pattern);

}  // namespace nadi
