// Which device a job ran on, and what it can do.
#include "nadi/sim_bridge/astra_sim/devices.h"

#include <gtest/gtest.h>

#include "nadi/sim_bridge/job/make_job.h"
#include "tests/et_file.h"

namespace nadi::astra_sim {
namespace {

TEST(Devices, AreFoundByTheNamesThatTracesHave) {
  const std::pair<const char*, const char*> names[] = {
      {"NVIDIA A100-PG509-200", "A100"},
      {"NVIDIA A100-SXM4-40GB", "A100"},
      {"NVIDIA A100-SXM4-80GB", "A100 80GB"},
      {"NVIDIA A100 80GB PCIe", "A100 80GB PCIe"},
      {"Tesla V100-SXM2-32GB", "V100"},
      {"Tesla V100-PCIE-16GB", "V100 PCIE"},
      {"NVIDIA H100 80GB HBM3", "H100"},
      {"NVIDIA H100 PCIe", "H100 PCIe"},
      {"NVIDIA H200", "H200"},
      {"NVIDIA B200", "B200"},
      {"NVIDIA B300 SXM6 AC", "B300"},
      {"NVIDIA GB200", "GB200"},
      {"NVIDIA L40S", "L40S"},
      {"NVIDIA GeForce RTX 2080 Ti", "RTX 2080 Ti"},
      {"AMD Instinct MI300X", "MI300X"},
      {"AMD Instinct MI250X / MI250", "MI250X"},
  };
  for (const auto& [name, device] : names) {
    ASSERT_NE(find_device(name), nullptr) << name;
    EXPECT_EQ(find_device(name)->name, device) << name;
  }
}

TEST(Devices, NobodyKnowsAreNone) {
  for (const char* name :
       {"", "NVIDIA Virtual Machine", "NVIDIA A10G", "NVIDIA GeForce RTX 4090 Laptop GPU",
        "NVIDIA GeForce RTX 3090 Ti", "NVIDIA A100-SXM4-40GB MIG 1g.5gb"})
    EXPECT_EQ(find_device(name), nullptr) << name;
}

TEST(Devices, HaveAPeakForElementsOfAnySize) {
  EXPECT_EQ(kH100.peak_tflops(1), 1979);
  EXPECT_EQ(kH100.peak_tflops(2), 989);
  EXPECT_EQ(kH100.peak_tflops(4), 494);
  EXPECT_EQ(kH100.peak_tflops(8), 494);
  EXPECT_EQ(kH100.peak_tflops(0), 989);
  EXPECT_EQ(find_device("Tesla V100-SXM2-32GB")->peak_tflops(1), 125) << "as of 16 bits";
}

EtFile rank_on(int rank, const std::string& device, const std::string& type = "") {
  EtFile file(rank);
  if (!device.empty()) EtFile::attribute(file.metadata, "device_name").set_string_val(device);
  file.host(1, 0, 10);
  file.device(2, 10, 5, {1});
  if (type.empty()) return file;
  auto& op = file.nodes[0];
  op.set_name("aten::mm");
  op.mutable_inputs()->set_shapes("[[8, 8], [8, 8]]");
  op.mutable_inputs()->set_types("['Tensor(" + type + ")', 'Tensor(" + type + ")']");
  for (auto& node : file.nodes) EtFile::attribute(node, "rf_id").set_int64_val(7);
  return file;
}

DeviceSpeed speed(const std::vector<EtFile>& files, Diagnostics& diagnostics) {
  const TemporaryFolder folder;
  std::vector<Graph> graphs;
  for (const EtFile& file : files) graphs.push_back(file.load(folder));
  return speed_of_device(make_job(std::move(graphs), MissingRanks::kRefuse, diagnostics),
                         diagnostics);
}

TEST(DeviceSpeed, IsThatOfTheRecordedDeviceForTheElementsOfItsProducts) {
  Diagnostics diagnostics;
  const DeviceSpeed half = speed({rank_on(0, "Tesla V100-SXM2-32GB", "c10::Half")}, diagnostics);
  EXPECT_EQ(half.peak_tflops, 125);
  EXPECT_EQ(half.memory_gb_per_s, 900);
  EXPECT_EQ(speed({rank_on(0, "Tesla V100-SXM2-32GB", "float")}, diagnostics).peak_tflops, 15.7);
  EXPECT_EQ(speed({rank_on(0, "Tesla V100-SXM2-32GB")}, diagnostics).peak_tflops, 125);
  EXPECT_TRUE(diagnostics.table().empty());
}

TEST(DeviceSpeed, OfAnUnknownDeviceIsThatOfAnH100AndTold) {
  Diagnostics diagnostics;
  const DeviceSpeed found = speed({rank_on(0, ""), rank_on(1, "A thing")}, diagnostics);
  EXPECT_EQ(found.peak_tflops, 989);
  EXPECT_EQ(found.memory_gb_per_s, 3350);
  ASSERT_EQ(diagnostics.count(Finding::kDeviceUnknown), 2U);
  EXPECT_EQ(diagnostics.table()[0].first,
            (std::vector<std::string>{"rank 0: no name", "rank 1: A thing"}));
}

TEST(DeviceSpeed, OfDifferentDevicesIsThatOfTheSlowestMemory) {
  Diagnostics diagnostics;
  const DeviceSpeed found =
      speed({rank_on(0, "NVIDIA A100-SXM4-80GB"), rank_on(1, "NVIDIA A100-SXM4-40GB"),
             rank_on(2, "NVIDIA A100-SXM4-80GB"), rank_on(3, "A thing")},
            diagnostics);
  EXPECT_EQ(found.memory_gb_per_s, 1555);
  EXPECT_EQ(diagnostics.count(Finding::kDeviceUnknown), 1U);
  ASSERT_EQ(diagnostics.count(Finding::kDevicesDiffer), 2U);
  EXPECT_EQ(diagnostics.table()[1].first, std::vector<std::string>{"A100, A100 80GB"});
}

TEST(DeviceSpeed, GivesWhatIsMovedAndDoneInATimeAndAtLeastOne) {
  EXPECT_EQ(bytes_moved_in(1000, 3350), 3'350'000);
  EXPECT_EQ(operations_done_in(1000, 2), 2'000'000);
  EXPECT_EQ(bytes_moved_in(0, 3350), 1);
  EXPECT_EQ(operations_done_in(0, 2), 1);
}

}  // namespace
}  // namespace nadi::astra_sim
