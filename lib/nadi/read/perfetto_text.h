// Writes events of a Perfetto trace as the JSON events that the profiler's other form would hold.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "nadi/base/diagnostics.h"
#include "nadi/base/time.h"
#include "nadi/read/event_fields.h"
#include "nadi/read/perfetto_tables.h"

namespace nadi {

/// Appends to `out`, which callers use again and again.
class PerfettoText {
 public:
  /// With `for_fields`, arguments that nadi does not know are left out, and rows are values alone,
  /// for fields_of().
  PerfettoText(PerfettoTables& tables, bool for_fields, Diagnostics& diagnostics)
      : tables_(tables), for_fields_(for_fields), diagnostics_(diagnostics) {}

  /// The slice that `packet` begins, but for its end: see end_slice(). As JSON, or as values alone.
  void begin_slice(const perfetto::protos::TracePacket& packet, std::uint64_t track, Ns start_ns,
                   bool is_json, std::string& out);
  void end_slice(Ns duration_ns, std::string& out);
  /// A row of a GPU; gives its kind.
  EventCategory row(const perfetto::protos::TracePacket& packet, Ns start_ns, std::string& out);
  /// The name of a process or thread; nothing where the track has none, or is neither.
  static void track_name(const PerfettoTrack& track, std::string& out);

  /// The fields of the event that was written last, which stands in `text`.
  const EventFields& fields_of(std::string_view text);

  bool for_fields() const { return for_fields_; }
  /// True once an event was of a category that nadi knows.
  bool has_known_category() const { return has_known_category_; }

 private:
  /// Where the token of a field stands in the text of the event.
  struct Place {
    std::size_t begin = 0, end = 0;
  };
  using Places = std::array<Place, static_cast<std::size_t>(Field::kCount)>;
  /// Of a field that is written twice the first stays (N53).
  void put(Field field, std::size_t begin, std::size_t end) {
    const std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(field);
    if ((present_ & bit) != 0) return;
    present_ |= bit;
    places_[static_cast<std::size_t>(field)] = {begin, end};
  }
  void begin_event(bool is_json, std::string& out);
  /// The key comes with what separates it, as `,"ts":`.
  template <class Write>
  void member(std::string_view key, Field field, std::string& out, const Write& write);
  template <class Write>
  void argument(std::string_view key, std::string& out, const Write& write);

  using Annotation = perfetto::protos::DebugAnnotation;

  void slice_category(const perfetto::protos::TrackEvent& event, const PerfettoTrack& track,
                      std::string_view name, std::string& out);
  void category(const InternedCategory& category, std::string& out);
  void annotations(const perfetto::protos::TrackEvent& event, std::string& out);
  std::string_view annotation_name(const Annotation& annotation);
  void annotation_value(const Annotation& annotation, std::string& out);
  void row_name(const perfetto::protos::GpuRenderStageEvent& row, const InternedCategory* stage,
                std::string& out);
  void row_lane(const perfetto::protos::GpuRenderStageEvent& row, std::string& out);
  void row_arguments(const perfetto::protos::GpuRenderStageEvent& row, std::string& out);
  void launch(const perfetto::protos::GpuRenderStageEvent& row, std::string& out);
  /// The text of that number, or an empty string, and a diagnostic where it was not told.
  void interned(const InternedTexts& texts, std::uint64_t iid, std::string& out);
  void report_missing(std::uint64_t iid);

  PerfettoTables& tables_;
  bool for_fields_;
  bool is_json_ = true;  // of the event being written; else values alone
  Diagnostics& diagnostics_;
  const PerfettoSequence* sequence_ = nullptr;  // of the event being written
  std::string name_;
  std::uint64_t present_ = 0;  // a bit for each field that has a place
  Places places_;
  EventFields fields_;
  bool has_known_category_ = false;
};

}  // namespace nadi
