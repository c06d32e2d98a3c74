// Makes events of the packets of a Perfetto trace, as the profiler's JSON has them.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "nadi/base/diagnostics.h"
#include "nadi/base/time.h"
#include "nadi/read/category_table.h"
#include "nadi/read/perfetto_tables.h"
#include "nadi/read/trace_event.h"

namespace nadi {

/// One event at a time, which refers to the packet that it was made of.
class PerfettoEvents {
 public:
  PerfettoEvents(PerfettoTables& tables, const ArgumentKeys& keys, Diagnostics& diagnostics)
      : tables_(tables), keys_(keys), diagnostics_(diagnostics) {}

  /// The slice that `packet` begins; its end gives its duration.
  TraceEvent& slice(const perfetto::protos::TracePacket& packet, std::uint64_t track, Ns start_ns);
  TraceEvent& row(const perfetto::protos::TracePacket& packet, Ns start_ns);
  /// The name of a process or thread; nullptr where the track has none, or is neither.
  const TraceEvent* track_name(const PerfettoTrack& track);

  /// The kind of the row that was made last.
  EventCategory row_kind() const { return row_kind_; }
  /// True once an event was of a category that nadi knows.
  bool has_known_category() const { return has_known_category_; }

 private:
  using Annotation = perfetto::protos::DebugAnnotation;
  using Row = perfetto::protos::GpuRenderStageEvent;

  void begin_event(std::string_view phase);
  void set_ids(const PerfettoTrack& track);
  /// Adds an argument that is of use to who takes the events.
  template <class Make>
  void argument(std::string_view key, const Make& make);
  /// Bytes that are no UTF-8 become U+FFFD.
  EventValue text(std::string_view bytes);
  EventValue kept(std::string json) {
    return EventValue::of_json(texts_.emplace_back(std::move(json)));
  }

  void category(const InternedCategory& category);
  void slice_category(const perfetto::protos::TrackEvent& event, const PerfettoTrack& track);
  void annotations(const perfetto::protos::TrackEvent& event);
  std::string_view annotation_key(const Annotation& annotation);
  EventValue annotation_value(const Annotation& annotation);
  void append_json(const Annotation& annotation, std::string& out);
  EventValue row_name(const Row& row, const InternedCategory* stage);
  EventValue extra(std::string_view value);
  EventValue row_stream(const Row& row);
  void row_arguments(const Row& row);
  void launch(const Row& row);
  /// The text of that number. If no packet has given it, an empty one, and a diagnostic.
  EventValue interned(const InternedTexts& texts, std::uint64_t iid);
  void report_missing(std::uint64_t iid);

  PerfettoTables& tables_;
  const ArgumentKeys& keys_;
  Diagnostics& diagnostics_;
  const PerfettoSequence* sequence_ = nullptr;  // of the event being made
  TraceEvent event_;
  std::deque<std::string> texts_;  // of the event, where the packet does not hold them so
  EventCategory row_kind_ = EventCategory::kUnknown;
  bool has_known_category_ = false;
};

}  // namespace nadi
