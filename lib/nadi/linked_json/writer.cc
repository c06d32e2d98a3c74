#include "nadi/linked_json/writer.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "nadi/base/json_document.h"
#include "nadi/emit/clean_json.h"
#include "nadi/emit/clock_json.h"
#include "nadi/emit/json_writer.h"
#include "nadi/emit/node_facts.h"
#include "nadi/emit/process_groups.h"
#include "nadi/emit/trace_header.h"
#include "nadi/graph/built_graph.h"
#include "nadi/linked_json/keys.h"
#include "nadi/linked_json/node_order.h"
#include "nadi/model/comm_record.h"
#include "nadi/model/linked_trace.h"

namespace nadi {
namespace {

using Json = nlohmann::ordered_json;

// What MLCommons' converter takes; it refuses all others.
constexpr std::string_view kKnownSchemas[] = {"1.0.2-chakra.0.0.4", "1.0.3-chakra.0.0.4",
                                              "1.1.0-chakra.0.0.4"};
constexpr std::string_view kNearestSchema = "1.0.3-chakra.0.0.4";
constexpr std::size_t kLinkedFlushBytes = 1 << 18;
constexpr std::string_view kBeforeName = R"("name": )";
constexpr std::string_view kProcessRoot = "[pytorch|profiler|execution_trace|process]";
constexpr std::string_view kThreadRoot = "[pytorch|profiler|execution_trace|thread]";

/// The device trace's own form of it, with what recorded operations say of their groups.
Json job_json(const LinkedTrace& trace) {
  Json job = Json::object();
  if (trace.device.world_size >= 0) job["world_size"] = trace.device.world_size;
  if (const std::string_view backend = trace.strings[trace.device.backend]; !backend.empty())
    job["backend"] = backend;
  const std::string text = process_groups_json(trace);
  if (text.empty()) return job;
  const auto groups = parse_json(text);  // Json searches all keys for each new one
  Json& list = job["pg_config"] = Json::array();
  for (const auto& [name, group] : groups.items()) {
    Json entry = {{"pg_name", name}, {"pg_desc", Json(group["desc"])}};
    if (group.contains("size")) entry["pg_size"] = group["size"];
    entry["ranks"] = group["ranks"];
    list.push_back(std::move(entry));
  }
  return job;
}

/// What only nadi knows: rank, clock, job, threads in the order of the lanes, what moved device
/// clocks.
std::string own_facts(const LinkedTrace& trace) {
  Json facts = {{"rank", trace.rank}, {"base_time_ns", trace.device.base_time_ns}};
  if (Json job = job_json(trace); !job.empty()) facts["distributedInfo"] = std::move(job);
  for (const std::string& name : trace.device.device_names)
    facts["deviceProperties"].push_back({{"name", name}});
  Json& threads = facts["threads"] = Json::array();
  for (const Lane& lane : trace.lanes)
    if (!lane.is_device && !lane.is_of_host_nodes)
      threads.push_back({{"tid", lane.tid}, {"name", lane.name}});
  if (const std::string clocks = clocks_json(trace); !clocks.empty())
    facts["clock_corrections"] = parse_ordered_json(clocks);
  return document_text(facts);
}

std::string_view category(DeviceRowKind kind) {
  if (kind == DeviceRowKind::kMemcpy) return "gpu_memcpy";
  if (kind == DeviceRowKind::kHostNode) return "graph_host_node";
  if (kind == DeviceRowKind::kEventRecord) return "graph_event_node";
  return kind == DeviceRowKind::kMemset ? "gpu_memset" : "kernel";
}

bool names_nccl(std::string_view name) {
  return name.find("nccl") != name.npos || name.find("rccl") != name.npos;
}

/// What texts of many nodes are in the file, of those met lately.
class WrittenTexts {
 public:
  /// Appends the text as write(out) does, which returns whether to remember it.
  template <class Write>
  void append(StringId text, std::string& out, const Write& write) {
    Slot& slot = slots_[static_cast<std::size_t>(text) % slots_.size()];
    if (slot.text == text && !slot.written.empty()) {
      out += slot.written;
      return;
    }
    const std::size_t begin = out.size();
    if (write(out)) slot = {text, out.substr(begin)};
  }

 private:
  struct Slot {
    StringId text = StringId::kEmpty;
    std::string written;  ///< empty = nothing is known yet
  };
  std::vector<Slot> slots_ = std::vector<Slot>(4096);  // by the lower bits of the id
};

class LinkedJsonWriter {
 public:
  LinkedJsonWriter(const LinkedTrace& trace, const BuiltGraph& graph, const ByteSink& sink,
                   Diagnostics& diagnostics)
      : trace_(trace),
        graph_(graph),
        order_(order_linked_nodes(trace, graph, diagnostics)),
        facts_(trace, graph),
        sink_(sink),
        diagnostics_(diagnostics),
        id_of_row_(trace.device.rows.size(), 0) {
    for (std::size_t position = order_.nodes.size(); position-- > 0;)
      if (const LinkedJsonNode& node = order_.nodes[position];
          node.kind == LinkedJsonNode::Kind::kDeviceRow)
        id_of_row_[graph.device_row(node.vertex())] = position + 1;
  }

  void run() {
    json_.begin_object();
    write_header();
    json_.next_line();
    json_.key("nodes").begin_list();
    for (std::size_t position = 0; position < order_.nodes.size(); ++position) {
      json_.next_line();
      write_node(position);
      if (json_.text().size() < kLinkedFlushBytes) continue;
      sink_(json_.text());
      json_.text().clear();
    }
    json_.next_line();
    json_.end_list();
    json_.next_line();
    write_blocking_calls();
    json_.end_object();
    json_.finish();
    sink_(json_.text());
  }

 private:
  using enum LinkedField;

  template <class Value>
  void member(LinkedField field, const Value& value) {
    json_.member(key_of(field), value);
  }

  /// The host trace's members, then nadi's own. Format: schema/chakra.md.
  void write_header() {
    const TraceHeader header = header_of(trace_, graph_);
    const bool is_known = std::find(std::begin(kKnownSchemas), std::end(kKnownSchemas),
                                    header.schema) != std::end(kKnownSchemas);
    json_.member("schema", is_known ? std::string_view(header.schema) : kNearestSchema);
    if (!is_known) json_.member(kOwnSchemaKey, header.schema);
    json_.member("pid", header.pid);
    json_.member("time", header.time);
    json_.member("start_ts", header.start_ts);
    json_.member("finish_ts", header.finish_ts);
    json_.key(kNadiKey).raw() += own_facts(trace_);
  }

  void write_node(std::size_t position) {
    const LinkedJsonNode& node = order_.nodes[position];
    json_.begin_object();
    json_.member("id", position + 1);
    switch (node.kind) {
      case LinkedJsonNode::Kind::kRoot:
        write_root(order_.roots[node.number]);
        break;
      case LinkedJsonNode::Kind::kOp:
        write_op(node);
        break;
      case LinkedJsonNode::Kind::kDeviceRow:
        write_row(node);
        break;
    }
    write_waits(node);
    json_.end_object();
  }

  void write_root(const LinkedJsonRoot& root) {
    NodeFacts facts;
    facts.scope = kUserScope;
    facts.tid = root.tid;
    if (!root.host)
      json_.member("name", root.is_process ? kProcessRoot : kThreadRoot);
    else
      write_text(kBeforeName, trace_.host.ops.name[root.host]);
    write_common(1, facts, {});
    write_times(0, 0, graph_.origin_ns);
  }

  void write_op(const LinkedJsonNode& node) {
    const LinkedOpIndex op = node.op();
    const NodeFacts facts = facts_.of_op(op);
    write_text(kBeforeName, trace_.ops.name[op]);
    write_common(node.caller, facts, op);
    write_times(trace_.ops.duration_ns[op], graph_.exclusive_ns[op], trace_.ops.start_ns[op]);
    if (trace_.ops.comm[op]) write_comm(trace_.comms[trace_.ops.comm[op]]);
    if (!trace_.ops.profiler[op]) member(kUntimed, true);
  }

  /// A copy of the launching op, with what the device knows.
  void write_row(const LinkedJsonNode& node) {
    const std::uint32_t vertex = node.vertex();
    const DeviceRowIndex row = graph_.device_row(vertex);
    const DeviceRows& rows = trace_.device.rows;
    const LinkedOpIndex op = trace_.rows.parent[row];
    NodeFacts facts = facts_.of_node(vertex);
    if (const LaneIndex launching = trace_.rows.launch_lane[row])  // also of work of the host
      facts.tid = trace_.lanes[launching].tid;
    write_text(kBeforeName, rows.name[row]);
    write_common(node.caller, facts, op);
    const Ns duration_ns = graph_.duration_ns[vertex];
    write_times(duration_ns, duration_ns, graph_.trace_ns(vertex));
    member(kCategory, category(rows.kind[row]));
    json_.member("ph", "X");
    const GraphLane& lane = graph_.lanes[graph_.lane[vertex]];
    member(kStream, lane.is_device ? lane.stream : rows.stream[row]);
    write_launch(row, node.caller);
    if (rows.graph_id[row] != 0) write_graph(row);
    if (rows.comm[row]) write_comm(trace_.device.comms[rows.comm[row]]);
    const std::uint32_t communication = graph_.communication[vertex];
    const bool communicates = communication != kNoIndex;
    if (!communicates && !names_nccl(trace_.strings[rows.name[row]])) return;
    member(kRowGroup,
           communicates ? graph_.strings[graph_.communications[communication].group] : "");
  }

  // What MLCommons' linker does not write: nadi needs it to convert the file as well as the traces.
  void write_launch(DeviceRowIndex row, std::uint64_t caller) {
    const DeviceRows& rows = trace_.device.rows;
    member(kDevice, rows.device[row]);
    member(kCorrelation, trace_.device.recorded_correlation(rows.correlation[row]));
    if (trace_.rows.evidence[row] == LinkEvidence::kExternalId) member(kLaunchedBy, caller);
    if (trace_.rows.launch_ns[row] == kNoTime) return;
    const CallIndex call = trace_.rows.launch[row];
    const RuntimeCalls& calls = trace_.device.calls;
    member(kLaunch, call ? trace_.strings[calls.name[call]] : "launch");
    member(kLaunchTime, JsonMicros{trace_.rows.launch_ns[row]});
    member(kLaunchDuration, JsonMicros{call ? calls.duration_ns[call] : 0});
  }

  // Of what is recorded of a CUDA graph, what was recorded in this launch.
  void write_graph(DeviceRowIndex row) {
    member(kGraphId, trace_.device.rows.graph_id[row]);
    member(kGraphNodeId, trace_.device.rows.graph_node_id[row]);
    const std::vector<DeviceRowIndex>& partly = trace_.device.partly_recorded_rows;
    if (std::binary_search(partly.begin(), partly.end(), row)) member(kGraphWaitsPartly, true);
    const std::vector<GraphDependency>& recorded = trace_.device.graph_dependencies;
    auto one =
        std::lower_bound(recorded.begin(), recorded.end(), GraphDependency{row, DeviceRowIndex(0)});
    if (one == recorded.end() || one->target != row) return;
    std::vector<std::uint64_t> ids;
    for (; one != recorded.end() && one->target == row; ++one)
      if (id_of_row_[one->source] != 0) ids.push_back(id_of_row_[one->source]);
    member(kGraphWaits, ids);
  }

  /// What is known of a recorded operation: {"collective": "allreduce", "dtype": "Float", …}.
  void write_comm(const CommRecord& record) {
    json_.key(key_of(kComm)).begin_object();
    for (const CommText& field : kCommTexts)
      if (record.*field.member != StringId::kEmpty)
        json_.member(field.name, trace_.strings[record.*field.member]);
    for (const CommNumber& field : kCommNumbers)
      if (record.*field.member >= 0) json_.member(field.name, record.*field.member);
    if (record.is_p2p) json_.member("is_p2p", true);
    json_.end_object();
  }

  /// `op`: whose group is recorded; none = of no op.
  void write_common(std::uint64_t caller, const NodeFacts& facts, LinkedOpIndex op) {
    json_.member("ctrl_deps", caller);
    write_io(R"("inputs": {"values": )", facts.inputs);
    write_io(R"("outputs": {"values": )", facts.outputs);
    json_.key("attrs").begin_list();
    write_attribute(R"({"name": "rf_id", "type": "uint64", "value": )", facts.rf_id);
    write_attribute(R"({"name": "fw_parent", "type": "uint64", "value": )",
                    facts.forward ? order_.op_id[facts.forward] : 0);
    write_attribute(R"({"name": "seq_id", "type": "int64", "value": )", facts.seq_id);
    write_attribute(R"({"name": "scope", "type": "uint64", "value": )", facts.scope);
    write_attribute(R"({"name": "tid", "type": "uint64", "value": )", facts.tid);
    write_attribute(R"({"name": "fw_tid", "type": "uint64", "value": )", facts.fw_tid);
    write_text(R"({"name": "op_schema", "type": "string", "value": )", facts.op_schema);
    json_.text() += '}';
    if (op) write_group(op);
    json_.end_list();
  }

  // MLCommons' converter asks record_param_comms for its group.
  void write_group(LinkedOpIndex op) {
    const CommIndex comm = trace_.ops.comm[op];
    const bool is_recorder = trace_.strings[trace_.ops.name[op]] == "record_param_comms";
    const StringId group = comm ? trace_.comms[comm].pg_name : StringId::kEmpty;
    if (is_recorder || group != StringId::kEmpty)
      write_attribute(R"({"name": "pg_name", "type": "string", "value": )", trace_.strings[group]);
  }

  template <class Value>
  void write_attribute(std::string_view until_value, const Value& value) {
    json_.before_value(until_value).value(value);
    json_.text() += '}';
  }

  void write_io(std::string_view until_values, const IoText& io) {
    append_clean(io.values, json_.before_value(until_values).raw());
    for (const auto& [key, id] :
         {std::pair{R"(, "shapes": )", io.shapes}, {R"(, "types": )", io.types}})
      clean_.append(id, json_.text() += key,
                    [&, id = id](std::string& out) { return append_clean(id, out); });
    json_.text() += '}';
  }

  bool append_clean(StringId json, std::string& out) {
    const bool is_json = append_clean_json(trace_.strings[json], out);
    if (!is_json) diagnostics_.report(Finding::kIoTextNotJson, {});
    return is_json;
  }

  /// In quotes, behind what leads to it.
  void write_text(std::string_view until_value, StringId text) {
    quoted_.append(text, json_.before_value(until_value).raw(), [&](std::string& out) {
      append_json_string(trace_.strings[text], out);
      return true;
    });
  }

  void write_times(Ns inclusive, Ns exclusive, Ns start) {
    member(kDuration, JsonMicros{inclusive});
    json_.member("exclusive_dur", JsonMicros{exclusive});
    member(kTime, JsonMicros{start});
  }

  // MLCommons' two keys; then which of the waits are guesses, if some are, and what they rest on.
  void write_waits(const LinkedJsonNode& node) {
    const NodeWait& hand_off = node.inter_thread;
    if (hand_off.id == 0)
      json_.key(key_of(kHandOff)).raw() += "null";
    else
      member(kHandOff, hand_off.id);
    write_ids(kWaits, node.waits);
    if (hand_off.id != 0 && is_guess(hand_off.inferred))
      member(kInferredHandOff, to_string(hand_off.inferred));
    write_guesses(kInferredWaits, node.waits);
  }

  void write_ids(LinkedField field, const std::vector<NodeWait>& waits) {
    json_.key(key_of(field)).begin_list();
    for (const NodeWait& wait : waits) json_.value(wait.id);
    json_.end_list();
  }

  void write_guesses(LinkedField field, std::vector<NodeWait> waits) {
    std::erase_if(waits, [](const NodeWait& wait) { return !is_guess(wait.inferred); });
    if (waits.empty()) return;
    write_ids(field, waits);
    json_.key(key_of(kInferredBy)).begin_list();
    for (const NodeWait& wait : waits) json_.value(to_string(wait.inferred));
    json_.end_list();
  }

  /// Calls during which a thread waited for device rows, or nobody knows for what, and those
  /// outside ops that neither launched nor blocked, as a list, a line per call. A node's `sync_dep`
  /// can only name an op that begins later; nadi reads this list instead, so that being blocked
  /// stays nobody's work.
  void write_blocking_calls() {
    json_.key(kBlockingCallsKey).begin_list();
    for (std::uint32_t vertex = 0; vertex < graph_.size(); ++vertex) {
      if (graph_.kind[vertex] != NodeKind::kCall) continue;
      const std::vector<NodeWait> rows = rows_waited_for(vertex);
      // A call that launched is written with its rows, unless it blocked too.
      if (rows.empty() && trace_.calls.role[graph_.call(vertex)] == CallRole::kLaunches) continue;
      json_.next_line();
      write_blocking_call(vertex, rows);
    }
    json_.end_list();
  }

  std::vector<NodeWait> rows_waited_for(std::uint32_t vertex) const {
    std::vector<NodeWait> rows;
    const Sources sources = graph_.data_dependencies(vertex);
    for (auto source = sources.begin(); source != sources.end(); ++source)
      if (const std::uint64_t id = order_.row_id[*source];
          id != 0 && source.edge().evidence == Evidence::kSynchronisation)
        rows.push_back({id, source.edge().inferred});
    return rows;
  }

  void write_blocking_call(std::uint32_t vertex, const std::vector<NodeWait>& rows) {
    const RuntimeCalls& calls = trace_.device.calls;
    const CallIndex call = graph_.call(vertex);
    json_.begin_object();
    write_text(kBeforeName, calls.name[call]);
    json_.member("tid", graph_.lanes[graph_.lane[vertex]].tid);
    member(kTime, JsonMicros{calls.start_ns[call]});
    member(kCallDuration, JsonMicros{calls.duration_ns[call]});
    if (const LinkedOpIndex op = trace_.calls.parent[call]) member(kCallOp, order_.op_id[op]);
    member(kCorrelation, trace_.device.recorded_correlation(calls.correlation[call]));
    write_ids(kCallRows, rows);
    write_guesses(kCallInferred, rows);
    if (rows.empty() && trace_.calls.role[call] == CallRole::kNone)
      json_.member(key_of(kCallBlocked), false);
    json_.end_object();
  }

  const LinkedTrace& trace_;
  const BuiltGraph& graph_;
  const LinkedJsonOrder order_;
  const NodeFactFinder facts_;
  const ByteSink& sink_;
  Diagnostics& diagnostics_;
  JsonWriter json_{JsonWriter::Blanks::kSome};
  ByRow<DeviceRows, std::uint64_t> id_of_row_;  // 0 = not in the graph
  WrittenTexts clean_, quoted_;
};

}  // namespace

void write_linked_json(const LinkedTrace& trace, const BuiltGraph& graph, const ByteSink& sink,
                       Diagnostics& diagnostics) {
  LinkedJsonWriter(trace, graph, sink, diagnostics).run();
}

void write_linked_json(const LinkedTrace& trace, const BuiltGraph& graph,
                       const std::filesystem::path& output, Diagnostics& diagnostics) {
  AtomicFile file(output);
  write_linked_json(trace, graph, file.sink(), diagnostics);
  file.commit();
}

}  // namespace nadi
