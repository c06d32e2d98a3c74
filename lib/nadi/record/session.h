// Starts and stops a recording of the whole process, with its settings and its clock.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/base/time.h"

/// 1 while a recording runs. Shared with the C interface; read it with is_recording().
extern "C" unsigned char nadi_record_flag;

namespace nadi::record {

/// Gives the time in ns, from any fixed point, never backwards on a thread. Called by all threads.
using Clock = Ns (*)();

struct Settings {
  std::string host_file;    ///< becomes the host trace (schema/host-trace.md)
  std::string device_file;  ///< becomes the device trace (schema/kineto.md)
  std::int64_t rank = -1;   ///< of this process; -1 = the job has one process
  std::int64_t world_size = -1;
  std::string backend = "nccl";           ///< of communication, as distributedInfo names it
  std::vector<std::string> device_names;  ///< names of devices 0, 1, …
  /// nullptr = the machine's monotonic clock. A simulator gives its own.
  Clock clock = nullptr;
  Ns flush_ns = 100'000'000;  ///< how often both files are brought up to date; a crash also
                              ///< loses what still waits to be written (most_buffered_bytes)
  /// Events that wait to be written: threads that record faster wait beyond it. Bytes.
  std::uint64_t most_buffered_bytes = 256 << 20;
};

/// Counts what a recording has written.
struct Summary {
  std::uint64_t ops = 0;          ///< steps, annotations and communication included
  std::uint64_t calls = 0;        ///< launches, syncs and other calls of the device's runtime
  std::uint64_t device_rows = 0;  ///< kernels, copies, sets
  std::uint64_t threads = 0;
  std::uint64_t open_ops = 0;      ///< not ended by the program: closed at the stop
  std::uint64_t lost_ends = 0;     ///< ends of what no op or call of the same thread had begun
  std::uint64_t left_out = 0;      ///< facts about ops that were not open on the same thread
  std::uint64_t stalls = 0;        ///< waits for the writer (Settings::most_buffered_bytes)
  std::uint64_t host_bytes = 0;    ///< size of the host trace
  std::uint64_t device_bytes = 0;  ///< size of the device trace
};

/// True while a recording runs. One relaxed load: all a program pays where it records nothing.
inline bool is_recording() {
  return std::atomic_ref<unsigned char>(nadi_record_flag).load(std::memory_order_relaxed) != 0;
}

/// Starts a recording of the whole process, all threads included. Throws Error: kUsage where one
/// runs already or a setting cannot be, kInput where a file cannot be written.
void start(const Settings& settings);

/// Ends the recording: ops still open are closed now, and both files are complete on return. Does
/// nothing if there is none. A program that ends without it is stopped at its exit. Throws
/// Error(kInput) where a file could not be written to its end, or memory ran out while recording,
/// which ends it there; what there is stays readable.
Summary stop();

/// Returns the time in the clock of the recording that runs, ns: device rows take their times in
/// it.
Ns now();

/// Names the calling thread in the traces of the recording that runs (default: its name for the
/// system).
void name_thread(std::string_view name);

}  // namespace nadi::record
