// The calls PyTorch makes around communication and copies are those of real traces (K29).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/file_bytes.h"
#include "tests/vm/builder.h"
#include "tests/vm/execute.h"
#include "tests/vm/write.h"

namespace nadi::vm {
namespace {

using nlohmann::json;
/// Names of calls and annotations inside an op, in order; those of annotations begin with ">".
using CallNames = std::vector<std::string>;

double begin_of(const json& event) { return event["ts"].get<double>(); }
double end_of(const json& event) { return begin_of(event) + event["dur"].get<double>(); }

/// Ops, annotations and calls of each thread in the order of their begins, the outer one first.
std::map<std::string, std::vector<json>> events_by_thread(const std::string& text) {
  const std::set<std::string> wanted{"cpu_op", "user_annotation", "cuda_runtime"};
  std::map<std::string, std::vector<json>> threads;
  const json trace = json::parse(text);
  for (const json& event : trace["traceEvents"])
    if (event.value("ph", "") == "X" && wanted.count(event.value("cat", "")) > 0)
      threads[event["tid"].dump()].push_back(event);
  for (auto& [tid, events] : threads)
    std::stable_sort(events.begin(), events.end(), [](const json& a, const json& b) {
      return std::pair(begin_of(a), -end_of(a)) < std::pair(begin_of(b), -end_of(b));
    });
  return threads;
}

CallNames names_inside(const std::vector<json>& events, std::size_t op) {
  CallNames names;
  for (std::size_t i = op + 1; i < events.size() && begin_of(events[i]) < end_of(events[op]); ++i) {
    const std::string name = events[i]["name"], category = events[i]["cat"];
    if (category == "cuda_runtime") names.push_back(name);
    if (category == "user_annotation") names.push_back(">" + name);
  }
  return names;
}

/// What stands in record_param_comms, once each.
std::set<CallNames> communication_in(const std::string& text) {
  std::set<CallNames> sequences;
  for (const auto& [tid, events] : events_by_thread(text))
    for (std::size_t i = 0; i < events.size(); ++i)
      if (events[i]["name"] == "record_param_comms") sequences.insert(names_inside(events, i));
  return sequences;
}

/// What stands in ops of a name that synchronise a stream; queries of the allocator left out.
std::set<CallNames> synchronising(const std::string& text, const std::string& op) {
  std::set<CallNames> sequences;
  for (const auto& [tid, events] : events_by_thread(text))
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (events[i]["name"] != op) continue;
      CallNames names = names_inside(events, i);
      std::erase(names, "cudaEventQuery");
      if (std::count(names.begin(), names.end(), "cudaStreamSynchronize") > 0)
        sequences.insert(names);
    }
  return sequences;
}

/// A device trace of a program in which two ranks do what body says.
template <class Body>
std::string written(CommCalls calls, const Body& body) {
  ProgramBuilder builder("sequences", 2);
  builder.program().comm_calls = calls;
  for (int rank = 0; rank < 2; ++rank) {
    ThreadBuilder main = builder.thread(rank, "pt_main_thread");
    body(main);
  }
  const Program program = builder.take();
  WriteOptions options;
  options.sync = SyncRows::kNone;
  options.has_record_rows = calls != CommCalls::k2023;
  return write_device_trace(program, execute(program), 0, options);
}

std::string real_trace(const char* name) { return std::string(NADI_SHARED_TRACES) + "/" + name; }

TEST(CallSequences, OfCommunicationAreThoseOfResnet2Gpu) {
  const std::string path = real_trace("resnet-2gpu/device.json.gz");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no real traces beside this repository";
  const std::string trace = written(CommCalls::k2025, [](ThreadBuilder& main) {
    main.wait_for_work(7, main.collective(broadcast(0, 64), 7, 20, 9_us));
    main.collective(all_reduce(0, 64), 7, 20, 9_us);
  });
  EXPECT_EQ(communication_in(trace), communication_in(read_unpacked(path)));
}

TEST(CallSequences, OfCommunicationAreThoseOfDlrm8Gpu) {
  const std::string path = real_trace("dlrm-8gpu/device.0.json.gz");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no real traces beside this repository";
  const std::string trace = written(CommCalls::k2023, [](ThreadBuilder& main) {
    main.wait_for_work(7, main.collective(all_to_all(0, 64), 7, 20, 9_us));
    main.collective(all_reduce(0, 64), 7, 20, 9_us);
  });
  EXPECT_EQ(communication_in(trace), communication_in(read_unpacked(path)));
}

TEST(CallSequences, OfCopiesThatSynchroniseAreThoseOfDlrm8Gpu) {
  const std::string path = real_trace("dlrm-8gpu/device.0.json.gz");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no real traces beside this repository";
  const std::string trace = written(CommCalls::k2023, [](ThreadBuilder& main) {
    main.pageable_copy(7, 64, 2_us);
    main.item(7);
  });
  const std::string real = read_unpacked(path);
  EXPECT_EQ(synchronising(trace, "aten::copy_"), synchronising(real, "aten::copy_"));
  EXPECT_EQ(synchronising(trace, "aten::_local_scalar_dense"), synchronising(real, "aten::copy_"));
}

TEST(CallSequences, AWaitTellsWhichWorkItWaitsFor) {
  ProgramBuilder builder("sequences", 2);
  for (int rank = 0; rank < 2; ++rank) {
    ThreadBuilder main = builder.thread(rank, "pt_main_thread");
    main.collective(all_reduce(0, 64), 7, 20, 9_us);
    const int second = main.collective(all_reduce(0, 64), 7, 20, 9_us);
    main.collective(all_reduce(0, 64), 7, 20, 9_us);
    main.wait_for_work(7, second);
  }
  const Program program = builder.take();
  WriteOptions flat;
  flat.host_schema = HostSchema::kFlat;
  const json trace = json::parse(write_host_trace(program, execute(program), 0, flat));
  const json expected = {2, 0, 0, "wait", json::array(), json::array()};
  EXPECT_EQ(std::count_if(trace["nodes"].begin(), trace["nodes"].end(),
                          [&](const json& node) { return node["inputs"] == expected; }),
            1);
}

}  // namespace
}  // namespace nadi::vm
