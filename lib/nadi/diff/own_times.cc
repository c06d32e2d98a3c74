#include "nadi/diff/own_times.h"

#include <algorithm>
#include <limits>

namespace nadi {

bool HostRow::operator<(const HostRow& other) const {
  if (thread != other.thread) return thread < other.thread;
  if (start_ns != other.start_ns) return start_ns < other.start_ns;
  return duration_ns != other.duration_ns ? duration_ns > other.duration_ns : row < other.row;
}

std::vector<HostRow> host_rows_in_order(const TableRows& rows, const ThreadNames& threads,
                                        const IterationRows& iteration) {
  std::vector<HostRow> host;
  for (const EventRowIndex row : iteration.rows)
    if (const NamedThreadIndex thread = threads.thread(row))
      host.push_back({thread, row, rows.table().ts_ns[row], rows.table().dur_ns[row]});
  std::sort(host.begin(), host.end());
  return host;
}

OwnTimes::OwnTimes(const TableRows& rows)
    : rows_(rows), own_ns_(rows.table().rows), is_work_(rows.table().rows) {
  for (const EventRowIndex row : rows_of(own_ns_)) {
    if (!rows.is_work(row)) continue;
    own_ns_[row] = rows.table().dur_ns[row];
    is_work_[row] = true;
  }
}

void OwnTimes::give(EventRowIndex row, Ns until_ns) {
  if (until_ns <= given_until_ns_) return;
  own_ns_[row] = add_times(own_ns_[row], until_ns - given_until_ns_);
  given_until_ns_ = until_ns;
}

void OwnTimes::close_until(Ns time_ns) {
  for (; !open_.empty() && rows_.table().end_ns(open_.back()) <= time_ns; open_.pop_back())
    give(open_.back(), rows_.table().end_ns(open_.back()));
}

void OwnTimes::measure(const std::vector<HostRow>& host) {
  constexpr Ns kEnd = std::numeric_limits<Ns>::max();
  NamedThreadIndex thread;
  for (const HostRow& next : host) {
    close_until(next.thread == thread ? next.start_ns : kEnd);
    thread = next.thread;
    if (!open_.empty()) give(open_.back(), next.start_ns);
    given_until_ns_ = next.start_ns;
    is_work_[next.row] =
        !rows_.is_annotation(next.row) || (!open_.empty() && is_work_[open_.back()]);
    open_.push_back(next.row);
  }
  close_until(kEnd);
}

}  // namespace nadi
