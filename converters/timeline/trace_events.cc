#include "nadi/converters/timeline/trace_events.h"

namespace nadi {
namespace {

constexpr std::uint64_t kFirstThread = 1'000'000'000;  // above every process

}  // namespace

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

void TraceEventWriter::name_process(std::uint64_t process, std::string_view name) {
  describe(process, nullptr, "process_name", "name", name);
  describe(process, nullptr, "process_sort_index", "sort_index", process);
}

std::uint32_t TraceEventWriter::add_track(std::uint64_t process, std::uint64_t order,
                                          std::string_view name) {
  const std::uint64_t tid = kFirstThread + process_of_.size();
  process_of_.push_back(process);
  describe(process, &tid, "thread_name", "name", name);
  describe(process, &tid, "thread_sort_index", "sort_index", order);
  return static_cast<std::uint32_t>(process_of_.size() - 1);
}

void TraceEventWriter::begin(std::string_view phase, std::uint32_t track, Ns time_ns) {
  json_.next_line();
  json_.begin_object();
  json_.member("ph", phase);
  json_.member("pid", process_of_[track]);
  json_.member("tid", kFirstThread + track);
  json_.member("ts", JsonMicros{time_ns});
}

void TraceEventWriter::end() {
  json_.end_object();
  constexpr std::size_t kPieceBytes = 1 << 20;
  if (json_.text().size() < kPieceBytes) return;
  sink_(json_.text());
  json_.text().clear();
}

void TraceEventWriter::begin_slice(const TimelineSlice& slice) {
  begin("X", slice.track, slice.start_ns);
  json_.member("dur", JsonMicros{slice.end_ns - slice.start_ns});
  json_.member("cat", slice.category);
  json_.member("name", slice.name);
  json_.key("args").begin_object();
  for (const TimelineArgument& argument : slice.arguments)
    std::visit([&](const auto& value) { json_.member(argument.name, value); }, argument.value);
  json_.end_object();
  end();
  for (const std::uint64_t arrow : slice.arrows)
    end_arrow({slice.track, slice.start_ns, arrow, "launch"});
}

void TraceEventWriter::end_slice(std::uint32_t, Ns) {}  // a slice is one event, with its length

void TraceEventWriter::begin_arrow(const TimelineMark& mark) { add_arrow_end("s", mark); }

void TraceEventWriter::end_arrow(const TimelineMark& mark) { add_arrow_end("f", mark); }

void TraceEventWriter::add_arrow_end(std::string_view phase, const TimelineMark& mark) {
  begin(phase, mark.track, mark.time_ns);
  if (phase == "f") json_.member("bp", "e");  // at the slice that encloses the time
  json_.member("id", mark.arrow);
  json_.member("cat", mark.name);
  json_.member("name", mark.name);
  end();
}

void TraceEventWriter::finish() {
  json_.next_line();
  json_.end_list();
  json_.end_object();
  json_.finish();
  sink_(json_.text());
}

}  // namespace nadi
