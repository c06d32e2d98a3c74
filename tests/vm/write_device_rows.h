// The writer of device traces: write_device_trace.cc (host side, frame), write_device_rows.cc
// (calls, device rows, synchronisation) and write_cuspy_rows.cc (what the new profiler writes
// otherwise).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "graph_edges.h"
#include "write.h"

namespace nadi::vm {

/// What the two profilers write otherwise of calls, syncs and annotations.
struct ProfilerForm {
  bool has_external_ids;    ///< on calls and device rows (N18)
  Ns annotation_tail;       ///< time from the last row's end to the annotation's (K9, N30)
  bool has_flows_of_syncs;  ///< flow starts without end (N21)
  bool tells_wait_streams;  ///< waits name the stream of the record (N27)
  bool has_event_records;   ///< `cuda_event` rows
};

/// "4458676416431.397": exact.
std::string microseconds(Ns ns);

class DeviceTraceWriter {
 public:
  DeviceTraceWriter(const Program& program, const Execution& run, int rank,
                    const WriteOptions& options);
  std::string write(Ns makespan);

 private:
  using Json = nlohmann::ordered_json;

  std::string write_kineto(Ns makespan);
  std::string write_cuspy(Ns makespan);
  std::string finished() const;
  std::string header() const;
  void ops();
  void calls();
  void rows();
  void annotations();
  void syncs();
  void host_process();
  void host_threads();
  void call_threads();
  void device_names();
  void markers(Ns makespan);

  /// As the file has it, counted from its own zero.
  Ns stamp(Ns time) const;
  void event(const char* phase, const std::string& category, const std::string& name,
             std::int64_t pid, std::int64_t tid, Span span, const Json& args);
  void flow(bool is_finish, const char* name, std::int64_t id, std::int64_t pid, std::int64_t tid,
            Ns time);
  void metadata(const char* what, std::int64_t pid, std::int64_t tid, const Json& args);
  void row(const RowRun& run);
  void number_rows();
  /// CUDA counts events as they are created, and PyTorch creates each as it records it first: those
  /// recorded again and again before the trace.
  void number_events();
  std::int64_t event_number(int event) const;
  void cuspy_rows();
  void dependency_flows();
  Json cuspy_args(int row) const;
  void add_event_ids(int row, Json& args) const;
  Json launched_ids(const CallRun& call) const;
  void overhead();
  void counters(Ns makespan);
  void call(std::size_t index);
  void add_devices(const Row& copy, Json& args) const;
  void add_external_id(const CallRun& call, Json& args) const;
  bool starts_flow(const Call& what, const CallRun& call) const;
  /// The tid of the calls a thread makes, as the profiler knows it.
  std::int64_t call_tid(const CallRun& call) const;
  Ns epoch_ns(Ns time) const { return options_.base_time_ns + stamp(time); }
  void sync(std::size_t call);
  Json unresolved() const;
  Json event_args(const Call& what, const CallRun& call) const;
  bool has_event_rows() const;
  bool ever_ran(int stream) const;
  int device(int stream) const { return rank_ + device_of(stream); }
  static int context(int stream) { return 1 + device_of(stream); }
  /// Innermost cpu_op open at the call; -1 = none.
  int cpu_op_of(const CallRun& call) const;
  std::int64_t os_tid(int thread) const;
  std::uint64_t external_id(int op) const;

  const Program& program_;
  const RankProgram& code_;
  const RankRun& run_;
  int rank_;
  std::int64_t pid_;
  const WriteOptions& options_;
  const ProfilerForm form_;
  const GraphRecords records_;
  std::vector<std::int64_t> event_ids_;      // by row: its place in the file from 1; 0 = not in it
  std::vector<std::int64_t> event_numbers_;  // of CUDA's events; 0 = never recorded
  std::vector<std::string> events_;
};

}  // namespace nadi::vm
