// Calls of host threads in turn, and what is found that they waited for.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "tests/unit/link/trace_text.h"

namespace nadi::test {

constexpr int kMain = 100, kBackward = 200;

/// Host threads that take turns, a call every 2 us; rows run when a test says.
struct CallSequence {
  Lines lines;
  double now = 0;
  int tid = kMain;
  int correlation = 10;

  void call_named(const std::string& name, double duration = 1) {
    lines.push_back(call(name, now, duration, ++correlation, tid));
    now += std::max(2.0, duration + 1);
  }
  void record_event() { call_named("cudaEventRecord"); }
  void wait_event() { call_named("cudaStreamWaitEvent"); }
  /// Starts as it is launched where start is 0.
  void kernel(const std::string& name, int stream, double duration, double start = 0) {
    const double begin = start > 0 ? start : now;
    call_named("cudaLaunchKernel");
    lines.push_back(row(name, begin, duration, correlation, stream));
  }
  void copy_to_host(int stream, double duration) {
    const double begin = now;
    call_named("cudaMemcpyAsync");
    lines.push_back(row("Memcpy DtoH (Device -> Pinned)", begin, duration, correlation, stream, "",
                        "gpu_memcpy"));
  }
  /// What `body` does is done in an op of that name.
  template <class Body>
  void in_op(const std::string& name, const Body& body, const std::string& args = "") {
    const double begin = now;
    now += 1;
    body();
    lines.push_back(op(name, begin, now - begin, 0, tid, args));
    now += 1;
  }
  template <class Body>
  void in_step(int number, const Body& body) {
    const double begin = now;
    now += 1;
    body();
    lines.push_back(annotation(fmt::format("ProfilerStep#{}", number), begin, now - begin, tid));
    now += 10;
  }
};

/// The row that a stream's wait is for: the last that the stream waited for had been given.
inline std::string source_name(const LinkedTrace& linked, const StreamAction& record) {
  std::string name = "nothing";
  for (const DeviceRowIndex row : linked.rows_by_lane[record.lane])
    if (linked.rows.enqueue_ns[row] <= record.time_ns)
      name = linked.strings[linked.device.rows.name[row]];
  return name;
}

/// "20 after k (pattern)": of each wait of a stream, in API order.
inline Lines stream_waits(const LinkedTrace& linked) {
  Lines waits;
  for (const StreamAction& action : linked.actions)
    if (action.kind == StreamActionKind::kStreamWaitEvent)
      waits.push_back(fmt::format("{} after {} ({})", linked.lanes[action.lane].stream,
                                  source_name(linked, linked.actions[action.record]),
                                  to_string(action.inferred)));
  return waits;
}

/// "host waits for stream 7 (pattern)", "host waits for k (timing)": in API order.
inline Lines host_waits(const LinkedTrace& linked) {
  Lines waits;
  for (const StreamAction& action : linked.actions) {
    if (action.kind == StreamActionKind::kHostWaitStream)
      waits.push_back(fmt::format("stream {} ({})", linked.lanes[action.lane].stream,
                                  to_string(action.inferred)));
    if (action.kind == StreamActionKind::kHostWaitRow)
      waits.push_back(fmt::format("{} ({})", linked.strings[linked.device.rows.name[action.row]],
                                  to_string(action.inferred)));
  }
  return waits;
}

inline std::ptrdiff_t count_of(const Lines& lines, const std::string& text) {
  return std::count(lines.begin(), lines.end(), text);
}

struct Linked {
  Diagnostics diagnostics;
  LinkedTrace linked;
  explicit Linked(const CallSequence& trace) : linked(link(trace.lines, {}, "", &diagnostics)) {}
  std::uint64_t unresolved() const { return diagnostics.count(Finding::kSyncUnresolved); }
};

}  // namespace nadi::test
