#include "nadi/read/perfetto_slices.h"

#include "nadi/read/perfetto_start.h"

namespace nadi {
namespace {

/// Of slices that are open at a time where each end belongs to the last begin: nesting is not
/// deeper, but a hostile trace may refer to one long name again and again.
constexpr std::size_t kMostOpenBytes = std::size_t{256} << 20;

bool is_end_of(const WaitingSlice& slice, const WaitingSlice& end) {
  return slice.track == end.track && slice.start_ns <= end.start_ns;
}

}  // namespace

void PerfettoSlices::report_unmatched(std::uint64_t count) {
  if (count > 0) diagnostics_.report(Finding::kSliceUnmatched, std::string_view(), count);
}

void PerfettoSlices::begin(const WaitingSlice& slice) {
  if (order_ == Order::kRuns && run_has_ended_) drop_waiting();
  run_has_ended_ = false;
  last_begin_ns_ = slice.start_ns;
  waiting_.push(slice);
  if (order_ == Order::kStacks) move_to_stacks();
}

/// Ends that carry no flags where begins do are the profiler's (P2); so are ends that come after
/// the begin of a later slice, for others write in order of time.
PerfettoSlices::Order PerfettoSlices::order_by(const WaitingSlice& end) const {
  if (waiting_.is_empty()) return Order::kUnknown;
  const WaitingSlice first = waiting_.front();
  if (!is_end_of(first, end) || first.sequence != end.sequence) return Order::kStacks;
  const bool is_by_profiler = first.flags != 0 && end.flags == 0;
  return is_by_profiler || end.start_ns < last_begin_ns_ ? Order::kRuns : Order::kStacks;
}

void PerfettoSlices::end(const WaitingSlice& end) {
  if (order_ == Order::kUnknown) {
    order_ = order_by(end);
    if (order_ == Order::kStacks) move_to_stacks();
  }
  if (order_ == Order::kStacks) return end_in_stack(end);
  run_has_ended_ = true;
  end_in_run(end);
}

void PerfettoSlices::end_in_run(const WaitingSlice& end) {
  if (waiting_.is_empty()) return report_unmatched(1);
  // Where the next begin fits, the end of this one is lost, else it is this end's begin.
  if (!is_end_of(waiting_.front(), end)) {
    report_unmatched(1);
    if (waiting_.size() < 2 || !is_end_of(waiting_.second(), end)) return;
    waiting_.pop();
  }
  const WaitingSlice slice = waiting_.front();
  if (TraceEvent* const event = event_of(slice)) hand_on(*event, slice.start_ns, end.start_ns);
  waiting_.pop();
}

void PerfettoSlices::end_in_stack(const WaitingSlice& end) {
  const auto entry = stacks_.find(end.track);
  if (entry == stacks_.end() || entry->second.empty()) return report_unmatched(1);
  OpenSlice slice = std::move(entry->second.back());
  entry->second.pop_back();
  --open_;
  open_bytes_ -= slice.bytes();
  if (slice.start_ns > end.start_ns) return report_unmatched(1);
  hand_on(slice.event, slice.start_ns, end.start_ns);
}

void PerfettoSlices::hand_on(TraceEvent& event, Ns start_ns, Ns end_ns) {
  event.set(Field::kDuration, EventValue::of_time(end_ns - start_ns));
  take_(event);
}

void PerfettoSlices::move_to_stacks() {
  for (; !waiting_.is_empty(); waiting_.pop()) {
    const WaitingSlice slice = waiting_.front();
    const TraceEvent* const event = open_bytes_ < kMostOpenBytes ? event_of(slice) : nullptr;
    if (event == nullptr) {
      report_unmatched(1);
      continue;
    }
    OpenSlice open{slice.start_ns, *event, {}};
    open.event.keep_texts(open.texts);
    open_bytes_ += open.bytes();
    stacks_[slice.track].push_back(std::move(open));
    ++open_;
  }
}

TraceEvent* PerfettoSlices::event_of(const WaitingSlice& slice) {
  if (!packet_.ParseFromArray(slice.packet.data(), static_cast<int>(slice.packet.size()))) {
    diagnostics_.report(Finding::kBrokenPacket, "a slice");
    return nullptr;
  }
  if (!rank_) rank_ = rank_of_slice(packet_.track_event());
  return &events_.slice(packet_, slice.track, slice.start_ns);
}

void PerfettoSlices::before_new_tables() {
  if (order_ != Order::kUnknown || waiting_.is_empty()) return;
  order_ = Order::kStacks;
  move_to_stacks();
}

void PerfettoSlices::drop_waiting() {
  report_unmatched(waiting_.size());
  waiting_.clear();
}

void PerfettoSlices::finish() {
  drop_waiting();
  report_unmatched(open_);
  stacks_.clear();
  open_ = open_bytes_ = 0;
}

}  // namespace nadi
