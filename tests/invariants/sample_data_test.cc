// The committed sample traces hold what tests/data/README.md says, and convert whole.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "nadi/chakra/chakra_check.h"
#include "nadi/converters/convert.h"
#include "tests/readme_text.h"

namespace nadi {
namespace {

struct Sample {
  const char *folder, *rank;
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
  const Sample samples[] = {{"ddp-2rank", "0"}, {"ddp-2rank", "1"}, {"multi-step", "0"}};
  for (const Sample& sample : samples) {
    SCOPED_TRACE(std::string(sample.folder) + " rank " + sample.rank);
    const ConvertReport report = convert_sample(sample);
    EXPECT_EQ(report.linked_device_rows, report.device_rows);
    test::expect_readme_says(
        "tests/data/README.md",
        fmt::format("{} host ops, {} matched, {} device rows, {} kernels, {} all-reduces",
                    report.host_ops, report.matched_host_ops, report.device_rows,
                    count(report.device_rows_by_kind, "kernel"),
                    count(report.collectives, "ALL_REDUCE")));
    EXPECT_TRUE(check_chakra(report.output).findings.empty());
  }
}

}  // namespace
}  // namespace nadi
