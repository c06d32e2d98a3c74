#include "nadi/read/perfetto_text.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>

#include "nadi/base/json_string.h"

namespace nadi {
namespace {

using perfetto::protos::GpuRenderStageEvent;
using perfetto::protos::TracePacket;
using perfetto::protos::TrackEvent;

template <class Number>
void append_integer(Number number, std::string& out) {
  const fmt::format_int text(number);
  out.append(text.data(), text.size());
}

/// JSON has no infinities.
void append_real(double number, std::string& out) {
  if (std::isfinite(number))
    fmt::format_to(std::back_inserter(out), "{}", number);
  else
    fmt::format_to(std::back_inserter(out), "\"{}\"", number);
}

/// True for what is a number in JSON, so not for "007", "1." or "sm_90".
bool is_json_number(std::string_view text) {
  const auto digits = [&] {
    std::size_t count = 0;
    while (count < text.size() && text[count] >= '0' && text[count] <= '9') ++count;
    text.remove_prefix(count);
    return count;
  };
  const auto skip = [&](std::string_view any) {
    const bool found = !text.empty() && any.find(text.front()) != std::string_view::npos;
    if (found) text.remove_prefix(1);
    return found;
  };
  skip("-");
  const bool has_leading_zero = text.starts_with('0');
  const std::size_t whole = digits();
  if (whole == 0 || (has_leading_zero && whole > 1)) return false;
  if (skip(".") && digits() == 0) return false;
  if (!skip("eE")) return text.empty();
  skip("+-");
  return digits() > 0 && text.empty();
}

/// Separates the members of an object or the elements of a list.
void append_comma(std::string& out) {
  if (out.back() != '{' && out.back() != '[') out.push_back(',');
}

template <class Numbers>
void append_list(const Numbers& numbers, std::string& out) {
  out.push_back('[');
  for (const std::uint64_t number : numbers) {
    append_comma(out);
    append_integer(number, out);
  }
  out.push_back(']');
}

void append_dimensions(const GpuRenderStageEvent::Dim3& size, std::string& out) {
  append_list(std::array<std::uint64_t, 3>{size.x(), size.y(), size.z()}, out);
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

/// All values are text here (P12). Lists stay text, as Kineto has them.
void append_extra(std::string_view value, std::string& out) {
  if (is_json_number(value))
    out += value;
  else
    append_json_string(value, out);
}

}  // namespace

void PerfettoText::begin_event(bool is_json, std::string& out) {
  is_json_ = is_json;
  present_ = 0;
  member("{\"ph\":", Field::kPhase, out, [&] { out += "\"X\""; });
}

template <class Write>
void PerfettoText::member(std::string_view key, Field field, std::string& out, const Write& write) {
  out += key;
  const std::size_t begin = out.size();
  write();
  put(field, begin, out.size());
}

template <class Write>
void PerfettoText::argument(std::string_view key, std::string& out, const Write& write) {
  const Field field = field_of_argument(key);
  if (field == Field::kCount && for_fields_) return;
  if (is_json_) {
    append_comma(out);
    append_json_string(key, out);
    out.push_back(':');
  }
  const std::size_t begin = out.size();
  write();
  if (field != Field::kCount) put(field, begin, out.size());
}

void PerfettoText::report_missing(std::uint64_t iid) {
  diagnostics_.report("interned-text-missing", [&] { return fmt::format("number {}", iid); });
}

void PerfettoText::interned(const InternedTexts& texts, std::uint64_t iid, std::string& out) {
  const auto entry = texts.find(iid);
  if (entry != texts.end()) {
    out += entry->second;
    return;
  }
  report_missing(iid);
  out += "\"\"";
}

void PerfettoText::category(const InternedCategory& category, std::string& out) {
  has_known_category_ = has_known_category_ || category.kind != EventCategory::kUnknown;
  out += category.name;
}

void PerfettoText::slice_category(const TrackEvent& event, const PerfettoTrack& track,
                                  std::string_view name, std::string& out) {
  if (event.category_iids_size() > 0) {
    const auto entry = sequence_->categories.find(event.category_iids(0));
    if (entry != sequence_->categories.end()) return category(entry->second, out);
    report_missing(event.category_iids(0));
    out += "\"\"";
    return;
  }
  if (event.categories_size() > 0) return category(category_of_name(event.categories(0)), out);
  // The profiler names no others (P6), and an earlier layout of its files none at all (P20).
  std::string_view told = "cpu_op";
  if (has_annotation(event, "cuda_sync_kind")) {
    told = "cuda_sync";
  } else if (track.is_overhead) {
    told = "overhead";
  } else if (track.is_gpu_stream) {
    told = name.starts_with("\"Memcpy")   ? "gpu_memcpy"
           : name.starts_with("\"Memset") ? "gpu_memset"
                                          : "kernel";
  } else if (has_annotation(event, "cbid") || is_call_name(name.substr(1))) {
    told = "cuda_runtime";
  }
  has_known_category_ = true;
  append_json_string(told, out);
}

std::string_view PerfettoText::annotation_name(const Annotation& annotation) {
  if (!annotation.has_name_iid()) return annotation.name();
  const auto entry = sequence_->annotation_names.find(annotation.name_iid());
  if (entry != sequence_->annotation_names.end()) return entry->second;
  report_missing(annotation.name_iid());
  return {};
}

/// Calls itself no deeper than protobuf nests messages, which is 100.
void PerfettoText::annotation_value(const Annotation& annotation, std::string& out) {
  if (annotation.has_string_value()) {
    if (annotation.string_value() == "null")  // P7
      out += "null";
    else
      append_json_string(annotation.string_value(), out);
  } else if (annotation.has_int_value()) {
    append_integer(annotation.int_value(), out);
  } else if (annotation.has_uint_value()) {
    append_integer(annotation.uint_value(), out);
  } else if (annotation.has_double_value()) {
    append_real(annotation.double_value(), out);
  } else if (annotation.has_bool_value()) {
    out += annotation.bool_value() ? "true" : "false";
  } else if (annotation.has_pointer_value()) {
    append_integer(annotation.pointer_value(), out);
  } else if (annotation.has_string_value_iid()) {
    interned(sequence_->annotation_texts, annotation.string_value_iid(), out);
  } else if (annotation.dict_entries_size() > 0) {
    out.push_back('{');
    for (const Annotation& entry : annotation.dict_entries()) {
      append_comma(out);
      append_json_string(annotation_name(entry), out);
      out.push_back(':');
      annotation_value(entry, out);
    }
    out.push_back('}');
  } else {  // a list, of which an empty one is nothing at all
    out.push_back('[');
    for (const Annotation& element : annotation.array_values()) {
      append_comma(out);
      annotation_value(element, out);
    }
    out.push_back(']');
  }
}

void PerfettoText::annotations(const TrackEvent& event, std::string& out) {
  for (const Annotation& annotation : event.debug_annotations())
    argument(annotation_name(annotation), out, [&] { annotation_value(annotation, out); });
  // P20: where no category is told, a flow is the correlation.
  const bool is_draft = event.category_iids_size() == 0 && event.categories_size() == 0;
  if (is_draft && event.flow_ids_size() > 0 && !has_annotation(event, "correlation"))
    argument("correlation", out, [&] { append_integer(event.flow_ids(0), out); });
  const auto& rows = event.gpu_correlation().render_stage_event_ids();
  if (!rows.empty()) argument("render_stage_event_ids", out, [&] { append_list(rows, out); });
}

void PerfettoText::begin_slice(const TracePacket& packet, std::uint64_t track_uuid, Ns start_ns,
                               bool is_json, std::string& out) {
  const TrackEvent& event = packet.track_event();
  sequence_ = &tables_.sequence(packet.trusted_packet_sequence_id());
  const PerfettoTrack& track = tables_.track(track_uuid);
  if (!track.is_described && track_uuid != 0)  // 0 is the track of those that name none
    diagnostics_.report("interned-text-missing",
                        [&] { return fmt::format("track {}", track_uuid); });
  name_.clear();
  if (event.has_name_iid())
    interned(sequence_->names, event.name_iid(), name_);
  else
    append_json_string(event.name(), name_);
  begin_event(is_json, out);
  member(",\"cat\":", Field::kCategory, out, [&] { slice_category(event, track, name_, out); });
  member(",\"name\":", Field::kName, out, [&] { out += name_; });
  out.push_back(',');
  const std::size_t ids = out.size();
  out += track.ids;
  const std::size_t pid = ids + kPidKey.size(), pid_end = pid + track.pid_bytes;
  put(Field::kPid, pid, pid_end);
  put(Field::kTid, pid_end + kTidKey.size(), out.size());
  member(",\"ts\":", Field::kTime, out, [&] { append_json_micros(start_ns, out); });
  out += ",\"args\":{";
  annotations(event, out);
  out += "},\"dur\":";
}

void PerfettoText::end_slice(Ns duration_ns, std::string& out) {
  const std::size_t begin = out.size();
  append_json_micros(duration_ns, out);
  put(Field::kDuration, begin, out.size());
  out.push_back('}');
}

void PerfettoText::row_name(const GpuRenderStageEvent& row, const InternedCategory* stage,
                            std::string& out) {
  if (row.name_iid() != 0) return interned(sequence_->names, row.name_iid(), out);
  if (row.has_name()) return append_json_string(row.name(), out);
  if (row.kernel_iid() != 0) return interned(sequence_->kernels, row.kernel_iid(), out);
  const std::string_view function = extra_value(row, "host fn");
  if (!function.empty()) return append_json_string(fmt::format("HostNode: {}", function), out);
  out += stage != nullptr ? std::string_view(stage->stage) : "\"\"";
}

void PerfettoText::launch(const GpuRenderStageEvent& row, std::string& out) {
  if (!row.has_launch()) return;
  argument("grid", out, [&] { append_dimensions(row.launch().grid_size(), out); });
  argument("block", out, [&] { append_dimensions(row.launch().workgroup_size(), out); });
  for (const auto& parameter : row.launch().args()) {
    name_.clear();
    if (parameter.has_name_iid())
      interned(sequence_->launch_argument_names, parameter.name_iid(), name_);
    else
      append_json_string(parameter.name(), name_);
    append_comma(out);
    out += name_ == "\"registers_per_thread\"" ? "\"registers per thread\"" : name_;
    out.push_back(':');
    if (parameter.has_string_value())
      append_json_string(parameter.string_value(), out);
    else if (parameter.has_string_value_iid())
      interned(sequence_->annotation_texts, parameter.string_value_iid(), out);
    else if (parameter.has_double_value())
      append_real(parameter.double_value(), out);
    else if (parameter.has_int_value())
      append_integer(parameter.int_value(), out);
    else
      append_integer(parameter.uint_value(), out);
  }
}

void PerfettoText::row_lane(const GpuRenderStageEvent& row, std::string& out) {
  member(",\"pid\":", Field::kPid, out, [&] { append_integer(row.gpu_id(), out); });
  member(",\"tid\":", Field::kTid, out, [&] {
    const std::string_view stream = extra_value(row, "stream id");
    const auto queue = sequence_->stages.find(row.hw_queue_iid());
    if (!stream.empty())
      append_extra(stream, out);
    else if (queue != sequence_->stages.end())
      out += queue->second.stage;
    else
      append_integer(row.hw_queue_iid(), out);
  });
}

void PerfettoText::row_arguments(const GpuRenderStageEvent& row, std::string& out) {
  if (row.event_id() != 0) argument("event_id", out, [&] { append_integer(row.event_id(), out); });
  if (row.event_wait_ids_size() > 0)
    argument("event_wait_ids", out, [&] { append_list(row.event_wait_ids(), out); });
  bool has_graph = false, has_graph_node = false;
  for (const auto& extra : row.extra_data()) {
    const std::string_view key = json_key(extra.name());
    if (key.empty()) continue;
    has_graph = has_graph || key == "graph id";
    has_graph_node = has_graph_node || key == "graph node id";
    argument(key, out, [&] { append_extra(extra.value(), out); });
  }
  if (has_graph && !has_graph_node)  // P12
    argument("graph node id", out, [&] { out.push_back('0'); });
  if (!for_fields_) launch(row, out);
}

EventCategory PerfettoText::row(const TracePacket& packet, Ns start_ns, std::string& out) {
  const GpuRenderStageEvent& row = packet.gpu_render_stage_event();
  sequence_ = &tables_.sequence(packet.trusted_packet_sequence_id());
  const auto entry = sequence_->stages.find(row.stage_iid());
  const InternedCategory* stage = entry != sequence_->stages.end() ? &entry->second : nullptr;
  if (stage == nullptr) report_missing(row.stage_iid());
  begin_event(!for_fields_, out);
  member(",\"cat\":", Field::kCategory, out, [&] {
    if (stage != nullptr)
      category(*stage, out);
    else
      out += "\"\"";
  });
  member(",\"name\":", Field::kName, out, [&] { row_name(row, stage, out); });
  row_lane(row, out);
  member(",\"ts\":", Field::kTime, out, [&] { append_json_micros(start_ns, out); });
  member(",\"dur\":", Field::kDuration, out,
         [&] { append_json_micros(static_cast<Ns>(row.duration()), out); });
  out += ",\"args\":{";
  row_arguments(row, out);
  out += "}}";
  return stage != nullptr ? stage->kind : EventCategory::kUnknown;
}

const EventFields& PerfettoText::fields_of(std::string_view text) {
  fields_.clear();
  for (std::uint64_t rest = present_; rest != 0; rest &= rest - 1) {
    const auto field = static_cast<std::size_t>(std::countr_zero(rest));
    const Place& place = places_[field];
    const std::string_view value = text.substr(place.begin, place.end - place.begin);
    if (value != "null") fields_.set(static_cast<Field>(field), value);
  }
  return fields_;
}

void PerfettoText::track_name(const PerfettoTrack& track, std::string& out) {
  const bool is_thread = track.tid.has_value();
  const std::string& name = is_thread ? track.name : track.process_name;
  if (name.empty()) return;
  out += "{\"ph\":\"M\",\"name\":";
  out += is_thread ? "\"thread_name\"," : "\"process_name\",";
  out += track.ids;
  out += ",\"args\":{\"name\":";
  append_json_string(name, out);
  out += "}}";
}

}  // namespace nadi
