#include "nadi/record/thread_replay.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "nadi/record/append_json.h"

namespace nadi::record {
namespace {

// Attributes every node has, and those of communications: the program's own have other names.
constexpr std::array<std::string_view, 18> kReserved = {"rf_id",
                                                        "fw_parent",
                                                        "seq_id",
                                                        "scope",
                                                        "tid",
                                                        "fw_tid",
                                                        "tensor_range",
                                                        "collective_name",
                                                        "dtype",
                                                        "in_msg_nelems",
                                                        "out_msg_nelems",
                                                        "in_split_size",
                                                        "out_split_size",
                                                        "pg_name",
                                                        "pg_desc",
                                                        "pg_size",
                                                        "global_rank_start",
                                                        "global_rank_stride"};

void append_values(LoggedValues& values, const EventHead& head, const EventReader& reader,
                   const std::byte* begin) {
  const auto head_bytes = static_cast<std::size_t>(reader.at() - begin) + sizeof(EventHead);
  values.bytes.append(reinterpret_cast<const char*>(reader.at()), head.size - head_bytes);
  values.count += head.values;
}

}  // namespace

void ThreadReplay::consume(const EventHead& head, EventReader reader) {
  switch (head.kind) {
    case EventKind::kOpBegin:
      return begin_op(head, reader);
    case EventKind::kOpEnd:
      return end_op(head.id, time_of(reader.take<std::int64_t>()));
    case EventKind::kCallBegin:
      return begin_call(head, reader);
    case EventKind::kCallEnd:
      return end_call(head.id, time_of(reader.take<std::int64_t>()));
    case EventKind::kDeviceRow:
      return device_row(head, reader);
    case EventKind::kThreadName:
      return traces_.name_thread(thread_, reader.take_text());
    default:
      return add_fact(head, reader);
  }
}

/// Never backwards on the thread.
Ns ThreadReplay::time_of(std::int64_t ticks) {
  last_ns_ = std::max(last_ns_, scale_.nanoseconds(ticks));
  return last_ns_;
}

/// A new innermost op, in the memory of one that has been there.
ClosedOp& ThreadReplay::push_op() {
  if (depth_ == ops_.size()) ops_.emplace_back();
  ClosedOp& op = ops_[depth_++];
  for (std::string* text : {&op.name, &op.inputs.bytes, &op.outputs.bytes, &op.op_schema,
                            &op.kernel_backend, &op.kernel_file, &op.attributes})
    text->clear();
  op.inputs.count = op.outputs.count = 0;
  op.sequence = -1;
  op.is_backward = false;
  op.forward = {};
  op.comm.reset();
  return op;
}

ClosedOp* ThreadReplay::open_op(std::uint64_t id) {
  for (std::size_t i = depth_; i > 0; --i)
    if (ops_[i - 1].id == id) return &ops_[i - 1];
  return nullptr;
}

void ThreadReplay::begin_op(const EventHead& head, EventReader& reader) {
  const std::byte* const begin = reader.at();
  const std::uint64_t parent = depth_ == 0 ? thread_.root_id : ops_[depth_ - 1].id;
  ClosedOp& op = push_op();
  op.id = head.id;
  op.parent = parent;
  op.kind = static_cast<OpKind>(head.detail);
  op.start_ns = time_of(reader.take<std::int64_t>());
  op.name = reader.take_text();
  append_values(op.inputs, head, reader, begin);
}

void ThreadReplay::end_op(std::uint64_t id, Ns time) {
  const ClosedOp* const op = open_op(id);
  if (op == nullptr) {
    ++summary_.lost_ends;
    return;
  }
  const auto place = static_cast<std::size_t>(op - ops_.data());
  while (depth_ > place) close_top(time);
}

void ThreadReplay::close_top(Ns time) {
  while (!calls_.empty() && calls_.back().depth >= depth_) close_call(time);
  ClosedOp& op = ops_[--depth_];
  op.duration_ns = time - op.start_ns;
  ++summary_.ops;
  traces_.add_op(thread_, op);
}

void ThreadReplay::take_attribute(ClosedOp& op, EventReader& reader) {
  const std::string_view name = reader.take_text();
  const LoggedValue value = take_value(reader);
  if (std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end()) {
    ++summary_.left_out;
    return;
  }
  for (const auto& [known, text] : {std::pair{"op_schema", &op.op_schema},
                                    {"kernel_backend", &op.kernel_backend},
                                    {"kernel_file", &op.kernel_file}})
    if (name == known) {
      text->assign(value.text);
      return;
    }
  op.attributes += ",{\"name\":";
  append_string(op.attributes, name);
  op.attributes.append(",\"type\":\"").append(attribute_type(value)).append("\",\"value\":");
  append_attribute_value(op.attributes, value);
  op.attributes += '}';
}

/// What the log says of an op after its beginning.
void ThreadReplay::add_fact(const EventHead& head, EventReader& reader) {
  ClosedOp* const op = open_op(head.id);
  if (op == nullptr) {
    ++summary_.left_out;
    return;
  }
  switch (head.kind) {
    case EventKind::kOutputs:
      return append_values(op->outputs, head, reader, reader.at());
    case EventKind::kAttribute:
      return take_attribute(*op, reader);
    case EventKind::kForward:
      op->sequence = reader.take<std::int64_t>();
      return;
    case EventKind::kBackward:
      op->forward = reader.take<ForwardLink>();
      op->sequence = op->forward.sequence;
      op->is_backward = true;
      return;
    case EventKind::kComm:
      op->comm = take_comm(reader);
      return;
    default:
      return;
  }
}

void ThreadReplay::begin_call(const EventHead& head, EventReader& reader) {
  ClosedCall call;
  call.correlation = head.id;
  call.kind = static_cast<CallKind>(head.detail);
  call.start_ns = time_of(reader.take<std::int64_t>());
  call.facts = reader.take<CallFacts>();
  call.name = reader.take_text();
  for (std::size_t i = depth_; i > 0 && call.op == 0; --i)
    if (ops_[i - 1].kind == OpKind::kOp) call.op = ops_[i - 1].id;
  calls_.push_back({std::move(call), depth_});
}

void ThreadReplay::end_call(std::uint64_t correlation, Ns time) {
  const auto is_it = [&](const OpenCall& open) { return open.call.correlation == correlation; };
  if (std::none_of(calls_.begin(), calls_.end(), is_it)) {
    ++summary_.lost_ends;
    return;
  }
  while (!is_it(calls_.back())) close_call(time);
  close_call(time);
}

void ThreadReplay::close_call(Ns time) {
  ClosedCall& call = calls_.back().call;
  call.duration_ns = time - call.start_ns;
  ++summary_.calls;
  traces_.add_call(thread_, call);
  calls_.pop_back();
}

void ThreadReplay::device_row(const EventHead& head, EventReader& reader) {
  ClosedDeviceRow row;
  row.correlation = head.id;
  row.kind = static_cast<DeviceRowKind>(head.detail);
  row.facts = reader.take<DeviceRowFacts>();
  row.name = reader.take_text();
  if (row.facts.has_comm) row.comm = take_comm(reader);
  ++summary_.device_rows;
  traces_.add_device_row(row);
}

void ThreadReplay::close_all(Ns time) {
  time = std::max(time, last_ns_);
  summary_.open_ops += depth_;
  while (depth_ > 0) close_top(time);
  while (!calls_.empty()) close_call(time);
}

}  // namespace nadi::record
