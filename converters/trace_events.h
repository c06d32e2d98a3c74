// Writes Trace Event JSON, which ui.perfetto.dev and chrome://tracing open, piece by piece.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "nadi/base/time.h"
#include "nadi/emit/atomic_file.h"

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

  /// An event in the form of a JSON object; texts in it through json_text().
  template <class... Values>
  void add(fmt::format_string<Values...> form, Values&&... values) {
    text_ += is_first_ ? "\n" : ",\n";
    is_first_ = false;
    fmt::format_to(std::back_inserter(text_), form, std::forward<Values>(values)...);
    send_if_full();
  }

  /// Ends the document. Call once, last.
  void finish();

  /// With quotes; bytes that are no UTF-8 become U+FFFD.
  static std::string json_text(std::string_view text);
  /// Nanoseconds from 0 as microseconds: "12.345".
  static std::string micros(Ns ns);

 private:
  void send_if_full();

  const ByteSink& sink_;
  std::string text_;
  bool is_first_ = true;
};

}  // namespace nadi
