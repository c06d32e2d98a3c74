#include "nadi/emit/linked_json.h"

#include <algorithm>
#include <string>

#include "nadi/emit/chakra_node.h"
#include "nadi/emit/clean_json.h"
#include "nadi/emit/linked_comm.h"
#include "nadi/emit/linked_header.h"
#include "nadi/emit/linked_order.h"
#include "nadi/emit/linked_waits.h"
#include "nadi/emit/node_facts.h"

namespace nadi {
namespace {

constexpr std::size_t kLinkedFlushBytes = 1 << 18;
constexpr const char* kProcessRoot = "[pytorch|profiler|execution_trace|process]";
constexpr const char* kThreadRoot = "[pytorch|profiler|execution_trace|thread]";

std::string_view category(DeviceRowKind kind) {
  if (kind == DeviceRowKind::kMemcpy) return "gpu_memcpy";
  return kind == DeviceRowKind::kMemset ? "gpu_memset" : "kernel";
}

bool names_nccl(std::string_view name) {
  return name.find("nccl") != name.npos || name.find("rccl") != name.npos;
}

class NodeText {
 public:
  NodeText(const LinkedTrace& trace, const Graph& graph, const LinkedOrder& order,
           Diagnostics& diagnostics)
      : trace_(trace),
        graph_(graph),
        order_(order),
        facts_(trace, graph),
        diagnostics_(diagnostics) {}

  void append(std::size_t place, std::string& out) {
    const LinkedNode& node = order_.nodes[place];
    out += "{\"id\": " + std::to_string(place + 1) + ", \"name\": ";
    switch (node.kind) {
      case LinkedNode::Kind::kRoot:
        append_root(order_.roots[node.row], out);
        break;
      case LinkedNode::Kind::kOp:
        append_op(node, out);
        break;
      case LinkedNode::Kind::kDeviceRow:
        append_row(node, out);
        break;
    }
    append_waits(node, out);
    out += "}";
  }

 private:
  void append_root(const LinkedRoot& root, std::string& out) {
    NodeFacts facts;
    facts.scope = kUserScope;
    facts.tid = root.tid;
    const bool is_made = root.host == kNoIndex;
    append_json_string(is_made ? root.is_process ? kProcessRoot : kThreadRoot
                               : trace_.strings[trace_.host.ops.name[root.host]],
                       out);
    append_common(1, facts, {}, out);
    append_times(0, 0, graph_.origin_ns, out);
  }

  void append_op(const LinkedNode& node, std::string& out) {
    const std::uint32_t op = node.row;
    append_json_string(trace_.strings[trace_.ops.name[op]], out);
    append_common(node.caller, op_facts(op), pg_name_attribute(op), out);
    append_times(trace_.ops.duration_ns[op], graph_.exclusive_ns[op], trace_.ops.start_ns[op], out);
    append_record(trace_.comms, trace_.ops.comm[op], out);
    if (trace_.ops.profiler[op] == kNoIndex) out += ", \"untimed\": true";
  }

  // A copy of the launching op, with what the device knows.
  void append_row(const LinkedNode& node, std::string& out) {
    const Node& vertex = graph_.structure[node.row];
    const std::uint32_t op = trace_.rows.parent[vertex.source];
    const std::string_view name = trace_.strings[vertex.name];
    NodeFacts facts = facts_.of_node(vertex);
    facts.fw_parent = op == kNoIndex ? 0 : forward_id(op);
    append_json_string(name, out);
    append_common(node.caller, facts, op == kNoIndex ? std::string() : pg_name_attribute(op), out);
    append_times(vertex.duration_ns, vertex.duration_ns, vertex.start_ns, out);
    out += ", \"cat\": \"" + std::string(category(trace_.device.rows.kind[vertex.source])) +
           "\", \"ph\": \"X\", \"stream\": " + std::to_string(stream_of(vertex));
    append_launch(vertex.source, node.caller, out);
    append_record(trace_.device.comms, trace_.device.rows.comm[vertex.source], out);
    const Communication* communication = communication_of(graph_, vertex);
    if (communication == nullptr && !names_nccl(name)) return;
    out += ", \"pg_name\": ";
    append_json_string(communication == nullptr ? "" : trace_.strings[communication->group], out);
  }

  // What MLCommons' linker does not write: nadi needs it to convert the file as well as the traces.
  void append_launch(std::uint32_t row, std::uint64_t caller, std::string& out) const {
    const DeviceRows& rows = trace_.device.rows;
    out += ", \"device\": " + std::to_string(rows.device[row]) +
           ", \"correlation\": " + std::to_string(rows.correlation[row]);
    if (trace_.rows.evidence[row] == LinkEvidence::kExternalId)
      out += ", \"launched_by\": " + std::to_string(caller);
    if (trace_.rows.launch_ns[row] == kNoTime) return;
    const CallIndex call = trace_.rows.launch[row];
    out += ", \"launch\": ";
    append_json_string(call ? trace_.strings[trace_.device.calls.name[call.value]] : "launch", out);
    out += ", \"launch_ts\": ";
    append_json_micros(trace_.rows.launch_ns[row], out);
    out += ", \"launch_dur\": ";
    append_json_micros(call ? trace_.device.calls.duration_ns[call.value] : 0, out);
  }

  void append_record(const std::vector<CommRecord>& records, CommIndex record,
                     std::string& out) const {
    if (!record) return;
    out += ", \"comm\": ";
    append_comm(records[record.value], trace_.strings, out);
  }

  std::int64_t stream_of(const Node& vertex) const {
    return vertex.lane ? trace_.lanes[vertex.lane.value].stream
                       : trace_.device.rows.stream[vertex.source];
  }

  NodeFacts op_facts(std::uint32_t op) const {
    NodeFacts facts = facts_.of_op(op);
    facts.fw_parent = forward_id(op);
    return facts;
  }

  // fw_parent among the new ids.
  std::uint64_t forward_id(std::uint32_t op) const {
    const std::uint32_t host = trace_.ops.host[op];
    if (host == kNoIndex || trace_.host.ops.fw_parent[host] == 0) return 0;
    const std::uint32_t forward = facts_.op_of_host_id(trace_.host.ops.fw_parent[host]);
    return forward == kNoIndex ? 0 : order_.op_id[forward];
  }

  // MLCommons' converter asks record_param_comms for its group.
  std::string pg_name_attribute(std::uint32_t op) const {
    const CommIndex comm = trace_.ops.comm[op];
    const bool is_recorder = trace_.strings[trace_.ops.name[op]] == "record_param_comms";
    const StringId group = comm ? trace_.comms[comm.value].pg_name : StringId::kEmpty;
    if (!is_recorder && group == StringId::kEmpty) return {};
    std::string text = R"(, {"name": "pg_name", "type": "string", "value": )";
    append_json_string(trace_.strings[group], text);
    return text + "}";
  }

  void append_io(const char* key, const IoText& io, std::string& out) {
    out += std::string(", \"") + key + "\": {\"values\": ";
    append_list(io.values, out);
    out += ", \"shapes\": ";
    append_list(io.shapes, out);
    out += ", \"types\": ";
    append_list(io.types, out);
    out += "}";
  }

  void append_list(StringId json, std::string& out) {
    if (append_clean_json(trace_.strings[json], out)) return;
    diagnostics_.report("io-text-not-json", {});
  }

  static void append_attribute(const char* name, const char* type, const std::string& value,
                               std::string& out) {
    if (out.back() != '[') out += ", ";
    out += std::string("{\"name\": \"") + name + "\", \"type\": \"" + type +
           "\", \"value\": " + value + "}";
  }

  void append_common(std::uint64_t caller, const NodeFacts& facts, const std::string& more,
                     std::string& out) {
    out += ", \"ctrl_deps\": " + std::to_string(caller);
    append_io("inputs", facts.inputs, out);
    append_io("outputs", facts.outputs, out);
    out += ", \"attrs\": [";
    append_attribute("rf_id", "uint64", std::to_string(facts.rf_id), out);
    append_attribute("fw_parent", "uint64", std::to_string(facts.fw_parent), out);
    append_attribute("seq_id", "int64", std::to_string(facts.seq_id), out);
    append_attribute("scope", "uint64", std::to_string(facts.scope), out);
    append_attribute("tid", "uint64", std::to_string(facts.tid), out);
    append_attribute("fw_tid", "uint64", std::to_string(facts.fw_tid), out);
    std::string schema;
    append_json_string(trace_.strings[facts.op_schema], schema);
    append_attribute("op_schema", "string", schema, out);
    out += more + "]";
  }

  static void append_times(Ns inclusive, Ns exclusive, Ns start, std::string& out) {
    out += ", \"inclusive_dur\": ";
    append_json_micros(inclusive, out);
    out += ", \"exclusive_dur\": ";
    append_json_micros(exclusive, out);
    out += ", \"ts\": ";
    append_json_micros(start, out);
  }

  static void append_ids(const std::vector<LinkedWait>& waits, bool only_inferred,
                         std::string& out) {
    out += "[";
    for (const LinkedWait& wait : waits) {
      if (only_inferred && !is_guess(wait.inferred)) continue;
      if (out.back() != '[') out += ", ";
      out += std::to_string(wait.id);
    }
    out += "]";
  }

  // MLCommons' two keys; then which of the waits are guesses, if some are, and what they rest on.
  static void append_waits(const LinkedNode& node, std::string& out) {
    const LinkedWait& hand_off = node.inter_thread;
    out += ", \"inter_thread_dep\": " + (hand_off.id == 0 ? "null" : std::to_string(hand_off.id));
    out += ", \"sync_dep\": ";
    append_ids(node.waits, false, out);
    if (hand_off.id != 0 && is_guess(hand_off.inferred))
      out += ", \"inferred_inter_thread_dep\": true";
    std::string by;
    for (const LinkedWait& wait : node.waits)
      if (is_guess(wait.inferred)) append_inference(wait.inferred, by);
    if (by.empty()) return;
    out += ", \"inferred_sync_dep\": ";
    append_ids(node.waits, true, out);
    out += ", \"inferred_by\": [" + by + "]";
  }

  const LinkedTrace& trace_;
  const Graph& graph_;
  const LinkedOrder& order_;
  const NodeFactFinder facts_;
  Diagnostics& diagnostics_;
};

}  // namespace

void write_linked_json(const LinkedTrace& trace, const Graph& graph, const ByteSink& sink,
                       Diagnostics& diagnostics) {
  const LinkedOrder order = order_linked_nodes(trace, graph, diagnostics);
  NodeText node_text(trace, graph, order, diagnostics);
  std::string text = linked_header_text(trace, graph);
  for (std::size_t place = 0; place < order.nodes.size(); ++place) {
    text += place == 0 ? "\n" : ",\n";
    node_text.append(place, text);
    if (text.size() < kLinkedFlushBytes) continue;
    sink(text);
    text.clear();
  }
  sink(text + "\n],\n\"nadi_waits\": " + linked_waits_json(trace, graph, order) + "}\n");
}

void write_linked_json(const LinkedTrace& trace, const Graph& graph,
                       const std::filesystem::path& output, Diagnostics& diagnostics) {
  AtomicFile file(output);
  write_linked_json(trace, graph, file.sink(), diagnostics);
  file.commit();
}

}  // namespace nadi
