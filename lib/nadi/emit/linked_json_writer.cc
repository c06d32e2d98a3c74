#include "nadi/emit/linked_json_writer.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "nadi/emit/chakra_node.h"
#include "nadi/emit/clean_json.h"
#include "nadi/emit/clock_json.h"
#include "nadi/emit/json_writer.h"
#include "nadi/emit/linked_json_order.h"
#include "nadi/emit/node_facts.h"
#include "nadi/emit/process_groups.h"
#include "nadi/emit/trace_header.h"
#include "nadi/graph/graph.h"
#include "nadi/model/comm_record.h"
#include "nadi/model/linked_trace.h"

namespace nadi {
namespace {

// The blocking calls of a linked JSON, which its nodes have no place for.

/// By vertex: the id of a device row's node; 0 = it is none.
std::vector<std::uint64_t> row_ids(const Graph& graph, const LinkedJsonOrder& order) {
  std::vector<std::uint64_t> ids(num_vertices(graph.structure), 0);
  for (std::size_t place = 0; place < order.nodes.size(); ++place)
    if (order.nodes[place].kind == LinkedJsonNode::Kind::kDeviceRow)
      ids[order.nodes[place].row] = place + 1;
  return ids;
}

struct Blocked {
  std::vector<std::uint64_t> rows;      ///< ids of the rows that the call waited for
  std::vector<std::uint64_t> inferred;  ///< of these, the guesses
  std::vector<std::string_view> by;     ///< what each guess rests on
};

Blocked rows_of(const Graph& graph, std::uint32_t vertex, const std::vector<std::uint64_t>& ids) {
  Blocked blocked;
  const auto [first, last] = in_edges(vertex, graph.structure);
  for (auto edge = first; edge != last; ++edge) {
    const std::uint64_t id = ids[source(*edge, graph.structure)];
    if (graph.structure[*edge].evidence != Evidence::kSynchronisation || id == 0) continue;
    blocked.rows.push_back(id);
    const Inference inferred = graph.structure[*edge].inferred;
    if (!is_guess(inferred)) continue;
    blocked.inferred.push_back(id);
    blocked.by.push_back(to_string(inferred));
  }
  return blocked;
}

/// A call that launched is told by its rows, unless it blocked too.
bool is_written(const LinkedTrace& trace, const Node& node, const Blocked& blocked) {
  return !blocked.rows.empty() || trace.calls.role[node.call()] == CallRole::kBlocks;
}

void write_call(const LinkedTrace& trace, const LinkedJsonOrder& order, const Node& node,
                const Blocked& blocked, JsonWriter& json) {
  const RuntimeCalls& calls = trace.device.calls;
  json.begin_object();
  json.member("name", trace.strings[calls.name[node.call()]]);
  json.member("tid", trace.lanes[node.lane].tid);
  json.member("ts", JsonMicros{calls.start_ns[node.call()]});
  json.member("dur", JsonMicros{calls.duration_ns[node.call()]});
  if (const LinkedOpIndex op = trace.calls.parent[node.call()]) json.member("op", order.op_id[op]);
  json.member("correlation", trace.device.recorded_correlation(calls.correlation[node.call()]));
  json.member("rows", blocked.rows);
  if (!blocked.inferred.empty()) {
    json.member("inferred", blocked.inferred);
    json.member("inferred_by", blocked.by);
  }
  json.end_object();
}

/// Calls during which a thread waited for device rows, as a list, a line per call: name, tid,
/// ts and dur in µs, correlation, rows (ids of their nodes). A node's `sync_dep` can only name an
/// op that begins later; nadi reads this list instead, so that being blocked stays nobody's work.
void write_blocking_calls(const LinkedTrace& trace, const Graph& graph,
                          const LinkedJsonOrder& order, JsonWriter& json) {
  const std::vector<std::uint64_t> ids = row_ids(graph, order);
  json.begin_list();
  for (std::uint32_t v = 0; v < num_vertices(graph.structure); ++v) {
    const Node& node = graph.structure[v];
    if (node.kind != NodeKind::kCall) continue;
    const Blocked blocked = rows_of(graph, v, ids);
    if (!is_written(trace, node, blocked)) continue;
    json.next_line();
    write_call(trace, order, node, blocked, json);
  }
  json.end_list();
}

// Writes what stands before the nodes of a linked JSON.

using Json = nlohmann::ordered_json;

// What MLCommons' converter takes; it refuses all others.
constexpr std::string_view kKnownSchemas[] = {"1.0.2-chakra.0.0.4", "1.0.3-chakra.0.0.4",
                                              "1.1.0-chakra.0.0.4"};

constexpr std::string_view kNearestSchema = "1.0.3-chakra.0.0.4";

/// The device trace's own form of it, with what recorded operations tell of their groups.
Json job_json(const LinkedTrace& trace) {
  Json job = Json::object();
  if (trace.device.world_size >= 0) job["world_size"] = trace.device.world_size;
  if (const std::string_view backend = trace.strings[trace.device.backend]; !backend.empty())
    job["backend"] = backend;
  const std::string text = process_groups_json(trace);
  if (text.empty()) return job;
  const Json groups = Json::parse(text);
  Json& list = job["pg_config"] = Json::array();
  for (const auto& [name, group] : groups.items()) {
    Json entry = {{"pg_name", name}, {"pg_desc", group["desc"]}};
    if (group.contains("size")) entry["pg_size"] = group["size"];
    entry["ranks"] = group["ranks"];
    list.push_back(std::move(entry));
  }
  return job;
}

/// In the order of the lanes.
Json threads_json(const LinkedTrace& trace) {
  Json threads = Json::array();
  for (const Lane& lane : trace.lanes)
    if (!lane.is_device && !lane.is_of_host_nodes)
      threads.push_back({{"tid", lane.tid}, {"name", lane.name}});
  return threads;
}

Json own_facts(const LinkedTrace& trace) {
  Json facts = {{"rank", trace.rank}, {"base_time_ns", trace.device.base_time_ns}};
  if (Json job = job_json(trace); !job.empty()) facts["distributedInfo"] = std::move(job);
  facts["threads"] = threads_json(trace);
  if (const std::string clocks = clocks_json(trace); !clocks.empty())
    facts["clock_corrections"] = Json::parse(clocks);
  return facts;
}

/// The host trace's members, then what only nadi knows (`nadi`: rank, clock, job, threads, what
/// moved device clocks). Format: schema/chakra.md.
void write_linked_header(const LinkedTrace& trace, const Graph& graph, JsonWriter& json) {
  const TraceHeader header = header_of(trace, graph);
  const bool is_known = std::find(std::begin(kKnownSchemas), std::end(kKnownSchemas),
                                  header.schema) != std::end(kKnownSchemas);
  json.member("schema", is_known ? std::string_view(header.schema) : kNearestSchema);
  if (!is_known) json.member("source_schema", header.schema);
  json.member("pid", header.pid);
  json.member("time", header.time);
  json.member("start_ts", header.start_ts);
  json.member("finish_ts", header.finish_ts);
  json.key("nadi").raw() += own_facts(trace).dump(-1, ' ', false, Json::error_handler_t::replace);
}

constexpr std::size_t kLinkedFlushBytes = 1 << 18;
constexpr std::string_view kProcessRoot = "[pytorch|profiler|execution_trace|process]";
constexpr std::string_view kThreadRoot = "[pytorch|profiler|execution_trace|thread]";

std::string_view category(DeviceRowKind kind) {
  if (kind == DeviceRowKind::kMemcpy) return "gpu_memcpy";
  if (kind == DeviceRowKind::kHostNode) return "graph_host_node";
  if (kind == DeviceRowKind::kEventRecord) return "graph_event_node";
  return kind == DeviceRowKind::kMemset ? "gpu_memset" : "kernel";
}

bool names_nccl(std::string_view name) {
  return name.find("nccl") != name.npos || name.find("rccl") != name.npos;
}

/// What is known of a recorded operation: {"collective": "allreduce", "dtype": "Float", …}.
void write_record(const CommRecord& record, const StringTable& strings, JsonWriter& json) {
  json.begin_object();
  for (const CommText& field : kCommTexts)
    if (record.*field.member != StringId::kEmpty)
      json.member(field.name, strings[record.*field.member]);
  for (const CommNumber& field : kCommNumbers)
    if (record.*field.member >= 0) json.member(field.name, record.*field.member);
  if (record.is_p2p) json.member("is_p2p", true);
  json.end_object();
}

class LinkedJsonNodeWriter {
 public:
  LinkedJsonNodeWriter(const LinkedTrace& trace, const Graph& graph, const LinkedJsonOrder& order,
                       Diagnostics& diagnostics, JsonWriter& json)
      : trace_(trace),
        graph_(graph),
        order_(order),
        facts_(trace, graph),
        diagnostics_(diagnostics),
        json_(json),
        id_of_row_(trace.device.rows.size(), 0) {
    for (std::size_t place = order.nodes.size(); place-- > 0;)
      if (const LinkedJsonNode& node = order.nodes[place];
          node.kind == LinkedJsonNode::Kind::kDeviceRow)
        id_of_row_[graph.structure[node.row].device_row()] = place + 1;
  }

  void write(std::size_t place) {
    const LinkedJsonNode& node = order_.nodes[place];
    json_.begin_object();
    json_.member("id", place + 1);
    switch (node.kind) {
      case LinkedJsonNode::Kind::kRoot:
        write_root(order_.roots[node.row]);
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

 private:
  void write_root(const LinkedJsonRoot& root) {
    NodeFacts facts;
    facts.scope = kUserScope;
    facts.tid = root.tid;
    const bool is_made = root.host == kNoIndex;
    json_.member("name", is_made ? root.is_process ? kProcessRoot : kThreadRoot
                                 : trace_.strings[trace_.host.ops.name[root.host]]);
    write_common(1, facts, {});
    write_times(0, 0, graph_.origin_ns);
  }

  void write_op(const LinkedJsonNode& node) {
    const LinkedOpIndex op(node.row);
    json_.member("name", trace_.strings[trace_.ops.name[op]]);
    write_common(node.caller, op_facts(op), op);
    write_times(trace_.ops.duration_ns[op], graph_.exclusive_ns[op], trace_.ops.start_ns[op]);
    write_comm(trace_.comms, trace_.ops.comm[op]);
    if (!trace_.ops.profiler[op]) json_.member("untimed", true);
  }

  // A copy of the launching op, with what the device knows.
  void write_row(const LinkedJsonNode& node) {
    const Node& vertex = graph_.structure[node.row];
    const DeviceRowIndex row = vertex.device_row();
    const LinkedOpIndex op = trace_.rows.parent[row];
    const std::string_view name = trace_.strings[vertex.name];
    NodeFacts facts = facts_.of_node(vertex);
    facts.fw_parent = op ? forward_id(op) : 0;
    if (const LaneIndex launching = trace_.rows.launch_lane[row])  // also of work of the host
      facts.tid = trace_.lanes[launching].tid;
    json_.member("name", name);
    write_common(node.caller, facts, op);
    write_times(vertex.duration_ns, vertex.duration_ns, vertex.start_ns);
    json_.member("cat", category(trace_.device.rows.kind[row]));
    json_.member("ph", "X");
    json_.member("stream", stream_of(vertex));
    write_launch(row, node.caller);
    if (trace_.device.rows.graph_id[row] != 0) write_graph(row);
    write_comm(trace_.device.comms, trace_.device.rows.comm[row]);
    const Communication* communication = communication_of(graph_, vertex);
    if (communication == nullptr && !names_nccl(name)) return;
    json_.member("pg_name", communication == nullptr ? "" : trace_.strings[communication->group]);
  }

  // What MLCommons' linker does not write: nadi needs it to convert the file as well as the traces.
  void write_launch(DeviceRowIndex row, std::uint64_t caller) {
    const DeviceRows& rows = trace_.device.rows;
    json_.member("device", rows.device[row]);
    json_.member("correlation", trace_.device.recorded_correlation(rows.correlation[row]));
    if (trace_.rows.evidence[row] == LinkEvidence::kExternalId) json_.member("launched_by", caller);
    if (trace_.rows.launch_ns[row] == kNoTime) return;
    const CallIndex call = trace_.rows.launch[row];
    const RuntimeCalls& calls = trace_.device.calls;
    json_.member("launch", call ? trace_.strings[calls.name[call]] : "launch");
    json_.member("launch_ts", JsonMicros{trace_.rows.launch_ns[row]});
    json_.member("launch_dur", JsonMicros{call ? calls.duration_ns[call] : 0});
  }

  // Of what is recorded of a CUDA graph, what was recorded in this launch.
  void write_graph(DeviceRowIndex row) {
    json_.member("graph_id", trace_.device.rows.graph_id[row]);
    json_.member("graph_node_id", trace_.device.rows.graph_node_id[row]);
    const std::vector<DeviceRowIndex>& partly = trace_.device.partly_recorded_rows;
    if (std::binary_search(partly.begin(), partly.end(), row))
      json_.member("graph_dep_partly", true);
    const std::vector<GraphDependency>& recorded = trace_.device.graph_dependencies;
    auto one =
        std::lower_bound(recorded.begin(), recorded.end(), GraphDependency{row, DeviceRowIndex(0)});
    if (one == recorded.end() || one->target != row) return;
    std::vector<std::uint64_t> ids;
    for (; one != recorded.end() && one->target == row; ++one)
      if (id_of_row_[one->source] != 0) ids.push_back(id_of_row_[one->source]);
    json_.member("graph_dep", ids);
  }

  void write_comm(const std::vector<CommRecord>& records, CommIndex record) {
    if (record) write_record(records[record.value], trace_.strings, json_.key("comm"));
  }

  std::int64_t stream_of(const Node& vertex) const {
    const bool has_lane = vertex.lane && trace_.lanes[vertex.lane].is_device;
    return has_lane ? trace_.lanes[vertex.lane].stream
                    : trace_.device.rows.stream[vertex.device_row()];
  }

  NodeFacts op_facts(LinkedOpIndex op) const {
    NodeFacts facts = facts_.of_op(op);
    facts.fw_parent = forward_id(op);
    return facts;
  }

  // fw_parent among the new ids.
  std::uint64_t forward_id(LinkedOpIndex op) const {
    const HostOpIndex host = trace_.ops.host[op];
    if (!host || trace_.host.ops.fw_parent[host] == 0) return 0;
    const LinkedOpIndex forward = facts_.op_of_host_id(trace_.host.ops.fw_parent[host]);
    return forward ? order_.op_id[forward] : 0;
  }

  // MLCommons' converter asks record_param_comms for its group.
  void write_group(LinkedOpIndex op) {
    const CommIndex comm = trace_.ops.comm[op];
    const bool is_recorder = trace_.strings[trace_.ops.name[op]] == "record_param_comms";
    const StringId group = comm ? trace_.comms[comm].pg_name : StringId::kEmpty;
    if (is_recorder || group != StringId::kEmpty)
      write_attribute("pg_name", "string", trace_.strings[group]);
  }

  void write_io(const char* key, const IoText& io) {
    json_.key(key).begin_object();
    write_json("values", io.values);
    write_json("shapes", io.shapes);
    write_json("types", io.types);
    json_.end_object();
  }

  void write_json(const char* key, StringId text) {
    if (!append_clean_json(trace_.strings[text], json_.key(key).raw()))
      diagnostics_.report("io-text-not-json", {});
  }

  template <class Value>
  void write_attribute(const char* name, const char* type, const Value& value) {
    json_.begin_object();
    json_.member("name", name);
    json_.member("type", type);
    json_.member("value", value);
    json_.end_object();
  }

  /// `op`: whose group is recorded; none = of no op.
  void write_common(std::uint64_t caller, const NodeFacts& facts, LinkedOpIndex op) {
    json_.member("ctrl_deps", caller);
    write_io("inputs", facts.inputs);
    write_io("outputs", facts.outputs);
    json_.key("attrs").begin_list();
    write_attribute("rf_id", "uint64", facts.rf_id);
    write_attribute("fw_parent", "uint64", facts.fw_parent);
    write_attribute("seq_id", "int64", facts.seq_id);
    write_attribute("scope", "uint64", facts.scope);
    write_attribute("tid", "uint64", facts.tid);
    write_attribute("fw_tid", "uint64", facts.fw_tid);
    write_attribute("op_schema", "string", trace_.strings[facts.op_schema]);
    if (op) write_group(op);
    json_.end_list();
  }

  void write_times(Ns inclusive, Ns exclusive, Ns start) {
    json_.member("inclusive_dur", JsonMicros{inclusive});
    json_.member("exclusive_dur", JsonMicros{exclusive});
    json_.member("ts", JsonMicros{start});
  }

  /// The ids of the waits, or of the guesses alone.
  void write_ids(const char* key, const std::vector<LinkedJsonNodeWait>& waits,
                 bool only_inferred) {
    json_.key(key).begin_list();
    for (const LinkedJsonNodeWait& wait : waits)
      if (!only_inferred || is_guess(wait.inferred)) json_.value(wait.id);
    json_.end_list();
  }

  // MLCommons' two keys; then which of the waits are guesses, if some are, and what they rest on.
  void write_waits(const LinkedJsonNode& node) {
    const LinkedJsonNodeWait& hand_off = node.inter_thread;
    if (hand_off.id == 0)
      json_.key("inter_thread_dep").raw() += "null";
    else
      json_.member("inter_thread_dep", hand_off.id);
    write_ids("sync_dep", node.waits, false);
    if (hand_off.id != 0 && is_guess(hand_off.inferred))
      json_.member("inferred_inter_thread_dep", true);
    std::vector<std::string_view> by;
    for (const LinkedJsonNodeWait& wait : node.waits)
      if (is_guess(wait.inferred)) by.push_back(to_string(wait.inferred));
    if (by.empty()) return;
    write_ids("inferred_sync_dep", node.waits, true);
    json_.member("inferred_by", by);
  }

  const LinkedTrace& trace_;
  const Graph& graph_;
  const LinkedJsonOrder& order_;
  const NodeFactFinder facts_;
  Diagnostics& diagnostics_;
  JsonWriter& json_;
  ByRow<DeviceRows, std::uint64_t> id_of_row_;  // 0 = not in the graph
};

}  // namespace

void write_linked_json(const LinkedTrace& trace, const Graph& graph, const ByteSink& sink,
                       Diagnostics& diagnostics) {
  const LinkedJsonOrder order = order_linked_nodes(trace, graph, diagnostics);
  JsonWriter json(JsonWriter::Blanks::kSome);
  json.begin_object();
  write_linked_header(trace, graph, json);
  json.next_line();
  json.key("nodes").begin_list();
  LinkedJsonNodeWriter nodes(trace, graph, order, diagnostics, json);
  for (std::size_t place = 0; place < order.nodes.size(); ++place) {
    json.next_line();
    nodes.write(place);
    if (json.text().size() < kLinkedFlushBytes) continue;
    sink(json.text());
    json.text().clear();
  }
  json.next_line();
  json.end_list();
  json.next_line();
  write_blocking_calls(trace, graph, order, json.key("nadi_waits"));
  json.end_object();
  json.finish();
  sink(json.text());
}

void write_linked_json(const LinkedTrace& trace, const Graph& graph,
                       const std::filesystem::path& output, Diagnostics& diagnostics) {
  AtomicFile file(output);
  write_linked_json(trace, graph, file.sink(), diagnostics);
  file.commit();
}

}  // namespace nadi
