// Knows when streams were captured: what is launched meanwhile runs later, in graphs.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "nadi/model/call_names.h"
#include "nadi/model/device_trace.h"

namespace nadi {

/// The captures of a trace, from the begin of cudaStreamBeginCapture to the return of
/// cudaStreamEndCapture, by the thread that began them. An end without a begin on its thread
/// belongs to the last begin that has no end on its own thread. If the trace lacks one of the two
/// calls, launches of the thread that have a row, and so were not captured, bound the capture: it
/// begins behind the last one before its end, or ends at the first one after its begin.
class Captures {
 public:
  /// has_row: a device row has its correlation. O(n log n).
  Captures(const RuntimeCalls& calls, const CallEffects& effects,
           const ByRow<RuntimeCalls, bool>& has_row);

  bool empty() const { return all_.empty(); }
  /// True where some stream is captured at the time, by whatever thread.
  bool contain(Ns time) const;
  /// True where the launch, which has no row, is captured: its thread captures at that time, or no
  /// launch of its thread has run during the capture.
  bool hold(CallIndex call) const;

 private:
  struct Span {
    Ns begin_ns, end_ns;
    friend auto operator<=>(const Span&, const Span&) = default;
  };
  using Spans = std::vector<Span>;
  void add(CallIndex begin, CallIndex end);
  /// Returns the calls that have no partner on their thread, in time order.
  std::vector<CallIndex> add_of_threads(const std::vector<CallIndex>& changes,
                                        const CallEffects& effects);
  void add_across_threads(const std::vector<CallIndex>& lone, const CallEffects& effects);
  static const Span* span_at(const Spans& spans, Ns time);

  const RuntimeCalls& calls_;
  ByRow<ProfilerThread, std::vector<Ns>> ran_;  ///< begins of launches that have a row, ascending
  ByRow<ProfilerThread, Spans> of_thread_;      ///< ascending, apart from each other
  Spans all_;                                   ///< of all threads, likewise
};

}  // namespace nadi
