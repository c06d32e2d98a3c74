#include "nadi/converters/convert.h"

#include <gtest/gtest.h>

#include "nadi/base/error.h"
#include "tests/temporary_folder.h"

namespace nadi {
namespace {

TEST(Convert, ALinkedTraceThatIsCutBeforeItsFirstTimeIsRefused) {
  const TemporaryFolder folder;
  ConvertOptions options;
  options.output_file = folder / "graph.et";
  options.traces.linked = folder.write("linked.json", R"({"schema": "1.0.3-chakra.0.0.4", "nodes": [
{"id": 3, "name": "aten::add", "ctrl_deps": 2, "ts": 4458676416431.397, "untimed": true},
{"id": 4, "name": "aten::add", "parent": 2, "rf_id": 0, "tid": 1},
{"id": 5, "inclusive_dur": )");
  try {
    convert(options);
    FAIL() << "was converted";
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(),
              "holds no ops, calls or device rows before the place where it is cut");
  }
  EXPECT_EQ(folder.listing(), "linked.json");
}

}  // namespace
}  // namespace nadi
