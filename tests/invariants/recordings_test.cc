// Waits of programs that were recorded on a GPU, beside what their calls named (tests/recordings).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nadi/emit/take_graph.h"
#include "nadi/graph/build.h"
#include "nadi/input/byte_source.h"
#include "nadi/link/link.h"
#include "nadi/read/device_trace_reader.h"
#include "nadi/read/host_trace_reader.h"
#include "tests/invariants/what_if.h"

namespace nadi {
namespace {

const std::filesystem::path kFolder =
    std::filesystem::path(NADI_SOURCE_DIR) / "tests/recordings/h200";

/// A stream or the host was made to wait for what a stream had been given by a record.
struct TrueWait {
  std::int64_t wait, waiting_stream, record, recorded_stream;  ///< waiting_stream: -1 = the host
};

std::vector<TrueWait> true_waits(const std::string& name) {
  std::ifstream file(kFolder / (name + ".waits.csv"));
  std::string header;
  std::getline(file, header);
  std::vector<TrueWait> waits;
  TrueWait one{};
  char comma = 0;
  while (file >> one.wait >> comma >> one.waiting_stream >> comma >> one.record >> comma >>
         one.recorded_stream)
    waits.push_back(one);
  return waits;
}

struct Converted {
  LinkedTrace linked;
  BuiltGraph graph;
  Diagnostics diagnostics;
};

/// The profiler's rows of waits, or none, as by default.
enum class SyncRowsOf { kRecord, kNone };

Converted convert(const std::string& name, bool with_host = false, Delays delays = Delays::kNone,
                  SyncRowsOf syncs = SyncRowsOf::kRecord) {
  Converted result;
  ByteSource source = ByteSource::open((kFolder / (name + ".device.json.gz")).string());
  DeviceTrace device = read_device_trace(source, result.diagnostics);
  if (syncs == SyncRowsOf::kNone) {
    device.syncs = {};
    device.event_records = {};
  }
  std::optional<HostTrace> host;
  if (with_host) {
    ByteSource host_source = ByteSource::open((kFolder / (name + ".host.json.gz")).string());
    host = read_host_trace(host_source, result.diagnostics);
  }
  result.linked = link_traces(std::move(host), std::move(device), {}, result.diagnostics);
  GraphOptions options;
  options.delays = delays;
  result.graph = build_graph(result.linked, options, result.diagnostics);
  return result;
}

/// The launches of the trace and what they truly come after, in the order in which calls began.
class TrueOrder {
 public:
  TrueOrder(const LinkedTrace& linked, const std::vector<TrueWait>& waits) : linked_(linked) {
    std::map<std::int64_t, TrueWait> wait_of, record_of;
    for (const TrueWait& one : waits) {
      wait_of[one.wait] = one;
      record_of[one.record] = one;
    }
    std::map<std::int64_t, SyncRowIndex> sync_of;
    for (const SyncRowIndex row : rows_of(linked.device.syncs))
      sync_of[linked.device.syncs.correlation[row]] = row;
    std::map<CallIndex, std::vector<DeviceRowIndex>> rows_of_call;
    for (const DeviceRowIndex row : rows_of(linked.rows))
      if (linked.rows.launch[row]) rows_of_call[linked.rows.launch[row]].push_back(row);
    std::vector<CallIndex> calls;
    for (const CallIndex call : rows_of(linked.device.calls)) calls.push_back(call);
    std::sort(calls.begin(), calls.end(), [&](CallIndex a, CallIndex b) {
      return linked.device.calls.start_ns[a] < linked.device.calls.start_ns[b];
    });
    for (const CallIndex call : calls) {
      const std::int64_t correlation = linked.device.calls.correlation[call];
      if (const auto rows = rows_of_call.find(call); rows != rows_of_call.end())
        launch(rows->second);
      if (const auto record = record_of.find(correlation); record != record_of.end())
        recorded_[correlation] = streams_[record->second.recorded_stream];
      if (const auto wait = wait_of.find(correlation); wait != wait_of.end())
        let_wait(wait->second);
      if (const auto sync = sync_of.find(correlation); sync != sync_of.end())
        let_host_wait(sync->second);
    }
  }

  /// Pairs of rows, the latter of which waits for the former.
  struct Pair {
    DeviceRowIndex source, target;
  };
  const std::vector<Pair>& pairs() const { return pairs_; }

  /// Of a row whose launch is lost nothing is known.
  bool may_be_after(DeviceRowIndex target, DeviceRowIndex source) const {
    if (!after_.contains(target) || !after_.contains(source)) return true;
    const auto number = after_.at(target).find(stream_of(source));
    return number != after_.at(target).end() && number->second >= number_.at(source);
  }

 private:
  /// By stream: the number of the last launch.
  using Clock = std::map<std::int64_t, int>;
  struct Stream {
    Clock after;
    DeviceRowIndex last;
    std::vector<DeviceRowIndex> waits_for;
  };

  std::int64_t stream_of(DeviceRowIndex row) const { return linked_.device.rows.stream[row]; }

  void launch(const std::vector<DeviceRowIndex>& rows) {
    Stream& stream = streams_[stream_of(rows.front())];
    const int number = ++launches_;
    join(stream.after, host_);
    for (const DeviceRowIndex row : rows) {
      number_[row] = number;
      after_[row] = stream.after;
    }
    for (const DeviceRowIndex source : stream.waits_for) pairs_.push_back({source, rows.front()});
    stream.waits_for.clear();
    stream.last = rows.back();
    stream.after[stream_of(rows.front())] = number;
  }

  void let_wait(const TrueWait& wait) {
    const Stream& recorded = recorded_[wait.record];
    if (wait.waiting_stream < 0) return join(host_, recorded.after);
    Stream& waiting = streams_[wait.waiting_stream];
    join(waiting.after, recorded.after);
    if (recorded.last && wait.waiting_stream != wait.recorded_stream)
      waiting.waits_for.push_back(recorded.last);
  }

  /// Launches behind a synchronisation come after what it waited for, whatever their thread.
  void let_host_wait(SyncRowIndex row) {
    const SyncRows& syncs = linked_.device.syncs;
    for (const auto& [number, stream] : streams_)
      if (syncs.kind[row] == SyncKind::kContext ||
          (syncs.kind[row] == SyncKind::kStream && syncs.stream[row] == number))
        join(host_, stream.after);
  }

  static void join(Clock& clock, const Clock& other) {
    for (const auto& [stream, number] : other) clock[stream] = std::max(clock[stream], number);
  }

  const LinkedTrace& linked_;
  int launches_ = 0;
  Clock host_;
  std::map<std::int64_t, Stream> streams_, recorded_;  // the latter by the record's correlation
  std::map<DeviceRowIndex, int> number_;
  std::map<DeviceRowIndex, Clock> after_;
  std::vector<Pair> pairs_;
};

/// By vertex: whether it comes after `from`; edges lead to larger vertices.
std::vector<bool> reached_from(const GraphStructure& graph, std::uint32_t from) {
  std::vector<bool> reached(num_vertices(graph), false);
  reached[from] = true;
  for (std::uint32_t v = from; v < num_vertices(graph); ++v)
    if (reached[v])
      for (auto [edge, end] = out_edges(v, graph); edge != end; ++edge)
        if (!graph[*edge].is_control) reached[target(*edge, graph)] = true;
  return reached;
}

struct Recording {
  const char* name;
  std::size_t waits, least_found;  ///< of rows for rows of another stream
  std::size_t least_by_default;    ///< found without rows of waits
};
void PrintTo(const Recording& recording, std::ostream* out) { *out << recording.name; }

/// What a graph of device rows has of the waits that calls named.
class FoundWaits {
 public:
  FoundWaits(const TrueOrder& truth, const BuiltGraph& graph) : truth_(truth), graph_(graph) {
    for (std::uint32_t node = 0; node < graph.size(); ++node)
      if (graph.kind[node] == NodeKind::kDeviceRow) node_of_[graph.device_row(node)] = node;
  }

  std::size_t count() const {
    return static_cast<std::size_t>(std::count_if(
        truth_.pairs().begin(), truth_.pairs().end(), [&](const TrueOrder::Pair& pair) -> bool {
          return reached_from(graph_.structure, node_of_.at(pair.source))[node_of_.at(pair.target)];
        }));
  }

  /// Waits of rows for what they did not come after, which no other reason explains.
  std::vector<std::string> false_ones() const {
    std::vector<std::string> found;
    for (const auto& [row, node] : node_of_) {
      const Sources sources = graph_.data_dependencies(node);
      std::uint32_t before = kNoIndex;
      for (auto source = sources.begin(); source != sources.end(); ++source) {
        const bool has_better_reason = *source == before;
        before = *source;
        if (has_better_reason || source.edge().evidence != Evidence::kEventWait) continue;
        if (!truth_.may_be_after(row, graph_.device_row(*source)))
          found.push_back(std::string(graph_.name_of(*source)) + " -> " +
                          std::string(graph_.name_of(node)));
      }
    }
    return found;
  }

 private:
  const TrueOrder& truth_;
  const BuiltGraph& graph_;
  std::map<DeviceRowIndex, std::uint32_t> node_of_;
};

class Recordings : public testing::TestWithParam<Recording> {};

TEST_P(Recordings, WaitForWhatTheirCallsNamed) {
  const Converted converted = convert(GetParam().name);
  const TrueOrder truth(converted.linked, true_waits(GetParam().name));
  const FoundWaits found(truth, converted.graph);
  EXPECT_EQ(truth.pairs().size(), GetParam().waits);
  EXPECT_GE(found.count(), GetParam().least_found);
  EXPECT_EQ(found.false_ones(), std::vector<std::string>());

  const Converted by_default = convert(GetParam().name, false, Delays::kNone, SyncRowsOf::kNone);
  const FoundWaits inferred(truth, by_default.graph);
  EXPECT_GE(inferred.count(), GetParam().least_by_default);
  EXPECT_EQ(inferred.false_ones(), std::vector<std::string>());
}

INSTANTIATE_TEST_SUITE_P(H200, Recordings,
                         testing::Values(Recording{"vllm", 18, 18, 18},
                                         Recording{"sglang", 18, 18, 0},
                                         Recording{"offload", 101, 101, 63},
                                         Recording{"hybrid_fsdp2", 119, 119, 111},
                                         Recording{"accelerate_fsdp2", 196, 196, 181},
                                         Recording{"pipeline", 39, 39, 39}),
                         [](const auto& recording) { return std::string(recording.param.name); });

/// Of a program whose kernels take most of the time, as the profiler records it by default.
struct BusyRecording {
  const char* name;
  /// How long records took with spinning kernels half and twice as long, ms.
  double halved_ms, doubled_ms;
  /// How much the former may be off: where the host bounds it, its times differ from run to run.
  double halved_error = 0.04;
};
void PrintTo(const BusyRecording& recording, std::ostream* out) { *out << recording.name; }

class BusyRecordings : public testing::TestWithParam<BusyRecording> {};

TEST_P(BusyRecordings, TellHowLongOtherKernelsTook) {
  const auto& [name, halved_ms, doubled_ms, halved_error] = GetParam();
  Converted converted = convert(name, false, Delays::kHost);
  const std::vector<Graph> job = {
      take_graph(converted.linked, std::move(converted.graph), name, {}, converted.diagnostics)};
  const auto predicted_ms = [&](const char* scale) {
    return static_cast<double>(replayed_span(job, {scale})) / 1e6;
  };
  EXPECT_NEAR(predicted_ms("kernel:spin_kernel=0.5") / halved_ms, 1, halved_error);
  EXPECT_NEAR(predicted_ms("kernel:spin_kernel=2") / doubled_ms, 1, 0.04);
}

INSTANTIATE_TEST_SUITE_P(H200, BusyRecordings,
                         testing::Values(BusyRecording{"vllm_busy", 30.851, 116.953},
                                         BusyRecording{"offload_busy", 118.353, 394.918},
                                         BusyRecording{"timm_busy", 215.121, 655.764, 0.07},
                                         BusyRecording{"sglang_query_busy", 55.752, 117.474, 0.15}),
                         [](const auto& recording) { return std::string(recording.param.name); });

TEST(RecordedServer, HasAThreadThatTheProfilerDidNotRecord) {
  const Converted converted = convert("vllm", true);
  EXPECT_EQ(converted.diagnostics.count(Finding::kHostThreadNotProfiled), 1U);
  EXPECT_EQ(converted.linked.matched_host_op_count, 507U);
  EXPECT_EQ(converted.linked.host_op_count, 507U);
}

}  // namespace
}  // namespace nadi
