#include "nadi/chakra/node_writer.h"

#include <array>
#include <cstddef>

#include "et_def.pb.h"
#include "nadi/chakra/wire_writer.h"

namespace nadi {

using ChakraProtoMsg::IOInfo;
using ChakraProtoMsg::Node;

void NodeWriter::append(const WireNode& node, std::string& out) {
  message_.clear();
  append_number(Node::kIdFieldNumber, node.id, message_);
  append_text(Node::kNameFieldNumber, node.name, message_);
  append_number(Node::kTypeFieldNumber, node.type, message_);
  append_packed(Node::kCtrlDepsFieldNumber, node.ctrl_deps, message_);
  append_packed(Node::kDataDepsFieldNumber, node.data_deps, message_);
  append_number(Node::kStartTimeMicrosFieldNumber, node.start_micros, message_);
  append_number(Node::kDurationMicrosFieldNumber, node.duration_micros, message_);
  append_io(Node::kInputsFieldNumber, node.input_values, node.input_shapes, node.input_types);
  append_io(Node::kOutputsFieldNumber, node.output_values, node.output_shapes, node.output_types);
  append_attributes(node);
  append_framed(message_, out);
}

void NodeWriter::append_io(unsigned field, std::string_view values, std::string_view shapes,
                           std::string_view types) {
  const std::size_t size = text_size(values) + text_size(shapes) + text_size(types);
  if (size == 0) return;
  append_text_head(field, size, message_);
  append_text(IOInfo::kValuesFieldNumber, values, message_);
  append_text(IOInfo::kShapesFieldNumber, shapes, message_);
  append_text(IOInfo::kTypesFieldNumber, types, message_);
}

void NodeWriter::append_numbers(const WireNode& node, WireNumber first, WireNumber last) {
  std::array<char, kWireNumberCount * kMostNumberBytes> bytes;
  char* end = bytes.data();
  for (auto i = static_cast<std::size_t>(first); i <= static_cast<std::size_t>(last); ++i)
    if (node.has(static_cast<WireNumber>(i)))
      end = put_attribute(static_cast<WireNumber>(i), node.numbers[i], end);
  message_.append(bytes.data(), static_cast<std::size_t>(end - bytes.data()));
}

// Texts stand among the numbers they belong to.
void NodeWriter::append_attributes(const WireNode& node) {
  append_numbers(node, WireNumber::kRfId, WireNumber::kFwTid);
  if (node.op_schema) append_attribute("op_schema", *node.op_schema, message_);
  append_numbers(node, WireNumber::kIsCpuOp, WireNumber::kCommPriority);
  if (!node.pg_name.empty()) append_attribute("pg_name", node.pg_name, message_);
  if (!node.comm_dtype.empty()) append_attribute("comm_dtype", node.comm_dtype, message_);
  append_numbers(node, WireNumber::kCommSeq, WireNumber::kMerged);
  if (!node.edge_evidence.empty()) append_attribute("edge_evidence", node.edge_evidence, message_);
}

}  // namespace nadi
