#include "nadi/converters/trace_events.h"

#include "nadi/emit/clean_json.h"

namespace nadi {

TraceEventWriter::TraceEventWriter(const ByteSink& sink)
    : sink_(sink), text_("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[") {}

void TraceEventWriter::name_process(std::uint64_t pid, std::string_view name) {
  add(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":{}}}}})", pid, json_text(name));
  add(R"({{"ph":"M","pid":{},"name":"process_sort_index","args":{{"sort_index":{}}}}})", pid, pid);
}

void TraceEventWriter::name_thread(std::uint64_t pid, std::uint64_t tid, std::string_view name) {
  add(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":{}}}}})", pid, tid,
      json_text(name));
  add(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})",
      pid, tid, tid);
}

void TraceEventWriter::finish() {
  text_ += "\n]}\n";
  sink_(text_);
  text_.clear();
}

std::string TraceEventWriter::json_text(std::string_view text) {
  std::string quoted;
  append_json_string(text, quoted);
  return quoted;
}

std::string TraceEventWriter::micros(Ns ns) {
  return fmt::format("{}.{:03}", ns / 1000, ns % 1000);
}

void TraceEventWriter::send_if_full() {
  constexpr std::size_t kPieceBytes = 1 << 20;
  if (text_.size() < kPieceBytes) return;
  sink_(text_);
  text_.clear();
}

}  // namespace nadi
