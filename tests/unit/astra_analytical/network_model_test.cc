// The model of ASTRA-sim's network against what ASTRA-sim (518bd51) simulated, to the ns.
#include "nadi/sim_bridge/astra_analytical/network_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

#include "tests/readme_text.h"

namespace nadi::astra_sim {
namespace {

using namespace ChakraProtoMsg;

const std::filesystem::path kAllRuns = NADI_SHARED_TRACES "/../facts/astra-sim-collectives.csv";
const std::filesystem::path kSampleOfRuns =
    NADI_SOURCE_DIR "/tests/unit/astra_analytical/collective_runs.csv";

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

/// A row of the file of measured runs, by the names of its columns.
using MeasuredRun = std::map<std::string, std::string>;

std::vector<MeasuredRun> read_runs(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::string line;
  const auto next_fields = [&] {
    std::vector<std::string> fields;
    std::string field;
    bool is_quoted = false;
    for (const char c : line) {
      if (c == '"')
        is_quoted = !is_quoted;
      else if (c == ',' && !is_quoted)
        fields.push_back(std::exchange(field, {}));
      else if (c != '\r')
        field += c;
    }
    fields.push_back(field);
    return fields;
  };
  std::getline(in, line);
  const std::vector<std::string> names = next_fields();
  std::vector<MeasuredRun> rows;
  while (std::getline(in, line)) {
    const std::vector<std::string> fields = next_fields();
    MeasuredRun& row = rows.emplace_back();
    for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = fields.at(i);
  }
  return rows;
}

/// The one value of all dimensions, or each one's.
std::string of_dimension(const std::string& values, std::size_t dimension) {
  const auto parts = split(values, '|');
  return parts.size() == 1 ? parts[0] : parts.at(dimension);
}

Network network_of(const MeasuredRun& row) {
  Network network;
  network.backend =
      row.at("backend") == "aware" ? NetworkBackend::kAware : NetworkBackend::kUnaware;
  const auto topologies = split(row.at("topology"), '|');
  for (std::size_t i = 0; i < topologies.size(); ++i)
    network.dimensions.push_back({topology_named(topologies[i]).value(),
                                  std::stoll(of_dimension(row.at("dims"), i)),
                                  std::stod(of_dimension(row.at("link_gbps"), i)),
                                  std::stod(of_dimension(row.at("latency_ns"), i))});
  return network;
}

CollectiveSystem system_of(const MeasuredRun& row) {
  CollectiveSystem system;
  system.dataset_splits = std::stoll(row.at("splits"));
  system.active_chunks = std::stoll(row.at("active_chunks"));
  system.endpoint_delay_ns = std::stoll(row.at("endpoint_delay"));
  system.memory_gb_per_s = std::stod(row.at("local_mem_bw"));
  for (const std::string& name : split(row.at("impl"), '|'))
    system.all_reduce.push_back(implementation_named(name));
  system.all_gather = system.reduce_scatter = system.all_to_all = system.all_reduce;
  return system;
}

/// "world", "0-3" or "0,2,4".
std::vector<std::int64_t> members_of(const std::string& group) {
  std::vector<std::int64_t> members;
  if (group == "world") return members;
  const auto ends = split(group, '-');
  if (ends.size() == 2) {
    members.resize(static_cast<std::size_t>(std::stoll(ends[1]) - std::stoll(ends[0]) + 1));
    std::iota(members.begin(), members.end(), std::stoll(ends[0]));
    return members;
  }
  for (const std::string& rank : split(group, ',')) members.push_back(std::stoll(rank));
  return members;
}

std::optional<Ns> modelled(const MeasuredRun& row) {
  const Network network = network_of(row);
  const std::int64_t bytes = std::stoll(row.at("bytes"));
  // The messages measured went two places on.
  if (row.at("type") == "SEND_RECV") return message_time(0, 2, bytes, network);
  CollectiveCommType type{};
  EXPECT_TRUE(CollectiveCommType_Parse(row.at("type"), &type)) << row.at("type");
  return collective_time({type, bytes, members_of(row.at("group"))}, network, system_of(row));
}

std::string text_of(const MeasuredRun& row) {
  std::string text;
  for (const auto& [name, value] : row) text += name + " " + value + ", ";
  return text;
}

struct Compared {
  int unaware = 0, aware = 0, not_covered = 0;
};

/// Fails for each row that the model covers and does not equal.
Compared compare(const std::vector<MeasuredRun>& rows) {
  Compared compared;
  for (const MeasuredRun& row : rows) {
    const std::optional<Ns> time = modelled(row);
    if (!time) {
      ++compared.not_covered;
      continue;
    }
    ++(row.at("backend") == "aware" ? compared.aware : compared.unaware);
    EXPECT_EQ(*time, std::stoll(row.at("simulated_ns"))) << text_of(row);
  }
  return compared;
}

TEST(NetworkModel, TakesTheTimeOfEveryMeasuredRun) {
  if (!std::filesystem::exists(kAllRuns)) GTEST_SKIP() << "needs " << kAllRuns;
  const Compared compared = compare(read_runs(kAllRuns));
  EXPECT_EQ(compared.unaware, 2'235);
  EXPECT_EQ(compared.aware, 120);        // `ring` with one active chunk, and messages
  EXPECT_EQ(compared.not_covered, 192);  // aware: direct, or two active chunks
  test::expect_readme_says("sim_bridge/astra_analytical/README.md",
                           "all " + test::count_text(static_cast<std::uint64_t>(compared.unaware)) +
                               " measured runs of the congestion-unaware backend, and in the " +
                               std::to_string(compared.aware) + " of the aware one");
}

TEST(NetworkModel, TakesTheTimeOfEveryKindOfRunInTheSample) {
  const std::vector<MeasuredRun> rows = read_runs(kSampleOfRuns);
  std::set<std::string> kinds;
  for (const MeasuredRun& row : rows)
    if (row.at("backend") == "unaware") kinds.insert(row.at("type") + " " + row.at("impl"));
  EXPECT_EQ(kinds.size(), 32U);
  const Compared compared = compare(rows);
  EXPECT_EQ(compared.unaware + compared.aware, std::ssize(rows));
  EXPECT_GE(compared.unaware, 60);
  EXPECT_GE(compared.aware, 5);
}

/// A switch of 8 NPUs, all collectives as `implementation`.
struct SwitchOfEight {
  Collective collective{ALL_REDUCE, 1 << 20, {}};
  Network network{NetworkBackend::kUnaware, {{Topology::kSwitch, 8, 400, 936}}};
  CollectiveSystem system;

  explicit SwitchOfEight(Implementation implementation = Implementation::kRing) {
    system.all_reduce = system.all_gather = system.reduce_scatter =
        system.all_to_all = {implementation};
  }
  std::optional<Ns> time() const { return collective_time(collective, network, system); }
};

TEST(NetworkModel, AGroupOfAllRanksIsTheWorld) {
  SwitchOfEight world;
  world.system.endpoint_delay_ns = 100;
  SwitchOfEight group = world;
  group.collective.members = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(group.time(), world.time());
}

TEST(NetworkModel, SmallCollectivesButGathersAreRoundedUpToAByteForEachNpuAndSplit) {
  SwitchOfEight small, least;
  small.collective.bytes = 1;
  least.collective.bytes = 4 * 8;
  EXPECT_EQ(small.time(), least.time());
  EXPECT_TRUE(small.time());
  small.collective.type = ALL_GATHER;
  EXPECT_EQ(small.time(), std::nullopt);
}

TEST(NetworkModel, APartOfTheRanksOnTwoEqualDimensionsIsARingAsOnOne) {
  SwitchOfEight flat;
  flat.network.dimensions[0].npus = 10;
  flat.collective.members = {0, 1, 2, 3, 4, 5, 6, 7};
  SwitchOfEight folded = flat;
  folded.network.dimensions = {{Topology::kSwitch, 2, 400, 936}, {Topology::kSwitch, 5, 400, 936}};
  EXPECT_EQ(folded.time(), flat.time());
  folded.system.all_reduce = {Implementation::kDirect, Implementation::kDirect};
  EXPECT_EQ(folded.time(), flat.time());
  folded.network.dimensions[1].latency_ns = 937;
  EXPECT_EQ(folded.time(), std::nullopt);
}

TEST(NetworkModel, KnowsNothingOfWhatWasNotMeasured) {
  const auto expect_unknown = [](const char* what, Implementation implementation,
                                 const auto& change) {
    SwitchOfEight changed(implementation);
    EXPECT_TRUE(changed.time()) << what;
    change(changed);
    EXPECT_EQ(changed.time(), std::nullopt) << what;
  };
  using enum Implementation;
  const auto six = [](SwitchOfEight& c) { c.network.dimensions[0].npus = 6; };
  expect_unknown("halving among six", kHalvingDoubling, six);
  expect_unknown("halving that aborts", kHalvingDoubling, [](SwitchOfEight& c) {
    c.collective.bytes = 2 * 8 * c.system.dataset_splits;
    ASSERT_TRUE(c.time());
    --c.collective.bytes;
  });
  expect_unknown("tree among six", kDoubleBinaryTree, six);
  expect_unknown("tree among some ranks", kDoubleBinaryTree, [](SwitchOfEight& c) {
    c.collective.members = {0, 1};
  });
  expect_unknown("another implementation", kRing,
                 [](SwitchOfEight& c) { c.system.all_reduce = {implementation_named("oneRing")}; });
  expect_unknown("no implementation", kRing, [](SwitchOfEight& c) { c.system.all_reduce.clear(); });
  expect_unknown("lists of two on one dimension", kRing, [](SwitchOfEight& c) {
    c.system.all_reduce = {kRing, kRing};
  });
  expect_unknown("broadcast", kRing, [](SwitchOfEight& c) { c.collective.type = BROADCAST; });
  expect_unknown("an all-to-all by halving", kHalvingDoubling,
                 [](SwitchOfEight& c) { c.collective.type = ALL_TO_ALL; });
  expect_unknown("three dimensions", kRing, [](SwitchOfEight& c) {
    c.network.dimensions.assign(3, {Topology::kSwitch, 2, 400, 936});
    c.system.all_reduce.assign(3, kRing);
  });
  expect_unknown("two Rings", kRing, [](SwitchOfEight& c) {
    c.network.dimensions.assign(2, {Topology::kRing, 4, 400, 936});
    c.system.all_reduce.assign(2, kRing);
  });
  expect_unknown("aware, all at once", kDirect,
                 [](SwitchOfEight& c) { c.network.backend = NetworkBackend::kAware; });
  expect_unknown("aware, two active chunks", kRing, [](SwitchOfEight& c) {
    c.network.backend = NetworkBackend::kAware;
    c.system.active_chunks = 2;
  });
  expect_unknown("uneven on a Ring, two active chunks", kRing, [](SwitchOfEight& c) {
    c.network.dimensions[0].topology = Topology::kRing;
    c.collective.members = {0, 1, 2};
    ASSERT_TRUE(c.time());
    c.system.active_chunks = 2;
  });
  expect_unknown("members of a Ring in another order", kRing, [](SwitchOfEight& c) {
    c.network.dimensions[0].topology = Topology::kRing;
    c.collective.members = {0, 2, 1};
  });
}

TEST(NetworkModel, NumbersThatNoJobHasAreUnknown) {
  const auto expect_unknown = [](const char* what, const auto& change) {
    SwitchOfEight changed;
    change(changed);
    EXPECT_EQ(changed.time(), std::nullopt) << what;
  };
  const double infinity = std::numeric_limits<double>::infinity();
  const double no_number = std::numeric_limits<double>::quiet_NaN();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t bytes : {kMost, std::int64_t{1} << 62, std::int64_t{0}, -kMost - 1})
    expect_unknown("bytes", [&](SwitchOfEight& c) { c.collective.bytes = bytes; });
  for (const std::int64_t npus :
       {std::int64_t{1'000'000}, kMost, std::int64_t{1}, std::int64_t{0}, -kMost - 1})
    expect_unknown("NPUs", [&](SwitchOfEight& c) { c.network.dimensions[0].npus = npus; });
  for (const double number : {infinity, no_number, -1.0, 0.0, 1e-300}) {
    expect_unknown("bandwidth",
                   [&](SwitchOfEight& c) { c.network.dimensions[0].bandwidth_gb_per_s = number; });
    expect_unknown("memory", [&](SwitchOfEight& c) { c.system.memory_gb_per_s = number; });
  }
  for (const double number : {infinity, no_number, -1.0, 1e300})
    expect_unknown("latency",
                   [&](SwitchOfEight& c) { c.network.dimensions[0].latency_ns = number; });
  for (const std::int64_t number : {kMost, std::int64_t{0}, -kMost - 1}) {
    expect_unknown("splits", [&](SwitchOfEight& c) { c.system.dataset_splits = number; });
    expect_unknown("delay", [&](SwitchOfEight& c) { c.system.endpoint_delay_ns = number; });
  }
  for (const std::int64_t number : {std::int64_t{0}, -kMost - 1})
    expect_unknown("active chunks", [&](SwitchOfEight& c) { c.system.active_chunks = number; });
  for (const std::vector<std::int64_t>& members :
       std::vector<std::vector<std::int64_t>>{{0}, {0, 8}, {-1, 0}, {1, 1}, {kMost, 0}})
    expect_unknown("members", [&](SwitchOfEight& c) { c.collective.members = members; });
}

TEST(NetworkModel, AnswersForTheLargestNumbersInABlink) {
  const auto begin = std::chrono::steady_clock::now();
  using enum Implementation;
  for (const Implementation implementation :
       {kRing, kDirect, kDirect1, kHalvingDoubling, kDoubleBinaryTree})
    for (const Topology topology : {Topology::kSwitch, Topology::kFullyConnected, Topology::kRing})
      for (const std::int64_t type : {ALL_REDUCE, ALL_GATHER, ALL_TO_ALL, REDUCE_SCATTER})
        for (const std::int64_t slots : {std::int64_t{1}, std::numeric_limits<std::int64_t>::max()})
          for (const bool is_part : {false, true}) {
            SwitchOfEight large(implementation);
            large.network.dimensions[0] = {topology, 1 << 16, 400, 936};
            large.system.dataset_splits = 1 << 16;
            large.system.active_chunks = slots;
            large.collective = {type, std::int64_t{1} << 50, {}};
            if (is_part) {
              large.collective.members.resize(40'000);
              std::iota(large.collective.members.begin(), large.collective.members.end(), 1);
            }
            const auto time = large.time();
            if (time) {
              EXPECT_GT(*time, 0);
            }
          }
  SwitchOfEight grid;
  grid.network.dimensions.assign(2, {Topology::kSwitch, 1 << 8, 400, 936});
  grid.system.all_reduce.assign(2, kRing);
  grid.system.dataset_splits = 1 << 16;
  EXPECT_TRUE(grid.time());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(took.count(), 20) << "0.2 s where the machine is idle";
}

TEST(NetworkModel, AMessageTakesTheLinksBetweenItsRanks) {
  const auto time = [](Topology topology, std::int64_t source, std::int64_t destination,
                       std::int64_t bytes = 429'497) {  // 1,000 ns
    return message_time(source, destination, bytes,
                        {NetworkBackend::kUnaware, {{topology, 8, 400, 936}}});
  };
  EXPECT_EQ(time(Topology::kSwitch, 0, 1), 2 * 936 + 1000);
  EXPECT_EQ(time(Topology::kFullyConnected, 0, 7), 936 + 1000);
  EXPECT_EQ(time(Topology::kRing, 0, 7), 936 + 1000);
  EXPECT_EQ(time(Topology::kRing, 6, 2), 4 * 936 + 1000);
  EXPECT_EQ(time(Topology::kRing, 1, 1), std::nullopt);
  EXPECT_EQ(time(Topology::kRing, 1, 8), std::nullopt);
  EXPECT_EQ(time(Topology::kRing, -1, 1), std::nullopt);
  EXPECT_EQ(time(Topology::kRing, 0, 1, 0), std::nullopt);
  EXPECT_EQ(time(Topology::kRing, 0, 1, std::numeric_limits<std::int64_t>::max()), std::nullopt);
}

/// The members' own ends where all start at 1 ns, but the first one at 0.
std::optional<std::vector<Ns>> ends_of_uneven_starts(const MeasuredRun& row) {
  CollectiveCommType type{};
  if (!CollectiveCommType_Parse(row.at("type"), &type)) return std::nullopt;
  const std::vector<std::int64_t> members = members_of(row.at("group"));
  const Network network = network_of(row);
  std::vector<Ns> starts(
      static_cast<std::size_t>(members.empty() ? npus_of(network) : std::ssize(members)), 1);
  starts.front() = 0;
  return collective_ends({type, std::stoll(row.at("bytes")), members}, starts, network,
                         system_of(row));
}

/// Of how many runs the model told the end of each member: nearly all but of the aware backend.
int count_followed(const std::vector<MeasuredRun>& rows) {
  int followed = 0;
  for (const MeasuredRun& row : rows) {
    const auto ends = ends_of_uneven_starts(row);
    if (!ends || row.at("backend") == "aware") continue;
    ++followed;
    const Ns last = *std::max_element(ends->begin(), ends->end());
    const Ns measured = std::stoll(row.at("simulated_ns"));
    EXPECT_TRUE(last == measured || last == measured + 1) << last << ": " << text_of(row);
  }
  return followed;
}

TEST(NetworkModel, FollowsEachMemberToTheMeasuredEnd) {
  EXPECT_GT(count_followed(read_runs(kSampleOfRuns)), 40);
}

TEST(NetworkModel, FollowsEachMemberOfEveryMeasuredRunToItsEnd) {
  if (!std::filesystem::exists(kAllRuns)) GTEST_SKIP() << "needs " << kAllRuns;
  EXPECT_GT(count_followed(read_runs(kAllRuns)), 2000);
}

TEST(NetworkModel, AMemberThatComesLateFindsWhatTheOthersHaveSent) {
  const Network network{NetworkBackend::kUnaware, {{Topology::kSwitch, 4, 1e6, 500}}};
  CollectiveSystem system;
  system.dataset_splits = 1;
  system.memory_gb_per_s = 1e9;
  system.all_reduce = {Implementation::kRing};
  const Collective collective{ALL_REDUCE, 4, {}};  // pieces of a byte, two links each
  const auto ends = collective_ends(collective, {0, 0, 0, 1'000'000}, network, system);
  ASSERT_TRUE(ends.has_value());
  // The last member has all it needs for its first three pieces and sends them at once; what it
  // added comes back to it after four messages, and has seen all after six, as if all had waited.
  const Ns message = 1000 + 10, end = 10;
  std::vector<Ns> expected;
  for (const Ns messages : {5, 6, 3, 4}) expected.push_back(1'000'000 + messages * message + end);
  EXPECT_EQ(*ends, expected);
  EXPECT_EQ(*collective_time(collective, network, system), 6 * message + end);
}

TEST(NetworkModel, GroupsThatPassThroughOneOfTwoUnequalDimensionsTakeItsTime) {
  const NetworkDimension in_node{Topology::kSwitch, 4, 300, 900},
      between{Topology::kSwitch, 3, 20, 8000};
  const Network network{NetworkBackend::kUnaware, {in_node, between}};
  CollectiveSystem system;
  system.all_reduce = {Implementation::kRing, Implementation::kRing};
  CollectiveSystem of_one = system;
  of_one.all_reduce.pop_back();
  const auto time_on_one = [&](const std::vector<std::int64_t>& members, NetworkDimension link) {
    link.npus = 12;
    return collective_time({ALL_REDUCE, 1 << 20, members}, {NetworkBackend::kUnaware, {link}},
                           of_one);
  };
  const auto time_of = [&](const std::vector<std::int64_t>& members) {
    return collective_time({ALL_REDUCE, 1 << 20, members}, network, system);
  };
  EXPECT_EQ(time_of({4, 5, 7}), time_on_one({4, 5, 7}, in_node));
  EXPECT_EQ(time_of({1, 5, 9}), time_on_one({1, 5, 9}, between));
  // A ring of three, two chunks: four messages each through a switch, two reductions, five delays.
  const std::int64_t piece = (1 << 19) / 3;
  const Ns message = static_cast<Ns>(2 * 8000 + static_cast<double>(piece) / (20 * 0x1p30 / 1e9));
  EXPECT_EQ(time_of({1, 5, 9}), 2 * (5 * 10 + 4 * message + 2 * 3 * (piece / 3350)));
  EXPECT_EQ(time_of({0, 1, 4}), std::nullopt);
  EXPECT_EQ(message_time(0, 3, 1 << 20, network), message_time(4, 5, 1 << 20, network));
  EXPECT_LT(*message_time(0, 3, 1 << 20, network), *message_time(0, 4, 1 << 20, network));
  // Neighbours across a border of nodes differ in the first dimension, too, and pay that one.
  EXPECT_EQ(message_time(3, 4, 1 << 20, network), message_time(0, 3, 1 << 20, network));
}

TEST(NetworkModel, NamesTheSettingThatWasNotMeasured) {
  const NetworkDimension link{Topology::kSwitch, 4, 400, 936};
  const Collective all{ALL_REDUCE, 4096, {}}, part{ALL_REDUCE, 4096, {0, 1}};
  Network network{NetworkBackend::kUnaware, {link}};
  CollectiveSystem system;
  system.all_reduce = {Implementation::kRing};
  const auto expect_reason = [&](const Collective* of, const std::string& reason) {
    const auto time =
        of == nullptr ? message_time(0, 1, 64, network) : collective_time(*of, network, system);
    EXPECT_EQ(time.has_value(), reason.empty()) << reason;
    EXPECT_EQ(unmeasured_setting(of, network, system), reason);
  };
  expect_reason(&all, "");
  expect_reason(nullptr, "");
  system.endpoint_delay_ns = 0;
  expect_reason(&all, "a network with an endpoint delay of 0 was not measured");
  expect_reason(nullptr, "");
  system.endpoint_delay_ns = 10;
  network.dimensions = {link, {Topology::kSwitch, 2, 100, 936}};
  expect_reason(&part, "");
  const Collective mixed{ALL_REDUCE, 4096, {0, 1, 4, 5}};
  expect_reason(&mixed,
                "on two dimensions times among a part of the ranks are known only where both are "
                "alike, or all messages pass through one of them, and none is a Ring");
  network.dimensions = {link, link, link};
  expect_reason(&all, "a network with more than two dimensions was not measured");
  network.dimensions = {link, {Topology::kRing, 2, 400, 936}};
  expect_reason(&all, "a network of two dimensions was measured with Switches only");
  network = {NetworkBackend::kAware, {link}};
  expect_reason(&part,
                "the congestion-aware program was measured only with rings of all ranks and one "
                "active chunk");
  network.dimensions[0].npus = 1;
  expect_reason(&all, "a network with a dimension of one NPU was not measured");
}

TEST(NetworkModel, KnowsTheNamesOfTheSimulatorsImplementations) {
  for (const char* name : {"ring", "direct", "direct1", "direct16", "oneDirect4", "oneRing",
                           "halvingDoubling", "oneHalvingDoubling", "doubleBinaryTree"})
    EXPECT_TRUE(is_implementation_name(name)) << name;
  for (const char* name : {"", "Ring", "rnig", "directly", "oneDoubleBinaryTree", "tree"})
    EXPECT_FALSE(is_implementation_name(name)) << name;
}

}  // namespace
}  // namespace nadi::astra_sim
