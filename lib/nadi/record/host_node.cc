#include "nadi/record/host_node.h"

#include "nadi/record/append_json.h"

namespace nadi::record {
namespace {

// Scopes of RecordFunction (schema/host-trace.md).
constexpr std::uint64_t kFunction = 0, kBackwardFunction = 1, kUserScope = 7;

void append_name(std::string& text, std::string_view name, std::string_view type) {
  if (text.back() != '[') text += ',';
  text.append("{\"name\":\"").append(name).append("\",\"type\":\"").append(type);
  text += "\",\"value\":";
}
template <class Number>
void append_number_attribute(std::string& text, std::string_view name, Number value) {
  append_name(text, name, std::is_signed_v<Number> ? "int64" : "uint64");
  append_number(text, value);
  text += '}';
}
void append_text_attribute(std::string& text, std::string_view name, std::string_view value) {
  append_name(text, name, "string");
  append_string(text, value);
  text += '}';
}

void append_attributes(std::string& text, const ClosedOp& op, std::uint64_t tid) {
  const std::uint64_t scope = op.kind == OpKind::kAnnotation ? kUserScope
                              : op.is_backward               ? kBackwardFunction
                                                             : kFunction;
  append_number_attribute(text, "rf_id", op.id);
  append_number_attribute(text, "fw_parent", op.forward.op);
  append_number_attribute(text, "seq_id", op.sequence);
  append_number_attribute(text, "scope", scope);
  append_number_attribute(text, "tid", tid);
  append_number_attribute(text, "fw_tid", op.forward.tid);
  append_text_attribute(text, "op_schema", op.op_schema);
  append_text_attribute(text, "kernel_backend", op.kernel_backend);
  append_text_attribute(text, "kernel_file", op.kernel_file);
}

void append_comm_attributes(std::string& text, const LoggedComm& comm, const CommGroup& group) {
  const auto natural = [](std::int64_t value) {
    return static_cast<std::uint64_t>(value < 0 ? 0 : value);
  };
  append_text_attribute(text, "collective_name", comm.collective);
  append_text_attribute(text, "dtype", comm.dtype);
  append_number_attribute(text, "in_msg_nelems", natural(comm.in_elements));
  append_number_attribute(text, "out_msg_nelems", natural(comm.out_elements));
  append_text_attribute(text, "in_split_size", list_text(comm.in_split));
  append_text_attribute(text, "out_split_size", list_text(comm.out_split));
  append_number_attribute(text, "global_rank_start", natural(group.start));
  if (group.stride > 0) append_number_attribute(text, "global_rank_stride", natural(group.stride));
  append_text_attribute(text, "pg_name", comm.group);
  append_text_attribute(text, "pg_desc", group.description);
  if (group.size >= 0) append_number_attribute(text, "pg_size", natural(group.size));
}

/// What follows the tensors of record_param_comms: [seq, is_p2p], [name, description], rank,
/// collective, splits, rank start, stride, size (RECORD_PARAM_COMMS of torch's
/// ParamCommsUtils.hpp).
struct Positional {
  std::string values, shapes, types, strides;
};

Positional positional_inputs(const LoggedComm& comm, const CommGroup& group) {
  Positional inputs;
  std::string& text = inputs.values;
  text += '[';
  append_number(text, comm.sequence);
  text += comm.is_p2p() ? ",true],[" : ",false],[";
  append_string(text, comm.group);
  text += ',';
  append_string(text, group.description);
  text += "],";
  append_number(text, comm.peer);
  text += ',';
  append_string(text, comm.collective);
  for (const auto* split : {&comm.in_split, &comm.out_split}) text += "," + list_text(*split);
  for (std::int64_t number : {group.start, group.stride, group.size}) {
    text += ',';
    append_number(text, number);
  }
  inputs.shapes = inputs.strides = "[[],[]],[[],[]],[],[],[],[],[],[],[]";
  inputs.types = R"("Tuple[Int,Bool]","Tuple[String,String]","Int","String","GenericList[Int]",)"
                 R"("GenericList[Int]","Int","Int","Int")";
  return inputs;
}

void append_list(std::string& text, std::string_view key, const LoggedValues& values,
                 ValueColumn column, std::string_view more) {
  text.append("\"").append(key).append("\":[");
  append_column(text, values, column);
  if (values.count > 0 && !more.empty()) text += ',';
  text.append(more).append("]");
}

void append_values(std::string& text, std::string_view key, const LoggedValues& values,
                   const Positional& more) {
  text.append("\"").append(key).append("\":{");
  append_list(text, "values", values, ValueColumn::kValues, more.values);
  text += ',';
  append_list(text, "shapes", values, ValueColumn::kShapes, more.shapes);
  text += ',';
  append_list(text, "types", values, ValueColumn::kTypes, more.types);
  text += ',';
  append_list(text, "strides", values, ValueColumn::kStrides, more.strides);
  text += "},";
}

void append_head(std::string& text, std::uint64_t id, std::string_view name, std::uint64_t parent) {
  text += "{\"id\":";
  append_number(text, id);
  text += ",\"name\":";
  append_string(text, name);
  text += ",\"ctrl_deps\":";
  append_number(text, parent);
  text += ',';
}

}  // namespace

std::int64_t CommGroup::global_rank(std::int64_t rank) const {
  if (rank < 0 || process_group == nullptr || process_group->ranks.empty()) return rank;
  const auto place = static_cast<std::size_t>(rank);
  return place < process_group->ranks.size() ? process_group->ranks[place] : -1;
}

CommGroup group_of(const LoggedComm& comm, const JobPlace& job) {
  CommGroup group;
  group.process_group = comm.process_group;
  if (group.process_group != nullptr) group.description = group.process_group->description;
  if (group.process_group == nullptr || group.process_group->ranks.empty()) {
    group.size = job.world_size;
    return group;
  }
  const auto& ranks = group.process_group->ranks;
  group.size = static_cast<std::int64_t>(ranks.size());
  group.start = ranks[0];
  if (ranks.size() > 1 && __builtin_sub_overflow(ranks[1], ranks[0], &group.stride))
    group.stride = -1;
  for (std::size_t i = 1; i < ranks.size() && group.stride != -1; ++i) {
    std::int64_t step = 0;
    if (__builtin_sub_overflow(ranks[i], ranks[i - 1], &step) || step != group.stride)
      group.stride = -1;
  }
  return group;
}

void append_op_node(std::string& text, const ClosedOp& op, std::uint64_t tid, const JobPlace& job) {
  const CommGroup group = op.comm ? group_of(*op.comm, job) : CommGroup();
  append_head(text, op.id, op.name, op.parent);
  append_values(text, "inputs", op.inputs,
                op.comm ? positional_inputs(*op.comm, group) : Positional());
  append_values(text, "outputs", op.outputs, {});
  text += "\"attrs\":[";
  append_attributes(text, op, tid);
  if (op.comm) append_comm_attributes(text, *op.comm, group);
  text.append(op.attributes).append("]}");
}

void append_root_node(std::string& text, std::string_view what, std::uint64_t id,
                      std::uint64_t tid) {
  ClosedOp root;  // its attributes are those of an annotation without an id
  root.kind = OpKind::kAnnotation;
  append_head(text, id, "[pytorch|profiler|execution_trace|" + std::string(what) + "]", 1);
  append_values(text, "inputs", {}, {});
  append_values(text, "outputs", {}, {});
  text += "\"attrs\":[";
  append_attributes(text, root, tid);
  text += "]}";
}

}  // namespace nadi::record
