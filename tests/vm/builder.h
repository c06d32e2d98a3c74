// Writes programs for the virtual machine the way one reads them: bodies inside bodies.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "program.h"

namespace nadi::vm {

using Body = std::function<void()>;
/// How long a row, or the gap before it, takes in one replay, by the row's place in the graph and
/// how long it took before.
using Vary = std::function<Ns(std::size_t, Ns)>;

/// What a launch costs: the call's own time, and from its begin to the earliest start of the row.
struct LaunchCost {
  Ns call = 5_us;
  Ns latency = 8_us;
};

/// Appends to one thread of one rank. Cheap to copy; valid as long as the Program stays in place.
class ThreadBuilder {
 public:
  ThreadBuilder(Program& program, int rank, int thread)
      : program_(&program), rank_(rank), thread_(thread) {}

  // Host work. Bodies run at once and append what they contain.
  int op(std::string name, const Body& body);  ///< cpu_op; returns its index in RankProgram::ops
  int op(std::string name, Ns own);            ///< a leaf
  int annotation(std::string name, const Body& body);  ///< user_annotation
  int forward_op(std::string name, const Body& body);  ///< cpu_op with the next sequence number
  /// "autograd::engine::evaluate_function: NAME" around "NAME" around body, for a forward op.
  int backward_op(std::string name, int forward, const Body& body);
  void work(Ns ns);  ///< own time of the innermost op, idle where no cpu_op is open

  // Calls that neither launch nor block.
  void call(std::string name, Ns duration = 2_us);

  // Device work; returns the index in RankProgram::calls.
  int launch(int stream, std::string kernel, Ns duration, LaunchCost cost = {});
  int copy(int stream, std::string direction, std::int64_t bytes, Ns duration,
           LaunchCost cost = {});
  int set(int stream, std::int64_t bytes, Ns duration, LaunchCost cost = {});
  /// Device to pageable host: named cudaMemcpyAsync, returns `call` after the row's end.
  int blocking_copy(int stream, std::int64_t bytes, Ns duration, LaunchCost cost = {});
  /// aten::item > aten::_local_scalar_dense: a blocking copy, then its stream is synchronised
  /// (K29).
  void item(int stream, Ns copy = 2_us);
  /// aten::copy_ from pageable memory: a copy, then its stream is synchronised (K29).
  void pageable_copy(int stream, std::int64_t bytes, Ns duration);
  /// Rows depend on each other as their `after` says, all on what `stream` had; later work on
  /// `stream` waits for all of them. Rows may show other lanes, used by graph launches only.
  int graph(int stream, std::vector<Row> rows, LaunchCost cost = {18_us, 12_us});
  /// Launches the graph of such a launch again.
  int replay(int launched, const Vary& vary);

  // Events and synchronisation.
  int record(int stream, Ns duration = 2_us);  ///< a new event
  void record(int stream, int event, Ns duration);
  void wait(int stream, int event, Ns duration = 1_us);
  void event_synchronize(int event, Ns duration = 3_us);
  void stream_synchronize(int stream, Ns duration = 4_us);
  void device_synchronize(Ns duration = 5_us);
  void query(int event, Ns duration = 2_us);
  /// Looks at the event again and again until it has happened; waits for it after 400 looks.
  void query_until_done(int event, Ns pause, Ns duration = 2_us);

  // Communication.
  /// c10d op > record_param_comms > annotation: `comm_stream` waits for `stream`, then the kernel,
  /// with the calls of Program::comm_calls around it. NCCL's internal stream is comm_stream + 1,
  /// the stream of PyTorch's callbacks comm_stream + 2; both run nothing. Returns the event
  /// recorded behind it. duration: time after the last member arrived. CommCalls::k2026: on the
  /// current stream, stream = comm_stream, it is not asynchronous; NCCL's stream is another.
  int collective(const CommOp& comm, int stream, int comm_stream, Ns duration);
  /// Several operations in one kernel: each op recorded without a launch, then the annotation
  /// nccl:coalesced, outside every cpu_op, launches. Returns the event recorded behind it.
  int coalesced(const std::vector<CommOp>& comms, int stream, int comm_stream, Ns duration);

  /// work.wait(): record_param_comms "wait", in which `stream` waits for the event behind the work.
  void wait_for_work(int stream, int event);

  // Threads.
  void signal(int token);
  void await(int token);
  int put();            ///< an item into a queue; returns its token
  void get(int token);  ///< waits for that item: nothing in a trace tells so
  /// Runs body (which appends to worker) on the worker while this thread waits, as autograd does.
  void hand_over(ThreadBuilder& worker, const Body& body);

  int rank() const { return rank_; }
  RankProgram& code() const { return program_->ranks[static_cast<std::size_t>(rank_)]; }

 private:
  friend class ProgramBuilder;
  void append(Action action, int index, Ns ns = 0);
  int begin(Op op);
  void end(int op);
  int add_call(Call call);
  void launch_comm(const std::vector<CommOp>& comms, int comm_stream, Ns duration);
  int record_comm(const CommOp& comm, const Body& body);
  struct CommLaunch {
    const std::vector<CommOp>& comms;
    std::string title;
    int stream, comm_stream;
    Ns duration;
  };
  int comm_calls(const CommLaunch& launch);
  int short_calls(const CommLaunch& launch);
  int nccl_calls(const CommLaunch& launch, const char* capture_call, bool has_callbacks);
  int nccl_calls_2026(const CommLaunch& launch);

  Program* program_;
  int rank_, thread_;
  int open_ = -1;       // innermost open op
  int fw_parent_ = -1;  // of backward ops while handed over
};

/// Owns a Program under construction.
class ProgramBuilder {
 public:
  explicit ProgramBuilder(std::string name, int ranks = 1);
  /// Process group 0 is "0", default_pg, all ranks, made by the constructor if ranks > 1.
  int group(std::string desc, std::vector<int> ranks);
  ThreadBuilder thread(int rank, std::string name);
  Program& program() { return program_; }
  Program take() { return std::move(program_); }

 private:
  Program program_;
};

/// A kernel of a graph, behind rows of the same launch.
Row graph_kernel(std::string name, int stream, Ns duration, std::vector<int> after);

/// "allreduce" of count Float elements on every member.
CommOp all_reduce(int group, std::int64_t count);
/// in: elements of one rank; out: of all.
CommOp all_gather(int group, std::int64_t in, std::int64_t out);
CommOp reduce_scatter(int group, std::int64_t in, std::int64_t out);
CommOp all_to_all(int group, std::int64_t count);  ///< as alltoall_base_ does
CommOp broadcast(int group, std::int64_t count);
CommOp send(int group, int to, std::int64_t count);
CommOp recv(int group, int from, std::int64_t count);

}  // namespace nadi::vm
