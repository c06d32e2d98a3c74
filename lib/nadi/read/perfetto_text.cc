#include "nadi/read/perfetto_text.h"

#include <fmt/format.h>

#include <array>
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
void append_list(std::string_view key, const Numbers& numbers, std::string& out) {
  append_comma(out);
  fmt::format_to(std::back_inserter(out), "\"{}\":[", key);
  for (const std::uint64_t number : numbers) {
    append_comma(out);
    append_integer(number, out);
  }
  out.push_back(']');
}

void append_dimensions(std::string_view key, const GpuRenderStageEvent::Dim3& size,
                       std::string& out) {
  append_list(key, std::array<std::uint64_t, 3>{size.x(), size.y(), size.z()}, out);
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

void PerfettoText::annotation_name(const Annotation& annotation, std::string& out) {
  append_comma(out);
  if (annotation.has_name_iid())
    interned(sequence_->annotation_names, annotation.name_iid(), out);
  else
    append_json_string(annotation.name(), out);
  out.push_back(':');
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
      annotation_name(entry, out);
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
  for (const Annotation& annotation : event.debug_annotations()) {
    annotation_name(annotation, out);
    annotation_value(annotation, out);
  }
  // P20: where no category is told, a flow is the correlation.
  const bool is_draft = event.category_iids_size() == 0 && event.categories_size() == 0;
  if (is_draft && event.flow_ids_size() > 0 && !has_annotation(event, "correlation")) {
    append_comma(out);
    out += "\"correlation\":";
    append_integer(event.flow_ids(0), out);
  }
  const auto& rows = event.gpu_correlation().render_stage_event_ids();
  if (!rows.empty()) append_list("render_stage_event_ids", rows, out);
}

void PerfettoText::begin_slice(const TracePacket& packet, std::uint64_t track_uuid, Ns start_ns,
                               std::string& out) {
  const TrackEvent& event = packet.track_event();
  sequence_ = &tables_.sequence(packet.trusted_packet_sequence_id());
  const PerfettoTrack& track = tables_.track(track_uuid);
  name_.clear();
  if (event.has_name_iid())
    interned(sequence_->names, event.name_iid(), name_);
  else
    append_json_string(event.name(), name_);
  out += "{\"ph\":\"X\",\"cat\":";
  slice_category(event, track, name_, out);
  out += ",\"name\":";
  out += name_;
  out.push_back(',');
  out += track.ids;
  out += ",\"ts\":";
  append_json_micros(start_ns, out);
  out += ",\"args\":{";
  annotations(event, out);
  out += "},\"dur\":";
}

void PerfettoText::end_slice(Ns duration_ns, std::string& out) {
  append_json_micros(duration_ns, out);
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
  append_dimensions("grid", row.launch().grid_size(), out);
  append_dimensions("block", row.launch().workgroup_size(), out);
  for (const auto& argument : row.launch().args()) {
    name_.clear();
    if (argument.has_name_iid())
      interned(sequence_->launch_argument_names, argument.name_iid(), name_);
    else
      append_json_string(argument.name(), name_);
    append_comma(out);
    out += name_ == "\"registers_per_thread\"" ? "\"registers per thread\"" : name_;
    out.push_back(':');
    if (argument.has_string_value())
      append_json_string(argument.string_value(), out);
    else if (argument.has_string_value_iid())
      interned(sequence_->annotation_texts, argument.string_value_iid(), out);
    else if (argument.has_double_value())
      append_real(argument.double_value(), out);
    else if (argument.has_int_value())
      append_integer(argument.int_value(), out);
    else
      append_integer(argument.uint_value(), out);
  }
}

EventCategory PerfettoText::row(const TracePacket& packet, Ns start_ns, std::string& out) {
  const GpuRenderStageEvent& row = packet.gpu_render_stage_event();
  sequence_ = &tables_.sequence(packet.trusted_packet_sequence_id());
  const auto entry = sequence_->stages.find(row.stage_iid());
  const InternedCategory* stage = entry != sequence_->stages.end() ? &entry->second : nullptr;
  out += "{\"ph\":\"X\",\"cat\":";
  if (stage != nullptr) {
    category(*stage, out);
  } else {
    report_missing(row.stage_iid());
    out += "\"\"";
  }
  out += ",\"name\":";
  row_name(row, stage, out);
  const std::string_view stream = extra_value(row, "stream id");
  out += ",\"pid\":";
  append_integer(row.gpu_id(), out);
  out += ",\"tid\":";
  const auto queue = sequence_->stages.find(row.hw_queue_iid());
  if (!stream.empty())
    append_extra(stream, out);
  else if (queue != sequence_->stages.end())
    out += queue->second.stage;
  else
    append_integer(row.hw_queue_iid(), out);
  out += ",\"ts\":";
  append_json_micros(start_ns, out);
  out += ",\"dur\":";
  append_json_micros(static_cast<Ns>(row.duration()), out);
  out += ",\"args\":{";
  bool has_graph = false, has_graph_node = false;
  for (const auto& extra : row.extra_data()) {
    const std::string_view key = json_key(extra.name());
    if (key.empty()) continue;
    has_graph = has_graph || key == "graph id";
    has_graph_node = has_graph_node || key == "graph node id";
    append_comma(out);
    append_json_string(key, out);
    out.push_back(':');
    append_extra(extra.value(), out);
  }
  if (has_graph && !has_graph_node) out += ",\"graph node id\":0";  // P12
  launch(row, out);
  if (row.event_id() != 0) {
    append_comma(out);
    out += "\"event_id\":";
    append_integer(row.event_id(), out);
  }
  if (row.event_wait_ids_size() > 0) append_list("event_wait_ids", row.event_wait_ids(), out);
  out += "}}";
  return stage != nullptr ? stage->kind : EventCategory::kUnknown;
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
