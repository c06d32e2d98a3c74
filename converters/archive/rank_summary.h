// What stands out among the ranks of a job: the slowest, the least explained, the outliers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/base/time.h"
#include "nadi/converters/archive/manifest.h"

namespace nadi {

struct RankSpan {
  std::int64_t rank = 0;
  Ns span_ns = 0;         ///< first start to last end
  Ns unexplained_ns = 0;  ///< of all lanes
  Ns lanes_ns = 0;        ///< of all lanes, from the trace's start to the last end of each
};

/// A kind of finding over all ranks.
struct RanksFinding {
  Finding kind;
  std::uint64_t ranks = 0, count = 0;
  std::int64_t first_rank = 0;
  std::string first;  ///< a place in the first rank
};

struct RankSummary {
  std::uint64_t ranks = 0;  ///< converted ones
  std::uint64_t nodes = 0, device_rows = 0, linked_device_rows = 0;
  std::uint64_t bytes = 0;  ///< of the graphs as they lie there
  Ns median_span_ns = 0;
  std::vector<RankSpan> slowest;           ///< up to three, the longest span first
  std::vector<RankSpan> most_unexplained;  ///< up to three, the largest share first
  /// Ranks whose span differs from the median by more than a tenth, and by more than five times the
  /// median difference; by rank.
  std::vector<RankSpan> outliers;
  std::vector<RanksFinding> findings;  ///< by kind
};

/// Reads the manifest's lines one at a time; it holds 32 bytes a rank.
RankSummary summarize_ranks(const Manifest& manifest);
/// Of ranks of no manifest, as the processes of one trace; `bytes` are those of their graphs.
RankSummary summarize_ranks(std::span<const ConvertReport> reports, std::uint64_t bytes);

}  // namespace nadi
