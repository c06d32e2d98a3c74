// Writes Trace Event JSON, which ui.perfetto.dev and chrome://tracing open, piece by piece.
#pragma once

#include <cstdint>
#include <string_view>

#include "nadi/base/time.h"
#include "nadi/emit/atomic_file.h"
#include "nadi/emit/json_writer.h"

namespace nadi {

/// Format: "Trace Event Format",
/// docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU. Threads are numbered by
/// the caller, above every process: a `tid` that is a `pid` counts as that process's main thread.
class TraceEventWriter {
 public:
  /// The sink must outlive the writer and gets pieces of about a MB.
  explicit TraceEventWriter(const ByteSink& sink);

  /// Processes and threads are shown in the order of their numbers.
  void name_process(std::uint64_t pid, std::string_view name);
  void name_thread(std::uint64_t pid, std::uint64_t tid, std::string_view name);

  /// Begins an event, which further members and end() follow: "X" a slice, "s" and "f" the ends of
  /// an arrow. Times are nanoseconds from 0.
  JsonWriter& begin(std::string_view phase, std::uint64_t pid, std::uint64_t tid, Ns time);
  void end();

  /// Ends the document. Call once, last.
  void finish();

 private:
  template <class Value>
  void describe(std::uint64_t pid, const std::uint64_t* tid, std::string_view what,
                std::string_view key, const Value& value);

  const ByteSink& sink_;
  JsonWriter json_;
};

}  // namespace nadi
