// Writes Trace Event JSON, which ui.perfetto.dev and chrome://tracing open, piece by piece.
#pragma once

#include <vector>

#include "nadi/converters/timeline/timeline_writer.h"
#include "nadi/emit/json_writer.h"

namespace nadi {

/// Format: "Trace Event Format",
/// docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU. Tracks are threads,
/// numbered above every process: a `tid` that is a `pid` counts as that process's main thread.
class TraceEventWriter final : public TimelineWriter {
 public:
  explicit TraceEventWriter(const ByteSink& sink);

  void name_process(std::uint64_t process, std::string_view name) override;
  std::uint32_t add_track(std::uint64_t process, std::uint64_t order,
                          std::string_view name) override;
  void begin_slice(const TimelineSlice& slice) override;
  void end_slice(std::uint32_t track, Ns end_ns) override;
  void begin_arrow(const TimelineMark& mark) override;
  void end_arrow(const TimelineMark& mark) override;
  void finish() override;

 private:
  template <class Value>
  void describe(std::uint64_t pid, const std::uint64_t* tid, std::string_view what,
                std::string_view key, const Value& value);
  void begin(std::string_view phase, std::uint32_t track, Ns time_ns);
  void end();
  void add_arrow_end(std::string_view phase, const TimelineMark& mark);

  const ByteSink& sink_;
  JsonWriter json_;
  std::vector<std::uint64_t> process_of_;  // by track
};

}  // namespace nadi
