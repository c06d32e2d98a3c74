// The critical path of a job, each stretch with its name; as a table, and summed.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "nadi/base/string_table.h"
#include "nadi/emit/column_table.h"
#include "nadi/graph/build.h"
#include "nadi/sim_bridge/replay/critical_path.h"

namespace nadi {

struct NamedPathPiece {
  std::int64_t rank = 0;
  std::uint32_t row = 0;             ///< of the node in its rank's graph
  std::optional<std::int32_t> step;  ///< N of ProfilerStep#N, of a delay that of the node behind it
  Ns begin_ns = 0, length_ns = 0;    ///< in the job's clock
  PathKind kind = PathKind::kHost;
  StringId name = StringId::kEmpty;  ///< as PathNames::of() (path_names.h) gives it
};

struct NamedPath {
  std::vector<NamedPathPiece> pieces;  ///< in time order
  StringTable names;

  Ns length_ns() const;
};

/// Names the critical path of a run, or the pieces of it whose nodes are of the chosen steps.
NamedPath named_path(const ReplayJob& job, const ReplayTimes& times,
                     std::optional<StepRange> steps = {});

/// A row per piece: rank, node, step, begin_ns, duration_ns, kind, name.
ColumnTable path_table(const NamedPath& path);

enum class PathSumBy : std::uint8_t { kOp, kKind, kRank, kStep };
/// "op", "kind", "rank" or "step"; all else is an Error(kUsage).
PathSumBy path_sum_by(std::string_view name);

/// A row per kind and name, kind, rank or step, longest first: that, the pieces, ms, and the share
/// of the path.
ColumnTable path_sums(const NamedPath& path, PathSumBy by);

}  // namespace nadi
