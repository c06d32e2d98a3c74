#include "write_pftrace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <vector>

#include "wire.h"

namespace nadi::vm {

namespace {

using nlohmann::ordered_json;

constexpr std::uint64_t kTidMask = 0x7fffffff, kSequence = 1;
constexpr std::uint64_t kClearsState = 1, kNeedsState = 2;
constexpr std::uint64_t kBoottime = 6, kRealtime = 1;
constexpr std::uint64_t kFirstLane = 100;

// Field numbers of perfetto.protos.
namespace packet {
constexpr int kClockSnapshot = 6, kTimestamp = 8, kSequenceId = 10, kTrackEvent = 11,
              kInternedData = 12, kSequenceFlags = 13, kCounterEvent = 52, kRenderStage = 53,
              kTrackDescriptor = 60;
}
namespace track_event {
constexpr int kCategoryIids = 3, kDebugAnnotations = 4, kType = 9, kNameIid = 10, kTrackUuid = 11,
              kGpuCorrelation = 3000;
constexpr std::uint64_t kBegin = 1, kEnd = 2;
}  // namespace track_event
namespace stage {
constexpr int kEventId = 1, kDuration = 2, kContext = 5, kExtraData = 6, kGpuId = 11, kHwQueue = 13,
              kStage = 14, kEventWaitIds = 18, kKernel = 19, kName = 20, kLaunch = 21;
}
namespace interned {
constexpr int kCategories = 1, kNames = 2, kContexts = 23, kSpecifications = 24, kCounters = 47,
              kKernels = 1000, kArgNames = 1001;
}

/// Kinds of rows, in the order in which they are numbered from 1 (P11).
constexpr std::pair<const char*, const char*> kStages[] = {{"kernel", "Kernel"},
                                                           {"gpu_memcpy", "Memcpy"},
                                                           {"gpu_memset", "Memset"},
                                                           {"gpu_user_annotation", "Annotation"},
                                                           {"graph_event_node", "EventRecord"},
                                                           {"graph_host_node", "HostNode"}};

/// Numbers texts in the order in which they come.
class Interned {
 public:
  std::uint64_t iid(const std::string& text) {
    const auto [found, is_new] = iids_.try_emplace(text, texts_.size() + 1);
    if (is_new) texts_.push_back(text);
    return found->second;
  }
  /// Each as a message {iid 1, text `field`}.
  void write(WireMessage& to, int list, int field = 2) const {
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      WireMessage entry;
      entry.number(1, i + 1);
      entry.text(field, texts_[i]);
      to.message(list, entry);
    }
  }

 private:
  std::map<std::string, std::uint64_t> iids_;
  std::vector<std::string> texts_;
};

struct Slice {
  const ordered_json* event = nullptr;
  std::uint64_t track = 0;
  Ns start = 0, end = 0;
};

bool is_host(const std::string& category) {
  return category == "cpu_op" || category == "user_annotation" || category == "python_function";
}

std::uint64_t bits(std::int64_t value) { return static_cast<std::uint64_t>(value); }

/// Of a number of three decimals at most: its double is less than half a nanosecond off.
Ns exact_ns(double us) {
  const double whole = std::floor(us);
  return static_cast<Ns>(whole) * 1000 + std::llround((us - whole) * 1000);
}

std::string text_of(const ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

class PftraceWriter {
 public:
  PftraceWriter(const ordered_json& trace, Ns base_ns) : trace_(trace), base_ns_(base_ns) {}

  std::string write() {
    for (const ordered_json& event : trace_["traceEvents"]) read_name(event);
    for (const ordered_json& event : trace_["traceEvents"]) sort_in(event);
    cut_rows();
    cut_syncs();
    for (const auto* group : groups()) slices(*group);
    for (const Slice& row : rows_) render_stage(row);
    counters();
    std::string body = std::move(bytes_);
    bytes_.clear();
    clock();
    bytes_ += tracks_;
    interned_packet();
    return bytes_ + body;
  }

 private:
  // ---- what is where

  void read_name(const ordered_json& event) {
    if (event["ph"] != "M") return;
    const std::string what = event["name"];
    const auto key = std::pair(event["pid"].get<std::int64_t>(), event["tid"].get<std::int64_t>());
    if (what == "process_name") process_names_.try_emplace(key.first, event["args"]["name"]);
    if (what == "thread_name") thread_names_.try_emplace(key, event["args"]["name"]);
  }

  void sort_in(const ordered_json& event) {
    if (event["ph"] == "C") counters_.push_back(&event);
    if (event["ph"] != "X") return;
    const std::string category = event["cat"];
    const double ts = event["ts"], dur = event["dur"];
    if (is_stage(category)) {
      const Ns start = exact_ns(ts);
      rows_.push_back({&event, 0, base_ns_ + start, base_ns_ + start + exact_ns(dur)});
      return;
    }
    if (category == "Trace") return;
    Slice slice{&event, track_of(event), base_ns_ + exact_ns(ts), 0};
    slice.end = slice.start + exact_ns(dur);
    if (is_host(category)) {  // these went through Kineto's doubles (P3)
      slice.start = base_ns_ + static_cast<Ns>(ts * 1000);
      slice.end = base_ns_ + static_cast<Ns>((ts + dur) * 1000);
      host_.push_back(slice);
    } else if (category == "cuda_sync") {
      (event["args"].contains("wait_on_stream") ? waits_ : syncs_).push_back(slice);
    } else {
      (category == "cuda_runtime"  ? runtime_
       : category == "cuda_driver" ? driver_
                                   : overhead_)
          .push_back(slice);
    }
  }

  std::vector<const std::vector<Slice>*> groups() const {
    return {&host_, &runtime_, &driver_, &overhead_, &syncs_, &waits_};
  }

  static bool is_stage(const std::string& category) { return stage_iid(category) > 0; }
  static std::uint64_t stage_iid(const std::string& category) {
    for (std::size_t i = 0; i < std::size(kStages); ++i)
      if (category == kStages[i].first) return i + 1;
    return 0;
  }

  // ---- tracks (P4)

  std::uint64_t track_of(const ordered_json& event) {
    const bool is_sync = event["cat"] == "cuda_sync";
    const std::int64_t pid = event["pid"], tid = event["tid"];
    const auto process = tracks_by_thread_.find({pid, kNoThread});
    const std::uint64_t parent = process != tracks_by_thread_.end()
                                     ? process->second
                                     : add_process(pid, is_sync, event["cat"] == "overhead");
    const auto thread = tracks_by_thread_.find({pid, tid});
    return thread != tracks_by_thread_.end() ? thread->second
                                             : add_thread(pid, tid, parent, is_sync);
  }

  std::uint64_t add_process(std::int64_t pid, bool is_gpu, bool is_overhead) {
    const auto known = process_names_.find(pid);
    std::string name = fmt::format("process {}", pid);
    if (known != process_names_.end()) name = known->second;
    if (is_gpu) name = fmt::format("GPU {}", pid);
    if (is_overhead) name = "Overhead";
    WireMessage process, track;
    process.number(1, bits(pid) & kTidMask);
    process.text(6, name);
    track.number(1, ++last_track_);
    track.message(3, process);
    add_track(track);
    return tracks_by_thread_[{pid, kNoThread}] = last_track_;
  }

  std::uint64_t add_thread(std::int64_t pid, std::int64_t tid, std::uint64_t parent,
                           bool is_stream) {
    const auto known = thread_names_.find({pid, tid});
    const std::string name = known != thread_names_.end() ? known->second
                             : is_stream                  ? fmt::format("stream {}", tid)
                                                          : fmt::format("thread {}", tid);
    WireMessage thread, track;
    thread.number(1, bits(pid) & kTidMask);
    thread.number(2, bits(tid) & kTidMask);
    thread.text(5, name);
    track.number(1, ++last_track_);
    track.message(4, thread);
    track.number(5, parent);
    add_track(track);
    return tracks_by_thread_[{pid, tid}] = last_track_;
  }

  void add_track(const WireMessage& track) {
    WireMessage packet;
    packet.message(packet::kTrackDescriptor, track);
    WireMessage trace;
    trace.message(1, packet);
    tracks_ += trace.bytes();
  }

  // ---- what is cut (P15)

  void cut_rows() {
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Slice*>> lanes;
    for (Slice& row : rows_)
      if ((*row.event)["cat"] != "gpu_user_annotation")
        lanes[{(*row.event)["pid"], (*row.event)["tid"]}].push_back(&row);
    for (auto& [lane, rows] : lanes) {
      sort_by_start(rows);
      for (std::size_t i = 0; i + 1 < rows.size(); ++i)
        rows[i]->end = std::min(rows[i]->end, rows[i + 1]->start);
    }
  }

  void cut_syncs() {
    std::map<std::uint64_t, std::vector<Slice*>> tracks;
    for (std::vector<Slice>* group : {&syncs_, &waits_})
      for (Slice& slice : *group) tracks[slice.track].push_back(&slice);
    for (auto& [track, slices] : tracks) {
      sort_by_start(slices);
      for (std::size_t i = 0; i < slices.size(); ++i)
        for (std::size_t j = i + 1; j < slices.size() && slices[j]->start < slices[i]->end; ++j)
          if (slices[j]->end > slices[i]->end) slices[i]->end = slices[j]->start;
    }
  }

  static void sort_by_start(std::vector<Slice*>& slices) {
    std::stable_sort(slices.begin(), slices.end(),
                     [](const Slice* a, const Slice* b) { return a->start < b->start; });
  }

  // ---- packets

  void add_packet(const WireMessage& packet) {
    WireMessage trace;
    trace.message(1, packet);
    bytes_ += trace.bytes();
  }

  void clock() {
    WireMessage snapshot, packet;
    for (const std::uint64_t id : {kBoottime, kRealtime}) {
      WireMessage clock;
      clock.number(1, id);
      clock.number(2, bits(base_ns_));
      snapshot.message(1, clock);
    }
    packet.message(packet::kClockSnapshot, snapshot);
    packet.number(packet::kSequenceId, kSequence);
    add_packet(packet);
  }

  void interned_packet() {
    WireMessage data;
    categories_.write(data, interned::kCategories);
    names_.write(data, interned::kNames);
    WireMessage context;
    context.number(1, 1);
    context.number(2, bits(process_id()));
    data.message(interned::kContexts, context);
    for (std::size_t i = 0; i < std::size(kStages); ++i)
      add_specification(data, i + 1, kStages[i].second);
    for (const auto& [lane, iid] : lanes_)
      add_specification(data, iid, fmt::format("[{:04}] stream {}", lane.second, lane.second));
    if (!counters_.empty()) data.message(interned::kCounters, counter_descriptor());
    kernels_.write(data, interned::kKernels, 3);
    arg_names_.write(data, interned::kArgNames);
    WireMessage packet;
    packet.number(packet::kSequenceId, kSequence);
    packet.message(packet::kInternedData, data);
    packet.number(packet::kSequenceFlags, kClearsState);
    add_packet(packet);
  }

  static void add_specification(WireMessage& data, std::uint64_t iid, const std::string& name) {
    WireMessage entry;
    entry.number(1, iid);
    entry.text(2, name);
    data.message(interned::kSpecifications, entry);
  }

  /// All begins, then all ends in the same order (P5).
  void slices(const std::vector<Slice>& group) {
    for (const Slice& slice : group) add_packet(begin(slice));
    for (const Slice& slice : group) {
      WireMessage event, packet;
      event.number(track_event::kType, track_event::kEnd);
      event.number(track_event::kTrackUuid, slice.track);
      packet.number(packet::kTimestamp, bits(slice.end));
      packet.number(packet::kSequenceId, kSequence);
      packet.message(packet::kTrackEvent, event);
      add_packet(packet);
    }
  }

  WireMessage begin(const Slice& slice) {
    const ordered_json& what = *slice.event;
    const std::string category = what["cat"];
    WireMessage event, packet;
    if (category != "cuda_sync" && category != "overhead")
      event.number(track_event::kCategoryIids, categories_.iid(category));
    const nlohmann::json by_key = what.value("args", ordered_json::object());
    for (const auto& [name, value] : by_key.items())
      if (name != kLaunchedIds)
        event.message(track_event::kDebugAnnotations, annotation(value, name));
    event.number(track_event::kType, track_event::kBegin);
    event.number(track_event::kNameIid, names_.iid(what["name"]));
    event.number(track_event::kTrackUuid, slice.track);
    if (what.contains("args") && what["args"].contains(kLaunchedIds)) {
      WireMessage correlation;
      for (const ordered_json& id : what["args"][kLaunchedIds])
        correlation.number(1, id.get<std::uint64_t>());
      event.message(track_event::kGpuCorrelation, correlation);
    }
    packet.number(packet::kTimestamp, bits(slice.start));
    packet.number(packet::kSequenceId, kSequence);
    packet.message(packet::kTrackEvent, event);
    packet.number(packet::kSequenceFlags, kNeedsState);
    return packet;
  }

  /// An argument with the type that it has in JSON (P7); elements of lists have no name.
  static WireMessage annotation(const nlohmann::json& value, const std::string& name = "") {
    WireMessage to;
    if (!name.empty()) to.text(10, name);
    if (value.is_boolean()) {
      to.number(2, value.get<bool>() ? 1 : 0);
    } else if (value.is_number_float()) {
      to.real(5, value.get<double>());
    } else if (value.is_number()) {
      to.number(4, value.is_number_unsigned() ? value.get<std::uint64_t>()
                                              : bits(value.get<std::int64_t>()));
    } else if (value.is_array()) {
      for (const nlohmann::json& element : value) to.message(12, annotation(element));
    } else if (value.is_object()) {
      for (const auto& [key, element] : value.items()) to.message(11, annotation(element, key));
    } else {
      to.text(6, value.is_null() ? "null" : value.get<std::string>());
    }
    return to;
  }

  // ---- device rows (P9-P13)

  void render_stage(const Slice& row) {
    const ordered_json& what = *row.event;
    const std::string category = what["cat"], name = what["name"];
    const ordered_json& args = what["args"];
    WireMessage event;
    event.number(stage::kEventId, args[kEventId].get<std::uint64_t>());
    event.number(stage::kDuration, bits(row.end - row.start));
    event.number(stage::kContext, 1);
    extra_data(what, event);
    event.number(stage::kGpuId, what["pid"].get<std::uint64_t>());
    event.number(stage::kHwQueue, lane_iid(what["pid"], what["tid"]));
    event.number(stage::kStage, stage_iid(category));
    if (args.contains(kEventWaitIds))
      for (const ordered_json& id : args[kEventWaitIds])
        event.number(stage::kEventWaitIds, id.get<std::uint64_t>());
    if (category == "kernel") event.number(stage::kKernel, kernels_.iid(name));
    if (category != "gpu_memcpy" && category != "gpu_memset")
      event.number(stage::kName, names_.iid(name));
    if (category == "kernel") event.message(stage::kLaunch, launch(args));
    WireMessage packet;
    packet.number(packet::kTimestamp, bits(row.start));
    packet.number(packet::kSequenceId, kSequence);
    packet.number(packet::kSequenceFlags, kNeedsState);
    packet.message(packet::kRenderStage, event);
    add_packet(packet);
  }

  std::uint64_t lane_iid(std::int64_t device, std::int64_t lane) {
    return lanes_.try_emplace({device, lane}, kFirstLane + lanes_.size()).first->second;
  }

  void extra_data(const ordered_json& what, WireMessage& event) const {
    const auto add = [&](const char* name, const std::string& value) {
      WireMessage entry;
      entry.text(1, name);
      entry.text(2, value);
      event.message(stage::kExtraData, entry);
    };
    const ordered_json& args = what["args"];
    add("device id", what["pid"].dump());
    add("context id", "1");
    add("stream id", what["tid"].dump());
    for (const char* key : {"correlation", "priority", "queued", "channel", "channel_type",
                            "graph id", "graph node id", "bytes", "value", "memory kind"})
      if (args.contains(key) && args[key] != 0) add(key, text_of(args[key]));
    add("arch", "sm_90");
    add("process_id", std::to_string(process_id()));
    add("process_name", "python");
    if (args.contains("host fn")) add("host fn", text_of(args["host fn"]));
  }

  WireMessage launch(const ordered_json& args) {
    WireMessage launch;
    int field = 0;
    for (const char* key : {"grid", "block"}) {
      WireMessage size;
      for (std::size_t axis = 0; axis < 3; ++axis)
        size.number(static_cast<int>(axis) + 1, args[key][axis].get<std::uint64_t>());
      launch.message(++field, size);
    }
    const std::uint64_t threads = args["block"][0].get<std::uint64_t>() *
                                  args["block"][1].get<std::uint64_t>() *
                                  args["block"][2].get<std::uint64_t>();
    for (const auto& [name, value] :
         {std::pair("registers_per_thread", args["registers per thread"].get<std::uint64_t>()),
          std::pair("thread_count", threads)}) {
      if (value == 0) continue;
      WireMessage arg;
      arg.number(1, arg_names_.iid(name));
      arg.number(4, value);
      launch.message(3, arg);
    }
    return launch;
  }

  // ---- counters (P14)

  void counters() {
    for (const ordered_json* event : counters_) {
      WireMessage counter, sample, packet;
      sample.number(1, counter_names_.iid((*event)["name"]));
      sample.real(3, (*event)["args"][""].get<double>());
      counter.number(4, 1);
      counter.message(2, sample);
      packet.number(packet::kTimestamp, bits(base_ns_ + exact_ns((*event)["ts"])));
      packet.number(packet::kSequenceId, kSequence);
      packet.number(packet::kSequenceFlags, kNeedsState);
      packet.message(packet::kCounterEvent, counter);
      add_packet(packet);
    }
  }

  WireMessage counter_descriptor() const {
    WireMessage specs, entry;
    counter_names_.write(specs, 1);
    entry.number(1, 1);
    entry.message(2, specs);
    return entry;
  }

  /// The process whose threads made the calls.
  std::int64_t process_id() const {
    return host_.empty() ? 0 : (*host_.front().event)["pid"].get<std::int64_t>();
  }

  static constexpr std::int64_t kNoThread = INT64_MIN;

  const ordered_json& trace_;
  const Ns base_ns_;
  std::map<std::int64_t, std::string> process_names_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> thread_names_;
  std::vector<Slice> host_, runtime_, driver_, overhead_, syncs_, waits_, rows_;
  std::vector<const ordered_json*> counters_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint64_t> tracks_by_thread_;  // pid, tid
  std::uint64_t last_track_ = 0;
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint64_t> lanes_;  // device, lane
  Interned categories_, names_, kernels_, arg_names_, counter_names_;
  std::string tracks_, bytes_;
};

}  // namespace

std::string write_pftrace(const ordered_json& trace, Ns base_ns) {
  return PftraceWriter(trace, base_ns).write();
}

}  // namespace nadi::vm
