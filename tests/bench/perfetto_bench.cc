// perfetto_bench [LAUNCHES]: reads one synthetic trace in the profiler's two forms, JSON and
// .pftrace, and prints what an event of each takes: an op with arguments, a launch, a kernel.
#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/gzip_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include "nadi/read/device_trace_reader.h"
#include "perfetto_trace.pb.h"

namespace {

using Trace = perfetto::protos::Trace;
using TrackEvent = perfetto::protos::TrackEvent;

constexpr std::int64_t kStart = 1790000000000000000, kStep = 20'000;

std::string json_trace(int launches) {
  std::string text = R"({"schemaVersion":1,"traceEvents":[)";
  const auto add = [&](const std::string& event) { text += event + ","; };
  const auto micros = [](std::int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); };
  for (int i = 0; i < launches; ++i) {
    const std::int64_t ts = i * kStep + 1;
    add(fmt::format(
        R"({{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":100,"tid":100,"ts":{},"dur":15.25,"args":{{"External id":{},"Record function id":{},"Concrete Inputs":["",""],"Input type":["float","float"],"Input Dims":[[4096,1024],[1024,4096]],"Ev Idx":{}}}}})",
        micros(ts), i, i, i));
    add(fmt::format(
        R"({{"ph":"X","cat":"kernel","name":"void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x128_16x4_nn_align4>","pid":0,"tid":7,"ts":{},"dur":12.5,"args":{{"device":0,"context":1,"stream":7,"correlation":{},"grid":[32,16,1],"block":[128,1,1],"registers per thread":122,"shared memory":49152,"priority":0,"queued":0,"channel":3,"channel_type":1}}}})",
        micros(ts + 9000), i));
    add(fmt::format(
        R"({{"ph":"f","cat":"ac2g","name":"ac2g","id":{},"pid":0,"tid":7,"ts":{},"bp":"e"}})", i,
        micros(ts + 9000)));
    add(fmt::format(
        R"({{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":100,"tid":100,"ts":{},"dur":5.125,"args":{{"cbid":211,"correlation":{}}}}})",
        micros(ts + 3000), i));
    add(fmt::format(
        R"({{"ph":"s","cat":"ac2g","name":"ac2g","id":{},"pid":100,"tid":100,"ts":{}}})", i,
        micros(ts + 3000)));
  }
  text.back() = ']';
  return text + "}";
}

TrackEvent* add_slice(Trace& trace, std::int64_t time, TrackEvent::Type type) {
  auto* packet = trace.add_packet();
  packet->set_timestamp(static_cast<std::uint64_t>(kStart + time));
  packet->set_trusted_packet_sequence_id(1);
  if (type == TrackEvent::TYPE_SLICE_BEGIN) packet->set_sequence_flags(2);
  packet->mutable_track_event()->set_type(type);
  packet->mutable_track_event()->set_track_uuid(2);
  return packet->mutable_track_event();
}

perfetto::protos::DebugAnnotation* add_argument(TrackEvent* event, const char* name) {
  auto* argument = event->add_debug_annotations();
  argument->set_name(name);
  return argument;
}

void add_tables(Trace& trace) {
  auto* clock = trace.add_packet()->mutable_clock_snapshot();
  for (const std::uint32_t id : {6U, 1U}) {
    clock->add_clocks()->set_clock_id(id);
    clock->mutable_clocks()->rbegin()->set_timestamp(kStart);
  }
  auto* track = trace.add_packet()->mutable_track_descriptor();
  track->set_uuid(2);
  track->mutable_thread()->set_pid(100);
  track->mutable_thread()->set_tid(100);
  auto* packet = trace.add_packet();
  packet->set_trusted_packet_sequence_id(1);
  packet->set_sequence_flags(1);
  auto* tables = packet->mutable_interned_data();
  const auto add = [](auto* entry, std::uint64_t iid, const char* name) {
    entry->set_iid(iid);
    entry->set_name(name);
  };
  add(tables->add_event_categories(), 1, "cpu_op");
  add(tables->add_event_categories(), 2, "cuda_runtime");
  add(tables->add_event_names(), 1, "aten::mm");
  add(tables->add_event_names(), 2, "cudaLaunchKernel");
  add(tables->add_event_names(), 3,
      "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x128_16x4_nn_align4>");
  add(tables->add_gpu_specifications(), 1, "Kernel");
  add(tables->add_gpu_specifications(), 100, "[07] stream 7");
  add(tables->add_compute_arg_names(), 1, "registers_per_thread");
  add(tables->add_compute_arg_names(), 2, "shared_mem_dynamic");
  add(tables->add_compute_arg_names(), 3, "thread_count");
}

void add_op(Trace& trace, int i) {
  TrackEvent* op = add_slice(trace, i * kStep, TrackEvent::TYPE_SLICE_BEGIN);
  op->add_category_iids(1);
  op->set_name_iid(1);
  auto* inputs = add_argument(op, "Concrete Inputs");
  for (int k = 0; k < 2; ++k) inputs->add_array_values()->set_string_value("");
  add_argument(op, "Ev Idx")->set_int_value(i);
  add_argument(op, "External id")->set_int_value(i);
  auto* dims = add_argument(op, "Input Dims");
  for (const std::int64_t rows : {4096, 1024}) {
    auto* size = dims->add_array_values();
    size->add_array_values()->set_int_value(rows);
    size->add_array_values()->set_int_value(4096 + 1024 - rows);
  }
  auto* types = add_argument(op, "Input type");
  for (int k = 0; k < 2; ++k) types->add_array_values()->set_string_value("float");
  add_argument(op, "Record function id")->set_int_value(i);
}

void add_kernel(Trace& trace, int i) {
  auto* packet = trace.add_packet();
  packet->set_timestamp(static_cast<std::uint64_t>(kStart + i * kStep + 9000));
  packet->set_trusted_packet_sequence_id(1);
  packet->set_sequence_flags(2);
  auto* row = packet->mutable_gpu_render_stage_event();
  row->set_event_id(static_cast<std::uint64_t>(i) + 1);
  row->set_duration(12500);
  row->set_context(1);
  row->set_gpu_id(0);
  row->set_hw_queue_iid(100);
  row->set_stage_iid(1);
  row->set_name_iid(3);
  const auto add = [&](const char* name, const std::string& value) {
    auto* extra = row->add_extra_data();
    extra->set_name(name);
    extra->set_value(value);
  };
  add("device id", "0");
  add("context id", "1");
  add("stream id", "7");
  add("correlation", std::to_string(i));
  add("channel", "3");
  add("channel_type", "1");
  add("arch", "sm_90");
  add("process_id", "100");
  add("process_name", "python");
  auto* launch = row->mutable_launch();
  launch->mutable_grid_size()->set_x(32);
  launch->mutable_grid_size()->set_y(16);
  launch->mutable_grid_size()->set_z(1);
  launch->mutable_workgroup_size()->set_x(128);
  launch->mutable_workgroup_size()->set_y(1);
  launch->mutable_workgroup_size()->set_z(1);
  for (const std::uint64_t argument : {1, 2, 3}) {
    launch->add_args()->set_name_iid(argument);
    launch->mutable_args()->rbegin()->set_uint_value(122 * argument);
  }
}

/// In the profiler's order: the begins of all ops, their ends, those of all launches, rows.
std::string perfetto_trace(int launches) {
  Trace trace;
  add_tables(trace);
  for (int i = 0; i < launches; ++i) add_op(trace, i);
  for (int i = 0; i < launches; ++i)
    add_slice(trace, i * kStep + 15250, TrackEvent::TYPE_SLICE_END);
  for (int i = 0; i < launches; ++i) {
    TrackEvent* call = add_slice(trace, i * kStep + 3000, TrackEvent::TYPE_SLICE_BEGIN);
    call->add_category_iids(2);
    call->set_name_iid(2);
    add_argument(call, "cbid")->set_int_value(211);
    add_argument(call, "correlation")->set_int_value(i);
    call->mutable_gpu_correlation()->add_render_stage_event_ids(static_cast<std::uint64_t>(i) + 1);
  }
  for (int i = 0; i < launches; ++i) add_slice(trace, i * kStep + 8125, TrackEvent::TYPE_SLICE_END);
  for (int i = 0; i < launches; ++i) add_kernel(trace, i);
  return trace.SerializeAsString();
}

/// As the profiler packs its files.
std::string packed(const std::string& bytes) {
  std::string result;
  google::protobuf::io::StringOutputStream to(&result);
  google::protobuf::io::GzipOutputStream::Options options;
  options.compression_level = 1;
  google::protobuf::io::GzipOutputStream gzip(&to, options);
  google::protobuf::io::CodedOutputStream(&gzip).WriteString(bytes);
  gzip.Close();
  return result;
}

double seconds_to_read(const std::string& bytes, int launches) {
  const auto begin = std::chrono::steady_clock::now();
  nadi::ByteSource source =
      nadi::ByteSource::unpack("bench", [&, at = std::size_t{0}](std::span<char> into) mutable {
        const std::size_t size = bytes.copy(into.data(), into.size(), at);
        at += size;
        return size;
      });
  nadi::Diagnostics diagnostics;
  const nadi::DeviceTrace trace = nadi::read_device_trace(source, diagnostics);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const auto wanted = static_cast<std::size_t>(launches);
  if (trace.ops.size() != wanted || trace.calls.size() != wanted || trace.rows.size() != wanted)
    std::fprintf(stderr, "not all events were read\n");
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  const int launches = argc > 1 ? std::atoi(argv[1]) : 200'000;
  const std::string json = packed(json_trace(launches)),
                    perfetto = packed(perfetto_trace(launches));
  double of_json = 1e9, of_perfetto = 1e9;
  for (int i = 0; i < 5; ++i) {  // in turns, since machines are shared
    of_json = std::min(of_json, seconds_to_read(json, launches));
    of_perfetto = std::min(of_perfetto, seconds_to_read(perfetto, launches));
  }
  const double events = 3.0 * launches;
  std::printf("form      bytes/event  ns/event\n");
  std::printf("JSON      %11.0f  %8.0f\n", static_cast<double>(json.size()) / events,
              1e9 * of_json / events);
  std::printf(".pftrace  %11.0f  %8.0f\n", static_cast<double>(perfetto.size()) / events,
              1e9 * of_perfetto / events);
}
