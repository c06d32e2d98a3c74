// How much memory there is, and what a conversion of a rank takes of it.
#include "nadi/converters/archive/memory_limit.h"

#include <gtest/gtest.h>

#include <limits>

#include "nadi/converters/archive/convert_rank.h"
#include "nadi/input/byte_source.h"
#include "tests/temporary_folder.h"

namespace nadi {
namespace {

namespace fs = std::filesystem;

/// A folder as / would be.
class Root {
 public:
  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((folder_.path() / path).parent_path());
    folder_.write(path, text);
  }
  std::uint64_t limit() const { return memory_limit_of_groups(folder_.path().string()); }

 private:
  TemporaryFolder folder_;
};

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

TEST(MemoryLimit, IsThatOfTheGroupOrOfOneAroundIt) {
  const Root root;
  EXPECT_EQ(root.limit(), kUnlimited);
  root.write("proc/self/cgroup", "0::/job/step\n");
  EXPECT_EQ(root.limit(), kUnlimited);
  root.write("sys/fs/cgroup/job/step/memory.max", "max\n");
  root.write("sys/fs/cgroup/job/memory.max", "5000\n");
  EXPECT_EQ(root.limit(), 5000U);
  root.write("sys/fs/cgroup/job/step/memory.max", "4000\n");
  EXPECT_EQ(root.limit(), 4000U);
  root.write("sys/fs/cgroup/memory.max", "3000\n");  // as inside a container
  EXPECT_EQ(root.limit(), 3000U);
}

TEST(MemoryLimit, OfTheFirstVersionOfGroupsCountsToo) {
  const Root root;
  root.write("proc/self/cgroup", "5:cpu,cpuacct:/job\n4:memory:/job/step\n");
  root.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  root.write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "7000\n");
  EXPECT_EQ(root.limit(), 7000U);
}

TEST(ShareMemory, SharesOutNoMoreThanThereIs) {
  for (const std::uint64_t bytes : {0ULL, 1000ULL, 40ULL << 20, 8ULL << 30}) {
    const MemoryShares shares = share_memory(bytes);
    EXPECT_LE(shares.lists + shares.store + shares.conversions, bytes);
    EXPECT_GE(shares.conversions, bytes / 4);
  }
}

RankTask task_of_device_trace(std::uint64_t bytes, double rows_per_byte) {
  RankTask task;
  task.device_bytes = bytes;
  InputRecord device;
  device.peek.type = TraceType::kDeviceTrace;
  device.peek.rows_per_byte = rows_per_byte;
  task.record.inputs = {device};
  return task;
}

TEST(BytesNeeded, GoByBytesAndWhereRowsAreShortByRows) {
  constexpr std::uint64_t kTrace = 100'000'000;
  const std::uint64_t none = bytes_needed(task_of_device_trace(0, 0.01));
  EXPECT_EQ(bytes_needed(task_of_device_trace(kTrace, 0)), none + kTrace * 3 / 2);
  EXPECT_EQ(bytes_needed(task_of_device_trace(kTrace, 1.0 / 400)), none + kTrace * 3 / 2);
  EXPECT_GT(bytes_needed(task_of_device_trace(kTrace, 1.0 / 60)), none + 7 * kTrace);
}

TEST(PeekTrace, CountsTheRowsOfWhatItReads) {
  const std::string text =
      R"({"traceEvents": [{"ph": "X", "ts": 1, "name": "a"}, {"ph": "X", "ts": 2, "name": "b"}]})";
  ByteSource source = source_of_bytes(text, "trace");
  EXPECT_DOUBLE_EQ(peek_trace(source).rows_per_byte, 2.0 / static_cast<double>(text.size()));
}

}  // namespace
}  // namespace nadi
