// Goes through one thread's events again and puts ops and calls together from their parts.
#pragma once

#include <cstdint>
#include <vector>

#include "nadi/record/closed_op.h"
#include "nadi/record/thread_log.h"
#include "nadi/record/ticks.h"
#include "nadi/record/trace_pair.h"

namespace nadi::record {

class ThreadReplay {
 public:
  ThreadReplay(const ThreadIdentity& thread, TracePair& traces, TickScale& scale, Summary& summary)
      : thread_(thread), traces_(traces), scale_(scale), summary_(summary) {}

  void consume(const EventHead& head, EventReader reader);
  /// Ends what is open, at this time or at the thread's last event if that is later.
  void close_all(Ns time);

 private:
  struct OpenCall {
    ClosedCall call;
    std::size_t depth;  ///< how many ops are around it
  };

  Ns time_of(std::int64_t ticks);
  ClosedOp& push_op();
  ClosedOp* open_op(std::uint64_t id);
  void begin_op(const EventHead& head, EventReader& reader);
  void end_op(std::uint64_t id, Ns time);
  void close_top(Ns time);
  void take_attribute(ClosedOp& op, EventReader& reader);
  void add_fact(const EventHead& head, EventReader& reader);
  void begin_call(const EventHead& head, EventReader& reader);
  void end_call(std::uint64_t correlation, Ns time);
  void close_call(Ns time);
  void device_row(const EventHead& head, EventReader& reader);

  const ThreadIdentity& thread_;
  TracePair& traces_;
  TickScale& scale_;
  Summary& summary_;
  std::vector<ClosedOp> ops_;  ///< the first depth_ are open; the others keep their memory
  std::size_t depth_ = 0;
  std::vector<OpenCall> calls_;
  Ns last_ns_ = kNoTime;
};

}  // namespace nadi::record
