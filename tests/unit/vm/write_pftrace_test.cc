// The new profiler's Perfetto trace is written as the facts of schema/perfetto.md (P2-P17) say.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "tests/vm/builder.h"
#include "tests/vm/programs.h"
#include "tests/vm/write.h"

namespace nadi::vm {
namespace {

/// Fields of a message, by number, in the order of the bytes.
class Fields {
 public:
  explicit Fields(std::string_view bytes) {
    std::size_t at = 0;
    const auto varint = [&] {
      std::uint64_t value = 0;
      for (int shift = 0;; shift += 7) {
        const auto byte = static_cast<unsigned char>(bytes.at(at++));
        value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
        if (byte < 0x80) return value;
      }
    };
    while (at < bytes.size()) {
      const std::uint64_t tag = varint();
      std::uint64_t number = 0;
      std::string_view text;
      if ((tag & 7) == 0) {
        number = varint();
      } else {
        const std::size_t size = (tag & 7) == 1 ? 8 : varint();
        if (size > bytes.size() - at) throw std::out_of_range("field");
        text = bytes.substr(at, size);
        at += size;
      }
      numbers_[static_cast<int>(tag >> 3)].push_back(number);
      texts_[static_cast<int>(tag >> 3)].push_back(text);
    }
  }
  bool has(int field) const { return numbers_.contains(field); }
  std::uint64_t number(int field) const { return has(field) ? numbers_.at(field).at(0) : 0; }
  std::vector<std::uint64_t> numbers(int field) const {
    return has(field) ? numbers_.at(field) : std::vector<std::uint64_t>{};
  }
  std::string text(int field) const {
    return has(field) ? std::string(texts_.at(field).at(0)) : "";
  }
  std::vector<Fields> all(int field) const {
    std::vector<Fields> messages;
    if (has(field))
      for (const std::string_view bytes : texts_.at(field)) messages.emplace_back(bytes);
    return messages;
  }
  Fields one(int field) const { return all(field).at(0); }

 private:
  std::map<int, std::vector<std::uint64_t>> numbers_;
  std::map<int, std::vector<std::string_view>> texts_;
};

/// Field numbers of TracePacket in schema/perfetto_trace.proto.
enum Packet {
  kClock = 6,
  kTimestamp = 8,
  kSequence = 10,
  kTrackEvent = 11,
  kInterned = 12,
  kFlags = 13,
  kCounter = 52,
  kStage = 53,
  kTrack = 60
};

struct Pftrace {
  explicit Pftrace(const Program& program, WriteOptions options = {}) {
    options.form = DeviceForm::kPftrace;
    bytes = write_device_trace(program, execute(program), 0, options);
    packets = Fields(bytes).all(1);
    for (const Fields& packet : packets)
      if (packet.has(kInterned))
        for (const Fields& entry : packet.one(kInterned).all(2))
          names[entry.number(1)] = entry.text(2);
  }

  std::vector<Fields> stages(std::uint64_t kind = 0) const {
    std::vector<Fields> found;
    for (const Fields& packet : packets)
      if (packet.has(kStage) && (kind == 0 || packet.one(kStage).number(14) == kind))
        found.push_back(packet.one(kStage));
    return found;
  }
  std::string name_of(const Fields& stage) const {
    const auto found = names.find(stage.number(20));
    return found == names.end() ? "" : found->second;
  }
  static std::map<std::string, std::string> extra(const Fields& stage) {
    std::map<std::string, std::string> data;
    for (const Fields& entry : stage.all(6)) data[entry.text(1)] = entry.text(2);
    return data;
  }

  std::string bytes;
  std::vector<Fields> packets;
  std::map<std::uint64_t, std::string> names;
};

Program graph_of(std::vector<Row> rows) {
  ProgramBuilder builder("graph_of");
  ThreadBuilder main = builder.thread(0, "pt_main_thread");
  main.op("aten::zeros", [&] { main.launch(7, "eager", 5_us); });
  main.graph(7, std::move(rows));
  return builder.take();
}

TEST(WritePftrace, P2_PacketsComeInTheOrderOfTheEncoder) {
  const Pftrace trace(graph_host_node());
  std::vector<int> order;
  for (const Fields& packet : trace.packets)
    for (const int field : {kClock, kTrackEvent, kInterned, kCounter, kStage, kTrack})
      if (packet.has(field) && (order.empty() || order.back() != field)) order.push_back(field);
  EXPECT_EQ(order, (std::vector<int>{kClock, kTrack, kInterned, kTrackEvent, kStage, kCounter}));
  EXPECT_EQ(trace.bytes[0], '\x0a');
}

TEST(WritePftrace, P2_OnlyTheInternedPacketClearsTheStateAndEndsNeedNone) {
  for (const Fields& packet : Pftrace(straight_line()).packets) {
    EXPECT_EQ(packet.has(kSequence), !packet.has(kTrack));
    if (packet.has(kInterned)) {
      EXPECT_EQ(packet.number(kFlags), 1U);
    } else if (packet.has(kTrackEvent)) {
      EXPECT_EQ(packet.number(kFlags), packet.one(kTrackEvent).number(9) == 1 ? 2U : 0U);
    }
  }
}

TEST(WritePftrace, P3_StampsAreEpochNanosecondsAndTheClocksAreOne) {
  WriteOptions options;
  const Program program = straight_line();
  const Pftrace trace(program, options);
  const auto clocks = trace.packets[0].one(kClock).all(1);
  ASSERT_EQ(clocks.size(), 2U);
  EXPECT_EQ(clocks[0].number(1), 6U);
  EXPECT_EQ(clocks[1].number(1), 1U);
  EXPECT_EQ(clocks[0].number(2), clocks[1].number(2));
  const Ns start = execute(program).ranks[0].rows[0].span.start;
  for (const Fields& packet : trace.packets)
    if (packet.has(kStage) && packet.one(kStage).number(1) == 1) {
      EXPECT_EQ(static_cast<Ns>(packet.number(kTimestamp)),
                options.base_time_ns + options.origin_ns + start);
    }
}

TEST(WritePftrace, P4_TracksOfThreadsHaveTheirProcessAsParentAndAStreamOfMinusOneIsMasked) {
  const Pftrace trace(host_syncs());
  std::map<std::uint64_t, Fields> tracks;
  for (const Fields& packet : trace.packets)
    if (packet.has(kTrack)) tracks.emplace(packet.one(kTrack).number(1), packet.one(kTrack));
  bool has_masked = false;
  for (const auto& [uuid, track] : tracks) {
    if (!track.has(4)) {
      EXPECT_FALSE(track.has(5));
      continue;
    }
    EXPECT_EQ(track.one(4).number(1), tracks.at(track.number(5)).one(3).number(1));
    has_masked |= track.one(4).number(2) == 2147483647;
  }
  EXPECT_TRUE(has_masked);
}

TEST(WritePftrace, P4_ANegativeTidIsMaskedWhereTheJsonHasItsAbsoluteValue) {
  WriteOptions options;
  options.has_wrong_threads = true;
  std::set<std::uint64_t> tids;
  for (const Fields& packet : Pftrace(forward_backward(), options).packets)
    if (packet.has(kTrack) && packet.one(kTrack).has(4))
      tids.insert(packet.one(kTrack).one(4).number(2));
  options.form = DeviceForm::kCuspy;
  const Program program = forward_backward();
  const std::string text = write_device_trace(program, execute(program), 0, options);
  std::size_t found_in_both = 0;
  for (const std::uint64_t tid : tids)
    found_in_both += text.find("\"tid\":" + std::to_string(tid) + ",") != text.npos ? 1U : 0U;
  EXPECT_EQ(found_in_both + 1, tids.size());
}

TEST(WritePftrace, P5_InEachGroupAllBeginsComeBeforeAllEndsInTheSameOrder) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> events;  // type, track
  for (const Fields& packet : Pftrace(forward_backward()).packets)
    if (packet.has(kTrackEvent))
      events.emplace_back(packet.one(kTrackEvent).number(9), packet.one(kTrackEvent).number(11));
  std::size_t at = 0, groups = 0;
  while (at < events.size()) {
    std::size_t begins = at;
    while (begins < events.size() && events[begins].first == 1) ++begins;
    const std::size_t count = begins - at;
    ASSERT_GT(count, 0U);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(events.at(begins + i).first, 2U);
      EXPECT_EQ(events[begins + i].second, events[at + i].second);
    }
    at = begins + count;
    ++groups;
  }
  EXPECT_EQ(groups, 3U);  // host rows, calls, overhead: this program synchronises nothing
}

TEST(WritePftrace, P6_SynchronisationsHaveNoCategory) {
  const Pftrace trace(host_syncs());
  std::size_t syncs = 0;
  for (const Fields& packet : trace.packets) {
    if (!packet.has(kTrackEvent) || packet.one(kTrackEvent).number(9) != 1) continue;
    const Fields event = packet.one(kTrackEvent);
    std::set<std::string> keys;
    for (const Fields& annotation : event.all(4)) keys.insert(annotation.text(10));
    if (keys.contains("cuda_sync_kind")) ++syncs;
    if (keys.contains("cuda_sync_kind") || keys.empty()) {
      EXPECT_FALSE(event.has(3));
    } else {
      EXPECT_TRUE(event.has(3));
    }
  }
  EXPECT_GT(syncs, 0U);
}

TEST(WritePftrace, P7_ArgumentsOfHostRowsKeepTheirTypesAndAreSorted) {
  const Pftrace trace(straight_line());
  for (const Fields& packet : trace.packets) {
    if (!packet.has(kTrackEvent) || packet.one(kTrackEvent).number(9) != 1) continue;
    const Fields event = packet.one(kTrackEvent);
    if (trace.names.at(event.number(10)) != "aten::add") continue;
    std::vector<std::string> keys;
    for (const Fields& annotation : event.all(4)) {
      keys.push_back(annotation.text(10));
      if (keys.back() == "Record function id") {
        EXPECT_TRUE(annotation.has(4));
      }
      if (keys.back() == "Input Dims") {
        EXPECT_EQ(annotation.one(12).one(12).number(4), 64U);
      }
      if (keys.back() == "Input type") {
        EXPECT_EQ(annotation.one(12).text(6), "float");
      }
    }
    EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
    EXPECT_GT(keys.size(), 4U);
    return;
  }
  FAIL() << "no op";
}

TEST(WritePftrace, P8_AGraphLaunchLinksItsRootsAndAnEagerOneItsRow) {
  const Program program =
      graph_of({graph_kernel("root", 7, 5_us, {}), graph_kernel("next", 7, 6_us, {0}),
                graph_kernel("other_root", 32, 9_us, {})});
  const auto launched = [&](const WriteOptions& options) {
    std::vector<std::size_t> counts;
    for (const Fields& packet : Pftrace(program, options).packets)
      if (packet.has(kTrackEvent) && packet.one(kTrackEvent).has(3000))
        counts.push_back(packet.one(kTrackEvent).one(3000).numbers(1).size());
    return counts;
  };
  EXPECT_EQ(launched({}), (std::vector<std::size_t>{1, 2}));
  WriteOptions without;
  without.has_graph_edges = false;
  EXPECT_EQ(launched(without), (std::vector<std::size_t>{1, 3}));
}

TEST(WritePftrace, P10_ARowListsTheIdsOfTheRowsItWaitsFor) {
  const Pftrace trace(
      graph_of({graph_kernel("a", 7, 5_us, {}), graph_kernel("b", 32, 7_us, {0}),
                graph_kernel("c", 36, 7_us, {0}), graph_kernel("d", 7, 4_us, {1, 2})}));
  std::map<std::uint64_t, std::string> by_id;
  for (const Fields& stage : trace.stages()) by_id[stage.number(1)] = trace.name_of(stage);
  std::set<std::pair<std::string, std::string>> edges;
  for (const Fields& stage : trace.stages())
    for (const std::uint64_t id : stage.numbers(18))
      edges.emplace(by_id.at(id), trace.name_of(stage));
  EXPECT_EQ(edges, (std::set<std::pair<std::string, std::string>>{
                       {"a", "b"}, {"a", "c"}, {"b", "d"}, {"c", "d"}}));
}

TEST(WritePftrace, P9_P11_RowsAreNumberedFromOneAndToldApartByKind) {
  const Pftrace trace(graph_host_node());
  std::map<std::uint64_t, std::string> specifications;
  for (const Fields& packet : trace.packets)
    if (packet.has(kInterned))
      for (const Fields& entry : packet.one(kInterned).all(24))
        specifications[entry.number(1)] = entry.text(2);
  EXPECT_EQ(specifications.at(5), "EventRecord");
  EXPECT_EQ(specifications.at(6), "HostNode");
  std::uint64_t last = 0;
  std::map<std::string, int> kinds;
  for (const Fields& stage : trace.stages()) {
    EXPECT_EQ(stage.number(1), ++last);
    ++kinds[specifications.at(stage.number(14))];
    EXPECT_NE(specifications.at(stage.number(13)).find("stream "), std::string::npos);
  }
  EXPECT_EQ(kinds["EventRecord"], 13);
  EXPECT_EQ(kinds["HostNode"], 13);
  EXPECT_EQ(kinds["Annotation"], 8);  // on two lanes
}

TEST(WritePftrace, P12_ExtraDataIsTextAndDropsZeros) {
  const Pftrace trace(graph_of({graph_kernel("a", 7, 5_us, {}), graph_kernel("b", 32, 7_us, {0})}));
  for (const Fields& stage : trace.stages(1)) {
    const auto extra = Pftrace::extra(stage);
    EXPECT_EQ(extra.at("device id"), "0");
    EXPECT_FALSE(extra.contains("priority"));
    EXPECT_EQ(extra.at("process_id"), "2910249");
    EXPECT_EQ(extra.contains("graph id"), trace.name_of(stage) != "eager");
    EXPECT_EQ(extra.contains("graph node id"), trace.name_of(stage) == "b");  // that of a is 0
  }
}

TEST(WritePftrace, P13_KernelsTellTheirLaunch) {
  const Pftrace trace(straight_line());
  const Fields launch = trace.stages(1).at(0).one(21);
  EXPECT_EQ(launch.one(1).number(1), 128U);
  EXPECT_EQ(launch.one(2).number(1), 256U);
  EXPECT_EQ(launch.all(3).at(0).number(4), 32U);
}

TEST(WritePftrace, P14_CountersAreNamedByTheirDescriptor) {
  const Pftrace trace(straight_line());
  std::set<std::string> names;
  std::size_t samples = 0;
  for (const Fields& packet : trace.packets) {
    if (packet.has(kInterned))
      for (const Fields& spec : packet.one(kInterned).one(47).one(2).all(1))
        names.insert(spec.text(2));
    if (packet.has(kCounter)) ++samples;
  }
  EXPECT_EQ(names, (std::set<std::string>{"Power (W)", "Temperature (C)", "SM Clock (MHz)"}));
  EXPECT_EQ(samples, 6U);
}

TEST(WritePftrace, P15_ARowIsCutWhereTheNextOfItsLaneStarts) {
  const Program program =
      graph_of({graph_kernel("a", 7, 5_us, {}), graph_kernel("left", 7, 7_us, {0}),
                graph_kernel("right", 7, 9_us, {0}), graph_kernel("other", 32, 9_us, {0})});
  const Pftrace trace(program);
  std::map<std::string, std::uint64_t> durations;
  for (const Fields& stage : trace.stages(1)) durations[trace.name_of(stage)] = stage.number(2);
  EXPECT_EQ(durations,
            (std::map<std::string, std::uint64_t>{
                {"eager", 5000}, {"a", 5000}, {"left", 0}, {"right", 9000}, {"other", 9000}}));
}

TEST(WritePftrace, P15_OfSynchronisationsThatCrossTheEarlierIsCut) {
  ProgramBuilder builder("crossing");
  ThreadBuilder first = builder.thread(0, "first"), second = builder.thread(0, "second");
  first.launch(7, "kernel", 100_us);
  first.stream_synchronize(7, 4_us);
  second.work(20_us);
  second.stream_synchronize(7, 9_us);
  const Program program = builder.take();
  const std::vector<CallRun> calls = execute(program).ranks[0].calls;
  const Pftrace trace(program);
  std::vector<std::uint64_t> begins, ends;  // the last group of slices is of synchronisations
  for (const Fields& packet : trace.packets)
    if (packet.has(kTrackEvent))
      (packet.one(kTrackEvent).number(9) == 1 ? begins : ends).push_back(packet.number(kTimestamp));
  ASSERT_EQ(begins.size(), ends.size());
  const std::size_t last = begins.size() - 1;
  EXPECT_GT(calls[1].span.end, calls[2].span.start);
  EXPECT_EQ(ends[last - 1], begins[last]);
  EXPECT_GT(ends[last], begins[last]);
}

TEST(WritePftrace, P16_P17_CopiesTellNeitherDirectionNorNameNorFlags) {
  const Pftrace trace(blocking_copy());
  for (const Fields& stage : trace.stages(2)) {
    EXPECT_FALSE(stage.has(20));
    const auto extra = Pftrace::extra(stage);
    EXPECT_FALSE(extra.contains("copy kind") || extra.contains("flags"));
    EXPECT_TRUE(extra.contains("bytes"));
  }
  EXPECT_EQ(trace.bytes.find("distributedInfo"), std::string::npos);
  EXPECT_EQ(trace.bytes.find("fwdbwd"), std::string::npos);
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
  const Pftrace trace(builder.take(), options);
  std::size_t edges = 0, lost = 0;
  for (const Fields& stage : trace.stages(6)) {
    edges += stage.numbers(18).size();
    lost += Pftrace::extra(stage).contains("correlation") ? 0U : 1U;
  }
  EXPECT_EQ(lost, 6U);   // of three replays that were queued
  EXPECT_EQ(edges, 2U);  // one of the first replay, and one of all that have none
}

}  // namespace
}  // namespace nadi::vm
