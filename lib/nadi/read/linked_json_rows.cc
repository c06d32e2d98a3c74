#include "nadi/read/linked_json_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "nadi/read/category_table.h"
#include "nadi/read/json_text.h"
#include "nadi/read/linked_json_repeats.h"
#include "nadi/read/linked_json_starts.h"

namespace nadi {
namespace {

constexpr std::uint8_t kUserScope = 7;              // at::RecordScope::USER_SCOPE
constexpr std::uint64_t kNoNode = 0;                // id of none
constexpr std::string_view kLaunchName = "launch";  // MLCommons does not tell the call

std::int64_t identity(const NodeFields& node, NodeField field) {
  return identity_of(node.token(field));
}

EventCategory category_of(const NodeFields& node) {
  return event_category_of(unquoted(node.token(NodeField::kCategory)));
}

}  // namespace

/// A timed op, to be found by its node's id.
struct LinkedJsonRowBuilder::Caller {
  std::uint64_t id;
  std::uint32_t op;
  friend bool operator<(const Caller& a, const Caller& b) { return a.id < b.id; }
};

bool LinkedJsonRowBuilder::is_device_row(const NodeFields& node) {
  if (!node.has(NodeField::kCategory)) return false;
  const EventCategory kind = category_of(node);
  return kind != EventCategory::kOp && kind != EventCategory::kAnnotation &&
         kind != EventCategory::kCall;
}

RowTime LinkedJsonRowBuilder::time_of(const NodeFields& node, NodeField start, NodeField duration,
                                      std::uint64_t number) {
  if (!node.has(start)) return {};
  const RowTime time = row_time_of(node.token(start), node.token(duration));
  if (!time.is_known())
    diagnostics_.report({"garbage-time", Severity::kWarning},
                        [&] { return fmt::format("node {}", number); });
  return time;
}

void LinkedJsonRowBuilder::cover(const RowTime& time) {
  DeviceTrace& device = json_.device;
  device.first_ns =
      device.first_ns == kNoTime ? time.start_ns : std::min(device.first_ns, time.start_ns);
  device.last_ns = std::max(device.last_ns, time.start_ns + time.duration_ns);
}

ThreadIndex LinkedJsonRowBuilder::thread_of(std::uint64_t tid) {
  DeviceTrace& device = json_.device;
  const auto [known, is_new] = threads_.try_emplace(tid, device.threads.size());
  if (is_new)
    device.threads.push_back({device.strings.intern(std::to_string(json_.host.pid)),
                              device.strings.intern(std::to_string(tid)),
                              static_cast<std::int64_t>(tid),
                              {}});
  return known->second;
}

void LinkedJsonRowBuilder::add_times(const NodeFields& node, std::uint64_t number) {
  const HostOps& host = json_.host.ops;
  const std::size_t row = host.size() - 1;
  json_.profiler_of_host.emplace_back();
  json_.untimed_ns.push_back(kNoTime);
  const std::string_view name = json_.host.strings[host.name[row]];
  if (is_root(name)) return;
  if (node.token(NodeField::kUntimed) == "true") {
    json_.untimed_ns.back() = row_time_of(node.token(NodeField::kTime), {}).start_ns;
    return;
  }
  const RowTime time = time_of(node, NodeField::kTime, NodeField::kDuration, number);
  if (!time.is_known()) return;
  ++timed_;
  ProfilerOps& ops = json_.device.ops;
  json_.profiler_of_host.back() = ProfilerOpIndex(ops.size());
  append_row(ops);
  ops.name.back() = json_.device.strings.intern(name);
  ops.kind.back() =
      host.scope[row] == kUserScope ? ProfilerOpKind::kAnnotation : ProfilerOpKind::kOp;
  ops.start_ns.back() = time.start_ns;
  ops.duration_ns.back() = time.duration_ns;
  ops.thread.back() = thread_of(host.tid[row]);
  ops.rf_id.back() = host.rf_id[row];
  ops.external_id.back() = host.id[row];
  ops.seq_id.back() = host.seq_id[row];
  ops.fwd_thread.back() = host.fw_tid[row];
  ops.comm.back() = recorded_comm_of(node);
  ops.order.back() = static_cast<std::uint32_t>(number);
  cover(time);
}

CommIndex LinkedJsonRowBuilder::recorded_comm_of(const NodeFields& node) {
  if (!node.has(NodeField::kComm)) return {};
  const auto record =
      comm_record_of(node.token(NodeField::kComm), comm_parser_, json_.device.strings);
  if (!record) return {};
  json_.device.comms.push_back(*record);
  return CommIndex(json_.device.comms.size() - 1);
}

CommIndex LinkedJsonRowBuilder::comm_of(const NodeFields& node) {
  if (json_.is_by_nadi) return recorded_comm_of(node);
  CommRecord record;
  record.pg_name = json_.device.strings.intern(text_of(node.token(NodeField::kRowGroup), scratch_));
  record.src_rank = identity(node, NodeField::kSrcRank);
  record.dst_rank = identity(node, NodeField::kDstRank);
  record.is_p2p = record.src_rank >= 0 || record.dst_rank >= 0;
  if (record.pg_name == StringId::kEmpty && !record.is_p2p) return {};
  json_.device.comms.push_back(record);
  return CommIndex(json_.device.comms.size() - 1);
}

void LinkedJsonRowBuilder::add_row(const NodeFields& node, std::uint64_t number) {
  const EventCategory kind = category_of(node);
  if (kind == EventCategory::kUnknown)
    diagnostics_.report("unknown-category", unquoted(node.token(NodeField::kCategory)));
  const RowTime time = time_of(node, NodeField::kTime, NodeField::kDuration, number);
  DeviceRows& rows = json_.device.rows;
  StringTable& strings = json_.device.strings;
  append_row(rows);
  rows.name.back() = strings.intern(text_of(node.token(NodeField::kName), scratch_));
  rows.kind.back() = device_kind(kind);
  rows.start_ns.back() = time.start_ns;
  rows.duration_ns.back() = time.duration_ns;
  rows.device.back() = identity(node, NodeField::kDevice);
  rows.stream.back() = identity(node, NodeField::kStream);
  rows.correlation.back() = identity(node, NodeField::kCorrelation);
  rows.external_id.back() = node.natural(NodeField::kLaunchedBy);
  rows.graph_id.back() = node.natural(NodeField::kGraphId);
  rows.graph_node_id.back() = node.natural(NodeField::kGraphNodeId);
  for (const std::uint64_t source : ids_of(node.token(NodeField::kGraphWaits)))
    graph_waits_.push_back({source, node.natural(NodeField::kId)});
  if (node.token(NodeField::kGraphWaitsPartly) == "true")
    graph_waits_.push_back({kNoNode, node.natural(NodeField::kId)});
  rows.comm.back() = comm_of(node);
  rows.order.back() = static_cast<std::uint32_t>(number);
  json_.row_id.push_back(node.natural(NodeField::kId));
  json_.row_caller.push_back(node.natural(NodeField::kParent));
  LinkedJsonCall launch;
  if (const RowTime recorded =
          time_of(node, NodeField::kLaunchTime, NodeField::kLaunchDuration, number);
      recorded.is_known())
    launch = {strings.intern(text_of(node.token(NodeField::kLaunch), scratch_)), recorded,
              node.natural(NodeField::kTid)};
  launches_.push_back(launch);
  if (!time.is_known()) return;
  ++timed_;
  cover(time);
}

void LinkedJsonRowBuilder::add_threads(std::string_view list, JsonParser& parser) {
  for (const ThreadName& thread : threads_of(list, parser, json_.device.strings))
    json_.device.threads[thread_of(thread.tid).value].name = thread.name;
}

bool LinkedJsonRowBuilder::add_blocking_calls(std::string_view list, JsonParser& parser) {
  return add_blocking_calls_of(list, parser, json_.device.strings, blocking_, diagnostics_);
}

void LinkedJsonRowBuilder::add_waits(const NodeFields& node) {
  const std::uint64_t id = node.natural(NodeField::kId);
  const Guesses guesses =
      guesses_of(node.token(NodeField::kInferredWaits), node.token(NodeField::kInferredBy));
  for (const std::uint64_t source : ids_of(node.token(NodeField::kWaits)))
    json_.waits.push_back({source, id, false, guesses.of(source)});
  if (const auto source = unsigned_of(node.token(NodeField::kHandOff))) {
    const bool is_guessed = node.token(NodeField::kInferredHandOff) == "true";
    json_.waits.push_back({*source, id, true, is_guessed ? Inference::kTiming : Inference::kNone});
  }
}

std::vector<LinkedJsonRowBuilder::Caller> LinkedJsonRowBuilder::timed_callers() const {
  std::vector<Caller> callers;
  for (std::size_t row = 0; row < json_.profiler_of_host.size(); ++row)
    if (const ProfilerOpIndex op = json_.profiler_of_host[row])
      callers.push_back({json_.host.ops.id[row], op.value});
  std::stable_sort(callers.begin(), callers.end());
  return callers;
}

void LinkedJsonRowBuilder::add_call(StringId name, const RowTime& time, ThreadIndex thread,
                                    std::int64_t correlation, std::uint64_t op) {
  RuntimeCalls& calls = json_.device.calls;
  append_row(calls);
  calls.name.back() = name;
  calls.start_ns.back() = time.start_ns;
  calls.duration_ns.back() = time.duration_ns;
  calls.thread.back() = thread;
  calls.correlation.back() = correlation;
  calls.external_id.back() = op;
  calls.order.back() = static_cast<std::uint32_t>(calls.size() - 1);
  cover(time);
}

/// Rows of one graph launch tell the same launch, and are launched once. Other launches may repeat
/// its correlation; they get one of their own.
void LinkedJsonRowBuilder::add_recorded_launch(std::size_t row, const LinkedJsonCall& launch) {
  std::int64_t& correlation = json_.device.rows.correlation[row];
  if (correlation < 0) correlation = give_correlation(-1);
  const auto [known, is_new] = recorded_launches_.try_emplace(
      {correlation, launch.time.start_ns, launch.tid}, json_.device.calls.size());
  if (!is_new) {
    correlation = json_.device.calls.correlation[known->second];
    return;
  }
  if (!used_correlations_.insert(correlation).second) correlation = give_correlation(correlation);
  add_call(launch.name, launch.time, thread_of(launch.tid), correlation, json_.row_caller[row]);
}

/// Leaves the correlation to the one that has it.
void LinkedJsonRowBuilder::reserve_correlation(std::int64_t correlation) {
  if (correlation < std::numeric_limits<std::int64_t>::max() - 0xffffffffLL)
    next_correlation_ = std::max(next_correlation_, correlation + 1);
}

/// A number by which a row and its call find each other; the file tells `recorded`, or -1.
std::int64_t LinkedJsonRowBuilder::give_correlation(std::int64_t recorded) {
  DeviceTrace& device = json_.device;
  if (device.recorded_correlations.empty()) device.first_given_correlation = next_correlation_;
  device.recorded_correlations.push_back(recorded);
  return next_correlation_++;
}

/// In the order in which rows started, so that of those launched by one op correlations tell who
/// was first.
void LinkedJsonRowBuilder::add_launches() {
  DeviceRows& rows = json_.device.rows;
  for (const std::int64_t correlation : rows.correlation) reserve_correlation(correlation);
  for (const BlockingCall& block : blocking_) reserve_correlation(block.correlation);
  const std::vector<Caller> callers = timed_callers();
  const StringId name = json_.device.strings.intern(kLaunchName);
  std::vector<std::uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return rows.start_ns[a] < rows.start_ns[b];
  });
  for (const std::uint32_t row : order) {
    if (launches_[row].time.is_known()) {
      add_recorded_launch(row, launches_[row]);
      continue;
    }
    if (json_.is_by_nadi) continue;  // it would have recorded the launch
    const auto caller =
        std::lower_bound(callers.begin(), callers.end(), Caller{json_.row_caller[row], 0});
    if (caller == callers.end() || caller->id != json_.row_caller[row]) continue;
    rows.correlation[row] = give_correlation(rows.correlation[row]);
    const ProfilerOps& ops = json_.device.ops;
    add_call(name, {ops.start_ns[caller->op], 0}, ops.thread[caller->op], rows.correlation[row],
             caller->id);
  }
}

/// A copy that blocks is launched by the same call. Others keep their correlation, unless a row has
/// it, too: that would look launched by them.
void LinkedJsonRowBuilder::add_blocks() {
  const DeviceRows& rows = json_.device.rows;
  used_correlations_.insert(rows.correlation.begin(), rows.correlation.end());
  for (const BlockingCall& block : blocking_) {
    const auto launch =
        recorded_launches_.find({block.correlation, block.call.time.start_ns, block.call.tid});
    std::size_t call = json_.device.calls.size();
    if (launch != recorded_launches_.end())
      call = launch->second;
    else
      add_call(block.call.name, block.call.time, thread_of(block.call.tid),
               used_correlations_.contains(block.correlation) ? -1 : block.correlation, block.op);
    for (const std::uint64_t id : block.rows)
      json_.blocks.push_back({CallIndex(call), id, block.guesses.of(id)});
    if (block.rows.empty()) json_.blocks.push_back({CallIndex(call)});
  }
}

void LinkedJsonRowBuilder::add_graph_dependencies() {
  if (graph_waits_.empty()) return;
  GraphFlows flows;
  IdMap<std::uint64_t, DeviceRowIndex> row_of_id;
  for (std::uint32_t row = 0; row < json_.row_id.size(); ++row) {
    flows.add_row({DeviceRowIndex(row), {}, json_.row_id[row]});
    row_of_id.try_emplace(json_.row_id[row], row);
  }
  for (const auto& [source, target] : graph_waits_)
    if (const auto row = row_of_id.find(target); row == row_of_id.end())
      continue;
    else if (source == kNoNode)
      json_.device.partly_recorded_rows.push_back(row->second);
    else
      flows.add_wait(row->second, source);
  flows.bind(json_.device, diagnostics_);
}

void LinkedJsonRowBuilder::finish() {
  add_launches();
  add_blocks();
  drop_repeated_rows(json_, diagnostics_);
  add_graph_dependencies();
  if (!json_.is_by_nadi) estimate_row_starts(json_, diagnostics_);
}

}  // namespace nadi
