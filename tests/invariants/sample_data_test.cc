// The committed sample traces hold what tests/data/README.md says, and convert whole.
#include <gtest/gtest.h>

#include <algorithm>

#include "nadi/chakra/chakra_check.h"
#include "nadi/converters/convert.h"

namespace nadi {
namespace {

struct Sample {
  const char *folder, *rank;
  std::uint64_t host_ops, matched, rows, kernels, collectives;
};

ConvertReport convert_sample(const Sample& sample) {
  const std::string folder = std::string(NADI_TEST_DATA) + "/" + sample.folder;
  ConvertOptions options;
  options.traces.host = folder + "/host." + sample.rank + ".json.gz";
  options.traces.device = folder + "/device." + sample.rank + ".json.gz";
  options.output = testing::TempDir() + "sample." + sample.folder;
  options.strict = true;
  return convert(options);
}

std::uint64_t count(const CountTable& table, const std::string& name) {
  const auto row =
      std::find_if(table.begin(), table.end(), [&](const auto& r) { return r.first == name; });
  return row == table.end() ? 0 : row->second;
}

TEST(SampleData, ConvertsWithTheCountsItsReadmeTells) {
  const Sample samples[] = {{"ddp-2rank", "0", 42, 41, 17, 15, 2},
                            {"ddp-2rank", "1", 42, 41, 17, 15, 2},
                            {"multi-step", "0", 15, 15, 9, 9, 0}};
  for (const Sample& sample : samples) {
    SCOPED_TRACE(std::string(sample.folder) + " rank " + sample.rank);
    const ConvertReport report = convert_sample(sample);
    EXPECT_EQ(report.host_ops, sample.host_ops);
    EXPECT_EQ(report.matched_host_ops, sample.matched);
    EXPECT_EQ(report.device_rows, sample.rows);
    EXPECT_EQ(report.linked_device_rows, sample.rows);
    EXPECT_EQ(count(report.device_rows_by_kind, "kernel"), sample.kernels);
    EXPECT_EQ(count(report.collectives, "ALL_REDUCE"), sample.collectives);
    EXPECT_TRUE(check_chakra(report.output).findings.empty());
  }
}

}  // namespace
}  // namespace nadi
