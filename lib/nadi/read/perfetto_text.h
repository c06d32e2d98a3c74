// Writes events of a Perfetto trace as the JSON events that the profiler's other form would hold.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "nadi/base/diagnostics.h"
#include "nadi/base/time.h"
#include "nadi/read/perfetto_tables.h"

namespace nadi {

/// Appends to `out`, which callers use again and again.
class PerfettoText {
 public:
  PerfettoText(PerfettoTables& tables, Diagnostics& diagnostics)
      : tables_(tables), diagnostics_(diagnostics) {}

  /// The slice that `packet` begins, but for its end: see end_slice().
  void begin_slice(const perfetto::protos::TracePacket& packet, std::uint64_t track, Ns start_ns,
                   std::string& out);
  static void end_slice(Ns duration_ns, std::string& out);
  /// A row of a GPU; gives its kind.
  EventCategory row(const perfetto::protos::TracePacket& packet, Ns start_ns, std::string& out);
  /// The name of a process or thread; nothing where the track has none, or is neither.
  static void track_name(const PerfettoTrack& track, std::string& out);

  /// True once an event was of a category that nadi knows.
  bool has_known_category() const { return has_known_category_; }

 private:
  using Annotation = perfetto::protos::DebugAnnotation;

  void slice_category(const perfetto::protos::TrackEvent& event, const PerfettoTrack& track,
                      std::string_view name, std::string& out);
  void category(const InternedCategory& category, std::string& out);
  void annotations(const perfetto::protos::TrackEvent& event, std::string& out);
  void annotation_name(const Annotation& annotation, std::string& out);
  void annotation_value(const Annotation& annotation, std::string& out);
  void row_name(const perfetto::protos::GpuRenderStageEvent& row, const InternedCategory* stage,
                std::string& out);
  void launch(const perfetto::protos::GpuRenderStageEvent& row, std::string& out);
  /// The text of that number, or an empty string, and a diagnostic where it was not told.
  void interned(const InternedTexts& texts, std::uint64_t iid, std::string& out);
  void report_missing(std::uint64_t iid);

  PerfettoTables& tables_;
  Diagnostics& diagnostics_;
  const PerfettoSequence* sequence_ = nullptr;  // of the event being written
  std::string name_;
  bool has_known_category_ = false;
};

}  // namespace nadi
