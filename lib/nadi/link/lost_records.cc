#include "nadi/link/lost_records.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "nadi/base/key_index.h"

namespace nadi {
namespace {

/// A wait right behind a record of which only the call is known.
struct WaitBehindLost {
  SyncRowIndex wait;
  std::uint64_t position = 0;     // of the wait's call in its op
  std::int64_t correlation = -1;  // of the record
};

}  // namespace

void name_lost_records(const LinkedTrace& linked, const StreamCalls& calls,
                       RecordsOfWaits& records) {
  const SyncRows& syncs = linked.device.syncs;
  const EventRecords& rows = linked.device.event_records;
  const KeyIndex rows_of_record(rows.correlation, -1);
  std::unordered_map<std::uint64_t, ClassCounts> counts;  // by position
  std::vector<WaitBehindLost> lost;
  for (const SyncRowIndex row : rows_of(syncs)) {
    if (!names_event_alone(syncs, row)) continue;
    const StreamCallIndex wait = calls.of(calls.api.call_with(syncs.correlation[row]));
    const CallIndex record = wait ? calls.recorded_before(wait) : CallIndex();
    if (!record || calls.calls[wait].position_in_op == 0) continue;
    const std::int64_t correlation = linked.device.calls.correlation[record];
    const std::uint64_t position = calls.calls[wait].position_in_op;
    if (correlation < 0) continue;
    const auto known = rows_of_record.rows(correlation);
    if (known.empty()) {
      lost.push_back({row, position, correlation});
      continue;
    }
    ClassCounts& of_class = counts[position];
    const bool is_for_it = rows.event[known.front().row] == syncs.wait_on_event[row];
    ++of_class.possible;
    ++(is_for_it ? of_class.seen : of_class.contradicted);
  }
  for (const WaitBehindLost& one : lost)
    if (linked.hypotheses.hold(Hypothesis::kRecordRightBefore, counts[one.position])) {
      records.correlation[one.wait] = one.correlation;
      records.is_inferred[one.wait] = true;
    }
}

}  // namespace nadi
