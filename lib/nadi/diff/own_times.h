// Own time: the part of a row's time that nothing inside it covers, so that sums count no time
// twice.
#pragma once

#include <cstdint>
#include <vector>

#include "nadi/diff/lane_times.h"
#include "nadi/diff/table_rows.h"

namespace nadi {

struct HostRow {
  NamedThreadIndex thread;
  EventRowIndex row;
  Ns start_ns, duration_ns;

  /// Orders rows by thread, then as calls nest.
  bool operator<(const HostRow& other) const;
};

/// The ops, annotations and calls of an iteration, in the order in which they nest.
std::vector<HostRow> host_rows_in_order(const TableRows& rows, const ThreadNames& threads,
                                        const IterationRows& iteration);

/// The own times of the rows of one table. At each moment a thread's time belongs to the row that
/// began last of those open; a device row's own time is its length; other rows have none.
class OwnTimes {
 public:
  explicit OwnTimes(const TableRows& rows);

  /// Measures the host rows of one iteration, which host_rows_in_order() gave.
  void measure(const std::vector<HostRow>& host);

  Ns own_ns(EventRowIndex row) const { return own_ns_[row]; }
  /// The own time that is work: that of ops, calls and device rows. An annotation's is none unless
  /// an op or a call holds the annotation: nothing is known to run then (see kHostGaps).
  Ns work_ns(EventRowIndex row) const { return is_work_[row] ? own_ns_[row] : 0; }

 private:
  void give(EventRowIndex row, Ns until_ns);
  void close_until(Ns time_ns);

  const TableRows& rows_;
  ByRow<EventTable, Ns> own_ns_;
  ByRow<EventTable, bool> is_work_;
  std::vector<EventRowIndex> open_;  // rows of the thread, outermost first
  Ns given_until_ns_ = 0;
};

}  // namespace nadi
