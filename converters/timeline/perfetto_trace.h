// Writes a Perfetto trace (.pftrace) packet by packet, as ui.perfetto.dev opens it.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "nadi/converters/timeline/timeline_writer.h"
#include "perfetto_trace.pb.h"

namespace nadi {

/// Format: schema/perfetto.md, "What nadi writes". Holds each text once, beside the piece that is
/// being written.
class PerfettoTraceWriter final : public TimelineWriter {
 public:
  explicit PerfettoTraceWriter(const ByteSink& sink);

  void name_process(std::uint64_t process, std::string_view name) override;
  std::uint32_t add_track(std::uint64_t process, std::uint64_t order,
                          std::string_view name) override;
  void begin_slice(const TimelineSlice& slice) override;
  void end_slice(std::uint32_t track, Ns end_ns) override;
  void begin_arrow(const TimelineMark& mark) override;
  void end_arrow(const TimelineMark& mark) override;
  void finish() override;

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  /// Texts by number, from 1.
  using Texts = std::unordered_map<std::string, std::uint64_t, TextHash, std::equal_to<>>;
  using AddText = perfetto::protos::InternedText* (perfetto::protos::InternedData::*)();

  /// The number of a text, which the packet defines where it is the first to use it.
  std::uint64_t number_of(std::string_view text, Texts& texts, AddText add);
  perfetto::protos::TrackEvent& begin_event(std::uint32_t track, Ns time_ns,
                                            perfetto::protos::TrackEvent::Type type);
  void add_mark(const TimelineMark& mark);
  void add_packet();
  void send();

  const ByteSink& sink_;
  std::string bytes_;
  perfetto::protos::TracePacket packet_;
  std::unordered_map<std::uint64_t, std::uint64_t> processes_;  // uuid by number
  std::uint32_t tracks_ = 0;                                    // processes and tracks so far
  Texts categories_, names_, argument_names_, argument_texts_;
};

}  // namespace nadi
