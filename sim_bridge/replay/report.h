// Holds what a replay says as plain data: times beside the measured, lanes, the critical path.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "nadi/sim_bridge/replay/critical_path.h"
#include "nadi/sim_bridge/replay/lane_use.h"
#include "nadi/sim_bridge/replay/measured.h"

namespace nadi {

/// One rank; spans are from its first node to its last, delays not counted. ns.
struct ReplayRank {
  std::string file;
  std::int64_t rank = 0;
  std::size_t nodes = 0;          ///< delays counted
  RankClock clock;                ///< against the job's
  std::optional<Ns> measured_ns;  ///< nothing where the job was not measured
  Ns replayed_ns = 0;
  std::optional<Ns> scaled_ns;  ///< with the scales, where there are any
};

/// A node by name for people.
struct ReplayNode {
  std::int64_t rank = 0;
  std::uint64_t id = 0;
  std::string name, lane;
  Ns from_ns = 0, to_ns = 0;  ///< time it took of the path in either run
};

struct ReplayPath {
  Ns by_kind[kPathKindCount] = {};
  std::map<std::string, Ns> kernels;  ///< by name
};

struct ReplayLane {
  std::int64_t rank = 0;
  std::string name;  ///< "thread 1", "device 0 stream 7"
  LaneUse use;
};

/// The effect of the guesses among the dependencies on the makespan.
struct ReplayOfInferred {
  std::uint64_t edges = 0;         ///< the guesses, over all ranks
  bool is_without = false;         ///< the report is of the replay without them
  Ns with_ns = 0, without_ns = 0;  ///< one of them is ReplayReport::replayed_ns
};

struct ReplayReport {
  std::vector<ReplayRank> ranks;
  ClockSource clock = ClockSource::kOneRank;
  std::size_t comm_instances = 0;  ///< communication of several ranks that was matched
  /// The job from its first node to its last, from start_ns; nothing where the graphs do not record
  /// when their nodes started. Then nothing else of the report is measured either.
  std::optional<Ns> measured_ns;
  /// What the graphs were changed to; then all that is called measured here is of that (what_if.h).
  std::vector<std::string> what_if;
  Ns replayed_ns = 0;                          ///< the same in the replay: the makespan
  std::optional<ReplayOfInferred> inferred;    ///< for its caller to fill in; none: no guesses
  std::optional<Ns> idle_ns, explained_ns;     ///< measured, over all lanes
  std::vector<ReplayLane> lanes;               ///< by rank, lane and step
  std::vector<ReplayLane> lane_sums;           ///< over steps
  std::vector<ReplayNode> differences;         ///< replayed against measured
  ReplayPath path;                             ///< of the replay
  std::vector<std::string> scales;             ///< as given
  std::vector<std::size_t> scaled_nodes;       ///< how many each of them applies to
  std::optional<Ns> scaled_ns;                 ///< the makespan with them
  std::vector<ReplayNode> scaled_differences;  ///< with them against without
  std::optional<ReplayPath> scaled_path;

  bool is_measured() const { return measured_ns.has_value(); }
  /// (replayed - measured) / measured, in %, 0 where the measured time is 0; nothing where nothing
  /// was measured.
  std::optional<double> error_percent() const;
};

/// Makes the report; both runs are of the job, and scaled may be null.
ReplayReport make_replay_report(const ReplayJob& job, const ReplayTimes& measured,
                                const ReplayTimes& replayed, const ReplayTimes* scaled,
                                const std::vector<Scale>& scales);

/// "thread 1", "device 0 stream 7", "stream 7"; "device" where nothing is recorded.
std::string lane_text(const GraphLane& lane);

}  // namespace nadi
