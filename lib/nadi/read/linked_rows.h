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
#include "nadi/read/node_fields.h"
#include "nadi/read/time_text.h"

namespace nadi {

class LinkedRowBuilder {
 public:
  LinkedRowBuilder(LinkedJson& json, Diagnostics& diagnostics)
      : json_(json), diagnostics_(diagnostics) {}

  /// True where the node stands for work of a device.
  static bool is_device_row(const NodeFields& node);
  void add_row(const NodeFields& node, std::uint64_t number);
  /// The times of the host op read last, if it has some.
  void add_times(const NodeFields& node, std::uint64_t number);
  /// sync_dep and inter_thread_dep.
  void add_waits(const NodeFields& node);
  /// The threads in the order of nadi's lanes: [{"tid": 1, "name": "pt_main_thread"}, …].
  void add_threads(std::string_view list, JsonParser& parser);
  /// What had moved device times: [{"device": 0, "offset_ns": 8500, …}, …].
  void add_clock_corrections(std::string_view list, JsonParser& parser);
  /// A list of blocking calls as nadi writes it: [{"name": …, "tid": …, "ts": …, "dur": …,
  /// "op": id, "correlation": …, "rows": [ids], "inferred": [ids], "inferred_by": [names]}, …];
  /// false = broken JSON.
  bool add_blocking_calls(std::string_view list, JsonParser& parser);
  /// Nodes with a time so far.
  std::uint64_t timed() const { return timed_; }
  /// When all nodes are read: drops rows recorded twice, and gives the others their launches.
  void finish();

 private:
  /// The launch a row tells of itself, as nadi writes it.
  struct LinkedJsonLaunch {
    StringId name{};
    RowTime time;
    std::uint64_t tid = 0;
  };
  /// Those of the nodes waited for that are guesses, and what each rests on.
  struct Guesses {
    std::vector<std::pair<std::uint64_t, Inference>> by_id;
    Inference of(std::uint64_t id) const;
  };
  struct BlockingCall {
    LinkedJsonLaunch call;
    std::uint64_t op = 0;  ///< node id of the op around it; 0 = none
    std::int64_t correlation = -1;
    std::vector<std::uint64_t> rows;  ///< node ids, ascending
    Guesses guesses;
  };
  struct Caller;

  /// The node ids of a list, ascending; what is no id is left out.
  static std::vector<std::uint64_t> ids_of(std::string_view list);
  /// Two lists of equal length: ["pattern", …] beside the ids. Of a file without names, which nadi
  /// wrote when guesses had no kinds, each rests on timing.
  Guesses guesses_of(std::string_view ids, std::string_view by);

  /// Reports garbage; a node without the start's field has no time, which is none.
  RowTime time_of(const NodeFields& node, NodeField start, NodeField duration,
                  std::uint64_t number);
  ThreadIndex thread_of(std::uint64_t tid);
  CommIndex comm_of(const NodeFields& node);
  /// The record that nadi writes; none = the node tells none.
  CommIndex recorded_comm_of(const NodeFields& node);
  void cover(const RowTime& time);
  std::vector<Caller> timed_callers() const;
  void reserve_correlation(std::int64_t correlation);
  void add_launches();
  void add_blocks();
  void add_recorded_launch(std::size_t row, const LinkedJsonLaunch& launch);
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
  std::vector<LinkedJsonLaunch> launches_;        // by device row
  /// Correlation, begin and thread of a launch -> row of calls.
  std::map<std::tuple<std::int64_t, Ns, std::uint64_t>, std::size_t> recorded_launches_;
  IdSet<std::int64_t> used_correlations_;  // of recorded launches, then of all rows
  std::vector<BlockingCall> blocking_;
};

}  // namespace nadi
