// A program that is not PyTorch records its training steps: `training_loop PREFIX` writes
// PREFIX.host.json and PREFIX.device.json, which `nadi convert` takes.
#include <nadi/base/error.h>
#include <nadi/record/record.h>

#include <array>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "toy_device.h"

namespace record = nadi::record;

namespace {

// A tensor of this program.
struct Matrix {
  std::array<std::int64_t, 2> shape{};
  const char* name = "";
};

// Tells the recorder what a Matrix is: from here on any op takes one. Addresses make good ids.
record::Tensor describe(const Matrix& matrix) {
  record::Tensor tensor;
  tensor.id = tensor.storage = reinterpret_cast<std::uintptr_t>(&matrix);
  tensor.shape = matrix.shape;
  tensor.device = "cuda:0";
  return tensor;
}

struct Layer {
  Matrix weights{{256, 256}, "weights"}, gradient{{256, 256}, "gradient"}, output{{32, 256}, "out"};
  record::ForwardLink forward;  // what its backward op needs to know of its forward op
};

void run_forward(ToyDevice& device, Layer& layer, const Matrix& input) {
  record::Op op("toy::linear", input, layer.weights);  // from here …
  layer.forward = op.forward();
  work(5'000);
  device.launch("linear_forward", ToyDevice::kCompute, 20'000);
  op.outputs(layer.output);
}  // … to here

void run_backward(ToyDevice& device, Layer& layer) {
  record::Op op("toy::linear_backward", layer.output, layer.weights);
  op.backward_of(layer.forward);
  work(5'000);
  device.launch("linear_backward", ToyDevice::kCompute, 40'000);
  op.outputs(layer.gradient);
}

// The gradients of all ranks are added up on a stream of their own.
void reduce_gradient(ToyDevice& device, const Layer& layer) {
  record::Communication all_reduce;
  all_reduce.collective = "allreduce";
  all_reduce.group = "0";
  all_reduce.dtype = "Float";
  all_reduce.in_elements = all_reduce.out_elements = 256 * 256;
  device.record_event(1, ToyDevice::kCompute);
  device.make_wait(ToyDevice::kNetwork, 1);
  record::CommunicationOp op(all_reduce, layer.gradient);
  device.launch("ncclDevKernel_AllReduce_Sum_f32", ToyDevice::kNetwork, 60'000);
  op.outputs(layer.gradient);
}

void train(ToyDevice& device, std::vector<Layer>& layers, int steps) {
  const Matrix batch{{32, 256}, "batch"};
  for (int number = 0; number < steps; ++number) {
    const record::Step step(number);
    for (Layer& layer : layers) run_forward(device, layer, batch);
    // As autograd does: backward runs on a thread of its own, and forward waits for it.
    std::thread backward([&] {
      record::name_thread("toy_autograd");
      for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
        run_backward(device, *layer);
        reduce_gradient(device, *layer);
      }
    });
    backward.join();
    const record::Annotation optimizer("Optimizer.step");
    device.record_event(2, ToyDevice::kNetwork);
    device.make_wait(ToyDevice::kCompute, 2);
    {
      const record::Op op("toy::sgd", layers.front().weights, 0.01);
      device.launch("sgd", ToyDevice::kCompute, 10'000);
    }
    const record::Op loss("toy::item");
    device.copy_to_host(4);
  }
  device.synchronize(ToyDevice::kCompute);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  record::Settings settings;
  settings.host_file = std::string(argv[1]) + ".host.json";
  settings.device_file = std::string(argv[1]) + ".device.json";
  settings.rank = 0;
  settings.world_size = 2;
  settings.device_names = {"Toy accelerator"};
  record::add_process_group({"0", "default_pg", {0, 1}});

  ToyDevice device;
  std::vector<Layer> layers(3);
  try {
    train(device, layers, 1);  // not recorded: costs a load and a branch per op
    record::start(settings);
    train(device, layers, 3);
    const record::Summary summary = record::stop();
    std::printf("%llu ops, %llu calls, %llu device rows of %llu threads\n",
                static_cast<unsigned long long>(summary.ops),
                static_cast<unsigned long long>(summary.calls),
                static_cast<unsigned long long>(summary.device_rows),
                static_cast<unsigned long long>(summary.threads));
  } catch (const nadi::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
