// The writer of Kineto traces; its two halves are write_device_trace.cc (host side, frame) and
// write_device_rows.cc (calls, device rows, synchronisation).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "write.h"

namespace nadi::vm {

/// "4458676416431.397": exact.
std::string microseconds(Ns ns);

class DeviceTraceWriter {
 public:
  DeviceTraceWriter(const Program& program, const Execution& run, int rank,
                    const WriteOptions& options);
  std::string write(Ns makespan);

 private:
  using Json = nlohmann::ordered_json;

  std::string header() const;
  void ops();
  void calls();
  void rows();
  void annotations();
  void syncs();
  void names();
  void markers(Ns makespan);

  /// As the file has it, counted from its own zero.
  Ns stamp(Ns time) const;
  void event(const char* phase, const std::string& category, const std::string& name,
             std::int64_t pid, std::int64_t tid, Span span, const Json& args);
  void flow(bool is_finish, const char* name, std::int64_t id, std::int64_t pid, std::int64_t tid,
            Ns time);
  void metadata(const char* what, std::int64_t pid, std::int64_t tid, const Json& args);
  void row(const RowRun& run);
  void sync(std::size_t call);
  Json unresolved() const;
  Json event_args(const CallRun& call) const;
  bool ever_ran(int stream) const;
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
  std::vector<std::string> events_;
};

}  // namespace nadi::vm
