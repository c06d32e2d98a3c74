#include "nadi/converters/timeline/perfetto_trace.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/gzip_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "nadi/base/utf8.h"

namespace nadi {
namespace {

using perfetto::protos::InternedData;
using perfetto::protos::TrackDescriptor;
using perfetto::protos::TrackEvent;

constexpr std::uint32_t kSequence = 1;
// Of TracePacket::sequence_flags.
constexpr std::uint32_t kTablesBeginAnew = 1, kNeedsTables = 2;
constexpr char kPacketTag = '\x0a';  // Trace::packet, with a length

void append_packet(const perfetto::protos::TracePacket& packet, std::string& bytes) {
  std::uint8_t length[10];
  const std::uint8_t* const end =
      google::protobuf::io::CodedOutputStream::WriteVarint64ToArray(packet.ByteSizeLong(), length);
  bytes += kPacketTag;
  bytes.append(reinterpret_cast<const char*>(length), static_cast<std::size_t>(end - length));
  packet.AppendToString(&bytes);
}

/// As zlib packs it.
std::string packed(std::string_view bytes) {
  using google::protobuf::io::GzipOutputStream;
  std::string packed;
  google::protobuf::io::StringOutputStream to(&packed);
  GzipOutputStream::Options options;
  options.format = GzipOutputStream::ZLIB;
  GzipOutputStream packer(&to, options);
  google::protobuf::io::CodedOutputStream(&packer).WriteRaw(bytes.data(),
                                                            static_cast<int>(bytes.size()));
  packer.Close();
  return packed;
}

}  // namespace

PerfettoTraceWriter::PerfettoTraceWriter(const ByteSink& sink) : sink_(sink) {
  packet_.set_sequence_flags(kTablesBeginAnew);
  TrackDescriptor& all = *packet_.mutable_track_descriptor();
  all.set_uuid(0);
  all.set_process_ordering(TrackDescriptor::PROCESS_ORDERING_EXPLICIT);
  add_packet();
}

void PerfettoTraceWriter::name_process(std::uint64_t process, std::string_view name) {
  const std::uint64_t uuid = processes_[process] = ++tracks_;
  TrackDescriptor& track = *packet_.mutable_track_descriptor();
  track.set_uuid(uuid);
  track.set_child_ordering(TrackDescriptor::EXPLICIT);
  track.set_sibling_order_rank(static_cast<std::int32_t>(process));
  track.mutable_process()->set_pid(static_cast<std::int32_t>(process));
  track.mutable_process()->set_process_name(repair_utf8(name));
  add_packet();
}

std::uint32_t PerfettoTraceWriter::add_track(std::uint64_t process, std::uint64_t order,
                                             std::string_view name) {
  TrackDescriptor& track = *packet_.mutable_track_descriptor();
  track.set_uuid(++tracks_);
  track.set_parent_uuid(processes_[process]);
  track.set_name(repair_utf8(name));
  track.set_sibling_order_rank(static_cast<std::int32_t>(order));
  add_packet();
  return tracks_;
}

std::uint64_t PerfettoTraceWriter::number_of(std::string_view text, Texts& texts, AddText add) {
  const auto known = texts.find(text);
  if (known != texts.end()) return known->second;
  const std::uint64_t number = texts.size() + 1;
  texts.emplace(text, number);
  auto& entry = *(packet_.mutable_interned_data()->*add)();
  entry.set_iid(number);
  entry.set_name(repair_utf8(text));
  return number;
}

TrackEvent& PerfettoTraceWriter::begin_event(std::uint32_t track, Ns time_ns,
                                             TrackEvent::Type type) {
  packet_.set_timestamp(static_cast<std::uint64_t>(time_ns));
  packet_.set_sequence_flags(kNeedsTables);
  TrackEvent& event = *packet_.mutable_track_event();
  event.set_track_uuid(track);
  event.set_type(type);
  return event;
}

void PerfettoTraceWriter::begin_slice(const TimelineSlice& slice) {
  TrackEvent& event = begin_event(slice.track, slice.start_ns, TrackEvent::TYPE_SLICE_BEGIN);
  event.add_category_iids(
      number_of(slice.category, categories_, &InternedData::add_event_categories));
  event.set_name_iid(number_of(slice.name, names_, &InternedData::add_event_names));
  for (const TimelineArgument& argument : slice.arguments) {
    auto& annotation = *event.add_debug_annotations();
    annotation.set_name_iid(
        number_of(argument.name, argument_names_, &InternedData::add_debug_annotation_names));
    if (const auto* number = std::get_if<std::int64_t>(&argument.value))
      annotation.set_int_value(*number);
    else if (const auto* count = std::get_if<std::uint64_t>(&argument.value))
      annotation.set_uint_value(*count);
    else
      annotation.set_string_value_iid(number_of(std::get<std::string_view>(argument.value),
                                                argument_texts_,
                                                &InternedData::add_debug_annotation_string_values));
  }
  for (const std::uint64_t arrow : slice.arrows) event.add_flow_ids(arrow);
  add_packet();
}

void PerfettoTraceWriter::end_slice(std::uint32_t track, Ns end_ns) {
  begin_event(track, end_ns, TrackEvent::TYPE_SLICE_END);
  add_packet();
}

void PerfettoTraceWriter::begin_arrow(const TimelineMark& mark) { add_mark(mark); }

void PerfettoTraceWriter::end_arrow(const TimelineMark& mark) { add_mark(mark); }

// An arrow leads from a slice or instant to the next one in time that has its number.
void PerfettoTraceWriter::add_mark(const TimelineMark& mark) {
  TrackEvent& event = begin_event(mark.track, mark.time_ns, TrackEvent::TYPE_INSTANT);
  const std::uint64_t name = number_of(mark.name, names_, &InternedData::add_event_names);
  event.add_category_iids(number_of(mark.name, categories_, &InternedData::add_event_categories));
  event.set_name_iid(name);
  event.add_flow_ids(mark.arrow);
  add_packet();
}

void PerfettoTraceWriter::add_packet() {
  packet_.set_trusted_packet_sequence_id(kSequence);
  append_packet(packet_, bytes_);
  packet_.Clear();
  constexpr std::size_t kPieceBytes = 1 << 20;
  if (bytes_.size() >= kPieceBytes) send();
}

void PerfettoTraceWriter::send() {
  perfetto::protos::TracePacket piece;
  piece.set_compressed_packets(packed(bytes_));
  bytes_.clear();
  append_packet(piece, bytes_);
  sink_(bytes_);
  bytes_.clear();
}

void PerfettoTraceWriter::finish() { send(); }

}  // namespace nadi
