// What the new profiler writes of a program with every kind of record, by the N facts of
// schema/kineto.md and the P facts of schema/perfetto.md, stands in the files every_record.* beside
// this one. NADI_UPDATE_GOLDEN=1 rewrites them.
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>

#include "perfetto_trace.pb.h"
#include "tests/file_bytes.h"
#include "tests/vm/builder.h"
#include "tests/vm/write.h"

namespace nadi::vm {
namespace {

Row of_kind(EventCategory kind, Row row) {
  row.kind = kind;
  return row;
}

Program every_record() {
  ProgramBuilder builder("every_record");
  builder.program().row_gap = 700;
  ThreadBuilder main = builder.thread(0, "pt_main_thread"), other = builder.thread(0, "other");
  main.op("aten::zeros", [&] { main.set(7, 4096, 2_us); });
  main.annotation("decode", [&] {
    main.op("aten::add", [&] { main.launch(7, "eager", 5_us); });
    std::vector<Row> nodes{
        graph_kernel("root", 7, 5_us, {}),
        graph_kernel("other_root", 32, 9_us, {}),
        of_kind(EventCategory::kEventRecord, graph_kernel("EventRecord", 7, 0, {0})),
        of_kind(EventCategory::kHostNode, graph_kernel("HostNode: fill", 7, 6_us, {2})),
        graph_kernel("programmatic", 7, 8_us, {0}),
        graph_kernel("joined", 7, 4_us, {1, 3, 4})};
    nodes[4].early = 2_us;
    const int graph = main.graph(7, std::move(nodes));
    main.replay(graph, [](std::size_t, Ns duration) { return duration + duration / 10; });
    std::vector<Row> loop{graph_kernel("first", 7, 5_us, {}), graph_kernel("child", 7, 3_us, {0}),
                          graph_kernel("body", 7, 4_us, {1}), graph_kernel("body", 7, 4_us, {2}),
                          graph_kernel("last", 7, 4_us, {3})};
    loop[1].is_in_child = true;
    loop[3].same_node = 2;
    main.graph(7, std::move(loop));
  });
  const int event = main.record(7);
  main.wait(20, event);
  main.launch(20, "waits", 4_us);
  main.copy(20, "HtoD (Pinned -> Device)", 4096, 3_us);
  main.query(event);
  main.event_synchronize(event);
  main.blocking_copy(7, 8, 2_us);
  main.stream_synchronize(20);
  main.device_synchronize();
  other.op("aten::view", 3_us);
  other.work(99_us);
  other.stream_synchronize(20, 9_us);  // begins in that of the other thread and ends behind it
  return builder.take();
}

std::string written(DeviceForm form) {
  WriteOptions options;
  options.form = form;
  const Program program = every_record();
  return write_device_trace(program, execute(program), 0, options);
}

/// What the file holds, which holds `text` from now on where NADI_UPDATE_GOLDEN is set.
std::string stored(const std::string& name, const std::string& text) {
  const std::string path = NADI_SOURCE_DIR "/tests/unit/vm/" + name;
  if (std::getenv("NADI_UPDATE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << text;
  return read_file(path);
}

/// With a line for each event, though the profiler writes one line (N8).
std::string by_events(std::string text) {
  EXPECT_EQ(text.find('\n'), text.npos);
  for (const char* event : {R"(,{"ph":)", R"(,{"name":)", R"([{"name":)"})
    for (std::size_t at = 0; (at = text.find(event, at)) != text.npos;) text.insert(++at, "\n");
  return text + "\n";
}

/// With a line for each packet; fields that schema/perfetto_trace.proto lacks have numbers for
/// names.
std::string by_packets(const std::string& bytes) {
  perfetto::protos::Trace trace;
  EXPECT_TRUE(trace.ParseFromString(bytes));
  google::protobuf::TextFormat::Printer printer;
  printer.SetSingleLineMode(true);
  std::string text;
  for (const perfetto::protos::TracePacket& packet : trace.packet()) {
    std::string line;
    printer.PrintToString(packet, &line);
    while (!line.empty() && line.back() == ' ') line.pop_back();
    text += "packet { " + line + " }\n";
  }
  return text;
}

TEST(WriteEveryRecord, TheJsonIsThatOfTheFile) {
  const std::string text = by_events(written(DeviceForm::kCuspy));
  EXPECT_EQ(text, stored("every_record.cuspy.json", text));
}

TEST(WriteEveryRecord, ThePerfettoTraceIsThatOfTheFile) {
  const std::string text = by_packets(written(DeviceForm::kPftrace));
  EXPECT_EQ(text, stored("every_record.pftrace.txt", text));
}

}  // namespace
}  // namespace nadi::vm
