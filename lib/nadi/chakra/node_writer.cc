#include "nadi/chakra/node_writer.h"

#include <cstddef>

#include "nadi/chakra/wire_writer.h"

namespace nadi {

void NodeWriter::append(const WireNode& node, std::string& out) {
  message_.clear();
  append_number(number(ChakraField::kId), node.id, message_);
  append_text(number(ChakraField::kName), node.name, message_);
  append_number(number(ChakraField::kType), node.type, message_);
  append_packed(number(ChakraField::kCtrlDeps), node.ctrl_deps, message_);
  append_packed(number(ChakraField::kDataDeps), node.data_deps, message_);
  append_number(number(ChakraField::kStartTimeMicros), node.start_micros, message_);
  append_number(number(ChakraField::kDurationMicros), node.duration_micros, message_);
  append_io(number(ChakraField::kInputs), node.input_values, node.input_shapes, node.input_types);
  append_io(number(ChakraField::kOutputs), node.output_values, node.output_shapes,
            node.output_types);
  append_attributes(node);
  append_framed(message_, out);
}

void NodeWriter::append_io(unsigned field, std::string_view values, std::string_view shapes,
                           std::string_view types) {
  io_.clear();
  append_text(number(IoField::kValues), values, io_);
  append_text(number(IoField::kShapes), shapes, io_);
  append_text(number(IoField::kTypes), types, io_);
  append_text(field, io_, message_);
}

void NodeWriter::append_numbers(const WireNode& node, WireNumber first, WireNumber last) {
  for (auto i = static_cast<std::size_t>(first); i <= static_cast<std::size_t>(last); ++i)
    if (node.has(static_cast<WireNumber>(i)))
      append_attribute(static_cast<WireNumber>(i), node.numbers[i], message_);
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
