// Pairs the communications of two ranks' sequences, also where records lack some.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "nadi/sim_bridge/job/host_clocks.h"

namespace nadi {

/// One communication as one rank recorded it; times are on the clocks that the files record.
struct SequenceEntry {
  std::int64_t type = -1;  ///< CollectiveCommType; of messages -1
  Ns start_ns = 0, end_ns = 0;
};

/// The communications that all members of a group run in one order: its collectives, or messages
/// from one rank to another (the source is the first member).
struct Sequence {
  bool is_of_messages = false;
  std::vector<std::vector<SequenceEntry>> members;  ///< each in the order of the records
};

CommOrder comm_order_of(std::int64_t type, bool is_message);

/// A row per communication that any member has, in order; a column per member: the place of its
/// entry, or kNoIndex where it has none.
struct AlignedSequence {
  std::size_t members = 0;
  std::vector<std::uint32_t> places;

  std::size_t size() const { return members == 0 ? 0 : places.size() / members; }
  std::span<const std::uint32_t> operator[](std::size_t row) const {
    return {places.data() + row * members, members};
  }
  /// The row nearest to this one that both members have: it shows how their clocks differ there.
  std::optional<std::size_t> nearest_common(std::size_t row, std::size_t a, std::size_t b) const;
};

/// True where what members lack looks like rows that were lost, not like another program: each
/// lacks at most one in ten, or one of four and more.
bool has_few_losses(const AlignedSequence& aligned);

/// Aligns the members one at a time with those before: by place, if that leaves no entry alone, no
/// times contradict it, and the ends of all are close; else by time (entries of one type whose ends
/// are nearest to each other), if that brings more ends together, three of four; else by whichever
/// leaves most pairs that times do not contradict. The clocks of members may differ by any
/// constant, and drift. O(n) for each of a bounded number of tries.
AlignedSequence align_sequence(const Sequence& sequence);

/// The n-th entries of all members in one row, whatever they are; of as many entries by member.
AlignedSequence by_place(std::span<const std::size_t> lengths);

}  // namespace nadi
