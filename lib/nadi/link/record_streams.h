// Finds the stream on which an event was recorded where the trace tells only the record's call.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "nadi/link/call_names.h"
#include "nadi/link/lanes.h"
#include "nadi/link/stream_calls.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// The stream of a record.
struct RecordStream {
  bool is_known = false;
  LaneIndex lane;  ///< none = one that had been given nothing: nobody waits
  Inference inferred = Inference::kNone;
};

/// Of records that sync rows name without their stream (N27). A record that a stream waits for is
/// of another stream: else it would wait for nothing. If that leaves one of the device's streams,
/// that is certain; else it is inferred: inside a communication from PyTorch's call sequence
/// (K29), from the stream on which the recording thread launches, from what had ended when the
/// waiting one went on, or from what the thread launched last.
class RecordStreams {
 public:
  /// The trace stays unchanged meanwhile; its rows and calls are linked already.
  RecordStreams(const LinkedTrace& linked, const LaneTable& lanes,
                const std::vector<CallKind>& kinds);

  /// call: the record's; none = its row is lost. time: its begin.
  RecordStream find(std::int64_t correlation, std::int64_t device, CallIndex call, Ns time) const;

 private:
  struct Wait {
    LaneIndex lane;  ///< the stream that waits; none = the host
    Ns time = 0;     ///< of a stream: when it was told to wait; of the host: when it went on
  };
  /// The streams of a device.
  struct Streams {
    std::vector<LaneIndex> with_rows;
    bool has_others = false;  ///< sync rows name streams that ran no rows
  };
  struct Candidate {
    LaneIndex lane;
    std::uint32_t row;  ///< what the stream was given last before the record
  };
  using Waits = std::vector<Wait>;

  void add_wait(std::size_t row, const LaneTable& lanes, CallIndex call);
  static std::vector<LaneIndex> possible_streams(const Streams& streams, const Waits& waits);
  static bool is_waiting(LaneIndex lane, const Waits& waits);
  std::vector<Candidate> given_something(const std::vector<LaneIndex>& lanes, Ns time) const;
  bool is_contradicted(const Candidate& candidate, const Waits& waits) const;
  RecordStream find_in_communication(const StreamCall& record, const Waits& waits) const;
  LaneIndex current_stream(const StreamCall& record, const Waits& waits) const;
  LaneIndex launched_last(const std::vector<Candidate>& from, CallIndex record) const;

  const LinkedTrace& linked_;
  StreamCalls calls_;
  std::unordered_map<std::int64_t, Waits> waits_;  // by correlation of the record
  std::map<std::int64_t, Streams> streams_;        // by device
};

}  // namespace nadi
