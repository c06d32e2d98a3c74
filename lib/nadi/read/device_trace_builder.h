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
#include "nadi/read/graph_flows.h"
#include "nadi/read/time_text.h"
#include "nadi/read/trace_event.h"

namespace nadi {

class DeviceTraceBuilder {
 public:
  DeviceTraceBuilder(DeviceTrace& trace, Diagnostics& diagnostics)
      : trace_(trace), diagnostics_(diagnostics) {}
  DeviceTraceBuilder(const DeviceTraceBuilder&) = delete;
  DeviceTraceBuilder& operator=(const DeviceTraceBuilder&) = delete;

  /// Adds event `order` of the list to the table it belongs to.
  void add(const TraceEvent& event, std::uint32_t order);
  /// Joins what could not be joined before all rows were there, and sets what only all
  /// events together show. `ambiguous`: as of GraphFlows::bind.
  void finish(Diagnostics& ambiguous);

 private:
  void add_complete(const TraceEvent& event, EventCategory kind);
  void add_op(const TraceEvent& event, ProfilerOpKind kind, const RowTime& time);
  void add_call(const TraceEvent& event, const RowTime& time);
  void add_row(const TraceEvent& event, DeviceRowKind kind, const RowTime& time);
  void add_to_graph(const TraceEvent& event, DeviceRowIndex row);
  void add_sync(const TraceEvent& event, const RowTime& time);
  void add_event_record(const TraceEvent& event, const RowTime& time);
  void add_flow(const TraceEvent& event, FlowKind kind, bool is_finish);
  void add_thread_name(const TraceEvent& event);
  void report_unknown(Finding kind, const TraceEvent& event, Field field);
  std::string_view written(const TraceEvent& event, Field field);

  EventCategory kind_of(const TraceEvent& event);
  ThreadIndex thread_of(const TraceEvent& event);
  ThreadIndex find_thread(const TraceEvent& event);
  CommIndex comm_of(const TraceEvent& event);
  CommIndex nccl_comm_of(const TraceEvent& event);
  StringId row_name(const TraceEvent& event, DeviceRowKind kind);
  /// Reads the times of an event; zero in both is garbage, too (K8).
  RowTime time_of(const TraceEvent& event, bool is_host);
  void cover(const RowTime& time);
  StringId text(const TraceEvent& event, Field field);

  struct KeptValue {
    EventValue value;
    std::string text;

    void keep(const EventValue& other) {
      value = other;
      text = value.referred();
      value.referred() = text;
    }
  };
  /// A thread seen lately, by its ids: spares most events the two look-ups.
  struct RecentThread {
    KeptValue pid, tid;
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
