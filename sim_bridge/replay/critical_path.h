// The chain of nodes that decides how long a job takes, and where its time goes.
#pragma once

#include <string>
#include <vector>

#include "nadi/sim_bridge/replay/replay.h"

namespace nadi {

enum class PathKind : std::uint8_t {
  kHost,           ///< ops, parts, calls
  kKernel,         ///< device rows that are no communication
  kCommunication,  ///< from the moment the last member has come
  kLaunchLatency,  ///< a delay between host work and a device row
  kDelay,          ///< other delays
  kGap             ///< time before a node that nothing it depends on explains
};
std::string_view to_string(PathKind kind);  ///< "host", "kernel", "communication", …
inline constexpr std::size_t kPathKindCount = 6;

/// True where the node itself takes the time, and not what stands before it.
constexpr bool takes_time(PathKind kind) { return kind <= PathKind::kCommunication; }

/// A stretch of the path: from begin_ns to end_ns it was this node that the end had to wait for.
struct PathPiece {
  std::uint32_t node = kNoIndex;
  PathKind kind = PathKind::kHost;
  Ns begin_ns = 0, end_ns = 0;
};

/// Returns the node that a delay stands before, or the node itself.
std::uint32_t behind_delays(const Graph& graph, std::uint32_t row);

/// First and last moment of nodes that are no delays, ns in the job's clock.
struct JobSpan {
  Ns begin_ns = 0, end_ns = 0;
  Ns length() const { return end_ns - begin_ns; }
};
JobSpan span_of(const ReplayJob& job, const ReplayTimes& times);
/// The same of one of the job's graphs.
JobSpan span_of_rank(const ReplayJob& job, const ReplayTimes& times, std::size_t graph);

/// Returns the path from the span's begin to its end, without holes, in time order; at an instance
/// it goes on at the rank that came last.
std::vector<PathPiece> critical_path(const ReplayJob& job, const ReplayTimes& times);

/// The time by which a node made the end later (+) or earlier (-) in one run than in another, ns:
/// the shift of its end less the shift of the end it followed. Along a path these add up to the
/// shift of the path's end.
struct Difference {
  std::uint32_t node = kNoIndex;
  Ns from_ns = 0, to_ns = 0;  ///< time it took, waits included, in either run
  Ns ns() const { return to_ns - from_ns; }
};
/// Returns the nodes with the largest differences, largest first, along the critical path of the
/// longer run; at most `count`.
std::vector<Difference> largest_differences(const ReplayJob& job, const ReplayTimes& from,
                                            const ReplayTimes& to, std::size_t count);

}  // namespace nadi
