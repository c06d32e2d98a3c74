#include "nadi/read/host_trace_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "nadi/read/host_comm.h"
#include "nadi/read/host_groups.h"
#include "nadi/read/json_text.h"
#include "nadi/read/node_fields.h"
#include "nadi/read/trace_start.h"
#include "nadi/read/trace_walk.h"

namespace nadi {
namespace {

constexpr std::string_view kGroupNode = "## process_group:init ##";
// The part of the version before "-chakra…"; facts: schema/host-trace.md.
constexpr std::array<std::string_view, 7> kKnownVersions{"1.0.0", "1.0.1", "1.0.2", "1.0.3",
                                                         "1.0.4", "1.1.0", "1.1.1"};

class HostTraceVisitor : public TraceVisitor {
 public:
  HostTraceVisitor(HostTrace& trace, Diagnostics& diagnostics)
      : trace_(trace), diagnostics_(diagnostics) {}

  bool wants(std::string_view key) const override {
    return key == "schema" || key == "pid" || key == "time" || key == "start_ts" ||
           key == "finish_ts";
  }

  bool member(std::string_view key, std::string_view value) override {
    const std::string_view token = trim(value);
    if (key == "schema") read_schema(token);
    if (key == "time") trace_.time = trace_.strings.intern(text_of(token, scratch_));
    if (key == "pid") trace_.pid = unsigned_of(token).value_or(0);
    if (key == "start_ts") trace_.start_ts = unsigned_of(token).value_or(0);
    if (key == "finish_ts") trace_.finish_ts = unsigned_of(token).value_or(0);
    return true;
  }

  bool event(std::string_view object, std::uint64_t number) override {
    if (!node_.parse(parser_, object)) return false;
    add_node(number);
    return true;
  }

  /// Old traces name a group by the address of its backend; its name is known from the init node.
  void name_groups() {
    for (CommRecord& record : trace_.comms) {
      const auto name = group_of_backend_.find(trace_.strings[record.pg_name]);
      if (name != group_of_backend_.end()) record.pg_name = trace_.strings.intern(name->second);
    }
  }

 private:
  void read_schema(std::string_view token) {
    trace_.schema = trace_.strings.intern(text_of(token, scratch_));
    const std::string_view schema = trace_.strings[trace_.schema];
    const std::string_view version = schema.substr(0, schema.find('-'));
    if (std::find(kKnownVersions.begin(), kKnownVersions.end(), version) == kKnownVersions.end())
      diagnostics_.report("unknown-schema", Severity::kWarning,
                          fmt::format("\"{}\": read by its fields", schema));
  }

  StringId text(NodeField field) {
    if (!node_.has(field)) return StringId::kEmpty;
    return trace_.strings.intern(text_of(node_.token(field), scratch_));
  }
  std::uint64_t natural(NodeField field) const {
    return unsigned_of(node_.token(field)).value_or(0);
  }

  void add_node(std::uint64_t number) {
    HostOps& ops = trace_.ops;
    const std::uint64_t id = natural(NodeField::kId);
    if (id == 0)
      return diagnostics_.report("node-without-id", Severity::kLoss,
                                 fmt::format("node {}", number));
    ops.id.push_back(id);
    ops.name.push_back(text(NodeField::kName));
    ops.parent.push_back(natural(NodeField::kParent));
    ops.rf_id.push_back(natural(NodeField::kRfId));
    ops.fw_parent.push_back(natural(NodeField::kForwardParent));
    ops.seq_id.push_back(integer_of(node_.token(NodeField::kSeqId)).value_or(-1));
    ops.scope.push_back(
        static_cast<std::uint8_t>(std::min<std::uint64_t>(natural(NodeField::kScope), 0xff)));
    ops.tid.push_back(natural(NodeField::kTid));
    ops.fw_tid.push_back(natural(NodeField::kForwardTid));
    add_texts(ops);
    add_communication(ops);
  }

  void add_texts(HostOps& ops) {
    ops.op_schema.push_back(text(NodeField::kOpSchema));
    ops.kernel_backend.push_back(text(NodeField::kKernelBackend));
    ops.kernel_file.push_back(text(NodeField::kKernelFile));
    ops.input_values.push_back(text(NodeField::kInputValues));
    ops.input_shapes.push_back(text(NodeField::kInputShapes));
    ops.input_types.push_back(text(NodeField::kInputTypes));
    ops.input_strides.push_back(text(NodeField::kInputStrides));
    ops.output_values.push_back(text(NodeField::kOutputValues));
    ops.output_shapes.push_back(text(NodeField::kOutputShapes));
    ops.output_types.push_back(text(NodeField::kOutputTypes));
    ops.output_strides.push_back(text(NodeField::kOutputStrides));
  }

  void add_communication(HostOps& ops) {
    CommIndex index;
    if (const auto record = read_host_comm(node_, trace_.strings, scratch_)) {
      index = CommIndex(trace_.comms.size());
      trace_.comms.push_back(*record);
    }
    ops.comm.push_back(index);
    if (trace_.strings[ops.name.back()] == kGroupNode) add_groups();
  }

  void add_groups() {
    const auto values = elements_of(node_.token(NodeField::kInputValues));
    HostGroups found =
        read_host_groups(values.empty() ? std::string_view{} : text_of(values[0], scratch_));
    for (std::size_t i = 0; i < found.groups.size(); ++i) {
      if (!found.backend_ids[i].empty())
        group_of_backend_.emplace(found.backend_ids[i], found.groups[i].name);
      trace_.groups.push_back(std::move(found.groups[i]));
    }
    if (found.is_cut)
      diagnostics_.report("process-groups-cut", Severity::kWarning,
                          fmt::format("node {}", trace_.ops.id.back()));
  }

  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  HostTrace& trace_;
  Diagnostics& diagnostics_;
  JsonParser parser_;
  NodeFields node_;
  std::string scratch_;
  std::unordered_map<std::string, std::string, TextHash, std::equal_to<>> group_of_backend_;
};

}  // namespace

HostTrace read_host_trace(ByteSource& source, Diagnostics& diagnostics, const Progress& progress) {
  Window window(source, progress);
  const std::string what = expect_trace(window, TraceType::kHostTrace);
  HostTrace trace;
  HostTraceVisitor visitor(trace, diagnostics);
  const WalkResult result = walk_trace(window, kHostTraceShape, visitor, diagnostics);
  window.finish();
  if (!result.found_list)
    refuse_trace(window, TraceType::kHostTrace, TraceType::kOther, what + " without \"nodes\"");
  visitor.name_groups();
  if (!source.damage().empty())
    report_damage(source.name() + ": " + source.damage(), diagnostics);
  else if (!result.list_closed && diagnostics.count("truncated-input") == 0)
    diagnostics.report("observer-not-stopped", Severity::kWarning,
                       fmt::format("the list ends after node {}", result.events));
  return trace;
}

}  // namespace nadi
