#include "nadi/record/record_c.h"

#include <array>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "nadi/record/record.h"
#include "nadi/record/recorder.h"

namespace nadi::record {
namespace {

std::string_view text_of(const char* text, std::string_view otherwise = {}) {
  return text == nullptr ? otherwise : std::string_view(text);
}

template <class T>
std::span<const T> list_of(const T* list, std::size_t count) {
  return list == nullptr ? std::span<const T>() : std::span<const T>(list, count);
}

/// What went wrong last on a thread, also where there is no memory for its text.
class LastError {
 public:
  const char* text() const { return text_; }
  void forget() { text_ = ""; }
  void keep(const char* text) noexcept {
    try {
      kept_ = text;
      text_ = kept_.c_str();
    } catch (...) {
      text_ = kNoMemory;
    }
  }
  void keep_no_memory() { text_ = kNoMemory; }

 private:
  static constexpr const char* kNoMemory = "record: memory ran out";
  const char* text_ = "";
  std::string kept_;
};
LastError& last_error() {
  thread_local LastError error;
  return error;
}

/// 0, or -1 with what was thrown as the thread's error: nothing is thrown through C.
template <class Do>
int guard(const Do& run) noexcept {
  last_error().forget();
  try {
    run();
    return 0;
  } catch (const std::bad_alloc&) {
    last_error().keep_no_memory();
  } catch (const std::exception& error) {
    last_error().keep(error.what());
  } catch (...) {
    last_error().keep("record: unknown failure");
  }
  return -1;
}

/// What records must not fail the program: out of memory, the recording ends, and its stop says so.
template <class Do>
auto guarded(const Do& run) noexcept -> decltype(run()) {
  try {
    return run();
  } catch (...) {
    fail_recording();
    return decltype(run())();
  }
}

Tensor tensor_of(const nadi_tensor& tensor) {
  Tensor result;
  result.id = tensor.id;
  result.storage = tensor.storage;
  result.offset = tensor.offset;
  result.elements = tensor.elements;
  result.element_bytes = tensor.element_bytes;
  result.device = text_of(tensor.device, "cpu");
  result.type = text_of(tensor.type, "float");
  result.shape = list_of(tensor.shape, tensor.dimensions);
  result.strides = list_of(tensor.strides, tensor.dimensions);
  return result;
}

/// Values of C as those of C++; keeps the tensors that lists point to.
class Values {
 public:
  Values(const nadi_value* values, std::size_t count) {
    values_.reserve(count);
    for (const nadi_value& value : list_of(values, count)) values_.push_back(value_of(value));
  }
  std::span<const Value> all() const { return values_; }

 private:
  Value value_of(const nadi_value& value) {
    switch (value.kind) {
      case NADI_TENSOR:
        return value.as.tensors == nullptr ? Value() : Value(tensor_of(*value.as.tensors));
      case NADI_TENSORS: {
        auto& list = lists_.emplace_back();
        for (const nadi_tensor& tensor : list_of(value.as.tensors, value.count))
          list.push_back(tensor_of(tensor));
        return Value(std::span<const Tensor>(list));
      }
      case NADI_INTEGER:
        return Value(value.as.integer);
      case NADI_INTEGERS:
        return Value(list_of(value.as.integers, value.count));
      case NADI_REAL:
        return Value(value.as.real);
      case NADI_REALS:
        return Value(list_of(value.as.reals, value.count));
      case NADI_BOOL:
        return Value(value.as.integer != 0);
      case NADI_TEXT:
        return Value(text_of(value.as.text));
      default:
        return {};
    }
  }

  std::vector<Value> values_;
  std::vector<std::vector<Tensor>> lists_;  // their tensors stay where they are when this grows
};

Communication communication_of(const nadi_communication& from) {
  Communication result;
  result.collective = text_of(from.collective);
  result.group = text_of(from.group);
  result.dtype = text_of(from.dtype);
  result.in_elements = from.in_elements;
  result.out_elements = from.out_elements;
  result.peer = from.peer;
  result.sequence = from.sequence;
  result.in_split = list_of(from.in_split, from.in_splits);
  result.out_split = list_of(from.out_split, from.out_splits);
  return result;
}

Settings settings_of(const nadi_record_settings& from) {
  Settings settings;
  settings.host_file = text_of(from.host_file);
  settings.device_file = text_of(from.device_file);
  settings.rank = from.rank;
  settings.world_size = from.world_size;
  settings.backend = text_of(from.backend, settings.backend);
  for (const char* name : list_of(from.device_names, from.device_count))
    settings.device_names.emplace_back(text_of(name));
  settings.clock = from.clock;
  settings.flush_ns = from.flush_ns;
  settings.most_buffered_bytes = from.most_buffered_bytes;
  return settings;
}

}  // namespace
}  // namespace nadi::record

using namespace nadi::record;

nadi_record_settings nadi_record_defaults(void) {
  const Settings defaults;
  nadi_record_settings settings{};
  settings.rank = defaults.rank;
  settings.world_size = defaults.world_size;
  settings.flush_ns = defaults.flush_ns;
  settings.most_buffered_bytes = defaults.most_buffered_bytes;
  return settings;
}

int nadi_record_start(const nadi_record_settings* settings) {
  return guard([&] { start(settings == nullptr ? Settings() : settings_of(*settings)); });
}

int nadi_record_stop(nadi_record_summary* summary) {
  return guard([&] {
    const Summary all = stop();
    if (summary != nullptr)
      *summary = {all.ops,       all.calls,    all.device_rows, all.threads,    all.open_ops,
                  all.lost_ends, all.left_out, all.stalls,      all.host_bytes, all.device_bytes};
  });
}

const char* nadi_record_error(void) { return last_error().text(); }
int64_t nadi_record_now(void) {
  return guarded([] { return now(); });
}
void nadi_record_name_thread(const char* name) {
  guarded([&] { name_thread(text_of(name)); });
}

uint64_t nadi_op_begin(const char* name, const nadi_value* inputs, size_t count) {
  if (!is_recording()) return 0;
  return guarded([&] { return begin_op(OpKind::kOp, text_of(name), Values(inputs, count).all()); });
}

uint64_t nadi_annotation_begin(const char* name) {
  if (!is_recording()) return 0;
  return guarded([&] { return begin_op(OpKind::kAnnotation, text_of(name), {}); });
}

uint64_t nadi_step_begin(int64_t number) {
  if (!is_recording()) return 0;
  return guarded([&] { return begin_step(number); });
}

void nadi_op_outputs(uint64_t op, const nadi_value* outputs, size_t count) {
  if (op != 0) guarded([&] { add_outputs(op, Values(outputs, count).all()); });
}

void nadi_op_attribute(uint64_t op, const char* name, nadi_value value) {
  if (op != 0) guarded([&] { add_attribute(op, text_of(name), Values(&value, 1).all().front()); });
}

void nadi_op_end(uint64_t op) {
  guarded([&] { end_op(op); });
}

nadi_forward_link nadi_op_forward(uint64_t op, int64_t sequence) {
  const ForwardLink link = guarded([&] { return set_forward(op, sequence); });
  return {link.op, link.sequence, link.tid};
}

void nadi_op_backward_of(uint64_t op, nadi_forward_link forward) {
  guarded([&] { set_backward(op, {forward.op, forward.sequence, forward.tid}); });
}

void nadi_process_group_add(const char* name, const char* description, const int64_t* ranks,
                            size_t count) {
  guarded([&] {
    ProcessGroup group;
    group.name = text_of(name);
    group.description = text_of(description);
    const auto list = list_of(ranks, count);
    group.ranks.assign(list.begin(), list.end());
    add_process_group(group);
  });
}

void nadi_process_group_remove(const char* name) {
  guarded([&] { remove_process_group(text_of(name)); });
}

uint64_t nadi_communication_begin(const nadi_communication* communication, const nadi_value* inputs,
                                  size_t count) {
  if (communication == nullptr || !is_recording()) return 0;
  return guarded([&] {
    return begin_communication(communication_of(*communication), Values(inputs, count).all());
  });
}

uint64_t nadi_call_begin(nadi_call_kind kind, const char* name, int64_t device, int64_t stream,
                         int64_t event) {
  if (!is_recording()) return 0;
  return guarded([&] {
    return begin_call({static_cast<CallKind>(kind), text_of(name), device, stream, event});
  });
}

void nadi_call_end(uint64_t correlation) {
  guarded([&] { end_call(correlation); });
}

void nadi_device_row_add(const nadi_device_row* from) {
  if (from == nullptr || !is_recording()) return;
  guarded([&] {
    DeviceRow row;
    row.kind = static_cast<DeviceRowKind>(from->kind);
    row.name = text_of(from->name);
    row.device = from->device;
    row.stream = from->stream;
    row.correlation = from->correlation;
    row.start_ns = from->start_ns;
    row.duration_ns = from->duration_ns;
    row.bytes = from->bytes;
    Communication communication;
    if (from->communication != nullptr) {
      communication = communication_of(*from->communication);
      row.communication = &communication;
    }
    add_device_row(row);
  });
}
