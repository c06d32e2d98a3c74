#include "nadi/read/host_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "nadi/read/host_comm.h"
#include "nadi/read/host_groups.h"
#include "nadi/read/json_text.h"

namespace nadi {
namespace {

constexpr std::string_view kGroupNode = "## process_group:init ##";
// The part of the version before "-chakra…"; facts: schema/host-trace.md.
constexpr std::array<std::string_view, 8> kKnownVersions{"1.0.0", "1.0.1", "1.0.2", "1.0.3",
                                                         "1.0.4", "1.1.0", "1.1.1", kKinetoSchema};

}  // namespace

bool HostNodeBuilder::wants(std::string_view key) {
  return key == "schema" || key == "pid" || key == "time" || key == "start_ts" ||
         key == "finish_ts";
}

void HostNodeBuilder::add_member(std::string_view key, std::string_view value) {
  const std::string_view token = trim(value);
  if (key == "schema") read_schema(token);
  if (key == "time") trace_.time = trace_.strings.intern(text_of(token, scratch_));
  if (key == "pid") trace_.pid = unsigned_of(token).value_or(0);
  if (key == "start_ts") trace_.start_ts = unsigned_of(token).value_or(0);
  if (key == "finish_ts") trace_.finish_ts = unsigned_of(token).value_or(0);
}

void HostNodeBuilder::read_schema(std::string_view token) {
  trace_.schema = trace_.strings.intern(text_of(token, scratch_));
  const std::string_view schema = trace_.strings[trace_.schema];
  const std::string_view version = schema.substr(0, schema.find('-'));
  if (std::find(kKnownVersions.begin(), kKnownVersions.end(), version) == kKnownVersions.end())
    diagnostics_.report(Finding::kUnknownSchema, fmt::format("\"{}\": read by its fields", schema));
}

StringId HostNodeBuilder::text(const NodeFields& node, NodeField field) {
  if (!node.has(field)) return StringId::kEmpty;
  return trace_.strings.intern(text_of(node.token(field), scratch_));
}

bool HostNodeBuilder::add(const NodeFields& node, std::uint64_t number) {
  HostOps& ops = trace_.ops;
  const std::uint64_t id = node.natural(NodeField::kId);
  if (id == 0) {
    diagnostics_.report(Finding::kNodeWithoutId, fmt::format("node {}", number));
    return false;
  }
  append_row(ops);
  ops.id.back() = id;
  ops.name.back() = text(node, NodeField::kName);
  ops.parent.back() = node.natural(NodeField::kParent);
  ops.rf_id.back() = node.natural(NodeField::kRfId);
  ops.fw_parent.back() = node.natural(NodeField::kForwardParent);
  ops.seq_id.back() = integer_of(node.token(NodeField::kSeqId)).value_or(-1);
  ops.scope.back() =
      static_cast<std::uint8_t>(std::min<std::uint64_t>(node.natural(NodeField::kScope), 0xff));
  ops.tid.back() = node.natural(NodeField::kTid);
  ops.fw_tid.back() = node.natural(NodeField::kForwardTid);
  add_texts(node);
  add_communication(node);
  return true;
}

void HostNodeBuilder::add_texts(const NodeFields& node) {
  HostOps& ops = trace_.ops;
  ops.op_schema.back() = text(node, NodeField::kOpSchema);
  ops.kernel_backend.back() = text(node, NodeField::kKernelBackend);
  ops.kernel_file.back() = text(node, NodeField::kKernelFile);
  ops.input_values.back() = text(node, NodeField::kInputValues);
  ops.input_shapes.back() = text(node, NodeField::kInputShapes);
  ops.input_types.back() = text(node, NodeField::kInputTypes);
  ops.input_strides.back() = text(node, NodeField::kInputStrides);
  ops.output_values.back() = text(node, NodeField::kOutputValues);
  ops.output_shapes.back() = text(node, NodeField::kOutputShapes);
  ops.output_types.back() = text(node, NodeField::kOutputTypes);
  ops.output_strides.back() = text(node, NodeField::kOutputStrides);
}

void HostNodeBuilder::add_communication(const NodeFields& node) {
  CommIndex index;
  if (const auto record = read_host_comm(node, trace_.strings, scratch_)) {
    index = CommIndex(trace_.comms.size());
    trace_.comms.push_back(*record);
  }
  trace_.ops.comm.back() = index;
  if (trace_.strings[trace_.ops.name.back()] == kGroupNode) add_groups(node);
}

void HostNodeBuilder::add_groups(const NodeFields& node) {
  const auto values = elements_of(node.token(NodeField::kInputValues));
  HostGroups found =
      read_host_groups(values.empty() ? std::string_view{} : text_of(values[0], scratch_));
  for (std::size_t i = 0; i < found.groups.size(); ++i) {
    if (!found.backend_ids[i].empty())
      group_of_backend_.emplace(found.backend_ids[i], found.groups[i].name);
    trace_.groups.push_back(std::move(found.groups[i]));
  }
  if (found.is_cut)
    diagnostics_.report(Finding::kProcessGroupsCut, fmt::format("node {}", trace_.ops.id.back()));
}

void HostNodeBuilder::name_groups() {
  for (CommRecord& record : trace_.comms) {
    const auto name = group_of_backend_.find(trace_.strings[record.pg_name]);
    if (name != group_of_backend_.end()) record.pg_name = trace_.strings.intern(name->second);
  }
}

}  // namespace nadi
