// The C interface gives the same traces as the C++ one.
#include "nadi/record/record_c.h"
#include "tests/unit/record/recorded.h"

namespace nadi::record {
namespace {

using namespace test;
using nlohmann::json;

Recorded record_c(void (*program)()) {
  const Files files;
  const std::string host = files.host(), device = files.device();
  nadi_record_settings settings = nadi_record_defaults();
  settings.host_file = host.c_str();
  settings.device_file = device.c_str();
  settings.clock = step_clock;
  EXPECT_EQ(nadi_record_start(&settings), 0) << nadi_record_error();
  EXPECT_EQ(nadi_is_recording(), 1);
  program();
  nadi_record_summary summary;
  EXPECT_EQ(nadi_record_stop(&summary), 0) << nadi_record_error();
  EXPECT_EQ(nadi_is_recording(), 0);
  Recorded recorded = read_recorded(files);
  recorded.summary.ops = summary.ops;
  recorded.summary.calls = summary.calls;
  recorded.summary.device_rows = summary.device_rows;
  return recorded;
}

TEST(C, AnOpHasItsValuesOutputsAndLinks) {
  const Recorded recorded = record_c([] {
    const int64_t shape[] = {2, 3};
    nadi_tensor tensor{};
    tensor.id = 5;
    tensor.elements = -1;
    tensor.element_bytes = 2;
    tensor.type = "c10::BFloat16";
    tensor.shape = shape;
    tensor.dimensions = 2;
    nadi_value values[4] = {};
    values[0].kind = NADI_TENSOR;
    values[0].as.tensors = &tensor;
    values[1].kind = NADI_TENSORS;
    values[1].count = 1;
    values[1].as.tensors = &tensor;
    values[2].kind = NADI_REAL;
    values[2].as.real = 0.5;
    values[3].kind = NADI_TEXT;
    values[3].as.text = "text";
    const uint64_t step = nadi_step_begin(4);
    const uint64_t op = nadi_op_begin("forward", values, 4);
    nadi_op_outputs(op, values, 1);
    nadi_op_attribute(op, "flops", values[2]);
    const nadi_forward_link link = nadi_op_forward(op, 3);
    nadi_op_end(op);
    const uint64_t backward = nadi_op_begin("backward", nullptr, 0);
    nadi_op_backward_of(backward, link);
    nadi_op_end(backward);
    nadi_op_end(step);
  });
  const json tensor = {5, 0, 0, 6, 2, "cpu"};
  EXPECT_EQ(recorded.node("forward")["inputs"]["values"],
            json({tensor, json::array({tensor}), 0.5, "text"}));
  EXPECT_EQ(recorded.node("forward")["outputs"]["types"], json({"Tensor(c10::BFloat16)"}));
  EXPECT_EQ(recorded.attribute("forward", "flops"), 0.5);
  EXPECT_EQ(recorded.attribute("backward", "fw_parent"), recorded.node("forward")["id"]);
  EXPECT_EQ(recorded.attribute("backward", "seq_id"), 3);
  EXPECT_EQ(recorded.node("forward")["ctrl_deps"], recorded.node("ProfilerStep#4")["id"]);
}

TEST(C, LaunchesRowsAndCommunicationAreRecorded) {
  const Recorded recorded = record_c([] {
    const int64_t ranks[] = {0, 1};
    nadi_process_group_add("c", "C_GROUP", ranks, 2);
    nadi_communication reduce{};
    reduce.collective = "allreduce";
    reduce.group = "c";
    reduce.dtype = "Float";
    reduce.in_elements = reduce.out_elements = 8;
    reduce.peer = reduce.sequence = -1;
    const uint64_t op = nadi_communication_begin(&reduce, nullptr, 0);
    const uint64_t call = nadi_call_begin(NADI_LAUNCH, "cudaLaunchKernel", -1, -1, -1);
    nadi_device_row row{};
    row.kind = NADI_KERNEL;
    row.name = "ncclDevKernel";
    row.stream = 3;
    row.correlation = call;
    row.start_ns = nadi_record_now();
    row.duration_ns = 100;
    row.bytes = -1;
    nadi_device_row_add(&row);
    nadi_call_end(call);
    nadi_op_end(op);
    nadi_process_group_remove("c");
    nadi_call_end(nadi_call_begin(NADI_SYNC_STREAM, "cudaStreamSynchronize", 0, 3, -1));
  });
  EXPECT_EQ(recorded.summary.calls, 2U);
  EXPECT_EQ(recorded.summary.device_rows, 1U);
  EXPECT_EQ(recorded.attribute("record_param_comms", "pg_desc"), "C_GROUP");
  EXPECT_EQ(recorded.event("kernel")["args"]["correlation"],
            recorded.event("cuda_runtime", "cudaLaunchKernel")["args"]["correlation"]);
  EXPECT_EQ(recorded.event("cuda_sync", "Stream Sync")["args"]["stream"], 3);
}

TEST(C, AFailureIsAReturnValueAndAText) {
  nadi_record_settings settings = nadi_record_defaults();
  EXPECT_EQ(nadi_record_start(&settings), -1);
  EXPECT_NE(std::string(nadi_record_error()).find("a recording needs two files"),
            std::string::npos);
  EXPECT_EQ(nadi_record_start(nullptr), -1);
  EXPECT_EQ(nadi_record_stop(nullptr), 0);
  EXPECT_STREQ(nadi_record_error(), "");
}

TEST(C, NothingHappensWhereNothingIsRecorded) {
  EXPECT_EQ(nadi_op_begin("op", nullptr, 0), 0U);
  EXPECT_EQ(nadi_step_begin(1), 0U);
  EXPECT_EQ(nadi_call_begin(NADI_LAUNCH, nullptr, 0, 0, 0), 0U);
  EXPECT_EQ(nadi_communication_begin(nullptr, nullptr, 0), 0U);
  nadi_device_row_add(nullptr);
  nadi_op_end(0);
  nadi_call_end(0);
}

}  // namespace
}  // namespace nadi::record
