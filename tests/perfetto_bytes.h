// Encodes Perfetto traces that tests hold as protobuf text.
#pragma once

#include <google/protobuf/text_format.h>

#include <stdexcept>
#include <string>

#include "perfetto_trace.pb.h"

namespace nadi::test {

/// The bytes of a Trace. Throws std::runtime_error where `text` is none.
inline std::string perfetto_bytes(const std::string& text) {
  perfetto::protos::Trace trace;
  if (!google::protobuf::TextFormat::ParseFromString(text, &trace))
    throw std::runtime_error("no protobuf text of a Perfetto trace: " + text);
  return trace.SerializeAsString();
}

/// What the profiler writes before all events (P2, P3, P4, P11): a process 7 "python" with threads
/// 8 and 9 (tracks 2 and 3), a process of GPU 0 with stream 7 (track 5), and interned data.
inline const std::string kPerfettoTables = R"(
packet { trusted_packet_sequence_id: 1 clock_snapshot {
  clocks { clock_id: 6 timestamp: 1000 } clocks { clock_id: 1 timestamp: 1000 } } }
packet { track_descriptor { uuid: 1 process { pid: 7 process_name: "python" } } }
packet { track_descriptor { uuid: 2 parent_uuid: 1 thread { pid: 7 tid: 8 thread_name: "main" } } }
packet { track_descriptor { uuid: 3 parent_uuid: 1 thread { pid: 7 tid: 9 thread_name: "autograd" } } }
packet { track_descriptor { uuid: 4 process { pid: 0 process_name: "GPU 0" } } }
packet { track_descriptor { uuid: 5 parent_uuid: 4 thread { pid: 0 tid: 7 thread_name: "stream 7" } } }
packet { track_descriptor { uuid: 6 process { pid: 2147483647 process_name: "Overhead" } } }
packet { trusted_packet_sequence_id: 1 sequence_flags: 1 interned_data {
  event_categories { iid: 1 name: "cpu_op" }
  event_categories { iid: 2 name: "cuda_runtime" }
  event_names { iid: 1 name: "aten::mm" }
  event_names { iid: 2 name: "aten::relu" }
  event_names { iid: 3 name: "cudaLaunchKernel" }
  event_names { iid: 4 name: "cudaGraphLaunch" }
  event_names { iid: 5 name: "gemm" }
  event_names { iid: 6 name: "relu" }
  event_names { iid: 7 name: "Stream Sync" }
  event_names { iid: 8 name: "Buffer Flush" }
  gpu_specifications { iid: 1 name: "Kernel" }
  gpu_specifications { iid: 2 name: "Memcpy" }
  gpu_specifications { iid: 3 name: "Memset" }
  gpu_specifications { iid: 4 name: "Annotation" }
  gpu_specifications { iid: 5 name: "EventRecord" }
  gpu_specifications { iid: 6 name: "HostNode" }
  gpu_specifications { iid: 100 name: "[07] stream 7" }
  gpu_specifications { iid: 101 name: "[08] stream 8" }
  compute_kernels { iid: 1 name: "_Z4gemm" demangled_name: "gemm<float>" }
  compute_arg_names { iid: 1 name: "registers_per_thread" }
} }
)";

}  // namespace nadi::test
