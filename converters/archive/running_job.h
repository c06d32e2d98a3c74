// One job of a conversion of many ranks: its manifest, and how far its ranks are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "nadi/converters/archive/manifest.h"
#include "nadi/converters/archive/pair_ranks.h"

namespace nadi {

/// A rank of a job, from its first trace on to its graph.
struct RankState {
  enum class Stage : std::uint8_t {
    kFound,       ///< or not even that
    kTaken,       ///< given to the workers
    kDoneBefore,  ///< a manifest proved it
    kConverted,
    kFailed
  };
  Stage stage = Stage::kFound;
  RankPair pair;                     ///< taken, done or failed
  std::optional<RankRecord> before;  ///< of a manifest, if the files prove it; without report
  std::string error;                 ///< of a failed one
  bool is_expected = false;          ///< its traces are there
};

/// The first trace of each kind, of one process and number.
struct WaitingTraces {
  std::size_t host = kNoTrace, device = kNoTrace;
};

/// A job that is being converted.
struct RunningJob {
  RunningJob(const std::string& job_prefix, const std::string& path_of_manifest)
      : prefix(job_prefix), manifest(path_of_manifest) {}

  std::string prefix;
  Manifest manifest;
  std::vector<std::unique_ptr<Manifest>> shards;  // that are joined, locked as long
  std::map<std::int64_t, RankState> ranks;
  std::unordered_map<std::string, const InputRecord*> known;  // by path, of RankState::before
  std::map<std::pair<std::int64_t, std::int64_t>, WaitingTraces> waiting;  // process, number
  std::vector<std::string> errors;  // of traces whose rank is not known

  /// Ranks that were begun, whatever became of them.
  std::set<std::int64_t> begun() const {
    std::set<std::int64_t> found;
    for (const auto& [rank, state] : ranks)
      if (state.stage != RankState::Stage::kFound) found.insert(rank);
    return found;
  }
  std::uint64_t count(RankState::Stage stage) const {
    return static_cast<std::uint64_t>(std::count_if(
        ranks.begin(), ranks.end(), [&](const auto& rank) { return rank.second.stage == stage; }));
  }
};

}  // namespace nadi
