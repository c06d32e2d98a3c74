#include "nadi/linked_json/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "nadi/base/error.h"
#include "nadi/base/id_map.h"
#include "nadi/emit/node_facts.h"
#include "nadi/linked_json/keys.h"
#include "nadi/linked_json/row_repairs.h"
#include "nadi/read/category_table.h"
#include "nadi/read/device_header.h"
#include "nadi/read/graph_flows.h"
#include "nadi/read/host_nodes.h"
#include "nadi/read/key_table.h"
#include "nadi/read/time_text.h"
#include "nadi/read/trace_start.h"
#include "nadi/read/trace_walk.h"

namespace nadi {
namespace {

constexpr std::uint64_t kMostNodes = 0xfffffffeU;
constexpr std::uint64_t kNoNode = 0;                // id of none
constexpr std::string_view kLaunchName = "launch";  // MLCommons does not name the call

/// A node may end with any value: keys stand in the order in which the linker added them.
constexpr TraceShape kLinkedJsonShape{"nodes", false,   is_host_node_start, is_device_event_end,
                                      "node",  "\"id\""};

constexpr KeyTable kKeys([] {
  std::array<Key, kLinkedKeys.size()> keys{};
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = {kLinkedKeys[i],
               static_cast<std::uint8_t>(i + static_cast<std::size_t>(NodeField::kCount))};
  return keys;
}());
static_assert(static_cast<std::size_t>(NodeField::kCount) + kLinkedKeys.size() <=
              NodeFields::kSlots);

/// Returns the node ids of a list, ascending; what is no id is left out.
std::vector<std::uint64_t> ids_of(std::string_view list) {
  std::vector<std::uint64_t> ids;
  for (const std::string_view element : elements_of(list))
    if (const auto id = unsigned_of(element)) ids.push_back(*id);
  std::sort(ids.begin(), ids.end());
  return ids;
}

/// token: what a hand-off rests on; true = in a file of an older nadi; empty = it is recorded.
Inference inference_of(std::string_view token) {
  if (token.empty() || token == "false") return Inference::kNone;
  return inference_named(unquoted(token)).value_or(Inference::kTiming);
}

/// Reads the nodes waited for, ascending, and two lists of equal length: which of them are guesses,
/// and what each rests on, ["pattern", …]. Of a file without names, which nadi wrote when guesses
/// had no kinds, each rests on timing.
std::vector<NodeWait> waits_of(std::string_view ids, std::string_view guesses,
                               std::string_view by) {
  std::vector<NodeWait> guessed;
  const std::vector<std::string_view> names = elements_of(by);
  std::string scratch;
  std::size_t position = 0;
  for (const std::string_view element : elements_of(guesses)) {
    const auto recorded =
        position < names.size() ? inference_named(text_of(names[position], scratch)) : std::nullopt;
    ++position;
    if (const auto id = unsigned_of(element))
      guessed.push_back({*id, recorded.value_or(Inference::kTiming)});
  }
  std::sort(guessed.begin(), guessed.end());
  std::vector<NodeWait> waits;
  for (const std::uint64_t id : ids_of(ids)) {
    const auto guess = std::lower_bound(guessed.begin(), guessed.end(), NodeWait{id, {}});
    waits.push_back(guess != guessed.end() && guess->id == id ? *guess : NodeWait{id, {}});
  }
  return waits;
}

EventCategory category_of(const NodeFields& node) {
  return event_category_of(unquoted(node.token(LinkedField::kCategory)));
}

bool is_device_row(const NodeFields& node) {
  if (!node.has(LinkedField::kCategory)) return false;
  const EventCategory kind = category_of(node);
  return kind != EventCategory::kOp && kind != EventCategory::kAnnotation &&
         kind != EventCategory::kCall;
}

/// A runtime call, by torch's logical thread id.
struct RecordedCall {
  StringId name{};
  RowTime time;
  std::uint64_t tid = 0;
};

struct BlockingCall {
  RecordedCall call;
  std::uint64_t op = 0;  ///< node id of the op around it; 0 = none
  std::int64_t correlation = -1;
  std::vector<NodeWait> rows;
  bool blocked = true;  ///< else a call outside ops that waited for nothing
};

/// Puts the nodes, the times and the device rows into the columns of both traces.
class LinkedJsonVisitor : public TraceVisitor {
 public:
  LinkedJsonVisitor(LinkedJson& json, Diagnostics& diagnostics)
      : json_(json),
        device_(json.device),
        diagnostics_(diagnostics),
        nodes_(json.host, diagnostics) {
    json.match.threads_are_logical = true;
  }

  bool wants(std::string_view key) const override {
    return HostNodeBuilder::wants(key) || key == kOwnSchemaKey || key == kNadiKey ||
           key == kBlockingCallsKey;
  }

  bool member(std::string_view key, std::string_view value) override {
    if (key == kNadiKey) return read_own_facts(value);
    if (key == kBlockingCallsKey) return add_blocking_calls(value);
    // Where nadi had to name a schema that MLCommons' converter takes, the trace's own counts.
    nodes_.add_member(key == kOwnSchemaKey ? "schema" : key, value);
    return true;
  }

  bool event(std::string_view object, std::uint64_t number) override {
    if (!node_.parse(parser_, object)) return false;
    if (number > kMostNodes)
      throw Error(ErrorCode::kInput, fmt::format("node {}", number),
                  "more nodes than nadi can number", "Link the traces of fewer steps");
    const bool is_row = is_device_row(node_);
    if (is_row)
      add_row(number);
    else if (nodes_.add(node_, number))
      add_times(number);
    else
      return true;
    // MLCommons' rows are copies of their launching op, with what that op waited for.
    if (!is_row || json_.is_by_nadi) add_waits();
    return true;
  }

  /// True once some node has a time.
  bool has_times() const { return has_times_; }

  /// Drops rows recorded twice and gives the others their launches, once all nodes are read.
  void finish() {
    nodes_.name_groups();
    add_launches();
    add_blocks();
    measure_span(device_);
    drop_repeated_rows(json_, diagnostics_);
    add_graph_dependencies();
    if (!json_.is_by_nadi) estimate_row_starts(json_, diagnostics_);
  }

 private:
  StringId text(const auto& field) {
    return device_.strings.intern(text_of(node_.token(field), scratch_));
  }
  std::int64_t identity(LinkedField field) const { return identity_of(node_.token(field)); }

  /// {"rank": 0, "base_time_ns": 1694128201435418000, "distributedInfo": {…}, "threads": […]}: what
  /// the host trace's header has no place for.
  bool read_own_facts(std::string_view value) {
    json_.is_by_nadi = json_.match.ids_tell_order = true;
    bool is_good = true;
    return for_each_member(parser_, value,
                           [&](std::string_view name, std::string_view whole) {
                             if (name == "rank") device_.rank = integer_of(whole).value_or(-1);
                             if (name == "base_time_ns")
                               device_.base_time_ns = integer_of(whole).value_or(0);
                             if (name == "threads") add_threads(whole);
                             if (name == "clock_corrections") add_clock_corrections(whole);
                             if (name == "distributedInfo") is_good &= read_job(whole);
                             if (name == "deviceProperties")
                               is_good &= read_device_header(inner_parser_, name, whole, device_);
                           }) &&
           is_good;
  }

  bool read_job(std::string_view value) {
    const std::int64_t rank = device_.rank;
    const bool is_good = read_device_header(inner_parser_, "distributedInfo", value, device_);
    if (device_.rank < 0) device_.rank = rank;
    return is_good;
  }

  /// In the order of nadi's lanes: [{"tid": 1, "name": "pt_main_thread"}, …].
  void add_threads(std::string_view list) {
    for (const std::string_view element : elements_of(list)) {
      std::optional<std::uint64_t> tid;
      std::string name;
      for_each_member(inner_parser_, element, [&](std::string_view key, std::string_view value) {
        if (key == "tid") tid = unsigned_of(value);
        if (key == "name") name = text_of(value, scratch_);
      });
      if (tid) device_.threads[thread_of(*tid)].name = device_.strings.intern(name);
    }
  }

  /// [{"device": 0, "offset_ns": 8500, …}, …]
  void add_clock_corrections(std::string_view list) {
    for (const std::string_view element : elements_of(list)) {
      ClockCorrection clock;
      for_each_member(inner_parser_, element, [&](std::string_view key, std::string_view value) {
        for_each_number(clock, [&](std::string_view name, auto& number) {
          if (key != name) return;
          if constexpr (std::is_signed_v<std::remove_reference_t<decltype(number)>>)
            number = integer_of(value).value_or(number);
          else
            number = unsigned_of(value).value_or(number);
        });
      });
      json_.clocks.push_back(clock);
    }
  }

  /// [{"name": …, "tid": …, "ts": …, "dur": …, "op": id, "correlation": …, "rows": [ids],
  /// "inferred": [ids], "inferred_by": [names], "blocked": false}, …]; false = broken JSON. A call
  /// without a time is reported and left out.
  bool add_blocking_calls(std::string_view list) {
    using enum LinkedField;
    for (const std::string_view element : elements_of(list)) {
      if (!node_.parse(parser_, element)) return false;
      const RowTime time = row_time_of(node_.token(kTime), node_.token(kCallDuration));
      const StringId name = text(NodeField::kName);
      if (time.is_known())
        blocking_.push_back(
            {{name, time, node_.natural(NodeField::kTid)},
             node_.natural(kCallOp),
             integer_of(node_.token(kCorrelation)).value_or(-1),
             waits_of(node_.token(kCallRows), node_.token(kCallInferred), node_.token(kInferredBy)),
             node_.token(kCallBlocked) != "false"});
      else
        diagnostics_.report(Finding::kGarbageTime, device_.strings[name]);
    }
    return true;
  }

  /// Reports garbage; a node without the start's field has no time, which is none.
  RowTime time_of(LinkedField start, LinkedField duration, std::uint64_t number) {
    if (!node_.has(start)) return {};
    const RowTime time = row_time_of(node_.token(start), node_.token(duration));
    if (!time.is_known())
      diagnostics_.report(Finding::kGarbageTimeOfRow,
                          [&] { return fmt::format("node {}", number); });
    return time;
  }

  ThreadIndex thread_of(std::uint64_t tid) {
    const auto [known, is_new] = threads_.try_emplace(tid, device_.threads.size());
    if (is_new)
      device_.threads.push_back({device_.strings.intern(std::to_string(json_.host.pid)),
                                 device_.strings.intern(std::to_string(tid)),
                                 static_cast<std::int64_t>(tid),
                                 {}});
    return known->second;
  }

  /// Adds the times of the host op read last, if it has some.
  void add_times(std::uint64_t number) {
    const HostOps& host = json_.host.ops;
    const HostOpIndex row(host.size() - 1);
    OpMatch& match = json_.match;
    match.profiler_of_host.emplace_back();
    match.untimed_ns.push_back(kNoTime);
    const std::string_view name = json_.host.strings[host.name[row]];
    if (is_root(name)) return;
    ++match.host_ops;
    if (node_.token(LinkedField::kUntimed) == "true") {
      match.untimed_ns.back() = row_time_of(node_.token(LinkedField::kTime), {}).start_ns;
      return;
    }
    const RowTime time = time_of(LinkedField::kTime, LinkedField::kDuration, number);
    if (!time.is_known()) return;
    has_times_ = true;
    ++match.matched;
    ProfilerOps& ops = device_.ops;
    match.profiler_of_host.back() = ProfilerOpIndex(ops.size());
    append_row(ops);
    ops.name.back() = device_.strings.intern(name);
    ops.kind.back() =
        host.scope[row] == kUserScope ? ProfilerOpKind::kAnnotation : ProfilerOpKind::kOp;
    ops.start_ns.back() = time.start_ns;
    ops.duration_ns.back() = time.duration_ns;
    ops.thread.back() = thread_of(host.tid[row]);
    ops.rf_id.back() = host.rf_id[row];
    ops.external_id.back() = host.id[row];
    ops.seq_id.back() = host.seq_id[row];
    ops.fwd_thread.back() = host.fw_tid[row];
    ops.comm.back() = add_comm(recorded_comm());
    ops.order.back() = static_cast<std::uint32_t>(number);
  }

  CommIndex add_comm(const std::optional<CommRecord>& record) {
    if (!record) return {};
    device_.comms.push_back(*record);
    return CommIndex(device_.comms.size() - 1);
  }

  /// What nadi writes of the node's communication; nothing = it records none, or broken JSON.
  std::optional<CommRecord> recorded_comm() {
    if (!node_.has(LinkedField::kComm)) return {};
    CommRecord record;
    const auto take = [&](std::string_view name, std::string_view whole) {
      for (const CommText& field : kCommTexts)
        if (field.name == name)
          record.*field.member = device_.strings.intern(text_of(whole, scratch_));
      for (const CommNumber& field : kCommNumbers)
        if (field.name == name) record.*field.member = integer_of(whole).value_or(-1);
      if (name == "is_p2p") record.is_p2p = whole == "true";
    };
    if (!for_each_member(inner_parser_, node_.token(LinkedField::kComm), take)) return {};
    return record;
  }

  /// The same of a device row, of which MLCommons' linker writes the group and the ranks.
  std::optional<CommRecord> row_comm() {
    if (json_.is_by_nadi) return recorded_comm();
    CommRecord record;
    record.pg_name = text(LinkedField::kRowGroup);
    record.src_rank = identity(LinkedField::kSrcRank);
    record.dst_rank = identity(LinkedField::kDstRank);
    record.is_p2p = record.src_rank >= 0 || record.dst_rank >= 0;
    if (record.pg_name == StringId::kEmpty && !record.is_p2p) return {};
    return record;
  }

  void add_row(std::uint64_t number) {
    using enum LinkedField;
    const std::uint64_t id = node_.natural(NodeField::kId);
    const EventCategory kind = category_of(node_);
    if (kind == EventCategory::kUnknown)
      diagnostics_.report(Finding::kUnknownCategory, unquoted(node_.token(kCategory)));
    const RowTime time = time_of(kTime, kDuration, number);
    has_times_ = has_times_ || time.is_known();
    DeviceRows& rows = device_.rows;
    append_row(rows);
    rows.name.back() = text(NodeField::kName);
    rows.kind.back() = device_kind(kind);
    rows.start_ns.back() = time.start_ns;
    rows.duration_ns.back() = time.duration_ns;
    rows.device.back() = identity(kDevice);
    rows.stream.back() = identity(kStream);
    rows.correlation.back() = identity(kCorrelation);
    rows.external_id.back() = node_.natural(kLaunchedBy);
    rows.graph_id.back() = node_.natural(kGraphId);
    rows.graph_node_id.back() = node_.natural(kGraphNodeId);
    for (const std::uint64_t source : ids_of(node_.token(kGraphWaits)))
      graph_waits_.push_back({source, id});
    if (node_.token(kGraphWaitsPartly) == "true") graph_waits_.push_back({kNoNode, id});
    rows.comm.back() = add_comm(row_comm());
    rows.order.back() = static_cast<std::uint32_t>(number);
    json_.row_id.push_back(id);
    json_.row_caller.push_back(node_.natural(NodeField::kParent));
    launches_.emplace_back();
    if (const RowTime launch = time_of(kLaunchTime, kLaunchDuration, number); launch.is_known())
      launches_.back() = {text(kLaunch), launch, node_.natural(NodeField::kTid)};
  }

  void add_waits() {
    using enum LinkedField;
    const std::uint64_t id = node_.natural(NodeField::kId);
    for (const NodeWait& source :
         waits_of(node_.token(kWaits), node_.token(kInferredWaits), node_.token(kInferredBy)))
      json_.waits.push_back({source, id, false});
    if (const auto source = unsigned_of(node_.token(kHandOff))) {
      json_.waits.push_back({{*source, inference_of(node_.token(kInferredHandOff))}, id, true});
    }
  }

  /// op: node id of the op around it; 0 = not recorded.
  void add_call(const RecordedCall& call, std::int64_t correlation, std::uint64_t op) {
    RuntimeCalls& calls = device_.calls;
    append_row(calls);
    calls.name.back() = call.name;
    calls.start_ns.back() = call.time.start_ns;
    calls.duration_ns.back() = call.time.duration_ns;
    calls.thread.back() = thread_of(call.tid);
    calls.correlation.back() = correlation;
    calls.external_id.back() = op;
    calls.order.back() = static_cast<std::uint32_t>(calls.size() - 1);
  }

  /// Rows of one graph launch name the same launch, and are launched once. Other launches may
  /// repeat its correlation; they get one of their own.
  void add_recorded_launch(DeviceRowIndex row) {
    const RecordedCall& launch = launches_[row];
    std::int64_t& correlation = device_.rows.correlation[row];
    if (correlation < 0) correlation = give_correlation(-1);
    const auto [known, is_new] = recorded_launches_.try_emplace(
        {correlation, launch.time.start_ns, launch.tid}, device_.calls.size());
    if (!is_new) {
      correlation = device_.calls.correlation[known->second];
      return;
    }
    if (!used_correlations_.insert(correlation).second) correlation = give_correlation(correlation);
    add_call(launch, correlation, json_.row_caller[row]);
  }

  /// Leaves the correlation to the one that has it.
  void reserve_correlation(std::int64_t correlation) {
    if (correlation < std::numeric_limits<std::int64_t>::max() - 0xffffffffLL)
      next_correlation_ = std::max(next_correlation_, correlation + 1);
  }

  /// A number by which a row and its call find each other; the file says `recorded`, or -1.
  std::int64_t give_correlation(std::int64_t recorded) {
    if (device_.recorded_correlations.empty()) device_.first_given_correlation = next_correlation_;
    device_.recorded_correlations.push_back(recorded);
    return next_correlation_++;
  }

  /// In the order in which rows started, so that of those launched by one op correlations tell who
  /// was first.
  void add_launches() {
    DeviceRows& rows = device_.rows;
    for (const std::int64_t correlation : rows.correlation) reserve_correlation(correlation);
    for (const BlockingCall& block : blocking_) reserve_correlation(block.correlation);
    const auto& timed = json_.match.profiler_of_host;
    IdMap<std::uint64_t, HostOpIndex> callers;
    if (!json_.is_by_nadi)  // which would have recorded the launch
      for (const HostOpIndex op : rows_of(timed))
        if (timed[op]) callers.try_emplace(json_.host.ops.id[op], op);
    const StringId name = device_.strings.intern(kLaunchName);
    std::vector<DeviceRowIndex> order(rows.size());
    std::iota(order.begin(), order.end(), DeviceRowIndex(0));
    std::stable_sort(order.begin(), order.end(), [&](DeviceRowIndex a, DeviceRowIndex b) {
      return rows.start_ns[a] < rows.start_ns[b];
    });
    for (const DeviceRowIndex row : order) {
      if (launches_[row].time.is_known()) {
        add_recorded_launch(row);
      } else if (const auto op = callers.find(json_.row_caller[row]); op != callers.end()) {
        rows.correlation[row] = give_correlation(rows.correlation[row]);
        const Ns start = device_.ops.start_ns[timed[op->second]];
        add_call({name, {start, 0}, json_.host.ops.tid[op->second]}, rows.correlation[row],
                 op->first);
      }
    }
  }

  /// A copy that blocks is launched by the same call. Others keep their correlation, unless a row
  /// has it, too: that would look launched by them.
  void add_blocks() {
    const auto& correlations = device_.rows.correlation;
    used_correlations_.insert(correlations.begin(), correlations.end());
    for (const BlockingCall& block : blocking_) {
      const auto launch =
          recorded_launches_.find({block.correlation, block.call.time.start_ns, block.call.tid});
      const CallIndex call =
          launch == recorded_launches_.end() ? CallIndex(device_.calls.size()) : launch->second;
      if (launch == recorded_launches_.end())
        add_call(block.call,
                 used_correlations_.contains(block.correlation) ? -1 : block.correlation, block.op);
      for (const NodeWait& row : block.rows) json_.blocks.push_back({call, row});
      if (!block.blocked)
        json_.others.push_back(call);
      else if (block.rows.empty())
        json_.blocks.push_back({call, {}});
    }
  }

  void add_graph_dependencies() {
    if (graph_waits_.empty()) return;
    GraphFlows flows;
    IdMap<std::uint64_t, DeviceRowIndex> row_of_id;
    for (const DeviceRowIndex row : rows_of(json_.row_id)) {
      flows.add_row({row, {}, json_.row_id[row]});
      row_of_id.try_emplace(json_.row_id[row], row);
    }
    for (const auto& [source, target] : graph_waits_)
      if (const auto row = row_of_id.find(target); row == row_of_id.end())
        continue;
      else if (source == kNoNode)
        device_.partly_recorded_rows.push_back(row->second);
      else
        flows.add_wait(row->second, source);
    flows.bind(device_, diagnostics_, diagnostics_);
  }

  LinkedJson& json_;
  DeviceTrace& device_;
  Diagnostics& diagnostics_;
  HostNodeBuilder nodes_;
  JsonParser parser_, inner_parser_;
  NodeFields node_{[](std::string_view key) { return kKeys.find(key); }};  // the one read last
  std::string scratch_;
  bool has_times_ = false;
  std::map<std::uint64_t, ThreadIndex> threads_;  // by torch's logical tid
  ByRow<DeviceRows, RecordedCall> launches_;
  std::vector<BlockingCall> blocking_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> graph_waits_;  // node ids: source, target
  std::int64_t next_correlation_ = 0;
  /// Correlation, begin and thread of a launch -> row of calls.
  std::map<std::tuple<std::int64_t, Ns, std::uint64_t>, CallIndex> recorded_launches_;
  IdSet<std::int64_t> used_correlations_;  // of recorded launches, then of all rows
};

}  // namespace

LinkedJson read_linked_json(ByteSource& source, Diagnostics& diagnostics,
                            const Progress& progress) {
  Window window(source, progress);
  const std::string what = expect_trace(window, TraceType::kLinkedJson);
  LinkedJson json;
  LinkedJsonVisitor visitor(json, diagnostics);
  const WalkResult result = walk_trace(window, kLinkedJsonShape, visitor, diagnostics);
  window.finish();
  if (!result.found_list)
    refuse_trace(window, TraceType::kLinkedJson, TraceType::kOther, what + " without \"nodes\"");
  const bool is_cut = !source.damage().empty() || !result.list_closed;
  const bool lacks_times = !visitor.has_times() && !(is_cut && what.starts_with("a linked"));
  const bool has_garbage = diagnostics.count(Finding::kGarbageTime) > 0;
  if (lacks_times && (!json.row_id.empty() || has_garbage))
    throw Error(ErrorCode::kInput, source.name(),
                has_garbage ? "this is a linked trace of whose times none can be read"
                            : "this is a linked trace without times",
                "Link the two traces again, with nadi link");
  if (lacks_times && !what.starts_with("a linked"))
    refuse_trace(window, TraceType::kLinkedJson, TraceType::kHostTrace,
                 "a host trace: no node has a time");
  visitor.finish();
  if (!source.damage().empty())
    report_cut_once(source.name() + ": " + source.damage(), diagnostics);
  else if (is_cut)
    report_cut_once(fmt::format("after node {}", result.events), diagnostics);
  return json;
}

}  // namespace nadi
