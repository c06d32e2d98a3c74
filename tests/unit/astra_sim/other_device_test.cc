// How long kernels are estimated to take on another device.
#include "nadi/sim_bridge/astra_sim/other_device.h"

#include <gtest/gtest.h>

#include "nadi/base/error.h"
#include "tests/et_file.h"

namespace nadi::astra_sim {
namespace {

const OtherDevice kOnH100{"H100", kH100};

/// A product of matrices with elements of 16 bits, a kernel without shapes, and a copy.
Graph graph_on(const std::string& device) {
  EtFile file;
  EtFile::attribute(file.metadata, "device_name").set_string_val(device);
  auto& op = file.host(1, 0, 10);
  op.set_name("aten::mm");
  op.mutable_inputs()->set_shapes("[[4096, 4096], [4096, 4096]]");
  op.mutable_inputs()->set_types("['Tensor(c10::Half)', 'Tensor(c10::Half)']");
  EtFile::attribute(op, "rf_id").set_int64_val(7);
  EtFile::attribute(file.device(2, 10, 2000, {1}), "rf_id").set_int64_val(7);
  file.device(3, 2010, 1000, {2});
  file.device(4, 3010, 500, {3}).set_name("Memcpy HtoD (Pinned -> Device)");
  return file.load(TemporaryFolder());
}

TEST(OtherDevice, TakesTheRatioOfWhatBoundsAKernel) {
  DeviceEstimate estimate;
  const std::vector<double> factors =
      factors_on(kOnH100, graph_on("Tesla V100-SXM2-32GB"), estimate);
  ASSERT_EQ(factors.size(), 4U);
  EXPECT_EQ(factors[0], 1);
  EXPECT_NEAR(factors[1], 125.0 / 989, 1e-6) << "the product";
  EXPECT_NEAR(factors[2], 900.0 / 3350, 1e-6) << "of no shapes: memory";
  EXPECT_EQ(factors[3], 1) << "the host's copy";
  EXPECT_EQ(estimate.kernels_ns, 3'000'000);
  EXPECT_EQ(estimate.from_shapes_ns, 2'000'000);
}

TEST(OtherDevice, ThatIsTheRecordedOneChangesNothing) {
  DeviceEstimate estimate;
  for (const double factor : factors_on(kOnH100, graph_on("NVIDIA H100 80GB HBM3"), estimate))
    EXPECT_NEAR(factor, 1, 1e-12);
}

TEST(OtherDevice, CannotBeComparedWithOneThatNobodyKnows) {
  DeviceEstimate estimate;
  EXPECT_THROW(factors_on(kOnH100, graph_on("A thing"), estimate), Error);
  EXPECT_THROW(factors_on(kOnH100, graph_on(""), estimate), Error);
}

}  // namespace
}  // namespace nadi::astra_sim
