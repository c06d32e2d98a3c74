#include "nadi/record/op.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "nadi/record/recorder.h"
#include "nadi/record/value_bytes.h"

namespace nadi::record {
namespace {

constexpr std::size_t kMostValues = 4096;
constexpr std::string_view kStepName = "ProfilerStep#";

std::atomic<std::int64_t> next_forward_sequence{1};

/// Asks for the lines of the log that the ops to come will fill. The writer, on another processor,
/// has read them before: to wait for them at every store costs a quarter of the whole op.
void fetch_ahead(const std::byte* begin) {
#if defined(__GNUC__)
  constexpr std::uintptr_t kAhead = 1024, kLine = 64, kLines = 8;       // an op fills seven
  const auto place = reinterpret_cast<std::uintptr_t>(begin) + kAhead;  // may be behind the chunk
  for (std::uintptr_t line = 0; line < kLines; ++line)
    __builtin_prefetch(reinterpret_cast<const void*>(place + line * kLine), 1);
#else
  (void)begin;
#endif
}

std::span<const Value> cut(std::span<const Value> values) {
  return values.first(std::min(values.size(), kMostValues));
}

}  // namespace

std::uint64_t begin_op(OpKind kind, std::string_view name, std::span<const Value> inputs) {
  ThreadLog* const log = thread_log();
  if (log == nullptr) return 0;
  name = cut_text(name);
  inputs = cut(inputs);
  constexpr std::size_t kHead = sizeof(EventHead) + sizeof(std::int64_t);
  std::byte* const begin = log->reserve(kHead + text_bound(name) + values_bound(inputs));
  if (begin == nullptr) return 0;
  fetch_ahead(begin);
  const std::uint64_t id = next_op_id.fetch_add(1, std::memory_order_relaxed);
  EventWriter writer(begin + kHead);
  writer.put_text(name);
  for (const Value& value : inputs) put_value(writer, value);
  EventWriter head(begin);
  head.put(EventHead{static_cast<std::uint32_t>(writer.at() - begin), EventKind::kOpBegin,
                     static_cast<std::uint8_t>(kind), static_cast<std::uint16_t>(inputs.size()),
                     id});
  head.put(read_ticks(log->tick_clock()));  // last: what recording costs is not the op's
  log->commit(writer.at());
  return id;
}

void end_op(std::uint64_t op) {
  if (op != 0 && is_recording()) log_time(EventKind::kOpEnd, op);
}

void add_outputs(std::uint64_t op, std::span<const Value> outputs) {
  if (op == 0 || !is_recording()) return;
  outputs = cut(outputs);
  log_event({0, EventKind::kOutputs, 0, static_cast<std::uint16_t>(outputs.size()), op},
            values_bound(outputs), [&](EventWriter& writer) {
              for (const Value& value : outputs) put_value(writer, value);
            });
}

void add_attribute(std::uint64_t op, std::string_view name, const Value& value) {
  if (op == 0 || !is_recording()) return;
  name = cut_text(name);
  log_event({0, EventKind::kAttribute, 0, 1, op}, text_bound(name) + value_bound(value),
            [&](EventWriter& writer) {
              writer.put_text(name);
              put_value(writer, value);
            });
}

ForwardLink set_forward(std::uint64_t op, std::int64_t sequence) {
  if (op == 0 || !is_recording()) return {};
  if (sequence < 0) sequence = next_forward_sequence.fetch_add(1, std::memory_order_relaxed);
  const bool is_logged = log_event({0, EventKind::kForward, 0, 0, op}, sizeof sequence,
                                   [&](EventWriter& writer) { writer.put(sequence); });
  if (!is_logged) return {};
  return {op, sequence, log_of_thread->identity().tid};
}

void set_backward(std::uint64_t op, const ForwardLink& forward) {
  if (op == 0 || forward.op == 0 || !is_recording()) return;
  log_event({0, EventKind::kBackward, 0, 0, op}, sizeof forward,
            [&](EventWriter& writer) { writer.put(forward); });
}

std::uint64_t begin_step(std::int64_t number) {
  std::array<char, kStepName.size() + 24> name;
  std::copy(kStepName.begin(), kStepName.end(), name.begin());
  const auto end = std::to_chars(name.data() + kStepName.size(), name.data() + name.size(), number);
  return begin_op(OpKind::kAnnotation, std::string_view(name.data(), end.ptr), {});
}

}  // namespace nadi::record
