// Finds the stream on which an event was recorded where the trace has only the record's call.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "nadi/link/event_ids.h"
#include "nadi/link/lanes.h"
#include "nadi/link/stream_calls.h"
#include "nadi/link/waits.h"
#include "nadi/model/call_names.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// The stream of a record.
struct RecordStream {
  bool is_known = false;
  LaneIndex lane;  ///< none = one that had been given nothing: nobody waits
  Inference inferred = Inference::kNone;
};

/// Finds the streams of records that sync rows name without their stream (N27). Such a stream is,
/// in this order:
/// - The only stream of the process that does not itself wait for the record: certain, for a wait
///   for its own record would be for nothing.
/// - The stream that the waits' calls alone give by inference, unless that rests on timing; or on
///   their place, where the thread launched on another right before the record. It counts only if
///   the same stream waits as in the sync row.
/// - None, if only streams wait and it is known that these waits held nothing up.
/// - The only stream whose work had ended when all that waited went on: if another stream's work
///   had not, or if a waiting stream went on right when the work ended.
/// - The stream on which the thread launched right before the record.
/// - The stream that is inferred by timing.
class RecordStreams {
 public:
  /// The trace stays unchanged meanwhile; its rows and calls are linked already. lanes: of all
  /// streams, those without rows behind the others.
  RecordStreams(const LinkedTrace& linked, const LaneTable& lanes, const CallEffects& effects,
                const StreamCalls& calls, const RecordsOfWaits& records);

  /// True where find() needs no infer(): the stream is certain, or nobody waits.
  bool is_certain(std::int64_t correlation) const;
  /// Infers waits by their calls, beside those that are known.
  void infer(const WaitList& known);
  /// call: the record's; none = its row is lost. time: its begin.
  RecordStream find(std::int64_t correlation, CallIndex call, Ns time) const;

 private:
  struct Wait {
    CallIndex call;
    LaneIndex lane;  ///< the stream that waits; none = the host
    Ns time = 0;     ///< of a stream: when the wait was called; of the host: when it went on
  };
  /// The streams of the process, on whichever device: one waits for another device's, too.
  struct Streams {
    std::vector<LaneIndex> with_rows;
    bool has_others = false;  ///< sync rows name streams that ran no rows
  };
  struct Candidate {
    LaneIndex lane;
    DeviceRowIndex row;  ///< what the stream was given last before the record
  };
  /// What a call was inferred to wait for.
  struct Guess {
    LaneIndex source;
    Inference inferred = Inference::kNone;
  };
  /// For one record.
  struct Waits {
    std::vector<Wait> all;
    std::set<LaneIndex> streams;  ///< that wait
  };
  void add_wait(SyncRowIndex row, std::int64_t record, const LaneTable& lanes, CallIndex call);
  void keep_guess(const ByRow<StreamAction>& actions, StreamAction guess, WaitList& waits);
  std::vector<LaneIndex> possible_streams(const Waits& waits) const;
  RecordStream find_guess(const Waits& waits) const;
  bool are_explained(const Waits& waits) const;
  bool launches(CallIndex call) const;
  LaneIndex launched_right_before(CallIndex record) const;
  bool held_up(const Candidate& candidate, const Waits& waits) const;
  bool is_contradicted(const Candidate& candidate, const Waits& waits) const;

  const LinkedTrace& linked_;
  const CallEffects& effects_;
  const StreamCalls& calls_;
  std::optional<WaitList> inferred_;                         // what infer() found last
  std::unordered_map<std::int64_t, Waits> waits_;            // by correlation of the record
  std::unordered_map<CallIndex, LaneIndex> waiting_stream_;  // none = the host
  Streams streams_;
  std::unordered_map<CallIndex, Guess> guesses_;
};

}  // namespace nadi
