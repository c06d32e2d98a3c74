// The recipe: a simulator's log -> a timeline that ui.perfetto.dev opens.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/base/time.h"
#include "nadi/converters/timeline/timeline_writer.h"
#include "nadi/input/byte_source.h"
#include "nadi/read/progress.h"

namespace nadi {

struct TimelineOptions {
  std::int64_t npus = 0;           ///< NPUs 0 to npus - 1 are expected; 0 = whatever the log has
  std::int64_t frequency = 1'000;  ///< MHz: ticks per µs; 1 to 1'000'000
};

/// A node that was issued and never finished, or finished without having been issued.
struct LooseNode {
  std::uint64_t npu = 0, node = 0, tick = 0;
  std::string name;
};

struct TimelineReport {
  std::uint64_t npus = 0;             ///< that the log names
  std::uint64_t nodes = 0;            ///< with issue and callback
  Ns end_ns = 0;                      ///< of the last line
  std::vector<LooseNode> unfinished;  ///< issued only; by NPU and id, the first 10,000
  std::vector<LooseNode> unmatched;   ///< finished only; in the log's order, the first 10,000
  Diagnostics diagnostics;
};

/// Writes a process per NPU, tracks per resource (further ones for nodes side by side),
/// a slice from issue to callback with the node's id. Unfinished nodes are slices up to the log's
/// end, marked so. One pass; holds the nodes that are open. Reports "broken-log-line",
/// "unfinished-node", "unmatched-callback", "callback-before-issue", "issued-twice", "npu-beyond",
/// "npu-missing", "oversized-line", "truncated-input". Throws Error (kInput) for input without a
/// line of a simulator, before anything is written.
TimelineReport write_log_timeline(ByteSource source, const TimelineOptions& options,
                                  TimelineWriter& writer, const Progress& progress = {});

}  // namespace nadi
