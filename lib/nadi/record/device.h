// Records what the program asks of devices and what they do: launches, waits, kernels, copies.
#pragma once

#include <cstdint>
#include <string_view>

#include "nadi/base/time.h"
#include "nadi/record/communication.h"
#include "nadi/record/session.h"

namespace nadi::record {

/// The kind of a call of the device's runtime.
enum class CallKind : std::uint8_t {
  kCall,         ///< any other: cudaMalloc, …
  kLaunch,       ///< starts device rows, which carry its correlation
  kSyncStream,   ///< returns when the stream's work is done
  kSyncDevice,   ///< returns when the device's work is done
  kSyncEvent,    ///< returns when the event has happened
  kEventRecord,  ///< the event happens when the stream's work so far is done
  kStreamWait,   ///< later work of the stream waits for the event
};

/// A call as its beginning knows it. Numbers that do not apply to its kind stay -1.
struct CallStart {
  CallKind kind = CallKind::kCall;
  std::string_view name;  ///< "cudaLaunchKernel"; readers know blocking calls by these names
  std::int64_t device = -1;
  std::int64_t stream = -1;
  std::int64_t event = -1;  ///< any number that is the event's own in the process
};

/// The functions behind Call. begin_call gives the correlation, 0 = nothing is recorded.
std::uint64_t begin_call(const CallStart& call);
void end_call(std::uint64_t correlation);

/// A call of the device's runtime, as long as the scope.
class Call {
 public:
  explicit Call(std::string_view name) : Call(CallStart{CallKind::kCall, name}) {}
  explicit Call(const CallStart& call) {
    if (is_recording()) [[unlikely]]
      correlation_ = begin_call(call);
  }
  ~Call() {
    if (correlation_ != 0) [[unlikely]]
      end_call(correlation_);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// The number by which device rows name their launch; 0 = nothing is recorded.
  std::uint64_t correlation() const { return correlation_; }

 private:
  std::uint64_t correlation_ = 0;
};

/// A call that starts work on a device. A copy that blocks is one, too, named "cudaMemcpy".
class Launch : public Call {
 public:
  explicit Launch(std::string_view name = "cudaLaunchKernel")
      : Call(CallStart{CallKind::kLaunch, name}) {}
};

class StreamSync : public Call {
 public:
  StreamSync(std::int64_t device, std::int64_t stream)
      : Call(CallStart{CallKind::kSyncStream, "cudaStreamSynchronize", device, stream}) {}
};

class DeviceSync : public Call {
 public:
  explicit DeviceSync(std::int64_t device)
      : Call(CallStart{CallKind::kSyncDevice, "cudaDeviceSynchronize", device}) {}
};

class EventSync : public Call {
 public:
  EventSync(std::int64_t device, std::int64_t event)
      : Call(CallStart{CallKind::kSyncEvent, "cudaEventSynchronize", device, -1, event}) {}
};

class EventRecord : public Call {
 public:
  EventRecord(std::int64_t device, std::int64_t stream, std::int64_t event)
      : Call(CallStart{CallKind::kEventRecord, "cudaEventRecord", device, stream, event}) {}
};

class StreamWait : public Call {
 public:
  StreamWait(std::int64_t device, std::int64_t stream, std::int64_t event)
      : Call(CallStart{CallKind::kStreamWait, "cudaStreamWaitEvent", device, stream, event}) {}
};

enum class DeviceRowKind : std::uint8_t { kKernel, kCopy, kSet };

/// Work a device has done. May be recorded at any time, by any thread, while the recording runs.
struct DeviceRow {
  DeviceRowKind kind = DeviceRowKind::kKernel;
  std::string_view name;
  std::int64_t device = 0, stream = 0;
  std::uint64_t correlation = 0;  ///< of its launch; 0 = nobody recorded it
  Ns start_ns = 0;                ///< in the clock of now()
  Ns duration_ns = 0;
  std::int64_t bytes = -1;  ///< copies and sets; -1 = not given
  /// The communication of a kernel launched outside a CommunicationOp; nullptr = none.
  const Communication* communication = nullptr;
};
void add_device_row(const DeviceRow& row);

}  // namespace nadi::record
