// Counts of the real traces beside the repository; skipped where there are none.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/read/read_text.h"

namespace nadi {
namespace {

using test::real_trace;

DeviceTrace read_real_device(const std::string& name, Diagnostics& diagnostics) {
  ByteSource source = ByteSource::open(real_trace(name));
  return read_device_trace(source, diagnostics);
}

HostTrace read_real_host(const std::string& name, Diagnostics& diagnostics) {
  ByteSource source = ByteSource::open(real_trace(name));
  return read_host_trace(source, diagnostics);
}

long count(const DeviceTrace& trace, DeviceRowKind kind) {
  return std::count(trace.rows.kind.begin(), trace.rows.kind.end(), kind);
}

struct DeviceCounts {
  const char* name;
  std::uint64_t events;
  std::size_t ops, calls, rows, syncs;
  long kernels, copies, sets;
};

TEST(RealTraces, DeviceTracesHaveTheirKnownCounts) {
  NADI_NEED_REAL_TRACE("resnet-2gpu/device.json.gz");
  const DeviceCounts traces[] = {
      {"resnet-2gpu/device.json.gz", 40573, 14388, 8740, 3774, 0, 2700, 960, 114},
      {"cuda-graph/device.json.gz", 1993, 102, 20, 434, 0, 425, 9, 0},
      {"rocm/device.json.gz", 56451, 8478, 3100, 3653, 0, 2995, 550, 108},
      {"dlrm-8gpu/device.0.json.gz", 3290, 1673, 525, 261, 0, 245, 16, 0},
      {"dlrm-8gpu/device.1.json.gz", 3424, 1673, 527, 326, 0, 310, 16, 0},
      {"linear/device.json.gz", 86859, 37078, 14515, 10356, 0, 8716, 0, 1640},
      {"event-sync/device.json.gz", 92, 11, 12, 5, 4, 4, 1, 0},
      {"events/device.json.gz", 4855, 2402, 1204, 1204, 0, 1154, 40, 10},
      {"trace-diff/test.json.gz", 105167, 31524, 21167, 15632, 0, 9876, 4856, 900},
  };
  for (const DeviceCounts& expected : traces) {
    SCOPED_TRACE(expected.name);
    Diagnostics diagnostics;
    const DeviceTrace trace = read_real_device(expected.name, diagnostics);
    EXPECT_EQ(trace.event_count, expected.events);
    EXPECT_EQ(trace.ops.size(), expected.ops);
    EXPECT_EQ(trace.calls.size(), expected.calls);
    EXPECT_EQ(trace.rows.size(), expected.rows);
    EXPECT_EQ(trace.syncs.size(), expected.syncs);
    EXPECT_EQ(count(trace, DeviceRowKind::kKernel), expected.kernels);
    EXPECT_EQ(count(trace, DeviceRowKind::kMemcpy), expected.copies);
    EXPECT_EQ(count(trace, DeviceRowKind::kMemset), expected.sets);
    EXPECT_FALSE(diagnostics.has_loss());
  }
}

TEST(RealTraces, EveryOpOfResnetHasAnRfIdAndEveryCollectiveAGroup) {
  NADI_NEED_REAL_TRACE("resnet-2gpu/device.json.gz");
  Diagnostics diagnostics;
  const DeviceTrace trace = read_real_device("resnet-2gpu/device.json.gz", diagnostics);
  EXPECT_EQ(std::count(trace.ops.rf_id.begin(), trace.ops.rf_id.end(), 0U), 0);
  EXPECT_EQ(trace.world_size, 2);
  EXPECT_EQ(trace.base_time_ns, 1711964646000000000);
  ASSERT_EQ(trace.groups.size(), 1U);
  EXPECT_EQ(trace.groups[0].ranks, (std::vector<std::int64_t>{0, 1}));
  long reduces = 0, broadcasts = 0;
  for (const CommIndex index : trace.rows.comm) {
    if (!index) continue;
    const CommRecord& comm = trace.comms[index];
    reduces += trace.strings[comm.collective] == "allreduce";
    broadcasts += trace.strings[comm.collective] == "broadcast";
    EXPECT_EQ(trace.strings[comm.pg_name], "0");
    EXPECT_GT(comm.in_nelems, 0);
  }
  EXPECT_EQ(reduces, 15);
  EXPECT_EQ(broadcasts, 6);
}

TEST(RealTraces, HostTracesHaveTheirKnownCounts) {
  NADI_NEED_REAL_TRACE("resnet-2gpu/host.json.gz");
  const struct {
    const char* name;
    std::size_t nodes, comms, groups;
    const char* schema;
  } traces[] = {
      {"resnet-2gpu/host.json.gz", 14391, 27, 0, "1.0.3-chakra.0.0.4"},
      {"dlrm-8gpu/host.0.json.gz", 1675, 13, 0, "1.0.1"},
      {"linear/host.json.gz", 931, 0, 0, "1.0.1"},
      {"host-only/host.1.0.2.json.gz", 263, 20, 1, "1.0.2-chakra.0.0.4"},
      {"host-only/torch-compile.json.tar.gz:pt2_et.json", 20, 0, 0, "1.1.1-chakra.0.0.4"},
  };
  for (const auto& expected : traces) {
    SCOPED_TRACE(expected.name);
    Diagnostics diagnostics;
    const HostTrace trace = read_real_host(expected.name, diagnostics);
    EXPECT_EQ(trace.ops.size(), expected.nodes);
    EXPECT_EQ(trace.comms.size(), expected.comms);
    EXPECT_EQ(trace.groups.size(), expected.groups);
    EXPECT_EQ(trace.strings[trace.schema], expected.schema);
    EXPECT_GT(trace.finish_ts, trace.start_ts);
    EXPECT_TRUE(diagnostics.table().empty());
  }
}

}  // namespace
}  // namespace nadi
