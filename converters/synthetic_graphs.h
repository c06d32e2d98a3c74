// Shares code between the recipes that make graphs nobody recorded: text workloads, patterns.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "nadi/base/error.h"
#include "nadi/converters/archive/file_set.h"
#include "nadi/emit/node_stream.h"

namespace nadi {

/// More ranks, or nodes of one rank, are a mistake.
inline constexpr std::int64_t kMostSyntheticRanks = 1'000'000;
inline constexpr std::int64_t kMostSyntheticNodes = 4'000'000'000;

/// Throws Error (kUsage) unless value is from 1 to most.
inline void require_range(const char* option, std::int64_t value, std::int64_t most) {
  if (value >= 1 && value <= most) return;
  throw Error(ErrorCode::kUsage, std::string(option) + " " + std::to_string(value),
              "must be from 1 to " + std::to_string(most));
}

struct SyntheticRank {
  std::uint64_t nodes = 0;
  CollectiveSizes collectives;
};

/// Writes PREFIX.<rank>.et of `files`, which `append` fills.
template <class Append>
SyntheticRank write_synthetic_graph(const SyntheticGraph& graph, FileSet& files,
                                    const Append& append) {
  AtomicFile file(files.add(std::to_string(graph.rank) + ".et"));
  const ByteSink sink = file.sink();
  NodeStream nodes(graph, sink);
  append(nodes);
  nodes.finish();
  file.commit();
  return {nodes.node_count(), nodes.collectives()};
}

}  // namespace nadi
