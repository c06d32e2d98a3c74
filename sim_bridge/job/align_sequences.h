// Finds the communications that ranks run in one order, and which of them are the same, also where
// records lack some: for jobs and for replay.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "nadi/sim_bridge/job/host_clocks.h"

namespace nadi {

/// One communication as one rank recorded it; times are on the clocks that the files record.
struct SequenceEntry {
  std::int64_t type = -1;  ///< CollectiveCommType; of messages -1
  Ns start_ns = 0, end_ns = 0;
  std::int64_t bytes = 0, tag = -1;
  std::uint32_t node = kNoIndex;
};

/// Identifies a sequence, and gives the order of sequences.
struct SequenceKey {
  std::uint32_t group = kNoIndex;   ///< kNoIndex = known by the name alone
  std::int64_t src = -1, dst = -1;  ///< of messages; one may not be recorded. Of collectives -1
  std::string_view name = {};       ///< of the group; need not be set with `group`

  bool is_of_messages() const { return src >= 0 || dst >= 0; }
  friend auto operator<=>(const SequenceKey&, const SequenceKey&) = default;
};

/// Who runs a sequence; sources come before receivers. `rank`: as the caller numbers ranks.
struct SequenceMember {
  bool receives = false;
  std::uint32_t rank = 0;
  friend auto operator<=>(const SequenceMember&, const SequenceMember&) = default;
};

/// Each member's nodes in the order of its records; those who should have some and have none are
/// there, too.
using SequenceTable = std::map<SequenceKey, std::map<SequenceMember, std::vector<std::uint32_t>>>;

/// The communications that all members of a group run in one order: its collectives, or messages
/// from one rank to another (the source is the first member).
struct Sequence {
  SequenceKey key;
  std::vector<std::vector<SequenceEntry>> members;  ///< each in the order of the records, or tags
  std::vector<std::uint32_t> ranks = {};            ///< of the members

  /// By member; kNoIndex = it has none. `positions`: a row of what this is aligned to.
  std::vector<std::uint32_t> nodes(std::span<const std::uint32_t> positions) const;
};

/// Calls take(sequence) for each of the table, in order. If the sender and the receiver of messages
/// each use group names that the other never uses, the messages of these are one sequence. If only
/// one end has such names, nothing is merged.
void visit_sequences(
    SequenceTable table,
    const std::function<SequenceEntry(std::uint32_t rank, std::uint32_t node)>& entry_of,
    const std::function<void(const Sequence& sequence)>& take);

CommOrder comm_order_of(std::int64_t type, bool is_message);

/// Uneven splits and gathers of unequal parts are legal in PyTorch.
bool may_differ_in_size(std::int64_t type);

/// What a member lacks of a row that others have.
struct LostEntry {
  std::size_t row = 0, member = 0;
  std::size_t partner = 0;        ///< the first member that has it
  Ns end_ns = 0;                  ///< when the lost one must have ended: the partner's end
  std::uint32_t like = kNoIndex;  ///< the member's node nearest to it that the partner has, too
};

/// A row per communication that any member has, in order; a column per member: the position of its
/// entry, or kNoIndex where it has none.
struct AlignedSequence {
  std::size_t members = 0;
  std::vector<std::uint32_t> positions;
  /// By row, where what members lack looks like rows that were lost, not like another program: each
  /// lacks at most one in ten, or one of four and more.
  std::vector<LostEntry> lost;

  std::size_t size() const { return members == 0 ? 0 : positions.size() / members; }
  std::span<const std::uint32_t> operator[](std::size_t row) const {
    return {positions.data() + row * members, members};
  }
};

struct AlignRules {
  /// By position, whatever the times say, where all members have as many, of equal types and sizes:
  /// no simulator can know whether others belong together, and a damaged row stays harmless.
  bool trusts_positions = false;
  bool needs_all =
      false;  ///< where more than few are missing, by position: the caller refuses them
};

/// Aligns the members one at a time with those before: by position, if that leaves no entry alone,
/// no times contradict it, and the ends of all are close; else by time (entries of one type whose
/// ends are nearest to each other), if that brings more ends together, three of four; else by
/// whichever leaves most pairs that times do not contradict. The clocks of members may differ by
/// any constant, and drift. O(n) for each of a bounded number of tries.
AlignedSequence align_sequence(const Sequence& sequence, AlignRules rules = {});

}  // namespace nadi
