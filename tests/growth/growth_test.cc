// Work grows with the size of a trace, whatever the trace says: twice the events take hardly more
// than twice the comparisons and bytes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nadi/base/error.h"
#include "nadi/chakra/chakra_check.h"
#include "nadi/chakra/chakra_reader.h"
#include "nadi/chakra/edge_evidence.h"
#include "nadi/converters/archive/convert_ranks.h"
#include "nadi/converters/inferred_edges.h"
#include "nadi/emit/chakra_json.h"
#include "nadi/emit/chakra_writer.h"
#include "nadi/linked_json/joins.h"
#include "nadi/linked_json/reader.h"
#include "nadi/linked_json/writer.h"
#include "nadi/sim_bridge/replay/report.h"
#include "tests/growth/inputs.h"
#include "tests/growth/work.h"
#include "tests/temporary_folder.h"
#include "tests/unit/emit/chakra_bytes.h"

namespace nadi {
namespace {

using namespace test;

constexpr double kMostGrowth = 2.3;

using Stages = std::vector<std::pair<const char*, Work>>;

/// What is made of the graph: a file, its check, its replay, the linked JSON and its graph.
void add_outputs(const LinkedTrace& linked, const BuiltGraph& graph, Stages& stages) {
  const TemporaryFolder folder;
  Diagnostics diagnostics;
  const auto add = [&](const char* stage, const std::function<void()>& piece) {
    stages.emplace_back(stage, work_of(piece));
  };
  const std::filesystem::path file = folder / "graph.et";
  add("write", [&] { write_chakra(linked, graph, {.threads = 1}, file, diagnostics); });
  add("check", [&] { check_chakra(file); });
  add("replay", [&] {
    std::vector<Graph> graphs;
    graphs.push_back(load_chakra_graph(file.string(), {.shapes = true, .parents = true}));
    const ReplayJob job = make_replay_job(graphs, diagnostics);
    make_replay_report(job, measured_times(job), replay(job), nullptr, {});
  });
  std::string text;
  add("linked JSON", [&] {
    write_linked_json(
        linked, graph, [&](std::string_view piece) { text += piece; }, diagnostics);
  });
  add("linked again", [&] {
    ByteSource source = source_of_bytes(text, "trace");
    const LinkedTrace again =
        link_traces(read_linked_json(source, diagnostics), LinkOptions(), diagnostics);
    build_graph(again, {}, diagnostics);
  });
}

Stages stages_of(const HardInput& input, int size) {
  const Lines events = input.events(size);
  const Lines nodes = input.nodes == nullptr ? Lines() : input.nodes(size);
  Diagnostics diagnostics;
  LinkOptions options;
  options.match.method = input.method;
  DeviceTrace device;
  std::optional<HostTrace> host;
  LinkedTrace linked;
  BuiltGraph graph;
  Stages stages;
  stages.emplace_back("read", work_of([&] {
                        device = device_trace(events);
                        if (!nodes.empty()) host = host_trace(nodes);
                      }));
  stages.emplace_back("link", work_of([&] {
                        try {
                          linked =
                              link_traces(std::move(host), std::move(device), options, diagnostics);
                        } catch (const Error&) {  // traces of different runs
                        }
                      }));
  if (linked.ops.size() == 0 && linked.rows.launch.empty()) return stages;
  stages.emplace_back("graph", work_of([&] { graph = build_graph(linked, {}, diagnostics); }));
  add_outputs(linked, graph, stages);
  return stages;
}

/// What is made of two ranks' graphs: a job for each simulator, and a replay of both.
Stages stages_of(const HardJob& job, int size) {
  const TemporaryFolder folder;
  ConvertRanksOptions options;
  for (int rank = 0; rank < 2; ++rank) {
    const Lines events = job.events(size, rank);
    options.ranks.push_back(
        {rank, {.device = folder.write(fmt::format("device.{}.json", rank), trace_text(events))}});
  }
  options.convert.output = folder / "job";
  options.convert.threads = 1;
  options.rewrite.drops_lonely_messages = options.goal.drops_lonely_messages = true;
  Stages stages;
  const auto convert_for = [&](const char* stage, Target target) {
    options.target = target;
    stages.emplace_back(stage, work_of([&] {
                          try {
                            convert_ranks(options);
                          } catch (const Error&) {  // ranks that do not communicate alike
                          }
                        }));
  };
  convert_for("astra-sim", Target::kAstraSim);
  convert_for("goal", Target::kGoal);
  convert_for("graphs", Target::kChakra);
  stages.emplace_back("replay", work_of([&] {
                        std::vector<Graph> graphs;
                        for (const char* name : {"job.0.et", "job.1.et"})
                          graphs.push_back(load_chakra_graph(folder / name, {.shapes = true}));
                        Diagnostics diagnostics;
                        replay(make_replay_job(graphs, diagnostics));
                      }));
  return stages;
}

void expect_as_large(const std::string& input, const Stages& once, const Stages& twice) {
  ASSERT_EQ(once.size(), twice.size());
  for (std::size_t i = 0; i < once.size(); ++i) {
    const auto& [stage, less] = once[i];
    const Work& more = twice[i].second;
    const double steps = double(more.steps) / double(less.steps);
    const double bytes = double(more.bytes) / double(less.bytes);
    fmt::print("| {} | {} | {:.2f} | {:.2f} |\n", stage, input, steps, bytes);
    EXPECT_LT(steps, kMostGrowth) << stage;
    EXPECT_LT(bytes, kMostGrowth) << stage;
  }
}

/// A graph whose last node waits for all others, which are delays in turn, and as a guess for each.
std::string one_node_that_waits_for_all(int size) {
  ChakraFile file;
  std::vector<std::uint64_t> all;
  std::string evidence;
  for (int id = 1; id <= size; ++id) {
    all.push_back(id);
    auto& node = file.nodes.emplace_back(make_node(id, ChakraProtoMsg::COMP_NODE));
    auto& delay = *node.add_attr();
    delay.set_name("is_delay");
    delay.set_bool_val(id % 2 == 0);
    append_edge_evidence(id, {Evidence::kEventWait, Inference::kPattern}, evidence);
  }
  auto& last = file.nodes.emplace_back(make_node(size + 1, ChakraProtoMsg::COMP_NODE, all));
  auto& told = *last.add_attr();
  told.set_name("edge_evidence");
  told.set_string_val(evidence);
  return frame(file);
}

/// What is made of a graph that others wrote.
Stages stages_of_graph(const std::string& bytes) {
  const TemporaryFolder folder;
  const std::string file = folder.write("graph.et", bytes);
  Stages stages;
  const auto add = [&](const char* stage, const std::function<void()>& piece) {
    stages.emplace_back(stage, work_of(piece));
  };
  add("check", [&] { check_chakra(std::filesystem::path(file)); });
  add("JSON", [&] {
    ChakraReader reader{MessageStream(file)};
    write_chakra_json(reader, [](std::string_view) {});
  });
  add("replay without guesses", [&] {
    std::vector<Graph> graphs;
    graphs.push_back(load_chakra_graph(file, {.parents = true}));
    InferredEdges guesses(graphs);
    EXPECT_EQ(guesses.count(), graphs.front().size() - 1);
    guesses.toggle();
    Diagnostics diagnostics;
    replay(make_replay_job(graphs, diagnostics));
  });
  return stages;
}

class Growth : public testing::TestWithParam<HardInput> {};

TEST_P(Growth, OfWorkIsThatOfTheTrace) {
  expect_as_large(GetParam().name, stages_of(GetParam(), GetParam().size),
                  stages_of(GetParam(), 2 * GetParam().size));
}

class GrowthOfJobs : public testing::TestWithParam<HardJob> {};

TEST_P(GrowthOfJobs, OfWorkIsThatOfTheTraces) {
  constexpr int kSize = 1000;
  expect_as_large(GetParam().name, stages_of(GetParam(), kSize), stages_of(GetParam(), 2 * kSize));
}

TEST(GrowthOfGraphs, OfWorkIsThatOfTheNode) {
  constexpr int kSize = 1000;
  expect_as_large("OneNodeThatWaitsForAll", stages_of_graph(one_node_that_waits_for_all(kSize)),
                  stages_of_graph(one_node_that_waits_for_all(2 * kSize)));
}

INSTANTIATE_TEST_SUITE_P(Hard, GrowthOfJobs, testing::ValuesIn(hard_jobs()),
                         [](const auto& job) { return job.param.name; });

INSTANTIATE_TEST_SUITE_P(Hard, Growth, testing::ValuesIn(hard_inputs()),
                         [](const auto& input) { return input.param.name; });

}  // namespace
}  // namespace nadi
