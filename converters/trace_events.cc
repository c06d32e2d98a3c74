#include "nadi/converters/trace_events.h"

namespace nadi {

TraceEventWriter::TraceEventWriter(const ByteSink& sink) : sink_(sink) {
  json_.begin_object();
  json_.member("displayTimeUnit", "ns");
  json_.key("traceEvents").begin_list();
}

template <class Value>
void TraceEventWriter::describe(std::uint64_t pid, const std::uint64_t* tid, std::string_view what,
                                std::string_view key, const Value& value) {
  json_.next_line();
  json_.begin_object();
  json_.member("ph", "M");
  json_.member("pid", pid);
  if (tid != nullptr) json_.member("tid", *tid);
  json_.member("name", what);
  json_.key("args").begin_object();
  json_.member(key, value);
  json_.end_object();
  json_.end_object();
}

void TraceEventWriter::name_process(std::uint64_t pid, std::string_view name) {
  describe(pid, nullptr, "process_name", "name", name);
  describe(pid, nullptr, "process_sort_index", "sort_index", pid);
}

void TraceEventWriter::name_thread(std::uint64_t pid, std::uint64_t tid, std::string_view name) {
  describe(pid, &tid, "thread_name", "name", name);
  describe(pid, &tid, "thread_sort_index", "sort_index", tid);
}

JsonWriter& TraceEventWriter::begin(std::string_view phase, std::uint64_t pid, std::uint64_t tid,
                                    Ns time) {
  json_.next_line();
  json_.begin_object();
  json_.member("ph", phase);
  if (phase == "f") json_.member("bp", "e");  // at the slice that encloses the time
  json_.member("pid", pid);
  json_.member("tid", tid);
  json_.member("ts", JsonMicros{time});
  return json_;
}

void TraceEventWriter::end() {
  json_.end_object();
  constexpr std::size_t kPieceBytes = 1 << 20;
  if (json_.text().size() < kPieceBytes) return;
  sink_(json_.text());
  json_.text().clear();
}

void TraceEventWriter::finish() {
  json_.next_line();
  json_.end_list();
  json_.end_object();
  json_.finish();
  sink_(json_.text());
}

}  // namespace nadi
