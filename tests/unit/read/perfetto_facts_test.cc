// One test per fact of schema/perfetto.md that concerns reading (P2-P20), and of damaged traces.
#include <google/protobuf/io/gzip_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <gtest/gtest.h>

#include "nadi/base/error.h"
#include "nadi/emit/compressor.h"
#include "nadi/read/detect.h"
#include "nadi/read/device_walk.h"
#include "nadi/read/perfetto_start.h"
#include "tests/error_of.h"
#include "tests/event_json.h"
#include "tests/perfetto_bytes.h"
#include "tests/unit/read/read_text.h"

namespace nadi {
namespace {

using test::kPerfettoTables;
using test::perfetto_bytes;
using test::source_of;

/// The events of packets behind the usual tables as JSON, without the names of threads.
std::vector<std::string> events_of(const std::string& packets, Diagnostics& diagnostics) {
  ByteSource source = source_of(perfetto_bytes(kPerfettoTables + packets), 1 << 16);
  ArgumentKeys keys;
  keys.takes_all = true;
  DeviceTrace header;
  std::vector<std::string> texts;
  walk_device_trace(
      source,
      {keys, header,
       [&](const TraceEvent& event, std::uint32_t) { texts.push_back(test::json_of(event)); }},
      diagnostics, {});
  std::erase_if(texts, [](const std::string& text) { return text.starts_with(R"({"ph":"M")"); });
  return texts;
}
std::vector<std::string> events_of(const std::string& packets) {
  Diagnostics diagnostics;
  return events_of(packets, diagnostics);
}

DeviceTrace read(const std::string& packets, Diagnostics& diagnostics) {
  return test::read_device(perfetto_bytes(kPerfettoTables + packets), diagnostics);
}

using Texts = std::vector<std::string>;

/// A begin as the profiler writes it: it needs interned data, and its end does not (P2).
std::string begin(int time, int track, const std::string& event) {
  return "packet { timestamp: " + std::to_string(time) +
         " trusted_packet_sequence_id: 1 sequence_flags: 2 track_event { type: TYPE_SLICE_BEGIN "
         "track_uuid: " +
         std::to_string(track) + " " + event + " } }\n";
}
std::string end(int time, int track) {
  return "packet { timestamp: " + std::to_string(time) +
         " trusted_packet_sequence_id: 1 track_event { type: TYPE_SLICE_END track_uuid: " +
         std::to_string(track) + " } }\n";
}
/// An end as others write it.
std::string flagged_end(int time, int track) {
  return "packet { timestamp: " + std::to_string(time) +
         " trusted_packet_sequence_id: 1 sequence_flags: 2 track_event { type: TYPE_SLICE_END "
         "track_uuid: " +
         std::to_string(track) + " } }\n";
}
std::string row(int time, const std::string& stage) {
  return "packet { timestamp: " + std::to_string(time) +
         " trusted_packet_sequence_id: 1 sequence_flags: 2 gpu_render_stage_event { " + stage +
         " } }\n";
}

const std::string kMm = "category_iids: 1 name_iid: 1";
const std::string kRelu = "category_iids: 1 name_iid: 2";

TEST(PerfettoFacts, P2_ThreadsHaveTheirNames) {
  Diagnostics diagnostics;
  const DeviceTrace trace = read(begin(2000, 3, kMm) + end(3000, 3), diagnostics);
  ASSERT_EQ(trace.ops.size(), 1U);
  const ProfilerThread& thread = trace.threads[trace.ops.thread[0].value];
  EXPECT_EQ(trace.strings[thread.name], "autograd");
  EXPECT_EQ(trace.strings[thread.pid], "7");
  EXPECT_EQ(trace.strings[thread.tid], "9");
}

TEST(PerfettoFacts, P3_TimesAreExactNanosecondsSinceTheEpoch) {
  const std::string packet =
      "packet { timestamp: 1790000000123456789 trusted_packet_sequence_id: 1 sequence_flags: 2 "
      "track_event { type: TYPE_SLICE_BEGIN track_uuid: 2 category_iids: 1 name_iid: 1 } }"
      "packet { timestamp: 1790000000123456795 trusted_packet_sequence_id: 1 "
      "track_event { type: TYPE_SLICE_END track_uuid: 2 } }";
  Diagnostics diagnostics;
  const DeviceTrace trace = read(packet, diagnostics);
  EXPECT_EQ(trace.ops.start_ns, std::vector<Ns>{1790000000123456789});
  EXPECT_EQ(trace.ops.duration_ns, std::vector<Ns>{6});
  EXPECT_EQ(trace.base_time_ns, 0);
}

TEST(PerfettoFacts, P5_TheIthEndOfARunBelongsToItsIthBegin) {
  EXPECT_EQ(
      events_of(begin(2000, 2, kMm) + begin(2100, 2, kRelu) + begin(3000, 3, kMm) + end(9000, 2) +
                end(2500, 2) + end(3001, 3)),
      (Texts{
          R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":7,"tid":8,"ts":2.000,"dur":7.000,"args":{}})",
          R"({"ph":"X","cat":"cpu_op","name":"aten::relu","pid":7,"tid":8,"ts":2.100,"dur":0.400,"args":{}})",
          R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":7,"tid":9,"ts":3.000,"dur":0.001,"args":{}})"}));
}

TEST(PerfettoFacts, P5_RunsAreKnownByTheirTimesWhereNoFlagsTell) {
  std::string packets = begin(2000, 2, kMm) + begin(3000, 2, kRelu) + end(2500, 2) + end(3500, 2);
  for (std::size_t at; (at = packets.find(" sequence_flags: 2")) != std::string::npos;)
    packets.erase(at, 18);
  Diagnostics diagnostics;
  const DeviceTrace trace = read(packets, diagnostics);
  EXPECT_EQ(trace.ops.start_ns, (std::vector<Ns>{2000, 3000}));
  EXPECT_EQ(trace.ops.duration_ns, (std::vector<Ns>{500, 500}));
}

TEST(PerfettoFacts, P5_OthersEndTheSliceThatTheTrackBeganLast) {
  Diagnostics diagnostics;
  const DeviceTrace trace =
      read(begin(2000, 2, kMm) + begin(2100, 2, kRelu) + begin(2200, 3, kMm) +
               flagged_end(2300, 2) + flagged_end(2400, 3) + flagged_end(2500, 2),
           diagnostics);
  EXPECT_EQ(trace.ops.start_ns, (std::vector<Ns>{2100, 2200, 2000}));
  EXPECT_EQ(trace.ops.duration_ns, (std::vector<Ns>{200, 200, 500}));
  EXPECT_EQ(diagnostics.count(Finding::kSliceUnmatched), 0U);
}

TEST(PerfettoFacts, P5_SlicesWithoutEndOrBeginAreCounted) {
  Diagnostics diagnostics;
  const DeviceTrace trace =
      read(begin(2000, 2, kMm) + begin(2100, 3, kRelu) + begin(2300, 2, kMm) + end(2200, 3) +
               end(2400, 2) + begin(5000, 2, kMm) + end(5500, 3) + end(6000, 2),
           diagnostics);
  EXPECT_EQ(trace.ops.start_ns, (std::vector<Ns>{2100, 2300, 5000}));
  EXPECT_EQ(trace.ops.duration_ns, (std::vector<Ns>{100, 100, 1000}));
  EXPECT_EQ(diagnostics.count(Finding::kSliceUnmatched), 2U);  // the begin at 2000, the end at 5500
}

TEST(PerfettoFacts, P6_SyncSlicesAreKnownByTheirArgumentAndOverheadByItsProcess) {
  const Texts texts = events_of(
      begin(2000, 5,
            "name_iid: 7 debug_annotations { name: \"cuda_sync_kind\" string_value: \"Stream "
            "Sync\" } debug_annotations { name: \"stream\" int_value: -1 }") +
      begin(2500, 6, "name_iid: 8") + end(3000, 5) + end(3500, 6));
  EXPECT_EQ(texts,
            (Texts{R"({"ph":"X","cat":"cuda_sync","name":"Stream Sync","pid":0,"tid":7,"ts":2.000,)"
                   R"("dur":1.000,"args":{"cuda_sync_kind":"Stream Sync","stream":-1}})",
                   R"({"ph":"X","cat":"overhead","name":"Buffer Flush","pid":2147483647,"tid":0,)"
                   R"("ts":2.500,"dur":1.000,"args":{}})"}));
}

TEST(PerfettoFacts, P7_AnnotationsKeepTheirTypes) {
  const Texts texts = events_of(begin(2000, 2, kMm + R"(
      debug_annotations { name: "a" int_value: -5 }
      debug_annotations { name: "b" double_value: 0.5 }
      debug_annotations { name: "c" bool_value: true }
      debug_annotations { name: "d" string_value: "x\"\\\n\377y" }
      debug_annotations { name: "e" array_values { int_value: 1 } array_values { } }
      debug_annotations { name: "f" dict_entries { name: "g" string_value: "null" } }
      debug_annotations { name: "h" double_value: nan }
      debug_annotations { name: "i" uint_value: 18446744073709551615 })") +
                                end(2000, 2));
  EXPECT_EQ(texts,
            (Texts{R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":7,"tid":8,"ts":2.000,)"
                   R"("dur":0.000,"args":{"a":-5,"b":0.5,"c":true,"d":"x\"\\\u000a)"
                   "\xef\xbf\xbd"
                   R"(y","e":[1,[]],"f":{"g":null},"h":"nan","i":18446744073709551615}})"}));
}

TEST(PerfettoFacts, P8_ALaunchNamesTheRowsItLaunched) {
  const Texts texts = events_of(
      begin(2000, 2,
            "category_iids: 2 name_iid: 4 debug_annotations { name: \"correlation\" int_value: 9 } "
            "gpu_correlation { render_stage_event_ids: 1 render_stage_event_ids: 3 }") +
      end(2100, 2));
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_NE(texts[0].find(R"("args":{"correlation":9,"render_stage_event_ids":[1,3]})"),
            std::string::npos)
      << texts[0];
}

TEST(PerfettoFacts, P9_AGpuRowIsTheEventOfTheJson) {
  EXPECT_EQ(
      events_of(row(2000, R"(event_id: 2 duration: 1500 context: 1 gpu_id: 1 hw_queue_iid: 100
        stage_iid: 1 name_iid: 5 event_wait_ids: 1 kernel_iid: 1
        extra_data { name: "device id" value: "1" } extra_data { name: "stream id" value: "7" }
        extra_data { name: "correlation" value: "9" } extra_data { name: "arch" value: "sm_90" }
        extra_data { name: "graph id" value: "4" } extra_data { name: "dtype" value: "007" }
        launch { grid_size { x: 2 y: 3 z: 1 } workgroup_size { x: 128 y: 1 z: 1 }
                 args { name_iid: 1 uint_value: 32 } args { name: "thread_count" uint_value: 768 } })")),
      Texts{
          R"({"ph":"X","cat":"kernel","name":"gemm","pid":1,"tid":7,"ts":2.000,"dur":1.500,"args":{)"
          R"("event_id":2,"event_wait_ids":[1],"device":1,"stream":7,"correlation":9,"graph id":4,"dtype":"007","graph node id":0,)"
          R"("grid":[2,3,1],"block":[128,1,1],"registers per thread":32,"thread_count":768}})"});
}

TEST(PerfettoFacts, P10_WaitsOfRowsAreDependencies) {
  const auto kernel = [](int time, int id, int correlation, const std::string& waits) {
    return row(time, "event_id: " + std::to_string(id) +
                         " duration: 10 stage_iid: 1 name_iid: 5 extra_data { name: \"graph id\" "
                         "value: \"4\" } extra_data { name: \"graph node id\" value: \"" +
                         std::to_string(id % 10) +
                         "\" } extra_data { name: \"correlation\" value: \"" +
                         std::to_string(correlation) + "\" } " + waits);
  };
  Diagnostics diagnostics;
  const DeviceTrace trace =
      read(kernel(2000, 11, 9, "") + kernel(2020, 12, 9, "event_wait_ids: 11") +
               kernel(3000, 21, 10, "") + kernel(3020, 22, 10, "event_wait_ids: 21"),
           diagnostics);
  EXPECT_EQ(trace.graph_dependencies,
            (std::vector<GraphDependency>{{DeviceRowIndex(1), DeviceRowIndex(0)},
                                          {DeviceRowIndex(3), DeviceRowIndex(2)}}));
  EXPECT_EQ(trace.rows.graph_node_id[1], std::uint64_t{4} << 32 | 2);
}

TEST(PerfettoFacts, P12_ARowThatHasANumberIsOfTheNewerProfiler) {
  Diagnostics diagnostics;
  EXPECT_TRUE(
      read(row(2000, "event_id: 1 duration: 5 stage_iid: 1 name_iid: 5"), diagnostics).is_by_cuspy);
  EXPECT_FALSE(read(row(2000, "duration: 5 stage_iid: 1 name_iid: 5"), diagnostics).is_by_cuspy);
}

TEST(PerfettoFacts, P11_KindsOfRowsAreKnownByTheNamesOfTheirStages) {
  Diagnostics diagnostics;
  std::string packets;
  for (int stage = 1; stage <= 6; ++stage)
    packets += row(1000 * stage, "duration: 5 stage_iid: " + std::to_string(stage));
  const DeviceTrace trace = read(packets, diagnostics);
  EXPECT_EQ(trace.rows.kind,
            (std::vector{DeviceRowKind::kKernel, DeviceRowKind::kMemcpy, DeviceRowKind::kMemset,
                         DeviceRowKind::kEventRecord, DeviceRowKind::kHostNode}));
  EXPECT_EQ(trace.strings[trace.rows.name[1]], "Memcpy");
  EXPECT_EQ(diagnostics.count(Finding::kUnknownCategory), 0U);
}

TEST(PerfettoFacts, P13_AKernelWithoutAnEventNameHasThatOfItsKernel) {
  Diagnostics diagnostics;
  const DeviceTrace trace =
      read(row(2000, "duration: 5 stage_iid: 1 kernel_iid: 1 hw_queue_iid: 101"), diagnostics);
  ASSERT_EQ(trace.rows.size(), 1U);
  EXPECT_EQ(trace.strings[trace.rows.name[0]], "gemm<float>");
  EXPECT_EQ(trace.rows.stream[0], 8);  // no extra data: the name of the queue tells
}

TEST(PerfettoFacts, P15_RowsThatEndWhereTheNextBeginsAreCounted) {
  Diagnostics diagnostics;
  read(row(2000, "duration: 10 stage_iid: 1 name_iid: 5 hw_queue_iid: 100") +
           row(2010, "duration: 10 stage_iid: 1 name_iid: 5 hw_queue_iid: 100") +
           row(2020, "duration: 10 stage_iid: 1 name_iid: 5 hw_queue_iid: 101") +
           row(2030, "duration: 10 stage_iid: 4 name_iid: 5 hw_queue_iid: 101"),
       diagnostics);
  EXPECT_EQ(diagnostics.count(Finding::kDeviceRowsCut), 1U);
}

TEST(PerfettoFacts, P16_WhatThisFormLacksIsSaidOnce) {
  Diagnostics diagnostics;
  read(begin(2000, 2, kMm) + end(3000, 2), diagnostics);
  EXPECT_EQ(diagnostics.count(Finding::kPerfettoTraceLacksFacts), 1U);
}

std::string collective(const std::string& ranks, const std::string& more) {
  return begin(2000, 2,
               kMm + " debug_annotations { name: \"Process Group Ranks\" string_value: \"" + ranks +
                   "\" } debug_annotations { name: \"Rank\" int_value: 1 } " + more) +
         end(3000, 2);
}

TEST(PerfettoFacts, P16_TheRankIsToldByACollective) {
  Diagnostics diagnostics;
  EXPECT_EQ(read(collective("[2, 6]", ""), diagnostics).rank, 6);
  EXPECT_EQ(read(collective("[2, ..., ...]", ""), diagnostics).rank, -1);
  EXPECT_EQ(read(collective("[2]", ""), diagnostics).rank, -1);
  // Of a message it is the peer's.
  EXPECT_EQ(read(collective("[2, 6]", "debug_annotations { name: \"Dst Rank\" int_value: 6 }"),
                 diagnostics)
                .rank,
            -1);
}

TEST(PerfettoFacts, P16_TheStartOfATraceTellsRankProcessAndNumberOfEvents) {
  const std::string bytes = perfetto_bytes(kPerfettoTables + collective("[2, 6]", "") +
                                           row(5000, "duration: 5 stage_iid: 1 name_iid: 5"));
  const PerfettoStart start = look_at_perfetto_start(bytes);
  EXPECT_EQ(start.rank, 6);
  EXPECT_EQ(start.pid, 7);
  EXPECT_EQ(start.events, 2U);
}

TEST(PerfettoFacts, P20_SlicesWithoutCategoriesAreToldByTheirTracks) {
  const std::string mm = "name_iid: 1", launch = "name_iid: 3 flow_ids: 9",
                    kernel = "name_iid: 5 flow_ids: 9";
  Diagnostics diagnostics;
  const DeviceTrace trace =
      read(begin(2000, 2, mm) + begin(2100, 2, launch) + flagged_end(2200, 2) +
               flagged_end(2300, 2) + begin(2500, 5, kernel) + flagged_end(2600, 5),
           diagnostics);
  EXPECT_EQ(trace.ops.size(), 1U);
  EXPECT_EQ(trace.calls.correlation, std::vector<std::int64_t>{9});
  EXPECT_EQ(trace.rows.correlation, std::vector<std::int64_t>{9});
  EXPECT_EQ(trace.rows.stream, std::vector<std::int64_t>{7});
}

TEST(PerfettoFacts, N7_ItIsKnownByItsBytes) {
  const std::string bytes = perfetto_bytes(kPerfettoTables);
  EXPECT_EQ(detect(bytes), TraceType::kDeviceTrace);
  EXPECT_EQ(describe(bytes), "a Perfetto trace");
  EXPECT_EQ(detect("\nhello, this is text and no trace at all, whatever its bytes would mean"),
            TraceType::kOther);
  EXPECT_EQ(detect("\n{\"traceEvents\": []}"), TraceType::kDeviceTrace);
  EXPECT_EQ(describe("\n{\"traceEvents\": []}"), "a device trace");
  // A Chakra graph whose first message has ten bytes begins with the same byte.
  EXPECT_EQ(detect(std::string("\x0a\x0a\x05"
                               "0.0.4\x12\x01\x12")),
            TraceType::kChakra);
}

TEST(PerfettoFacts, N9_PackedPacketsAreUnpacked) {
  const std::string events =
      perfetto_bytes(kPerfettoTables + begin(2000, 2, kMm) + flagged_end(3000, 2));
  std::string packed;
  {
    google::protobuf::io::StringOutputStream bytes(&packed);
    google::protobuf::io::GzipOutputStream::Options options;
    options.format = google::protobuf::io::GzipOutputStream::ZLIB;
    google::protobuf::io::GzipOutputStream zlib(&bytes, options);
    google::protobuf::io::CodedOutputStream(&zlib).WriteString(events);
  }
  perfetto::protos::Trace trace;
  trace.add_packet()->set_compressed_packets(packed);
  Diagnostics diagnostics;
  EXPECT_EQ(test::read_device(trace.SerializeAsString(), diagnostics).ops.size(), 1U);
  trace.mutable_packet(0)->set_compressed_packets(packed.substr(0, packed.size() / 2));
  EXPECT_THROW(test::read_device(trace.SerializeAsString(), diagnostics), Error);
  EXPECT_GE(diagnostics.count(Finding::kBrokenPacket), 1U);
}

std::string zstd_packets(const std::string& bytes) {
  perfetto::protos::Trace trace;
  std::string* const packed = trace.add_packet()->mutable_zstd_compressed_packets();
  Compressor zstd(Compression::kZstd, [&](std::string_view piece) { *packed += piece; });
  zstd.write(bytes);
  zstd.finish();
  return trace.SerializeAsString();
}

TEST(PerfettoFacts, N9_PacketsMayBePackedByZstdButNotBeABomb) {
  const std::string events =
      perfetto_bytes(kPerfettoTables + begin(2000, 2, kMm) + flagged_end(3000, 2));
  Diagnostics diagnostics;
  EXPECT_EQ(test::read_device(zstd_packets(events), diagnostics).ops.size(), 1U);
  EXPECT_EQ(diagnostics.count(Finding::kBrokenPacket), 0U);
  const std::string bomb = zstd_packets(std::string(std::size_t{64} << 20, '\0'));
  EXPECT_EQ(test::read_device(perfetto_bytes(kPerfettoTables + begin(2000, 2, kMm)) + bomb +
                                  perfetto_bytes(flagged_end(3000, 2)),
                              diagnostics)
                .ops.size(),
            1U);
  EXPECT_GE(diagnostics.count(Finding::kBrokenPacket), 1U);
}

TEST(PerfettoFacts, N9_ClocksOfOtherWritersAreBroughtToTheWallClock) {
  const std::string packets = R"(
packet { trusted_packet_sequence_id: 2 trace_packet_defaults { timestamp_clock_id: 64
    track_event_defaults { track_uuid: 2 } } clock_snapshot {
  clocks { clock_id: 64 timestamp: 5 unit_multiplier_ns: 1000 is_incremental: true }
  clocks { clock_id: 6 timestamp: 5000 } } }
packet { timestamp: 2 trusted_packet_sequence_id: 2 track_event { type: TYPE_SLICE_BEGIN
    categories: "cpu_op" name: "a" } }
packet { timestamp: 3 trusted_packet_sequence_id: 2 track_event { type: TYPE_SLICE_END } }
packet { timestamp: 3 timestamp_clock_id: 77 trusted_packet_sequence_id: 2
         track_event { type: TYPE_SLICE_END } }
)";
  std::string tables = kPerfettoTables;
  tables.replace(tables.find("clock_id: 1 timestamp: 1000"), 27, "clock_id: 1 timestamp: 901000");
  Diagnostics diagnostics;
  const DeviceTrace trace = test::read_device(perfetto_bytes(tables + packets), diagnostics);
  EXPECT_EQ(trace.ops.start_ns, std::vector<Ns>{907000});
  EXPECT_EQ(trace.ops.duration_ns, std::vector<Ns>{3000});
  EXPECT_EQ(diagnostics.count(Finding::kPacketClockUnknown), 1U);
}

TEST(PerfettoFacts, N9_InternedDataMayBeginAnewWhileASliceIsOpen) {
  const std::string anew =
      "packet { trusted_packet_sequence_id: 1 sequence_flags: 1 interned_data { event_names { iid: "
      "1 name: \"other\" } } }";
  Diagnostics diagnostics;
  const DeviceTrace trace = read(begin(2000, 2, kMm) + anew + flagged_end(3000, 2), diagnostics);
  ASSERT_EQ(trace.ops.size(), 1U);
  EXPECT_EQ(trace.strings[trace.ops.name[0]], "aten::mm");
}

TEST(PerfettoFacts, TheModelIsThatOfTheJsonEvents) {
  const std::string packets =
      begin(2000, 2, kMm + R"( debug_annotations { name: "External id" int_value: 5 }
          debug_annotations { name: "Input Dims" array_values { array_values { int_value: 3 } } }
          debug_annotations { name: "Sequence number" string_value: "null" }
          debug_annotations { name: "free" string_value: "x" })") +
      begin(2100, 3,
            "category_iids: 2 name_iid: 3 debug_annotations { name: \"correlation\" "
            "int_value: 9 }") +
      end(2600, 2) + end(2400, 3) + row(3000, R"(duration: 1500 gpu_id: 1 stage_iid: 2 event_id: 1
          extra_data { name: "device id" value: "1" } extra_data { name: "stream id" value: "7" }
          extra_data { name: "correlation" value: "9" } extra_data { name: "bytes" value: "64" })");
  std::string json;
  for (const std::string& text : events_of(packets)) json += (json.empty() ? "" : ",") + text;
  Diagnostics diagnostics;
  const DeviceTrace direct = read(packets, diagnostics), parsed = test::read_events(json);
  EXPECT_EQ(direct.ops.start_ns, parsed.ops.start_ns);
  EXPECT_EQ(direct.ops.duration_ns, parsed.ops.duration_ns);
  EXPECT_EQ(direct.ops.external_id, parsed.ops.external_id);
  EXPECT_EQ(direct.ops.seq_id, parsed.ops.seq_id);
  EXPECT_EQ(direct.strings[direct.ops.input_dims[0]], "[[3]]");
  EXPECT_EQ(direct.strings[direct.ops.input_dims[0]], parsed.strings[parsed.ops.input_dims[0]]);
  EXPECT_EQ(direct.calls.correlation, parsed.calls.correlation);
  EXPECT_EQ(direct.rows.kind, parsed.rows.kind);
  EXPECT_EQ(direct.rows.device, parsed.rows.device);
  EXPECT_EQ(direct.rows.stream, parsed.rows.stream);
  EXPECT_EQ(direct.rows.bytes, parsed.rows.bytes);
  EXPECT_EQ(direct.rows.duration_ns, parsed.rows.duration_ns);
  EXPECT_EQ(direct.strings[direct.rows.name[0]], parsed.strings[parsed.rows.name[0]]);
}

TEST(PerfettoFacts, ATraceOfSomethingElseIsRefusedWithWhatWasLookedFor) {
  Diagnostics diagnostics;
  const std::string message = message_of([&] {
    read(begin(2000, 2, "categories: \"sched\" name: \"a\"") + flagged_end(3000, 2), diagnostics);
  });
  EXPECT_NE(message.find("holds no slice of a category"), std::string::npos) << message;
}

TEST(PerfettoFacts, TextThatIsToldTooLateIsCounted) {
  Diagnostics diagnostics;
  const DeviceTrace trace =
      read(begin(2000, 2, "category_iids: 1 name_iid: 99") + end(3000, 2), diagnostics);
  EXPECT_EQ(trace.ops.size(), 1U);
  EXPECT_EQ(diagnostics.count(Finding::kInternedTextMissing), 1U);
}

TEST(PerfettoFacts, ANameLongerThanAnyRealOneIsMissing) {
  const auto interned = [](std::size_t bytes) {
    return "packet { trusted_packet_sequence_id: 1 interned_data { event_names { iid: 50 name: \"" +
           std::string(bytes, 'x') + "\" } } }";
  };
  for (const auto& [bytes, missing] : {std::pair{1 << 18, 0U}, {(1 << 18) + 1, 1U}}) {
    Diagnostics diagnostics;
    read(interned(static_cast<std::size_t>(bytes)) +
             begin(2000, 2, "category_iids: 1 name_iid: 50") + end(3000, 2),
         diagnostics);
    EXPECT_EQ(diagnostics.count(Finding::kInternedTextMissing), missing);
  }
}

TEST(PerfettoFacts, OpenSlicesOfALongNameDoNotFillTheMemory) {
  std::string bytes = perfetto_bytes(
      kPerfettoTables +
      "packet { trusted_packet_sequence_id: 1 interned_data { event_names { iid: 50 name: \"" +
      std::string(1 << 18, 'x') + "\" } } }" + begin(2000, 3, kMm) + flagged_end(2000, 3));
  const std::string one = perfetto_bytes(begin(2000, 2, "category_iids: 1 name_iid: 50"));
  for (int i = 0; i < 1100; ++i) bytes += one;
  Diagnostics diagnostics;
  test::read_device(bytes, diagnostics);
  EXPECT_EQ(diagnostics.count(Finding::kSliceUnmatched), 1100U);
  // Those that were left out have no ends, either.
  const std::string end = perfetto_bytes(flagged_end(3000, 2));
  for (int i = 0; i < 1100; ++i) bytes += end;
  Diagnostics with_ends;
  const std::size_t ops = test::read_device(bytes, with_ends).ops.size();
  EXPECT_LT(ops, 1030U);
  EXPECT_EQ(with_ends.count(Finding::kSliceUnmatched), 2 * (1101 - ops));
}

TEST(PerfettoFacts, ATrackThatIsToldTooLateIsCounted) {
  const std::string late = "packet { track_descriptor { uuid: 99 thread { pid: 7 tid: 4 } } }";
  Diagnostics diagnostics;
  EXPECT_EQ(read(begin(2000, 99, kMm) + end(3000, 99) + late, diagnostics).ops.size(), 1U);
  EXPECT_EQ(diagnostics.count(Finding::kInternedTextMissing), 1U);
  // In time, for the event is made at its end.
  Diagnostics of_begin;
  const DeviceTrace trace = read(begin(2000, 99, kMm) + late + end(3000, 99), of_begin);
  EXPECT_EQ(of_begin.count(Finding::kInternedTextMissing), 0U);
  EXPECT_EQ(trace.strings[trace.threads[trace.ops.thread[0].value].tid], "4");
}

TEST(PerfettoFacts, ACutTraceKeepsWhatIsWhole) {
  std::string bytes = perfetto_bytes(kPerfettoTables + begin(2000, 2, kMm) + begin(2000, 2, kMm) +
                                     end(3000, 2) + end(3000, 2));
  bytes.resize(bytes.size() - 3);
  for (const std::size_t chunk : {std::size_t{1}, std::size_t{7}, std::size_t{1} << 16}) {
    Diagnostics diagnostics;
    const DeviceTrace trace = test::read_device(bytes, diagnostics, chunk);
    EXPECT_EQ(trace.ops.size(), 1U);
    EXPECT_EQ(diagnostics.count(Finding::kTruncatedInput), 1U);
    EXPECT_EQ(diagnostics.count(Finding::kSliceUnmatched), 1U);
  }
}

TEST(PerfettoFacts, APacketThatIsBrokenTakesNoOtherWithIt) {
  const std::string good = perfetto_bytes(kPerfettoTables + begin(2000, 2, kMm));
  const std::string broken = "\x0a\x03\x5a\x7f\x01", tail = perfetto_bytes(end(3000, 2));
  Diagnostics diagnostics;
  EXPECT_EQ(test::read_device(good + broken + tail, diagnostics).ops.size(), 1U);
  EXPECT_EQ(diagnostics.count(Finding::kBrokenPacket), 1U);
}

TEST(PerfettoFacts, BytesThatAreNoPacketsEndTheTrace) {
  Diagnostics diagnostics;
  const std::string bytes = perfetto_bytes(kPerfettoTables + begin(2000, 2, kMm) + end(3000, 2));
  EXPECT_EQ(test::read_device(bytes + "\xff\xff garbage", diagnostics).ops.size(), 1U);
  EXPECT_EQ(diagnostics.count(Finding::kBrokenPacket), 1U);
}

TEST(PerfettoFacts, APacketLargerThanAnyRealOneIsPassedOver) {
  const std::string huge = std::string("\x0a\x80\x80\x80\x41") + std::string((65 << 21), '\0');
  Diagnostics diagnostics;
  EXPECT_EQ(test::read_device(perfetto_bytes(kPerfettoTables + begin(2000, 2, kMm)) + huge +
                                  perfetto_bytes(end(3000, 2)),
                              diagnostics)
                .ops.size(),
            1U);
  EXPECT_EQ(diagnostics.count(Finding::kOversizedEvent), 1U);
}

}  // namespace
}  // namespace nadi
