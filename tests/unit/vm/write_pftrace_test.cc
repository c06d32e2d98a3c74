// What is lost or altered on the way into the new profiler's Perfetto trace (schema/perfetto.md);
// what it looks like shows write_every_record_test.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include "perfetto_trace.pb.h"
#include "tests/vm/builder.h"
#include "tests/vm/programs.h"
#include "tests/vm/write.h"

namespace nadi::vm {
namespace {

std::string bytes_of(const Program& program, DeviceForm form, WriteOptions options) {
  options.form = form;
  return write_device_trace(program, execute(program), 0, options);
}

perfetto::protos::Trace pftrace_of(const Program& program, const WriteOptions& options) {
  perfetto::protos::Trace trace;
  EXPECT_TRUE(trace.ParseFromString(bytes_of(program, DeviceForm::kPftrace, options)));
  return trace;
}

TEST(WritePftrace, P4_ANegativeTidIsMaskedWhereTheJsonHasItsAbsoluteValue) {
  WriteOptions options;
  options.has_wrong_threads = true;
  const perfetto::protos::Trace trace = pftrace_of(forward_backward(), options);
  std::set<std::int64_t> tids;
  for (const auto& packet : trace.packet())
    if (packet.track_descriptor().has_thread())
      tids.insert(packet.track_descriptor().thread().tid());
  const std::string text = bytes_of(forward_backward(), DeviceForm::kCuspy, options);
  std::size_t found_in_both = 0;
  for (const std::int64_t tid : tids)
    found_in_both += text.find("\"tid\":" + std::to_string(tid) + ",") != text.npos ? 1U : 0U;
  EXPECT_EQ(found_in_both + 1, tids.size());
}

TEST(WritePftrace, P8_WithoutRecordedEdgesALaunchLinksAllRowsOfItsGraph) {
  ProgramBuilder builder("graph");
  builder.thread(0, "pt_main_thread")
      .graph(7, {graph_kernel("root", 7, 5_us, {}), graph_kernel("next", 7, 6_us, {0})});
  WriteOptions options;
  options.has_graph_edges = false;
  const perfetto::protos::Trace trace = pftrace_of(builder.take(), options);
  int linked = 0;
  for (const auto& packet : trace.packet())
    linked += packet.track_event().gpu_correlation().render_stage_event_ids_size();
  EXPECT_EQ(linked, 2);
}

TEST(WritePftrace, N43_EdgesOfRowsThatLostTheirCorrelationJoinTheLastOfThem) {
  Row first = graph_kernel("HostNode: a", 7, 9_us, {}),
      second = graph_kernel("HostNode: b", 7, 8_us, {0});
  first.kind = second.kind = EventCategory::kHostNode;
  ProgramBuilder builder("queued");
  ThreadBuilder main = builder.thread(0, "pt_main_thread");
  const int graph = main.graph(7, {first, second});
  for (int i = 0; i < 3; ++i) main.replay(graph, [](std::size_t, Ns duration) { return duration; });
  WriteOptions options;
  options.has_host_correlations = false;
  const perfetto::protos::Trace trace = pftrace_of(builder.take(), options);
  int edges = 0;
  std::ptrdiff_t rows = 0, correlated = 0;
  for (const auto& packet : trace.packet()) {
    const auto& row = packet.gpu_render_stage_event();
    if (row.stage_iid() != 6) continue;  // HostNode
    ++rows;
    edges += row.event_wait_ids_size();
    correlated += std::count_if(row.extra_data().begin(), row.extra_data().end(),
                                [](const auto& extra) { return extra.name() == "correlation"; });
  }
  EXPECT_EQ(rows - correlated, 6);  // of three replays that were queued
  EXPECT_EQ(edges, 2);              // one of the first replay, and one of all that have none
}

}  // namespace
}  // namespace nadi::vm
