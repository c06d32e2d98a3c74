/* The recorder from C: `record_in_c PREFIX` writes PREFIX.host.json and PREFIX.device.json. */
#include <nadi/record/record_c.h>
#include <stdio.h>

static void multiply(void) {
  const int64_t shape[2] = {128, 128};
  nadi_tensor matrix = {0};
  matrix.id = matrix.storage = 1;
  matrix.elements = -1; /* the product of the shape */
  matrix.element_bytes = 4;
  matrix.device = "cuda:0";
  matrix.shape = shape;
  matrix.dimensions = 2;
  nadi_value input = {0};
  input.kind = NADI_TENSOR;
  input.as.tensors = &matrix;

  const uint64_t op = nadi_op_begin("toy::multiply", &input, 1);
  const uint64_t launch = nadi_call_begin(NADI_LAUNCH, "cudaLaunchKernel", -1, -1, -1);
  nadi_device_row kernel = {0};
  kernel.kind = NADI_KERNEL;
  kernel.name = "multiply";
  kernel.stream = 7;
  kernel.correlation = launch;
  kernel.start_ns = nadi_record_now() + 4000;
  kernel.duration_ns = 20000;
  kernel.bytes = -1;
  nadi_device_row_add(&kernel);
  nadi_call_end(launch);
  nadi_op_end(op);
}

int main(int argc, char** argv) {
  char host[1024], device[1024];
  nadi_record_settings settings = nadi_record_defaults();
  nadi_record_summary summary;
  int i;
  if (argc != 2) return 2;
  snprintf(host, sizeof host, "%s.host.json", argv[1]);
  snprintf(device, sizeof device, "%s.device.json", argv[1]);
  settings.host_file = host;
  settings.device_file = device;
  if (nadi_record_start(&settings) != 0) {
    fprintf(stderr, "%s\n", nadi_record_error());
    return 1;
  }
  for (i = 0; i < 3; ++i) multiply();
  if (nadi_record_stop(&summary) != 0) {
    fprintf(stderr, "%s\n", nadi_record_error());
    return 1;
  }
  printf("%d ops, %d device rows\n", (int)summary.ops, (int)summary.device_rows);
  return 0;
}
