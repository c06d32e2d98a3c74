// Finds the nodes of different ranks that are one communication, and members that lack it.
#pragma once

#include <cstdint>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/sim_bridge/job/host_clocks.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi {

/// One collective: node i is that of the group's i-th rank. A target may set the node of a
/// rank that waits for nobody to kNoIndex.
struct JobCollective {
  std::uint32_t group = kNoIndex;
  std::vector<std::uint32_t> nodes;
};

struct JobMessage {
  std::uint32_t source = 0, send = kNoIndex;          ///< rank and its node
  std::uint32_t destination = 0, receive = kNoIndex;  ///< rank and its node
};

struct JobMatches {
  std::vector<JobCollective> collectives;
  std::vector<JobMessage> messages;
  std::vector<RankClock> clocks;  ///< by rank: as recorded, or as what matched says (host_clocks.h)
  ClockSource clock_source = ClockSource::kOneRank;
};

/// Matches collectives by group and order, messages by (source, destination, group) and order
/// (align_sequence). Where the records of a rank lack a few of a sequence, copies of its partners'
/// nodes are appended to its nodes, and reported.
/// Gives both ends of a message, and all members of a collective whose sizes may differ (uneven
/// splits), the larger size; numbers tags from 0 per pair of ranks. Sends and receives without a
/// partner are dropped where `drops_lonely_messages`. Throws Error(kInput) with a table of the
/// first mismatches in type, size or number.
JobMatches match_communications(Job& job, bool drops_lonely_messages, Diagnostics& diagnostics);

}  // namespace nadi
