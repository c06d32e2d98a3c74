// A small trace pair for tests of the tool: one op launches one kernel and waits for it.
#pragma once

#include <string>

namespace nadi {

inline const std::string kSampleHost =
    R"({"schema": "1.1.1-chakra.0.0.4", "pid": 4, "time": "now", "start_ts": 1, "nodes": [
{"id": 2, "name": "aten::mm", "ctrl_deps": 1,
 "inputs": {"values": [], "shapes": [], "types": [], "strides": []},
 "outputs": {"values": [], "shapes": [], "types": [], "strides": []},
 "attrs": [{"name": "rf_id", "type": "uint64", "value": 7},
           {"name": "tid", "type": "uint64", "value": 1}]},
{"id": 1, "name": "[pytorch|profiler|execution_trace|process]", "ctrl_deps": 1,
 "inputs": {"values": [], "shapes": [], "types": [], "strides": []},
 "outputs": {"values": [], "shapes": [], "types": [], "strides": []},
 "attrs": [{"name": "rf_id", "type": "uint64", "value": 0}]}], "finish_ts": 9})";

inline const std::string kSampleDevice =
    R"({"schemaVersion": 1, "distributedInfo": {"rank": 3, "world_size": 4}, "traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 4, "tid": 4, "ts": 10.000, "dur": 20.000,
 "args": {"External id": 1, "Record function id": 7}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 4, "tid": 4, "ts": 12.000,
 "dur": 2.000, "args": {"External id": 1, "correlation": 5}},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 20.000, "dur": 5.000,
 "args": {"External id": 1, "device": 0, "context": 1, "stream": 7, "correlation": 5}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaStreamSynchronize", "pid": 4, "tid": 4,
 "ts": 22.000, "dur": 4.000, "args": {"External id": 1, "correlation": 6}}]})";

}  // namespace nadi
