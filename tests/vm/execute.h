// Runs a program by discrete-event simulation: when everything truly starts and ends, and why.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "program.h"

namespace nadi::vm {

/// Factors on durations, for what-if questions. Waits, latencies, gaps and idle time do not scale.
struct Scale {
  double host = 1;                ///< own time of ops, calls, and host nodes of graphs
  double kernels = 1;             ///< device rows that are no communication
  double communication = 1;       ///< communication rows: the time after the last member arrived
  std::map<int, double> streams;  ///< rows but host nodes, by stream
  /// Rows by row name, calls by call name, own time by the op's name: (regular expression, factor);
  /// all that match multiply.
  std::vector<std::pair<std::string, double>> names;
};

/// Why something has to wait.
enum class EdgeKind : std::uint8_t {
  kThreadOrder,
  kLaunch,
  kStreamOrder,
  kGraphOrder,  ///< inside one graph launch, as captured
  kEventWait,
  kSynchronisation,
  kThreadHandOff,
  kGroupOrder,
  kQueue,         ///< a thread took what another had put into a queue: never shown
  kQueryLoop,     ///< what follows a loop of queries of an event
  kLaneInterval,  ///< no dependency: inside one graph launch a row of the lane had ended
};
const char* to_string(EdgeKind kind);

/// A row somebody waits for. shown: a trace with cuda_sync tells it.
struct RowDependency {
  int row = -1;  ///< into RankRun::rows
  EdgeKind kind = EdgeKind::kStreamOrder;
  bool shown = true;
};

struct Span {
  Ns start = -1, end = -1;
};

struct OpRun {
  Span span;
  std::uint64_t rf_id = 0;
  bool is_recorded = true;  ///< in the device trace
};

struct CallRun {
  Span span;
  int thread = -1;
  int op = -1;                        ///< innermost op open at its begin
  std::int64_t correlation = 0;       ///< ascending in API order; 0 = never made
  std::vector<int> rows;              ///< what it launched
  std::vector<RowDependency> waited;  ///< what it blocked on
  int record = -1;                    ///< waits and queries: the kEventRecord call they refer to
  bool was_done = false;              ///< queries: the event had happened
  bool is_recorded = true;       ///< its runtime row is in the device trace, with its flow start
  bool is_sync_recorded = true;  ///< so is its `cuda_sync` or `cuda_event` row
};

struct RowRun {
  int call = -1, ordinal = 0;  ///< Call::rows[ordinal]
  Span span;                   ///< unset until known
  bool is_recorded = true;     ///< in the device trace
  std::vector<RowDependency> after;
};

/// Beside RankProgram, entry for entry.
struct RankRun {
  std::vector<OpRun> ops;
  std::vector<CallRun> calls;
  std::vector<RowRun> rows;                ///< in launch order
  std::vector<std::vector<Span>> threads;  ///< begin and end of each instruction
};

struct Execution {
  std::vector<RankRun> ranks;
  Ns makespan = 0;  ///< latest end of anything; everything starts at 0
};

/// Throws Error(kUsage) where the program cannot finish (deadlock) or is not well formed.
Execution execute(const Program& program, const Scale& scale = {});

/// The innermost op from `op` outwards that is in the device trace; -1 = none.
inline int recorded_op(const RankProgram& rank, const RankRun& run, int op) {
  while (op >= 0 && !at(run.ops, op).is_recorded) op = at(rank.ops, op).parent;
  return op;
}

inline const Row& row_of(const RankProgram& rank, const RowRun& run) {
  return rank.calls[static_cast<std::size_t>(run.call)].rows[static_cast<std::size_t>(run.ordinal)];
}

}  // namespace nadi::vm
