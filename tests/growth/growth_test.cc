// Work grows with the size of a trace, whatever the trace says: twice the events take hardly more
// than twice the comparisons and bytes.
#include <gtest/gtest.h>

#include <array>

#include "tests/growth/inputs.h"
#include "tests/growth/work.h"

namespace nadi {
namespace {

using namespace test;

constexpr double kMostGrowth = 2.3;
/// More than the streams of which a wait remembers all.
constexpr int kSize = 1000;

struct Stages {
  Work read, link, graph;
};

Stages stages_of(const HardInput& input, int size) {
  const Lines events = input.events(size);
  const Lines nodes = input.nodes == nullptr ? Lines() : input.nodes(size);
  Diagnostics diagnostics;
  LinkOptions options;
  options.match.method = MatchMethod::kForce;
  DeviceTrace device;
  std::optional<HostTrace> host;
  LinkedTrace linked;
  Stages work;
  work.read = work_of([&] {
    device = device_trace(events);
    if (!nodes.empty()) host = host_trace(nodes);
  });
  work.link = work_of(
      [&] { linked = link_traces(std::move(host), std::move(device), options, diagnostics); });
  work.graph = work_of([&] { build_graph(linked, {}, diagnostics); });
  return work;
}

class Growth : public testing::TestWithParam<HardInput> {};

TEST_P(Growth, OfWorkIsThatOfTheTrace) {
  const Stages once = stages_of(GetParam(), kSize), twice = stages_of(GetParam(), 2 * kSize);
  const std::array<std::tuple<const char*, Work, Work>, 3> rows = {
      {{"read", once.read, twice.read},
       {"link", once.link, twice.link},
       {"graph", once.graph, twice.graph}}};
  for (const auto& [stage, less, more] : rows) {
    const double steps = double(more.steps) / double(less.steps);
    const double bytes = double(more.bytes) / double(less.bytes);
    fmt::print("| {} | {} | {:.2f} | {:.2f} |\n", stage, GetParam().name, steps, bytes);
    EXPECT_LT(steps, kMostGrowth) << stage;
    EXPECT_LT(bytes, kMostGrowth) << stage;
  }
}

INSTANTIATE_TEST_SUITE_P(Hard, Growth, testing::ValuesIn(hard_inputs()),
                         [](const auto& input) { return input.param.name; });

}  // namespace
}  // namespace nadi
