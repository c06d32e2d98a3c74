#include "tests/cli/timeline_slices.h"

#include <google/protobuf/io/gzip_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <tuple>

#include "perfetto_trace.pb.h"

namespace nadi {
namespace {

using Json = nlohmann::json;
using perfetto::protos::DebugAnnotation;
using perfetto::protos::Trace;
using perfetto::protos::TracePacket;
using perfetto::protos::TrackDescriptor;
using perfetto::protos::TrackEvent;

/// An end of an arrow.
struct ArrowEnd {
  std::string name, track;
  std::int64_t time_ns = 0;
};
using ArrowEnds = std::map<std::uint64_t, std::vector<ArrowEnd>>;  // by number, in order of time

void add_arrows(const ArrowEnds& ends, Shown& shown) {
  for (const auto& [number, both] : ends) {
    if (both.size() != 2) throw std::runtime_error("an arrow without two ends");
    shown.arrows.push_back(
        {both[0].name, both[0].track, both[1].track, both[0].time_ns, both[1].time_ns});
  }
  std::sort(shown.slices.begin(), shown.slices.end());
  std::sort(shown.arrows.begin(), shown.arrows.end());
}

std::int64_t ns_of(const Json& micros) { return std::llround(micros.get<double>() * 1000); }

template <class Entries>
std::map<std::uint64_t, std::string> texts_of(const Entries& entries) {
  std::map<std::uint64_t, std::string> texts;
  for (const auto& entry : entries) texts[entry.iid()] = entry.name();
  return texts;
}

/// The packets of a trace, those packed into one unpacked.
std::vector<TracePacket> packets_of(const std::string& bytes) {
  Trace trace;
  if (!trace.ParseFromString(bytes)) throw std::runtime_error("no Perfetto trace");
  std::vector<TracePacket> packets;
  for (const TracePacket& packet : trace.packet()) {
    if (!packet.has_compressed_packets()) {
      packets.push_back(packet);
      continue;
    }
    using google::protobuf::io::GzipInputStream;
    google::protobuf::io::ArrayInputStream packed(
        packet.compressed_packets().data(), static_cast<int>(packet.compressed_packets().size()));
    GzipInputStream unpacked(&packed, GzipInputStream::ZLIB);
    Trace inner;
    if (!inner.ParseFromZeroCopyStream(&unpacked)) throw std::runtime_error("damaged packets");
    packets.insert(packets.end(), inner.packet().begin(), inner.packet().end());
  }
  return packets;
}

class PerfettoShown {
 public:
  Shown read(const std::string& bytes) {
    for (const TracePacket& packet : packets_of(bytes)) {
      if (packet.has_interned_data()) add_texts(packet);
      if (packet.has_track_descriptor()) add_track(packet.track_descriptor());
      if (packet.has_track_event()) take(packet);
    }
    if (open_count_ != 0) throw std::runtime_error("slices without an end");
    order_tracks();
    add_arrows(arrows_, shown_);
    return shown_;
  }

 private:
  void add_texts(const TracePacket& packet) {
    categories_.merge(texts_of(packet.interned_data().event_categories()));
    names_.merge(texts_of(packet.interned_data().event_names()));
    arguments_.merge(texts_of(packet.interned_data().debug_annotation_names()));
    values_.merge(texts_of(packet.interned_data().debug_annotation_string_values()));
  }

  void add_track(const TrackDescriptor& track) {
    tracks_[track.uuid()] = track;
    sorts_processes_ |= track.process_ordering() == TrackDescriptor::PROCESS_ORDERING_EXPLICIT;
  }

  const TrackDescriptor& process_of(std::uint64_t track) const {
    return tracks_.at(tracks_.at(track).parent_uuid());
  }
  std::string text_of(std::uint64_t track) const {
    return process_of(track).process().process_name() + " / " + tracks_.at(track).name();
  }

  void order_tracks() {
    std::set<std::tuple<int, int, std::string>> order;
    for (const auto& [uuid, track] : tracks_) {
      if (!track.has_parent_uuid()) continue;
      const TrackDescriptor& process = process_of(uuid);
      if (!sorts_processes_ || process.child_ordering() != TrackDescriptor::EXPLICIT)
        throw std::runtime_error("nothing says in which order tracks are shown");
      order.emplace(process.sibling_order_rank(), track.sibling_order_rank(), text_of(uuid));
    }
    for (const auto& track : order) shown_.tracks.push_back(std::get<2>(track));
  }

  void take(const TracePacket& packet) {
    const TrackEvent& event = packet.track_event();
    const auto time = static_cast<std::int64_t>(packet.timestamp());
    for (const std::uint64_t flow : event.flow_ids())
      flow_ends_.push_back(
          {flow, {names_.at(event.name_iid()), text_of(event.track_uuid()), time}});
    for (const auto& [flow, end] : flow_ends_) {
      auto& ends = arrows_[flow];
      const auto at =
          std::find_if(ends.begin(), ends.end(),
                       [&, time = end.time_ns](const auto& e) { return e.time_ns > time; });
      ends.insert(at, end);
    }
    flow_ends_.clear();
    if (event.type() == TrackEvent::TYPE_SLICE_BEGIN) begin(event, time);
    if (event.type() == TrackEvent::TYPE_SLICE_END) end(event, time);
  }

  void begin(const TrackEvent& event, std::int64_t time) {
    ShownSlice slice{process_of(event.track_uuid()).process().process_name(),
                     tracks_.at(event.track_uuid()).name(),
                     categories_.at(event.category_iids(0)),
                     names_.at(event.name_iid()),
                     time,
                     0,
                     {}};
    for (const DebugAnnotation& argument : event.debug_annotations())
      slice.arguments[arguments_.at(argument.name_iid())] =
          argument.has_string_value_iid() ? values_.at(argument.string_value_iid())
          : argument.has_uint_value()     ? std::to_string(argument.uint_value())
                                          : std::to_string(argument.int_value());
    open_[event.track_uuid()].push_back(slice);
    ++open_count_;
  }

  void end(const TrackEvent& event, std::int64_t time) {
    std::vector<ShownSlice>& open = open_[event.track_uuid()];
    if (open.empty()) throw std::runtime_error("an end without a slice");
    open.back().length_ns = time - open.back().start_ns;
    shown_.slices.push_back(open.back());
    open.pop_back();
    --open_count_;
  }

  Shown shown_;
  std::map<std::uint64_t, std::string> categories_, names_, arguments_, values_;
  std::map<std::uint64_t, TrackDescriptor> tracks_;
  std::map<std::uint64_t, std::vector<ShownSlice>> open_;
  std::vector<std::pair<std::uint64_t, ArrowEnd>> flow_ends_;
  ArrowEnds arrows_;
  std::size_t open_count_ = 0;
  bool sorts_processes_ = false;
};

}  // namespace

const ShownSlice& Shown::at(const std::string& track, std::int64_t time_ns) const {
  const ShownSlice* innermost = nullptr;
  for (const ShownSlice& slice : slices)
    if (slice.process + " / " + slice.track == track && slice.start_ns <= time_ns &&
        time_ns <= slice.end_ns() &&
        (innermost == nullptr || slice.length_ns <= innermost->length_ns))
      innermost = &slice;
  if (innermost == nullptr) throw std::runtime_error("nothing is on " + track + " then");
  return *innermost;
}

Shown shown_by_json(const std::string& text) {
  const Json events = Json::parse(text)["traceEvents"];
  std::map<std::uint64_t, std::string> processes, tracks;
  std::map<std::uint64_t, std::uint64_t> process_order, track_order, process_of;
  for (const Json& event : events) {
    if (event["ph"] != "M") continue;
    const std::uint64_t pid = event["pid"];
    const std::string what = event["name"];
    const Json& args = event["args"];
    if (what == "process_name") processes[pid] = args["name"];
    if (what == "process_sort_index") process_order[pid] = args["sort_index"];
    if (what == "thread_name") tracks[event["tid"]] = args["name"];
    if (what == "thread_sort_index") track_order[event["tid"]] = args["sort_index"];
    if (event.contains("tid")) process_of[event["tid"]] = pid;
  }
  Shown shown;
  std::set<std::tuple<std::uint64_t, std::uint64_t, std::string>> order;
  for (const auto& [tid, name] : tracks)
    order.emplace(process_order.at(process_of.at(tid)), track_order.at(tid),
                  processes.at(process_of.at(tid)) + " / " + name);
  for (const auto& track : order) shown.tracks.push_back(std::get<2>(track));
  std::map<std::uint64_t, std::map<std::string, ArrowEnd>> ends;  // by number and phase
  for (const Json& event : events) {
    if (event["ph"] == "M") continue;
    const std::string process = processes.at(event["pid"]), track = tracks.at(event["tid"]);
    if (event["ph"] != "X") {
      ends[event["id"]][event["ph"]] = {event["name"], process + " / " + track, ns_of(event["ts"])};
      continue;
    }
    ShownSlice slice{
        process, track, event["cat"], event["name"], ns_of(event["ts"]), ns_of(event["dur"]), {}};
    for (const auto& [name, value] : event["args"].items())
      slice.arguments[name] = value.is_string() ? value.get<std::string>() : value.dump();
    shown.slices.push_back(slice);
  }
  ArrowEnds arrows;
  for (const auto& [number, both] : ends) arrows[number] = {both.at("s"), both.at("f")};
  add_arrows(arrows, shown);
  return shown;
}

Shown shown_by_perfetto(const std::string& bytes) { return PerfettoShown().read(bytes); }

}  // namespace nadi
