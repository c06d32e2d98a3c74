// The device side of an execution: streams, events and communication of all ranks.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "execute.h"
#include "scale.h"

namespace nadi::vm {

using Frontier = std::vector<RowDependency>;

class Device {
 public:
  /// Both outlive the Device; rows are written into run.
  Device(const Program& program, const Scaler& scaler, Execution& run);

  /// Puts the rows of a call on their streams, in API order.
  void launch(int rank, int call);
  void record_event(int rank, int call);
  void stream_wait_event(int rank, int call);
  /// What a blocking call of this kind waits for now; sets CallRun::waited and record.
  void host_wait(int rank, int call);

  bool all_ended(int rank, const Frontier& rows) const;
  /// Latest end of rows; only where all_ended. -1 = no rows.
  Ns latest_end(int rank, const Frontier& rows) const;
  /// The call that recorded the event last; -1 = never.
  int last_record(int rank, int event) const;
  Frontier event_frontier(int rank, int event) const;

 private:
  struct Stream {
    Frontier last;     // the last work: one row, or all rows of a graph launch
    Frontier pending;  // what waits since then made later work wait for
  };
  struct Event {
    int record = -1;  // call
    Frontier work;
  };
  struct RankState {
    std::map<int, Stream> streams;
    std::map<int, Event> events;
    std::map<int, int> last_collective;                       // group -> row
    std::map<std::tuple<int, int, int>, int> message_counts;  // group, src, dst -> so far
    std::map<int, int> collective_counts;
  };
  struct RowState {
    std::vector<std::string> instances;  // keys into instances_
    int unknown = 0;                     // dependencies whose end is not known
    std::vector<int> dependents;
    bool is_placed = false;  // start known
  };
  struct CommInstance {
    std::size_t members = 0;
    std::vector<std::pair<int, int>> arrived;  // rank, row
    Ns latest = 0;
  };

  Frontier frontier(const Stream& stream) const;
  bool is_before_on_stream(int rank, int row, int later) const;
  int add_row(int rank, int call, int ordinal);
  void wire_graph(int rank, int call, const std::vector<int>& rows);
  void join_instances(int rank, int row);
  void start_watching(int rank, int row);
  void place(int rank, int row);
  Ns latest_release(int rank, const RowRun& run) const;
  void try_end(int rank, int row);
  void ended(int rank, int row, Ns end);

  const Program& program_;
  const Scaler& scaler_;
  Execution& run_;
  std::vector<RankState> states_;
  std::vector<std::vector<RowState>> row_states_;
  std::map<std::string, CommInstance> instances_;
};

}  // namespace nadi::vm
