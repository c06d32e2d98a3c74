#include "nadi/read/perfetto_events.h"

#include <fmt/format.h>

#include <array>

#include "nadi/base/json_string.h"
#include "nadi/base/utf8.h"

namespace nadi {
namespace {

using perfetto::protos::GpuRenderStageEvent;
using perfetto::protos::TracePacket;
using perfetto::protos::TrackEvent;

/// Separates the members of an object or the elements of a list.
void append_comma(std::string& out) {
  if (out.back() != '{' && out.back() != '[') out.push_back(',');
}

template <class Numbers>
std::string list_of(const Numbers& numbers) {
  std::string list = "[";
  for (const std::uint64_t number : numbers) {
    append_comma(list);
    const fmt::format_int text(number);
    list.append(text.data(), text.size());
  }
  list.push_back(']');
  return list;
}

std::string dimensions_of(const GpuRenderStageEvent::Dim3& size) {
  return list_of(std::array<std::uint64_t, 3>{size.x(), size.y(), size.z()});
}

/// True for the calls of CUDA's interfaces: "cudaLaunchKernel", "cuLaunchKernel".
bool is_call_name(std::string_view name) {
  return name.starts_with("cuda") ||
         (name.starts_with("cu") && name.size() > 2 && name[2] >= 'A' && name[2] <= 'Z');
}

bool has_annotation(const TrackEvent& event, std::string_view name) {
  for (const auto& annotation : event.debug_annotations())
    if (annotation.name() == name) return true;
  return false;
}

bool is_scalar(const perfetto::protos::DebugAnnotation& annotation) {
  return annotation.has_string_value() || annotation.has_int_value() ||
         annotation.has_uint_value() || annotation.has_double_value() ||
         annotation.has_bool_value() || annotation.has_pointer_value() ||
         annotation.has_string_value_iid();
}

/// Keys of a GPU row as its JSON has them (P12); those that are equal on all rows have none.
struct RowKey {
  std::string_view in_perfetto, in_json;
};
constexpr std::array kRowKeys = {
    RowKey{"device id", "device"}, RowKey{"context id", "context"},
    RowKey{"stream id", "stream"}, RowKey{"arch", ""},
    RowKey{"process_id", ""},      RowKey{"process_name", ""},
};

std::string_view json_key(std::string_view key) {
  for (const RowKey& known : kRowKeys)
    if (known.in_perfetto == key) return known.in_json;
  return key;
}

std::string_view extra_value(const GpuRenderStageEvent& row, std::string_view key) {
  for (const auto& extra : row.extra_data())
    if (extra.name() == key) return extra.value();
  return {};
}

}  // namespace

void PerfettoEvents::begin_event(std::string_view phase) {
  texts_.clear();
  event_.clear();
  event_.set(Field::kPhase, EventValue::of_text(phase));
}

void PerfettoEvents::set_ids(const PerfettoTrack& track) {
  event_.set(Field::kPid, EventValue::of_integer(track.process));
  event_.set(Field::kTid, track.tid             ? EventValue::of_integer(*track.tid)
                          : !track.name.empty() ? EventValue::of_text(track.name)
                                                : EventValue::of_natural(track.number));
}

template <class Make>
void PerfettoEvents::argument(std::string_view key, const Make& make) {
  std::uint16_t number = keys_.find(key);
  if (number == ArgumentKeys::kNone) {
    if (!keys_.takes_all) return;
    std::string written;
    append_json_string(key, written);
    key = texts_.emplace_back(unquoted(written));
    number = keys_.find(key);
  }
  const EventValue value = make();
  if (!value.is_absent()) event_.add({number, key, value}, keys_.field_of(number));
}

EventValue PerfettoEvents::text(std::string_view bytes) {
  return EventValue::of_text(is_utf8(bytes) ? bytes : texts_.emplace_back(repair_utf8(bytes)));
}

void PerfettoEvents::report_missing(std::uint64_t iid) {
  diagnostics_.report(Finding::kInternedTextMissing, [&] { return fmt::format("number {}", iid); });
}

EventValue PerfettoEvents::interned(const InternedTexts& texts, std::uint64_t iid) {
  const auto entry = texts.find(iid);
  if (entry != texts.end()) return EventValue::of_text(entry->second);
  report_missing(iid);
  return EventValue::of_text("");
}

void PerfettoEvents::category(const InternedCategory& category) {
  has_known_category_ = has_known_category_ || category.kind != EventCategory::kUnknown;
  event_.set(Field::kCategory, EventValue::of_text(category.name));
}

void PerfettoEvents::slice_category(const TrackEvent& event, const PerfettoTrack& track) {
  if (event.category_iids_size() > 0) {
    const auto entry = sequence_->categories.find(event.category_iids(0));
    if (entry != sequence_->categories.end()) return category(entry->second);
    report_missing(event.category_iids(0));
    return event_.set(Field::kCategory, EventValue::of_text(""));
  }
  if (event.categories_size() > 0) {
    const std::string& name = event.categories(0);
    has_known_category_ = has_known_category_ || event_category_of(name) != EventCategory::kUnknown;
    return event_.set(Field::kCategory, text(name));
  }
  // The profiler names the categories of host rows and calls only (P6), and in an earlier layout of
  // its files none at all (P20).
  const std::string_view name = event_.value(Field::kName).view();
  std::string_view category = "cpu_op";
  if (has_annotation(event, "cuda_sync_kind")) {
    category = "cuda_sync";
  } else if (track.is_overhead) {
    category = "overhead";
  } else if (track.is_gpu_stream) {
    category = name.starts_with("Memcpy")   ? "gpu_memcpy"
               : name.starts_with("Memset") ? "gpu_memset"
                                            : "kernel";
  } else if (has_annotation(event, "cbid") || is_call_name(name)) {
    category = "cuda_runtime";
  }
  has_known_category_ = true;
  event_.set(Field::kCategory, EventValue::of_text(category));
}

std::string_view PerfettoEvents::annotation_key(const Annotation& annotation) {
  if (!annotation.has_name_iid()) return annotation.name();
  return interned(sequence_->annotation_names, annotation.name_iid()).view();
}

EventValue PerfettoEvents::annotation_value(const Annotation& annotation) {
  if (annotation.has_string_value())
    return annotation.string_value() == "null" ? EventValue() : text(annotation.string_value());
  if (annotation.has_int_value()) return EventValue::of_integer(annotation.int_value());
  if (annotation.has_uint_value()) return EventValue::of_natural(annotation.uint_value());
  if (annotation.has_double_value()) return EventValue::of_real(annotation.double_value());
  if (annotation.has_bool_value())
    return EventValue::of_json(annotation.bool_value() ? "true" : "false");
  if (annotation.has_pointer_value()) return EventValue::of_natural(annotation.pointer_value());
  if (annotation.has_string_value_iid())
    return interned(sequence_->annotation_texts, annotation.string_value_iid());
  std::string json;
  append_json(annotation, json);
  return kept(std::move(json));
}

/// Calls itself no deeper than protobuf nests messages, which is 100.
void PerfettoEvents::append_json(const Annotation& annotation, std::string& out) {
  const bool is_dict = annotation.dict_entries_size() > 0;
  const auto append = [&](const Annotation& entry) {
    append_comma(out);
    if (is_dict) {
      append_json_string(annotation_key(entry), out);
      out.push_back(':');
    }
    if (!is_scalar(entry)) return append_json(entry, out);
    const EventValue value = annotation_value(entry);
    value.is_absent() ? void(out += "null") : value.append_json(out);
  };
  out.push_back(is_dict ? '{' : '[');  // an empty list is nothing at all
  for (const Annotation& entry : is_dict ? annotation.dict_entries() : annotation.array_values())
    append(entry);
  out.push_back(is_dict ? '}' : ']');
}

void PerfettoEvents::annotations(const TrackEvent& event) {
  for (const Annotation& annotation : event.debug_annotations())
    argument(annotation_key(annotation), [&] { return annotation_value(annotation); });
  // In the earlier layout, which has no categories, the id of a flow is the correlation (P20).
  const bool is_draft = event.category_iids_size() == 0 && event.categories_size() == 0;
  if (is_draft && event.flow_ids_size() > 0 && !has_annotation(event, "correlation"))
    argument("correlation", [&] { return EventValue::of_natural(event.flow_ids(0)); });
  const auto& rows = event.gpu_correlation().render_stage_event_ids();
  if (!rows.empty()) argument("render_stage_event_ids", [&] { return kept(list_of(rows)); });
}

TraceEvent& PerfettoEvents::slice(const TracePacket& packet, std::uint64_t track_uuid,
                                  Ns start_ns) {
  const TrackEvent& event = packet.track_event();
  sequence_ = &tables_.sequence(packet.trusted_packet_sequence_id());
  const PerfettoTrack& track = tables_.track(track_uuid);
  if (!track.is_described && track_uuid != 0)  // 0 is the track of those that name none
    diagnostics_.report(Finding::kInternedTextMissing,
                        [&] { return fmt::format("track {}", track_uuid); });
  begin_event("X");
  event_.set(Field::kName, event.has_name_iid() ? interned(sequence_->names, event.name_iid())
                                                : text(event.name()));
  slice_category(event, track);
  set_ids(track);
  event_.set(Field::kTime, EventValue::of_time(start_ns));
  annotations(event);
  return event_;
}

EventValue PerfettoEvents::row_name(const Row& row, const InternedCategory* stage) {
  if (row.name_iid() != 0) return interned(sequence_->names, row.name_iid());
  if (row.has_name()) return text(row.name());
  if (row.kernel_iid() != 0) return interned(sequence_->kernels, row.kernel_iid());
  const std::string_view function = extra_value(row, "host fn");
  if (!function.empty())
    return EventValue::of_text(texts_.emplace_back("HostNode: " + repair_utf8(function)));
  return EventValue::of_text(stage != nullptr ? std::string_view(stage->stage) : "");
}

/// All values are text here (P12). Lists stay text, as Kineto has them.
EventValue PerfettoEvents::extra(std::string_view value) {
  return is_json_number(value) ? EventValue::of_json(value) : text(value);
}

EventValue PerfettoEvents::row_stream(const Row& row) {
  const std::string_view stream = extra_value(row, "stream id");
  if (!stream.empty()) return extra(stream);
  const auto queue = sequence_->stages.find(row.hw_queue_iid());
  if (queue != sequence_->stages.end()) return EventValue::of_text(queue->second.stage);
  return EventValue::of_natural(row.hw_queue_iid());
}

void PerfettoEvents::launch(const Row& row) {
  if (!row.has_launch()) return;
  argument("grid", [&] { return kept(dimensions_of(row.launch().grid_size())); });
  argument("block", [&] { return kept(dimensions_of(row.launch().workgroup_size())); });
  for (const auto& parameter : row.launch().args()) {
    std::string_view key = parameter.name();
    if (parameter.has_name_iid())
      key = interned(sequence_->launch_argument_names, parameter.name_iid()).view();
    argument(key == "registers_per_thread" ? "registers per thread" : key, [&] {
      if (parameter.has_string_value()) return text(parameter.string_value());
      if (parameter.has_string_value_iid())
        return interned(sequence_->annotation_texts, parameter.string_value_iid());
      if (parameter.has_double_value()) return EventValue::of_real(parameter.double_value());
      if (parameter.has_int_value()) return EventValue::of_integer(parameter.int_value());
      return EventValue::of_natural(parameter.uint_value());
    });
  }
}

void PerfettoEvents::row_arguments(const Row& row) {
  if (row.event_id() != 0)
    argument("event_id", [&] { return EventValue::of_natural(row.event_id()); });
  if (row.event_wait_ids_size() > 0)
    argument("event_wait_ids", [&] { return kept(list_of(row.event_wait_ids())); });
  bool has_graph = false, has_graph_node = false;
  for (const auto& value : row.extra_data()) {
    const std::string_view key = json_key(value.name());
    if (key.empty()) continue;
    has_graph = has_graph || key == "graph id";
    has_graph_node = has_graph_node || key == "graph node id";
    argument(key, [&] { return extra(value.value()); });
  }
  // Numbers that are 0 are left out of a row (P12), and 0 is a node's number, too.
  if (has_graph && !has_graph_node)
    argument("graph node id", [] { return EventValue::of_natural(0); });
  if (keys_.has_others()) launch(row);
}

TraceEvent& PerfettoEvents::row(const TracePacket& packet, Ns start_ns) {
  const Row& row = packet.gpu_render_stage_event();
  sequence_ = &tables_.sequence(packet.trusted_packet_sequence_id());
  const auto entry = sequence_->stages.find(row.stage_iid());
  const InternedCategory* stage = entry != sequence_->stages.end() ? &entry->second : nullptr;
  if (stage == nullptr) report_missing(row.stage_iid());
  row_kind_ = stage != nullptr ? stage->kind : EventCategory::kUnknown;
  begin_event("X");
  if (stage != nullptr)
    category(*stage);
  else
    event_.set(Field::kCategory, EventValue::of_text(""));
  event_.set(Field::kName, row_name(row, stage));
  event_.set(Field::kPid, EventValue::of_integer(row.gpu_id()));
  event_.set(Field::kTid, row_stream(row));
  event_.set(Field::kTime, EventValue::of_time(start_ns));
  event_.set(Field::kDuration, EventValue::of_time(static_cast<Ns>(row.duration())));
  row_arguments(row);
  return event_;
}

const TraceEvent* PerfettoEvents::track_name(const PerfettoTrack& track) {
  const bool is_thread = track.tid.has_value();
  const std::string& name = is_thread ? track.name : track.process_name;
  if (name.empty()) return nullptr;
  begin_event("M");
  event_.set(Field::kName, EventValue::of_text(is_thread ? "thread_name" : "process_name"));
  set_ids(track);
  argument("name", [&] { return EventValue::of_text(name); });
  return &event_;
}

}  // namespace nadi
