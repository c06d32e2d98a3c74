// Puts the times and the device rows of a linked JSON into the columns of a device trace.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/base/id_map.h"
#include "nadi/model/linked_json.h"
#include "nadi/read/graph_flows.h"
#include "nadi/read/linked_json_lists.h"
#include "nadi/read/node_fields.h"
#include "nadi/read/time_text.h"

namespace nadi {

class LinkedJsonRowBuilder {
 public:
  LinkedJsonRowBuilder(LinkedJson& json, Diagnostics& diagnostics)
      : json_(json), diagnostics_(diagnostics) {}

  /// True where the node stands for work of a device.
  static bool is_device_row(const NodeFields& node);
  void add_row(const NodeFields& node, std::uint64_t number);
  /// Adds the times of the host op read last, if it has some.
  void add_times(const NodeFields& node, std::uint64_t number);
  /// Adds the waits of sync_dep and inter_thread_dep.
  void add_waits(const NodeFields& node);
  /// Adds the lists of threads and of blocking calls; false = broken JSON.
  void add_threads(std::string_view list, JsonParser& parser);
  bool add_blocking_calls(std::string_view list, JsonParser& parser);
  /// Nodes with a time so far.
  std::uint64_t timed() const { return timed_; }
  /// Drops rows recorded twice and gives the others their launches; call it when all nodes are
  /// read.
  void finish();

 private:
  struct Caller;

  /// Reports garbage; a node without the start's field has no time, which is none.
  RowTime time_of(const NodeFields& node, NodeField start, NodeField duration,
                  std::uint64_t number);
  ThreadIndex thread_of(std::uint64_t tid);
  CommIndex comm_of(const NodeFields& node);
  /// The record that nadi writes; none = the node records none.
  CommIndex recorded_comm_of(const NodeFields& node);
  void cover(const RowTime& time);
  std::vector<Caller> timed_callers() const;
  void reserve_correlation(std::int64_t correlation);
  std::int64_t give_correlation(std::int64_t recorded);
  void add_launches();
  void add_blocks();
  void add_graph_dependencies();
  void add_recorded_launch(std::size_t row, const LinkedJsonCall& launch);
  /// op: node id of the op around it; 0 = not recorded.
  void add_call(StringId name, const RowTime& time, ThreadIndex thread, std::int64_t correlation,
                std::uint64_t op);

  LinkedJson& json_;
  Diagnostics& diagnostics_;
  std::string scratch_;
  JsonParser comm_parser_;
  std::uint64_t timed_ = 0;
  std::int64_t next_correlation_ = 0;
  std::map<std::uint64_t, ThreadIndex> threads_;  // by torch's logical tid
  std::vector<LinkedJsonCall> launches_;          // by device row
  /// Correlation, begin and thread of a launch -> row of calls.
  std::map<std::tuple<std::int64_t, Ns, std::uint64_t>, std::size_t> recorded_launches_;
  IdSet<std::int64_t> used_correlations_;  // of recorded launches, then of all rows
  std::vector<BlockingCall> blocking_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> graph_waits_;  // node ids: source, target
};

}  // namespace nadi
