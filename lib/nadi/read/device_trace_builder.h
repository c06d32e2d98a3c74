// Puts the events of a device trace into the columns of the model.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "nadi/base/diagnostics.h"
#include "nadi/base/id_map.h"
#include "nadi/model/device_trace.h"
#include "nadi/read/category_table.h"
#include "nadi/read/event_fields.h"
#include "nadi/read/graph_flows.h"
#include "nadi/read/time_text.h"

namespace nadi {

class DeviceTraceBuilder {
 public:
  DeviceTraceBuilder(DeviceTrace& trace, Diagnostics& diagnostics)
      : trace_(trace), diagnostics_(diagnostics) {}

  /// Adds event `order` of the list to the table it belongs to.
  void add(const EventFields& event, std::uint32_t order);
  /// Joins what could not be joined before all rows were there, and tells what all events together
  /// tell.
  void finish();

 private:
  void add_complete(const EventFields& event, EventCategory kind);
  void add_op(const EventFields& event, ProfilerOpKind kind, const RowTime& time);
  void add_call(const EventFields& event, const RowTime& time);
  void add_row(const EventFields& event, DeviceRowKind kind, const RowTime& time);
  void add_to_graph(const EventFields& event, DeviceRowIndex row);
  void add_sync(const EventFields& event, const RowTime& time);
  void add_event_record(const EventFields& event, const RowTime& time);
  void add_flow(const EventFields& event, FlowKind kind, bool is_finish);
  void add_thread_name(const EventFields& event);
  void report_unknown(DiagnosticKind kind, std::string_view text);

  EventCategory kind_of(const EventFields& event);
  ThreadIndex thread_of(const EventFields& event);
  ThreadIndex find_thread(const EventFields& event);
  CommIndex comm_of(const EventFields& event);
  CommIndex nccl_comm_of(const EventFields& event);
  StringId row_name(const EventFields& event, DeviceRowKind kind);
  /// Reads the times of an event; zero in both is garbage, too (K8).
  RowTime time_of(const EventFields& event, bool is_host);
  void cover(const RowTime& time);
  StringId text(const EventFields& event, Field field);

  /// A thread seen lately, by its tokens: spares most events the two look-ups.
  struct RecentThread {
    std::string pid, tid;
    ThreadIndex index;
  };

  DeviceTrace& trace_;
  Diagnostics& diagnostics_;
  GraphFlows graph_flows_;
  std::uint32_t order_ = 0;
  bool has_cuspy_rows_ = false, has_kineto_rows_ = false;
  std::string scratch_;
  IdMap<std::uint64_t, ThreadIndex> threads_;  // pid << 32 | tid, as StringIds
  std::array<RecentThread, 4> recent_;
  std::size_t next_recent_ = 0;
};

}  // namespace nadi
