#include "nadi/converters/html/delay_modes.h"

#include <gtest/gtest.h>

#include "nadi/sim_bridge/replay/critical_path.h"
#include "tests/unit/replay/graph_builder.h"

namespace nadi::html {
namespace {

/// An op after a host delay of 10 ns launches a kernel of 5 ns; a second one waits 7 ns more.
std::vector<Graph> graph_with_delays() {
  GraphBuilder builder;
  const auto idle = builder.delay(1, 0, 10);
  const auto op = builder.host(1, 10, 20, {idle});
  const auto first = builder.row(7, 30, 5, {op}, "first");
  const auto latency = builder.row(7, 35, 7, {first}, "delay");
  builder.row(7, 42, 5, {first, latency, op}, "second");
  std::vector<Graph> graphs;
  graphs.push_back(builder.take());
  graphs[0].kind[latency] = NodeKind::kDelay;
  return graphs;
}

std::vector<std::pair<std::string, Ns>> modes_of(std::vector<Graph>& graphs) {
  Diagnostics diagnostics;
  const ReplayJob job = make_replay_job(graphs, diagnostics);
  const Ns replayed = span_of(job, replay(job)).length();
  std::vector<std::pair<std::string, Ns>> modes;
  for (const DelayModeTime& mode : replay_by_delay_mode(graphs, job, ReplayLanes::kAll, replayed))
    modes.emplace_back(mode.name, mode.replayed_ns);
  return modes;
}

using Modes = std::vector<std::pair<std::string, Ns>>;

TEST(ReplayByDelayMode, LeavesOutTheDevicesDelaysThenAll) {
  std::vector<Graph> graphs = graph_with_delays();
  // Spans are from the first node that is no delay, which the host's delay comes before.
  EXPECT_EQ(modes_of(graphs), (Modes{{"all", 37}, {"host", 30}, {"none", 30}}));
}

TEST(ReplayByDelayMode, PutsTheDurationsBack) {
  std::vector<Graph> graphs = graph_with_delays();
  const std::vector<Ns> before = graphs[0].duration_ns;
  modes_of(graphs);
  EXPECT_EQ(graphs[0].duration_ns, before);
}

TEST(ReplayByDelayMode, TellsOfHostDelaysAlone) {
  GraphBuilder builder;
  const auto op = builder.host(1, 0, 10);
  const auto idle = builder.delay(1, 10, 4, {op});
  builder.host(1, 14, 10, {op, idle});
  std::vector<Graph> graphs;
  graphs.push_back(builder.take());
  EXPECT_EQ(modes_of(graphs), (Modes{{"host", 24}, {"none", 20}}));
}

TEST(ReplayByDelayMode, TakesDelaysBeforeRowsOfUnknownLaunchForTheHosts) {
  GraphBuilder builder;
  const auto op = builder.host(1, 0, 10);
  const auto first = builder.row(7, 12, 5, {op}, "first");
  const auto idle = builder.device_delay(7, 17, 7, {first});
  builder.row(7, 24, 5, {first, idle}, "unlaunched");
  std::vector<Graph> graphs;
  graphs.push_back(builder.take());
  EXPECT_EQ(modes_of(graphs), (Modes{{"host", 27}, {"none", 20}})) << "--delays host makes it, too";
}

TEST(ReplayByDelayMode, TakesWorkOfTheDeviceForTheHosts) {
  GraphBuilder builder;
  const auto op = builder.host(1, 0, 10);
  const auto first = builder.row(7, 10, 5, {op}, "first");
  const auto work = builder.device_delay(7, 15, 7'000, {first});
  builder.row(7, 7'015, 5, {op, first, work}, "second");
  builder.tell(first, work, {Evidence::kUnrecordedWork});
  std::vector<Graph> graphs;
  graphs.push_back(builder.take());
  EXPECT_EQ(modes_of(graphs), (Modes{{"host", 7'020}, {"none", 20}})) << "--delays host makes it";
}

TEST(ReplayByDelayMode, IsEmptyWhereThereAreNoDelays) {
  GraphBuilder builder;
  builder.host(1, 0, 10);
  std::vector<Graph> graphs;
  graphs.push_back(builder.take());
  EXPECT_EQ(modes_of(graphs), Modes{});
}

}  // namespace
}  // namespace nadi::html
